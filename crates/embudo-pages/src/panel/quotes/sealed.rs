//! `/panel/presupuestos/:id` for a quote that was sent: its status, the differences from the previous version, and how
//! to hand it over in person.

use askama::Template;
use embudo_domain::Timestamp;
use embudo_domain::event::EventKind;
use embudo_domain::presupuesto::{Draft, Presupuesto, PrintedOption, differences};
use http::StatusCode;

use super::differences::MAX_DIFFERENCES;
use super::sums::{Money, Sums};
use super::{OpenQuote, STYLES};
use crate::panel::form_state::FormState;
use crate::panel::kit::chips::{delivery, quote_state};
use crate::panel::kit::phone::Phone;
use crate::panel::words::moment;
use crate::panel::{PanelFrame, PanelResult, Section};
use crate::parts::{FormFields, private_page};

/// Concept, quantity and amount of a line.
type Row = (String, String, String);

#[derive(Template)]
#[template(path = "panel/quotes/sealed.html")]
struct SentQuotePage {
    frame: PanelFrame,
    form: FormState,
    done: Option<&'static str>,
    base: String,
    lead: String,
    nombre: String,
    telefono: Phone,
    id: String,
    number: String,
    version: u32,
    state: (&'static str, &'static str),
    issued: String,
    until: String,
    has_pdf: bool,
    /// Whether the accepted version has a PDF of its own.
    has_accepted: bool,
    /// The address of the client's page.
    link: String,
    /// Whether the link uses the address of this request, because no public address is configured.
    is_guessed: bool,
    whatsapp: String,
    deliveries: Vec<(String, &'static str)>,
    /// When the quote was handed over in person.
    handed_over: Option<String>,
    once: String,
    sums: Sums,
    /// The lead's other versions, newest first: number and label.
    others: Vec<(String, String)>,
    /// The number of the version that this one is compared with, and the differences.
    compared: Option<(String, Vec<String>)>,
    capitulos: Vec<(String, String, Vec<Row>)>,
    /// The optional lines, and whether the client accepted each.
    options: Vec<(Row, bool)>,
    /// Whether an acceptance by telephone can be recorded.
    can_accept: bool,
    /// The accepted contents: what, when, and under which texts.
    accepted: Option<Accepted>,
    /// When the client asked for a visit, and their note.
    visit: Option<(String, String)>,
    character: &'static str,
    /// Whether the person may edit, and not only view.
    can_write: bool,
}

struct Accepted {
    when: String,
    total: String,
    options: Vec<String>,
    declaracion: Option<String>,
    early_start: Option<String>,
    /// For an acceptance by telephone: the person who recorded it, and their note.
    by_phone: Option<(String, String)>,
}

impl Accepted {
    fn of(quote: &Presupuesto, now: Timestamp) -> Option<Self> {
        let (taken, answer) = (quote.acceptance()?, quote.answer.as_ref()?);
        Some(Self {
            when: moment(taken.at, now),
            total: taken.total.to_string(),
            options: taken.options.into_iter().map(|option| option.concepto).collect(),
            declaracion: answer.declaracion.clone(),
            early_start: answer.early_start.clone(),
            by_phone: taken.by_phone.map(|by| (by.who, by.note.unwrap_or_default())),
        })
    }
}

pub(super) async fn show(open: &OpenQuote, quote: &Presupuesto, query: &FormFields) -> PanelResult {
    let (state, lead, now) = (&open.state, &open.record.lead, open.state.app.now());
    let done = match query.raw("hecho") {
        "enviado" => Some("Enviado. Abajo se ve cómo llega."),
        "aceptado" => Some("Apuntado: aceptado por teléfono."),
        "entregado" => Some("Apuntado: entregado a mano."),
        "revocado" => {
            Some("Los enlaces de antes ya no abren el presupuesto. Abajo tienes el nuevo: dáselo tú.")
        }
        _ => None,
    };
    let number = quote.number.to_string();
    let summary = open.record.presupuestos.iter().find(|p| p.id == quote.id);
    let deliveries = summary.into_iter().flat_map(|p| &p.deliveries);
    let own = |kind: EventKind| {
        let events = open.record.events.iter().rev();
        events.filter(move |e| e.kind == kind).find(|e| e.detail.as_deref() == Some(number.as_str()))
    };
    let handed_over = own(EventKind::DeliveredByHand).map(|event| moment(event.creado_en, now));
    let link = format!("{}{}", open.home, state.app.quotes().page_path(quote.id));
    let all = state.app.store.presupuestos(lead.id).await?;
    let others: Vec<&Presupuesto> = all.iter().filter(|other| other.id != quote.id).collect();
    let asked = others.iter().find(|other| other.number.to_string() == query.raw("con"));
    let before = others.iter().filter(|o| o.version < quote.version).max_by_key(|other| other.version);
    let compared = asked.or(before).map(|other| {
        let found = differences(&other.document, &quote.document);
        let texts = found.iter().take(MAX_DIFFERENCES).map(ToString::to_string);
        (other.number.to_string(), texts.collect())
    });
    let named = |other: &&Presupuesto| {
        let number = other.number.to_string();
        (number.clone(), format!("{number} (versión {}, {})", other.version, quote_state(other.state).0))
    };
    let can_write = open.can_write();
    let draft = match can_write {
        true => state.app.store.draft_of_quote(quote.id).await?,
        // The draft contains costs, which a person who may only view must not see.
        false => None,
    };
    let draft = draft.and_then(|sheet| Draft::read(sheet.as_bytes()).ok());
    let money = Money::of(draft.as_ref(), &quote.document).seen_in(open);
    let money = if can_write { money } else { Money { warning: None, ..money } };
    let frame =
        PanelFrame::new(state, &open.signed, format!("Presupuesto {number}"), Section::Quotes).await?;
    let line = |l: &embudo_domain::pricing::Line| -> Row {
        let measure = format!("{} {} × {}", l.cantidad, l.unidad.symbol(), l.precio);
        (l.concepto.clone(), measure, l.importe.to_string())
    };
    let taken = quote.acceptance().map(|taken| taken.options).unwrap_or_default();
    let option = |o: &PrintedOption| (line(&o.line), taken.iter().any(|t| t.id == o.id));
    let capitulo = |c: &embudo_domain::pricing::Capitulo| {
        (c.nombre.clone(), c.total.to_string(), c.lines.iter().map(line).collect())
    };
    let page = SentQuotePage {
        frame: frame.with(STYLES, &["editor.js", "seguir.js"]),
        form: FormState::default(),
        done,
        base: open.path(),
        lead: lead.id.to_string(),
        nombre: lead.name(),
        telefono: Phone::of(&lead.telefono_e164),
        id: quote.id.to_string(),
        version: quote.version,
        state: quote_state(quote.state),
        issued: embudo_domain::words::day(quote.validity.issued),
        until: embudo_domain::words::day(quote.validity.until),
        has_pdf: quote.pdf.is_some(),
        has_accepted: quote.accepted_pdf.is_some(),
        whatsapp: whatsapp(lead, &number, &link),
        link,
        is_guessed: state.app.outbound.links.is_none(),
        deliveries: deliveries.map(|d| delivery(d.channel, d.state)).collect(),
        handed_over,
        once: state.app.id().to_string(),
        sums: Sums::new(String::new(), String::new(), true, Some(money), &super::fields::Mistakes::default()),
        others: others.iter().map(named).collect(),
        compared,
        capitulos: quote.document.pricing.capitulos.iter().map(capitulo).collect(),
        options: quote.document.options.iter().map(option).collect(),
        can_accept: can_write && super::by_phone::refused(quote, state.app.today()).is_none(),
        accepted: Accepted::of(quote, now),
        visit: quote.visit.as_ref().map(|v| (moment(v.at, now), v.note.clone().unwrap_or_default())),
        character: quote.document.character().explanation(),
        can_write,
        number,
    };
    Ok(private_page(StatusCode::OK, &page))
}

/// A link that opens WhatsApp with the client and a prepared text.
fn whatsapp(lead: &embudo_domain::lead::Lead, number: &str, link: &str) -> String {
    let digits: String = lead.telefono_e164.chars().filter(char::is_ascii_digit).collect();
    let first = lead.first_name();
    let text =
        format!("Hola, {first}: soy de {}. Aquí tienes tu presupuesto {number}: {link}", lead.empresa.nombre);
    let text: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    format!("https://wa.me/{digits}?text={}", text.replace('+', "%20"))
}
