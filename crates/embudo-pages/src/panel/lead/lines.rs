//! One line of the timeline, in words.

use embudo_app::may_remove_nota;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::conversacion::Rol;
use embudo_domain::event::Event;
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::IntentoResult;
use embudo_domain::job::{Delivery, JobState};
use embudo_domain::nota::NotaInterna;
use embudo_domain::record::{StateChange, StoredIntento, StoredTurno};
use embudo_domain::reply::Reply;
use embudo_domain::role::Role;
use embudo_domain::timeline::{Moment, SentJob};
use embudo_domain::words::{name, plain};
use embudo_domain::{LeadId, Timestamp, UserId};

use super::union::{Source, Union};
use super::words;
use crate::panel::kit::choices;
use crate::panel::kit::people::People;
use crate::panel::words::{clock, moment};

/// The maximum length of the text of a line, in characters.
const MAX_TEXT: usize = 16_000;
/// The maximum length of a receiver's response.
const MAX_ANSWER: usize = 300;

#[derive(Default)]
pub(super) struct Line {
    pub class: &'static str,
    pub icon: &'static str,
    pub who: String,
    pub time: String,
    /// A short label after the heading, and its CSS class.
    pub tag: Option<(String, &'static str)>,
    pub text: String,
    /// Whether the text is shortened.
    pub is_cut: bool,
    pub media: Option<Media>,
    /// The transcript of a voice note.
    pub transcript: String,
    pub attempts: Vec<Attempt>,
    /// The lead to which the line belongs, if it is not the lead of the page.
    pub source: Option<Source>,
    lead: Option<LeadId>,
    /// The address that removes the note.
    pub remove: Option<String>,
    /// Whether a program caused the line and nobody has to look at it.
    pub is_automatic: bool,
}

impl Line {
    /// Whether the next line is joined to this one: both are changes of state of the same lead.
    pub fn goes_on_with(&self, next: &Self) -> bool {
        self.class == "estado" && next.class == "estado" && self.lead == next.lead
    }
}

pub(super) struct Media {
    pub kind: String,
    /// Set only for http(s) addresses.
    pub href: Option<String>,
    pub text: String,
}

pub(super) struct Attempt {
    pub when: String,
    pub is_ok: bool,
    pub outcome: String,
    pub answer: String,
}

/// Writes the lines for one person.
pub(super) struct Teller<'a> {
    pub now: Timestamp,
    pub people: &'a People,
    pub union: &'a Union,
    pub who: UserId,
    /// The role of the person who looks at the page.
    pub role: Role,
}

impl Teller<'_> {
    pub fn line(&self, moment: Moment, lead: LeadId) -> Line {
        let remove = match &moment {
            Moment::NotaInterna(nota) => self.remove(lead, nota),
            _ => None,
        };
        let line = line(moment, self.people, self.now);
        Line { source: self.union.source(lead, self.now), lead: Some(lead), remove, ..line }
    }

    /// The address that removes a note, if this person may do so.
    fn remove(&self, lead: LeadId, nota: &NotaInterna) -> Option<String> {
        may_remove_nota(nota, self.who, self.role)
            .then(|| format!("/panel/leads/{lead}/notas/{}/quitar", nota.id))
    }
}

fn internal(nota: NotaInterna, people: &People) -> Line {
    let who = format!("Nota interna de {}", people.name(nota.author));
    let (text, is_cut) = cut(nota.text);
    let tag = Some(("solo la empresa".to_owned(), "ficha-ojo"));
    Line { class: "nota interna", icon: "candado", who, tag, text, is_cut, ..Line::default() }
}

