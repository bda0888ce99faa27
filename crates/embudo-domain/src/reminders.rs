//! Reminders that a company sends its clients automatically: about a quote without an answer, and about a form that was
//! not finished.
//!
//! They are off until somebody switches them on, and then apply only to later quotes and forms. A reminder that is more
//! than [`LATEST`] overdue, for example because the server was down, is dropped.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// The maximum number of reminders about one quote.
pub const MAX_STEPS: usize = 3;
/// The last day after sending on which a reminder about a quote may be sent.
pub const MAX_DAYS: u16 = 60;
/// The maximum time after which a client is reminded of an unfinished form, in hours.
pub const MAX_HOURS: u16 = 168;
/// The longest text of a reminder, in characters.
pub const MAX_TEXT: usize = 1_000;
/// How late a reminder may be sent. An older one was missed, because the server was off or the days were changed, and
/// is not sent any more.
pub const LATEST: SignedDuration = SignedDuration::from_hours(48);
/// Within this time nobody gets two reminders.
pub const GAP: SignedDuration = SignedDuration::from_hours(20);

/// The shipped reminders about a quote: how many days after it was sent, and the text. The last one is not sent unless
/// the company switches it on.
pub const SHIPPED: [(u16, &str); MAX_STEPS] = [
    (
        3,
        "Hace unos días te enviamos tu presupuesto. ¿Has podido mirarlo?\n\nSi tienes alguna duda o quieres cambiar algo, responde a este correo y lo vemos juntos.",
    ),
    (
        7,
        "Tu presupuesto sigue esperando respuesta. Si el precio, los plazos o los materiales no te encajan, dínoslo: casi siempre se puede ajustar.",
    ),
    (
        14,
        "No queremos insistir, así que este es el último recordatorio. Puedes contestar en la página de tu presupuesto; saber que no te interesa también nos ayuda.",
    ),
];
const SHIPPED_STEPS: usize = 2;
pub const SHIPPED_FORM_TEXT: &str = "Empezaste a pedirnos un presupuesto y te quedaste a medias. Lo que nos contaste está guardado: puedes seguir donde lo dejaste, y son un par de minutos.";
const SHIPPED_HOURS: u16 = 24;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReminderSettings {
    #[serde(rename = "presupuestos")]
    pub quotes: QuoteReminders,
    #[serde(rename = "formulario")]
    pub form: FormReminders,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuoteReminders {
    /// Since when, in Unix seconds; absent: switched off.
    #[serde(rename = "desde")]
    since: Option<i64>,
    /// In the order of their days; absent: the shipped ones.
    #[serde(rename = "pasos")]
    steps: Option<Vec<ReminderStep>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FormReminders {
    /// Since when, in Unix seconds; absent: switched off.
    #[serde(rename = "desde")]
    since: Option<i64>,
    #[serde(rename = "horas")]
    hours: Option<u16>,
    #[serde(rename = "texto")]
    text: Option<String>,
}

/// One reminder about a quote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReminderStep {
    /// How many days after the quote was sent.
    #[serde(rename = "dias")]
    pub days: u16,
    #[serde(rename = "texto")]
    pub text: String,
}

impl QuoteReminders {
    /// Switches reminders on from this moment, or off, with these steps. If they were already on, they keep their
    /// earlier moment.
    pub fn set(&self, on_at: Option<Timestamp>, steps: Vec<ReminderStep>) -> Self {
        Self { since: since(self.since, on_at), steps: (steps != shipped_steps()).then_some(steps) }
    }

    /// Quotes that were issued before this moment get no reminders. `None`: reminders are off.
    pub fn since(&self) -> Option<Timestamp> {
        self.since.and_then(|seconds| Timestamp::from_second(seconds).ok())
    }

    pub fn steps(&self) -> Vec<ReminderStep> {
        self.steps.clone().unwrap_or_else(shipped_steps)
    }

    /// The reminder, named by its days, that is due for a quote issued at this moment. If several were missed, only the
    /// last one is sent.
    pub fn due(&self, issued: Timestamp, now: Timestamp) -> Option<u16> {
        if issued < self.since()? {
            return None;
        }
        let when = |step: &ReminderStep| issued + SignedDuration::from_hours(24 * i64::from(step.days));
        let steps = self.steps();
        let last = steps.iter().rfind(|step| when(step) <= now)?;
        (now < when(last) + LATEST).then_some(last.days)
    }

    /// The shortest and the longest time after issue at which a reminder about a quote may be sent. `None`: there is no
    /// reminder.
    pub fn reach(&self) -> Option<(SignedDuration, SignedDuration)> {
        let steps = self.steps();
        let days = |step: &ReminderStep| SignedDuration::from_hours(24 * i64::from(step.days));
        Some((days(steps.first()?), days(steps.last()?) + LATEST))
    }

    /// The text of the reminder after this number of days. Reminders are named by their days because a position would
    /// change when somebody adds or removes one.
    pub fn text(&self, days: u16) -> Option<String> {
        self.steps().into_iter().find(|step| step.days == days).map(|step| step.text)
    }
}

impl FormReminders {
    /// Switches reminders on from this moment, or off. If they were already on, they keep their earlier moment.
    pub fn set(&self, on_at: Option<Timestamp>, hours: u16, text: String) -> Self {
        Self {
            since: since(self.since, on_at),
            hours: (hours != SHIPPED_HOURS).then_some(hours),
            text: (text != SHIPPED_FORM_TEXT).then_some(text),
        }
    }

    /// Forms that were begun before this moment get no reminders. `None`: reminders are off.
    pub fn since(&self) -> Option<Timestamp> {
        self.since.and_then(|seconds| Timestamp::from_second(seconds).ok())
    }

    /// How many hours after the client gave contact data.
    pub fn hours(&self) -> u16 {
        self.hours.unwrap_or(SHIPPED_HOURS)
    }

    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or(SHIPPED_FORM_TEXT)
    }
}

