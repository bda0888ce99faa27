//! The timeline of a lead as lines grouped by day, the newest at the bottom.

use embudo_domain::LeadId;
use embudo_domain::event::Event;
use embudo_domain::timeline::{Moment, MomentKind, SentJob, TimelineCursor};
use embudo_store::sheet::TimelineEntry;

use super::lines::{Line, Teller};
use super::words;
use crate::panel::words::day;

/// The maximum number of lines on a page.
pub(super) const PAGE: u32 = 60;
/// The maximum number of bytes of text on a page. The rest is on the next page.
const MAX_BYTES: usize = 40_000;

/// A filter of the timeline: its name in the address, its label, and the kinds that it shows.
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
            K::Reply,
            K::Nota,
            K::NotaInterna,
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
    Filter { id: "conversacion", label: "Conversación", kinds: &[K::Turno, K::Reply] },
    Filter { id: "notas", label: "Notas y fotos", kinds: &[K::Nota, K::Fotos] },
    Filter { id: "internas", label: "Notas internas", kinds: &[K::NotaInterna] },
    Filter { id: "llamadas", label: "Intentos", kinds: &[K::Intento] },
    Filter { id: "envios", label: "Señales y correos", kinds: &[K::Job, K::Event] },
    Filter { id: "presupuestos", label: "Presupuestos", kinds: &[K::Presupuesto, K::Answer] },
    Filter { id: "estados", label: "Estados", kinds: &[K::State] },
    Filter { id: "consentimientos", label: "Consentimientos", kinds: &[K::Consentimiento] },
];

pub(super) struct Day {
    pub title: String,
    pub steps: Vec<Step>,
}

/// A step of a day: one line about people, or several lines about programs folded into one.
pub(super) struct Step {
    /// The names of the folded lines, and the time of the last one. `None` if the line is not folded.
    pub fold: Option<(String, String)>,
    pub lines: Vec<Line>,
}

/// How many folded lines are named.
const NAMED: usize = 2;

impl Step {
    fn of(lines: Vec<Line>, folds: bool) -> Self {
        let fold = folds.then(|| (named(&lines), lines.last().map(|l| l.time.clone()).unwrap_or_default()));
        Self { fold, lines }
    }
}

/// «Señal de perfil, Aviso a la empresa y 3 más».
fn named(lines: &[Line]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for line in lines {
        let name = if line.who.is_empty() { "Estado de los mensajes" } else { line.who.as_str() };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.len() {
        ..=NAMED => names.join(" y "),
        n => format!("{} y {} más", names[..NAMED].join(", "), n - NAMED),
    }
}

/// The lines of a page by day, and the cursor of the next page if more may follow. With a filter nothing is folded.
pub(super) fn days(
    mut entries: Vec<TimelineEntry>,
    teller: &Teller<'_>,
    filter: &Filter,
) -> (Vec<Day>, Option<TimelineCursor>) {
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
    let jobs: Vec<(LeadId, SentJob)> = entries
        .iter()
        .filter_map(|entry| match &entry.moment {
            Moment::Job(job) => Some((entry.cursor.lead, job.clone())),
            _ => None,
        })
        .collect();
    let mut days: Vec<(String, Vec<Line>)> = Vec::new();
    for TimelineEntry { moment, cursor } in entries.into_iter().rev() {
        let is_told = |event: &Event| jobs.iter().any(|(of, job)| *of == cursor.lead && tells(job, event));
        if matches!(&moment, Moment::Event(event) if is_told(event)) {
            continue;
        }
        let title = day(moment.at(), teller.now);
        if days.last().is_none_or(|day| day.0 != title) {
            days.push((title, Vec::new()));
        }
        let lines = &mut days.last_mut().expect("one was just added").1;
        let line = teller.line(moment, cursor.lead);
        match lines.last_mut().filter(|last| last.goes_on_with(&line)) {
            Some(last) => last.text = format!("{} · {}", last.text, line.text),
            None => lines.push(line),
        }
    }
    let day = |(title, lines)| Day { title, steps: steps(lines, filter.id.is_empty()) };
    (days.into_iter().map(day).collect(), next)
}

fn steps(lines: Vec<Line>, folds: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut folded = Vec::new();
    for line in lines {
        if folds && line.is_automatic {
            folded.push(line);
            continue;
        }
        if !folded.is_empty() {
            steps.push(Step::of(std::mem::take(&mut folded), true));
        }
        steps.push(Step::of(vec![line], false));
    }
    if !folded.is_empty() {
        steps.push(Step::of(folded, true));
    }
    steps
}

/// Whether the line of this job already says what the event says.
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
        Moment::Reply(reply) => reply.text.len(),
        Moment::Nota(nota) => nota.text.len(),
        Moment::NotaInterna(nota) => nota.text.len(),
        Moment::Intento(intento) => len(&intento.intento.notas),
        Moment::Job(job) => 600 * job.deliveries.len(),
        Moment::Event(event) => len(&event.detail),
        Moment::Answer(answer) => len(&answer.reason),
        _ => 0,
    }
}