fn line(moment: Moment, people: &People, now: Timestamp) -> Line {
    let time = clock(moment.at());
    let line = match moment {
        Moment::NotaInterna(nota) => internal(nota, people),
        Moment::Turno(turno) => chat(turno),
        Moment::Reply(reply) => replied(reply, now),
        Moment::Nota(nota) => {
            let (text, is_cut) = cut(nota.text);
            let tag = nota.zona.map(|zona| (zona.label().to_owned(), ""));
            Line { class: "nota", icon: "nota", who: "Nota".into(), tag, text, is_cut, ..Line::default() }
        }
        Moment::Fotos(group) => {
            let (n, zona) = (group.how_many, group.zona.label());
            let what = match (group.momento, n) {
                (Momento::Before, 1) => "1 foto".to_owned(),
                (Momento::Before, n) => format!("{n} fotos"),
                (Momento::After, 1) => "1 render".to_owned(),
                (Momento::After, n) => format!("{n} renders"),
            };
            Line { class: "fotos", icon: "foto", who: what, tag: Some((zona.into(), "")), ..Line::default() }
        }
        Moment::Intento(intento) => attempt_to_reach(intento),
        Moment::Job(job) => sent(&job, now),
        Moment::Event(event) => happened(event),
        Moment::State(change) => state(&change),
        Moment::Presupuesto(quote) => Line {
            class: "presupuesto",
            icon: "presupuestos",
            who: format!("Presupuesto {}", quote.number),
            tag: Some((quote.certainty.label(quote.total), "")),
            ..Line::default()
        },
        Moment::Answer(answer) => {
            let (label, class) =
                if answer.accepted { ("aceptado", "ficha-bien") } else { ("rechazado", "ficha-mal") };
            let note = answer.acceptance.as_ref().map(words::taken).or(answer.reason);
            let (text, is_cut) = cut(note.unwrap_or_default());
            let who = format!("Respuesta al presupuesto {}", answer.number);
            let tag = Some((label.to_owned(), class));
            Line { class: "presupuesto", icon: "presupuestos", who, tag, text, is_cut, ..Line::default() }
        }
        Moment::Consentimiento(consent) => consent_line(&consent),
    };
    Line { time, ..line }
}

