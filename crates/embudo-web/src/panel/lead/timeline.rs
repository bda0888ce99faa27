//! What happened with a lead as lines to be read, by day, the newest at the bottom.

use embudo_domain::Timestamp;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::conversacion::Rol;
use embudo_domain::event::Event;
use embudo_domain::ingesta::Momento;
use embudo_domain::job::Delivery;
use embudo_domain::record::{StateChange, StoredIntento, StoredTurno};
use embudo_domain::timeline::{Moment, MomentKind, SentJob, TimelineCursor};
use embudo_store::sheet::TimelineEntry;

use super::words;
use crate::panel::words::{clock, day, moment};

/// The most lines of a page.
pub(super) const PAGE: u32 = 60;
/// The most bytes of text that a page shows; what does not fit is on the next.
const MAX_BYTES: usize = 40_000;
/// The longest text of one line, in characters.
const MAX_TEXT: usize = 16_000;
/// The most that is shown of what a receiver answered.
const MAX_ANSWER: usize = 300;

/// A choice of what to see: its name in the address, its label, and what it shows.
pub(super) struct Filter {
    pub id: &'static str,
    pub label: &'static str,
    pub kinds: &'static [MomentKind],
}

use MomentKind as K;
pub(super) const FILTERS: &[Filter] = &[
    Filter {
        id: "",
        label: "Todo",
        kinds: &[
            K::Turno,
            K::Nota,
            K::Fotos,
            K::Intento,
            K::Job,
            K::Event,
            K::State,
            K::Presupuesto,
            K::Answer,
            K::Consentimiento,
        ],
    },
    Filter { id: "conversacion", label: "Conversación", kinds: &[K::Turno] },
    Filter { id: "notas", label: "Notas y fotos", kinds: &[K::Nota, K::Fotos] },
    Filter { id: "llamadas", label: "Intentos", kinds: &[K::Intento] },
    Filter { id: "envios", label: "Señales y correos", kinds: &[K::Job, K::Event] },
    Filter { id: "presupuestos", label: "Presupuestos", kinds: &[K::Presupuesto, K::Answer] },
    Filter { id: "estados", label: "Estados", kinds: &[K::State] },
    Filter { id: "consentimientos", label: "Consentimientos", kinds: &[K::Consentimiento] },
];

pub(super) struct Day {
    pub title: String,
    pub lines: Vec<Line>,
}