/// When reminders were switched on, in whole seconds: one second later, so that a quote sent in the same second gets
/// none. A time that is already set stays.
fn since(before: Option<i64>, on_at: Option<Timestamp>) -> Option<i64> {
    on_at.map(|at| before.unwrap_or(at.as_second() + 1))
}

fn shipped_steps() -> Vec<ReminderStep> {
    let step = |(days, text): &(u16, &str)| ReminderStep { days: *days, text: (*text).to_owned() };
    SHIPPED[..SHIPPED_STEPS].iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_second(hours * 3_600).expect("a moment")
    }

    #[test]
    fn nothing_is_due_unless_it_is_on() {
        let off = ReminderSettings::default();
        assert_eq!((off.quotes.due(at(1), at(73)), off.quotes.since()), (None, None));
        let on = off.quotes.set(Some(at(0)), shipped_steps());
        assert_eq!(on.due(at(1), at(73)), Some(3));
        assert_eq!(on.set(Some(at(50)), shipped_steps()).since(), on.since(), "it was on already");
        assert_eq!(on.set(None, shipped_steps()).due(at(1), at(73)), None);
    }

    #[test]
    fn each_reminder_has_its_time() {
        let on = QuoteReminders::default().set(Some(at(0)), shipped_steps());
        let due: Vec<_> = [72, 73, 120, 121, 168, 169, 216, 217].map(|h| on.due(at(1), at(h))).into();
        assert_eq!(due, [None, Some(3), Some(3), None, None, Some(7), Some(7), None]);
        assert_eq!(on.due(at(-1), at(71)), None, "it was sent before");
        let close = |days| ReminderStep { days, text: "Hola".to_owned() };
        let close = on.set(Some(at(0)), vec![close(3), close(4)]);
        assert_eq!(close.due(at(1), at(100)), Some(4), "the one that was missed is left out");
        assert_eq!(close.reach(), Some((SignedDuration::from_hours(72), SignedDuration::from_hours(144))));
        assert_eq!((close.text(0), close.text(4), close.text(7)), (None, Some("Hola".to_owned()), None));
    }

    #[test]
    fn what_was_left_as_shipped_follows_later_texts() {
        let on = FormReminders::default().set(Some(at(1)), SHIPPED_HOURS, SHIPPED_FORM_TEXT.to_owned());
        let kept = ReminderSettings { form: on, ..ReminderSettings::default() };
        let text = serde_json::to_string(&kept).expect("plain");
        assert!(!text.contains("Empezaste"), "{text}");
        assert_eq!(serde_json::from_str::<ReminderSettings>(&text).expect("it reads"), kept);
        assert_eq!(
            serde_json::from_str::<ReminderSettings>("{}").expect("it reads"),
            ReminderSettings::default()
        );
    }
}