fn chat(turno: StoredTurno) -> Line {
    let (class, who) = match turno.rol {
        Rol::User => ("chat cliente", "Cliente"),
        Rol::Assistant => ("chat bot", "Asistente"),
        Rol::System => ("chat sistema", "Sistema"),
    };
    let (text, is_cut) = cut(turno.mensaje);
    let media = turno.media_url.map(|url| {
        let is_web = ["https://", "http://"]
            .iter()
            .any(|scheme| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        let text = url.chars().take(80).collect();
        let kind = media_kind(turno.media_type.as_deref().unwrap_or_default());
        Media { kind, href: is_web.then_some(url), text }
    });
    let transcript = cut(turno.transcripcion_audio.unwrap_or_default()).0;
    Line { class, icon: "", who: who.into(), text, is_cut, media, transcript, ..Line::default() }
}

/// The kind of file that came with a message. Bots use different names for the same kind.
fn media_kind(kind: &str) -> String {
    let family = kind.split('/').next().unwrap_or_default().to_lowercase();
    match family.as_str() {
        "audio" | "voice" | "ptt" => "Audio".to_owned(),
        "image" | "imagen" | "foto" | "sticker" => "Imagen".to_owned(),
        "video" => "Vídeo".to_owned(),
        "" => "Adjunto".to_owned(),
        "document" | "documento" | "application" => "Documento".to_owned(),
        _ => plain(kind),
    }
}

fn replied(reply: Reply, now: Timestamp) -> Line {
    let (label, class) = words::reply_state(&reply, now);
    let who = format!("{}, por {}", reply.author_name, reply.channel.label());
    let (text, is_cut) = cut(reply.text);
    let tag = Some((label.to_owned(), class));
    Line { class: "chat bot persona", who, tag, text, is_cut, ..Line::default() }
}

fn attempt_to_reach(stored: StoredIntento) -> Line {
    let intento = stored.intento;
    let who = format!("{} · intento {}", intento.channel.label(), intento.numero_intento);
    let mut result = intento.result.map_or("sin resultado", IntentoResult::label).to_owned();
    if let Some(seconds) = intento.duracion_seg {
        let took = if seconds < 60 { format!("{seconds} s") } else { words::span(seconds) };
        result = format!("{result}, {took}");
    }
    let class = if intento.completed { "ficha-bien" } else { "" };
    let (text, is_cut) = cut(intento.notas.unwrap_or_default());
    Line {
        class: "intento",
        icon: "telefono",
        who,
        tag: Some((result, class)),
        text,
        is_cut,
        ..Line::default()
    }
}

fn sent(job: &SentJob, now: Timestamp) -> Line {
    let (label, class) = words::job_state(job.state);
    let text = match (job.terminado_en, job.intentos) {
        (None, 0) => String::new(),
        (None, n) => format!("{}; se repite {}.", tries(n), moment(job.proximo_en, now)),
        (Some(_), n) if n > 1 => format!("{}.", tries(n)),
        _ => String::new(),
    };
    let attempts = job.deliveries.iter().map(|delivery| attempt(delivery, now)).collect();
    let tag = Some((label.to_owned(), class));
    let who = job.kind.label().to_owned();
    let is_automatic = !matches!(job.state, JobState::Dead | JobState::Parked);
    Line { class: "envio", icon: "envios", who, tag, text, attempts, is_automatic, ..Line::default() }
}

fn tries(n: u32) -> String {
    if n == 1 { "1 intento".to_owned() } else { format!("{n} intentos") }
}

fn attempt(delivery: &Delivery, now: Timestamp) -> Attempt {
    let status = delivery.status.map(|status| format!("respuesta {status}, ")).unwrap_or_default();
    let error = delivery.error.as_deref().map(|error| format!(": {error}")).unwrap_or_default();
    let how = if delivery.ok { "Aceptado" } else { "Fallido" };
    let answer = delivery.answer.as_deref().unwrap_or_default();
    Attempt {
        when: moment(delivery.start, now),
        is_ok: delivery.ok,
        outcome: format!("{how} ({status}{} ms){error}", delivery.duracion_ms),
        answer: answer.chars().take(MAX_ANSWER).collect(),
    }
}

fn happened(event: Event) -> Line {
    let tag = match (event.simulated, event.ok) {
        (true, _) => Some(("no salió: sin configurar".to_owned(), "")),
        (false, false) => Some(("no salió bien".to_owned(), "ficha-mal")),
        (false, true) => None,
    };
    let who = words::event(&event).to_owned();
    let is_automatic = !words::is_by_people(event.kind) && (event.ok || event.simulated);
    let (text, is_cut) = cut(words::detail(event));
    Line { class: "suceso", icon: "reloj", who, tag, text, is_cut, is_automatic, ..Line::default() }
}

fn state(change: &StateChange) -> Line {
    let text = match change.field.as_str() {
        "estado_wa" => {
            format!("mensaje {}", choices::label_of(choices::ESTADOS_WA, &change.value).to_lowercase())
        }
        _ => format!("paso del bot: {}", plain(&change.value)),
    };
    Line { class: "estado", icon: "", text, is_automatic: true, ..Line::default() }
}

fn consent_line(consent: &Consentimiento) -> Line {
    let from = consent.place().map(|place| format!(", en {place}")).unwrap_or_default();
    let text = format!("Texto {}{from}.", name(&consent.texto_version));
    let (who, tag) = match (consent.is_notice(), consent.granted) {
        (true, _) => ("Ha visto la información sobre privacidad".to_owned(), None),
        (false, true) => (format!("Consentimiento: {}", consent.what()), Some(("otorgado", "ficha-bien"))),
        (false, false) => (format!("Consentimiento: {}", consent.what()), Some(("no otorgado", "ficha-mal"))),
    };
    let tag = tag.map(|(label, class)| (label.to_owned(), class));
    Line { class: "consentimiento", icon: "candado", who, tag, text, is_automatic: true, ..Line::default() }
}

/// The beginning of a text, and whether it was cut.
fn cut(text: String) -> (String, bool) {
    match text.char_indices().nth(MAX_TEXT) {
        Some((n, _)) => (text[..n].to_owned(), true),
        None => (text, false),
    }
}