#[derive(Default)]
pub(super) struct Line {
    /// How it looks.
    pub class: &'static str,
    pub icon: &'static str,
    pub who: String,
    pub time: String,
    /// A few words after the heading, and how they look.
    pub tag: Option<(String, &'static str)>,
    pub text: String,
    /// The text is longer than what is shown.
    pub is_cut: bool,
    pub media: Option<Media>,
    /// What was said in a voice note.
    pub transcript: String,
    pub attempts: Vec<Attempt>,
}

pub(super) struct Media {
    pub kind: String,
    /// Only for http(s) addresses.
    pub href: Option<String>,
    pub text: String,
}

pub(super) struct Attempt {
    pub when: String,
    pub is_ok: bool,
    pub told: String,
    pub answer: String,
}

/// The lines of a page by day, and where the next page starts if more may follow.
pub(super) fn days(mut entries: Vec<TimelineEntry>, now: Timestamp) -> (Vec<Day>, Option<TimelineCursor>) {
    let mut next = (entries.len() >= PAGE as usize).then(|| entries.last().map(|e| e.cursor)).flatten();
    let mut bytes = 0;
    let fits = entries.iter().position(|entry| {
        bytes += weight(&entry.moment);
        bytes > MAX_BYTES
    });
    if let Some(n) = fits.filter(|n| n + 1 < entries.len()) {
        entries.truncate(n + 1);
        next = entries.last().map(|entry| entry.cursor);
    }
    let jobs: Vec<SentJob> = entries
        .iter()
        .filter_map(|entry| if let Moment::Job(job) = &entry.moment { Some(job.clone()) } else { None })
        .collect();
    let mut days: Vec<Day> = Vec::new();
    for TimelineEntry { moment, .. } in entries.into_iter().rev() {
        if matches!(&moment, Moment::Event(event) if jobs.iter().any(|job| tells(job, event))) {
            continue;
        }
        let title = day(moment.at(), now);
        if days.last().is_none_or(|day| day.title != title) {
            days.push(Day { title, lines: Vec::new() });
        }
        let lines = &mut days.last_mut().expect("one was just added").lines;
        let line = line(moment, now);
        match lines.last_mut().filter(|last| last.class == "estado" && line.class == "estado") {
            Some(last) => last.text = format!("{} · {}", last.text, line.text),
            None => lines.push(line),
        }
    }
    (days, next)
}

/// Whether an event says no more than the line of its job.
fn tells(job: &SentJob, event: &Event) -> bool {
    !event.simulated
        && words::job_of(event.kind) == Some(job.kind)
        && job.creado_en <= event.creado_en
        && job.terminado_en.is_none_or(|end| end >= event.creado_en)
}

fn weight(moment: &Moment) -> usize {
    let len = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    400 + match moment {
        Moment::Turno(turno) => turno.mensaje.len() + len(&turno.transcripcion_audio) + len(&turno.media_url),
        Moment::Nota(nota) => nota.text.len(),
        Moment::Intento(intento) => len(&intento.intento.notas),
        Moment::Job(job) => 600 * job.deliveries.len(),
        Moment::Event(event) => len(&event.detail),
        Moment::Answer(answer) => len(&answer.reason),
        _ => 0,
    }
}

fn line(moment: Moment, now: Timestamp) -> Line {
    let time = clock(moment.at());
    let line = match moment {
        Moment::Turno(turno) => chat(turno),
        Moment::Nota(nota) => {
            let (text, is_cut) = cut(nota.text);
            let tag = nota.zona.map(|zona| (words::zona(zona).to_owned(), ""));
            Line { class: "nota", icon: "nota", who: "Nota".into(), tag, text, is_cut, ..Line::default() }
        }
        Moment::Fotos(group) => {
            let (n, zona) = (group.how_many, words::zona(group.zona));
            let what = match (group.momento, n) {
                (Momento::Before, 1) => "1 foto".to_owned(),
                (Momento::Before, n) => format!("{n} fotos"),
                (Momento::Despues, 1) => "1 render".to_owned(),
                (Momento::Despues, n) => format!("{n} renders"),
            };
            Line { class: "nota", icon: "foto", who: what, tag: Some((zona.into(), "")), ..Line::default() }
        }
        Moment::Intento(intento) => attempt_to_reach(intento),
        Moment::Job(job) => sent(&job, now),
        Moment::Event(event) => happened(event),
        Moment::State(change) => state(&change),
        Moment::Presupuesto(quote) => Line {
            class: "presupuesto",
            icon: "presupuestos",
            who: format!("Presupuesto {}", quote.number),
            tag: Some((quote.total.to_string(), "")),
            ..Line::default()
        },
        Moment::Answer(answer) => {
            let (said, class) =
                if answer.accepted { ("aceptado", "ficha-bien") } else { ("rechazado", "ficha-mal") };
            let (text, is_cut) = cut(answer.reason.unwrap_or_default());
            let who = format!("Respuesta al presupuesto {}", answer.number);
            let tag = Some((said.to_owned(), class));
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
        let kind = turno.media_type.clone().unwrap_or_else(|| "adjunto".to_owned());
        Media { kind, href: is_web.then_some(url), text }
    });
    let transcript = cut(turno.transcripcion_audio.unwrap_or_default()).0;
    Line { class, icon: "", who: who.into(), text, is_cut, media, transcript, ..Line::default() }
}

fn attempt_to_reach(stored: StoredIntento) -> Line {
    let intento = stored.intento;
    let who = format!("{} · intento {}", words::channel(intento.channel), intento.numero_intento);
    let mut told = intento.result.map_or("sin resultado", words::result).to_owned();
    if let Some(seconds) = intento.duracion_seg {
        let took = if seconds < 60 { format!("{seconds} s") } else { words::span(seconds) };
        told = format!("{told}, {took}");
    }
    let class = if intento.completed { "ficha-bien" } else { "" };
    let (text, is_cut) = cut(intento.notas.unwrap_or_default());
    Line {
        class: "intento",
        icon: "telefono",
        who,
        tag: Some((told, class)),
        text,
        is_cut,
        ..Line::default()
    }
}

fn sent(job: &SentJob, now: Timestamp) -> Line {
    let (said, class) = words::job_state(job.state);
    let text = match (job.terminado_en, job.intentos) {
        (None, 0) => String::new(),
        (None, n) => format!("{}; se repite {}.", tries(n), moment(job.proximo_en, now)),
        (Some(_), n) if n > 1 => format!("{}.", tries(n)),
        _ => String::new(),
    };
    let attempts = job.deliveries.iter().map(|delivery| attempt(delivery, now)).collect();
    let tag = Some((said.to_owned(), class));
    let who = words::job(job.kind).to_owned();
    Line { class: "envio", icon: "envios", who, tag, text, attempts, ..Line::default() }
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
        told: format!("{how} ({status}{} ms){error}", delivery.duracion_ms),
        answer: answer.chars().take(MAX_ANSWER).collect(),
    }
}

fn happened(event: Event) -> Line {
    let tag = match (event.simulated, event.ok) {
        (true, _) => Some(("simulado: sin configurar".to_owned(), "")),
        (false, false) => Some(("no salió bien".to_owned(), "ficha-mal")),
        (false, true) => None,
    };
    let who = words::event(&event).to_owned();
    let (text, is_cut) = cut(event.detail.unwrap_or_default());
    Line { class: "suceso", icon: "reloj", who, tag, text, is_cut, ..Line::default() }
}

fn state(change: &StateChange) -> Line {
    let text = match change.field.as_str() {
        "estado_wa" => format!("mensaje {}", words::said(words::ESTADOS_WA, &change.value).to_lowercase()),
        _ => format!("paso del bot «{}»", change.value),
    };
    Line { class: "estado", icon: "", who: String::new(), text, ..Line::default() }
}

fn consent_line(consent: &Consentimiento) -> Line {
    let (said, class) =
        if consent.granted { ("otorgado", "ficha-bien") } else { ("no otorgado", "ficha-mal") };
    let by = consent.channel.as_deref().map(|channel| format!(" por {channel}")).unwrap_or_default();
    let from = consent.source.as_deref().map(|source| format!(", recogido en {source}")).unwrap_or_default();
    let text = format!("Texto {}{from}.", consent.texto_version);
    let who = format!("Consentimiento: {}{by}", consent.purpose);
    let tag = Some((said.to_owned(), class));
    Line { class: "consentimiento", icon: "candado", who, tag, text, ..Line::default() }
}

/// The beginning of a text, and whether that is not all.
fn cut(text: String) -> (String, bool) {
    match text.char_indices().nth(MAX_TEXT) {
        Some((n, _)) => (text[..n].to_owned(), true),
        None => (text, false),
    }
}
