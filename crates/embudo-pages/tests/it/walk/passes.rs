//! Passes: they open an address without an account.

use std::collections::BTreeMap;

use embudo_app::{Actor, Pass as Opens};
use embudo_domain::user::User;
use embudo_domain::{FotoId, LeadId, PresupuestoId, Timestamp, VisitaId};
use embudo_testkit::Scene;

/// A kind of pass. Each kind is valid only for its own addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pass {
    Form,
    Quote,
    Visit,
    Consents,
    Calendar,
    Photo,
    /// The ticket of a form that was sent.
    Ticket,
    SetUp,
    Reset,
    /// An expired pass to the same form.
    Expired,
    /// A pass that was invented.
    Forged,
}

/// One pass of each kind for the objects of a lead. Secrets and links belong to this person.
pub async fn passes(
    scene: &Scene,
    lead: LeadId,
    quote: PresupuestoId,
    visita: VisitaId,
    foto: FotoId,
    link_ends: Timestamp,
    person: &User,
) -> BTreeMap<Pass, String> {
    let (app, command) = (&scene.server.app, Actor::command());
    let write = |opens| app.outbound.passes.write(opens, None);
    let link = app.outbound.links.as_ref().unwrap().links.path(lead, foto, link_ends);
    let ended = app.outbound.passes.write(Opens::Form(lead), Some(app.now()));
    let reset = app.access().invite(person, &command).await.unwrap();
    let last = |text: &str| text.rsplit('=').next().unwrap().to_owned();
    [
        (Pass::Form, app.form_passes().to_form(lead)),
        (Pass::Quote, write(Opens::Presupuesto(quote))),
        (Pass::Visit, write(Opens::Visita(visita))),
        (Pass::Consents, app.form_passes().to_consentimientos(lead)),
        (Pass::Calendar, app.visits().renew_feed(person, &command).await.unwrap()),
        (Pass::Photo, last(&link)),
        (Pass::SetUp, app.access().set_up_pass()),
        (Pass::Reset, last(&reset)),
        (Pass::Expired, ended),
        (Pass::Forged, "Zm9yamFkbyB5IGRlIGxhIG1pc21hIGxvbmdpdHVkIHF1ZSB1bm8gYnVlbm8".to_owned()),
    ]
    .into()
}
