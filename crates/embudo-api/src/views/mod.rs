//! How answers look: names as on the wire, every field always there, `null` where absent, times as RFC 3339 UTC.
//!
//! Each view is one list of fields; what is written and what the OpenAPI document says of it both come from that list.

#[macro_use]
mod view;

pub(crate) mod done;
pub(crate) mod lead;
pub(crate) mod parts;
pub(crate) mod quote;
mod shape;
pub(crate) mod today;
pub(crate) mod visit;

use serde_json::{Map, Value};

use self::view::View;

/// The schemas of every answer and part of an answer.
pub(crate) fn schemas() -> Map<String, Value> {
    [
        done::Done::named(),
        done::DoneWithId::named(),
        done::Ingested::named(),
        done::Finalized::named(),
        done::PerfilUpdated::named(),
        done::MensajeriaStarted::named(),
        parts::ReceivedFoto::named(),
        lead::EmpresaView::named(),
        lead::ObraView::named(),
        lead::LeadInList::named(),
        lead::LeadsPage::named(),
        lead::LeadView::named(),
        parts::FotoView::named(),
        parts::NotaView::named(),
        parts::TurnoView::named(),
        parts::CalificacionView::named(),
        parts::IntentoView::named(),
        parts::EventView::named(),
        parts::EventsPage::named(),
        parts::PresupuestoView::named(),
        parts::DeliveryView::named(),
        parts::AcceptanceView::named(),
        lead::LoopView::named(),
        lead::AttentionView::named(),
        parts::ConsentimientoView::named(),
        quote::QuoteList::named(),
        quote::QuoteView::named(),
        quote::ChapterView::named(),
        quote::LineView::named(),
        quote::OptionView::named(),
        visit::OfferView::named(),
        visit::VisitView::named(),
        today::TodayView::named(),
        today::DueView::named(),
        today::TodayVisitView::named(),
    ]
    .into_iter()
    .collect()
}
