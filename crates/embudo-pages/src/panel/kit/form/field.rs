//! One field of a form table: its name, and how it is drawn, read from its record and written back.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use embudo_domain::words::beginning;

use crate::parts::clean;

/// The maximum length of a value in the audit log.
const MAX_AUDIT_TEXT: usize = 200;

/// The error of a typed value, with advice on how to correct it.
pub(crate) type Wrong = Cow<'static, str>;

/// The kind of input element.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// One line; the value is the `type` attribute in HTML.
    Line(&'static str),
    /// A line whose stored value is never shown. An empty box changes nothing.
    Secret(&'static str),
    /// A text box with at least this many lines.
    Long(u8),
    /// A whole number with at most this many digits.
    Whole(u8),
    /// A number with decimals.
    Decimal,
    Tick,
    /// A list of codes and their labels.
    Select(&'static [(&'static str, &'static str)]),
    /// A list of codes and their labels, with an empty choice.
    Maybe(&'static [(&'static str, &'static str)]),
    /// A list of the provinces, with an empty choice. A stored text that is not a province stays among the choices.
    Provincia,
    /// A list of codes and their labels, with all choices visible.
    Radios(&'static [(&'static str, &'static str)]),
}

impl Kind {
    pub fn choices(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Select(choices) | Self::Maybe(choices) | Self::Radios(choices) => choices,
            Self::Tick => &[("si", "Sí"), ("no", "No")],
            _ => &[],
        }
    }
}

pub(crate) struct Field<R: 'static> {
    pub name: &'static str,
    pub label: &'static str,
    pub kind: Kind,
    pub hint: &'static str,
    /// Additional attributes of its box.
    pub attributes: &'static [(&'static str, &'static str)],
    /// Additional CSS classes of its box.
    pub class: &'static str,
    /// Reads the text that the box shows.
    read: fn(&R, &'static str) -> String,
    write: fn(&mut R, &'static str, &str) -> Result<(), Wrong>,
    /// Reads the text for the audit log and for other people, if it differs from the text in the box.
    shown: Option<fn(&R, &'static str) -> String>,
}

impl<R> Field<R> {
    /// `read` and `write` get the name, so that one function can serve many fields.
    pub const fn new(
        name: &'static str,
        label: &'static str,
        kind: Kind,
        read: fn(&R, &'static str) -> String,
        write: fn(&mut R, &'static str, &str) -> Result<(), Wrong>,
    ) -> Self {
        Self { name, label, kind, hint: "", attributes: &[], class: "", read, write, shown: None }
    }

    pub const fn hint(mut self, hint: &'static str) -> Self {
        self.hint = hint;
        self
    }

    pub const fn with(mut self, attributes: &'static [(&'static str, &'static str)]) -> Self {
        self.attributes = attributes;
        self
    }

    pub const fn class(mut self, class: &'static str) -> Self {
        self.class = class;
        self
    }

    pub const fn shown_as(mut self, shown: fn(&R, &'static str) -> String) -> Self {
        self.shown = Some(shown);
        self
    }

    /// The text in the box. The form sends the same text back if nobody changes it.
    pub fn typed(&self, record: &R) -> String {
        clean(&(self.read)(record, self.name))
    }

    pub fn write(&self, record: &mut R, typed: &str) -> Result<(), Wrong> {
        (self.write)(record, self.name, typed)
    }

    /// The value formatted for people.
    pub fn shown(&self, record: &R) -> String {
        self.shown.map_or_else(|| self.value_label(&self.typed(record)), |shown| shown(record, self.name))
    }

    /// The value in the audit log, possibly shortened.
    pub fn audit_text(&self, record: &R) -> String {
        beginning(&self.shown(record), MAX_AUDIT_TEXT)
    }

    /// The label of a typed value.
    pub fn value_label(&self, typed: &str) -> String {
        let choice = self.kind.choices().iter().find(|(code, _)| *code == typed);
        match (choice, typed) {
            (Some((_, word)), _) => (*word).to_owned(),
            (None, "") => "(vacío)".to_owned(),
            (None, typed) => typed.to_owned(),
        }
    }
}

/// A whole number of a record. For an `Option`, an empty text is `None`; other types refuse an empty text.
pub(crate) trait Whole: Sized {
    fn typed(&self) -> String;
    fn parse(typed: &str, range: RangeInclusive<u32>) -> Option<Self>;
}

macro_rules! whole_number {
    ($($number:ty),+) => {$(
        impl Whole for $number {
            fn typed(&self) -> String {
                self.to_string()
            }

            fn parse(typed: &str, range: RangeInclusive<u32>) -> Option<Self> {
                typed.parse().ok().filter(|number| range.contains(number))?.try_into().ok()
            }
        }
    )+};
}
whole_number!(u8, u16, u32);

impl<N: Whole> Whole for Option<N> {
    fn typed(&self) -> String {
        self.as_ref().map(N::typed).unwrap_or_default()
    }

    fn parse(typed: &str, range: RangeInclusive<u32>) -> Option<Self> {
        if typed.is_empty() { Some(None) } else { N::parse(typed, range).map(Some) }
    }
}

/// Reads a whole number within a range. `wrong` is the error for any other value; `{min}` and `{max}` in it are
/// replaced.
pub(crate) fn read_whole<N: Whole>(typed: &str, range: RangeInclusive<u32>, wrong: &str) -> Result<N, Wrong> {
    let (min, max) = (range.start().to_string(), range.end().to_string());
    N::parse(typed, range).ok_or_else(|| wrong.replace("{min}", &min).replace("{max}", &max).into())
}

/// A field for a whole number: name, label, path in the record, range, and the error for any other value.
macro_rules! whole {
    ($name:expr, $label:expr, $of:ident $(. $at:ident)+ $([$n:literal])?, $range:expr, $wrong:expr) => {
        $crate::panel::kit::form::Field::new(
            $name,
            $label,
            $crate::panel::kit::form::Kind::Whole(3),
            |record: &$of, _| $crate::panel::kit::form::Whole::typed(&record$(.$at)+ $([$n])?),
            |record: &mut $of, _, typed| {
                record$(.$at)+ $([$n])? = $crate::panel::kit::form::read_whole(typed, $range, $wrong)?;
                Ok(())
            },
        )
    };
}

/// A field for yes or no: name, label, path in the record.
macro_rules! tick {
    ($name:expr, $label:expr, $of:ident $(. $at:ident)+) => {
        $crate::panel::kit::form::Field::new(
            $name,
            $label,
            $crate::panel::kit::form::Kind::Tick,
            |record: &$of, _| if record$(.$at)+ { "si" } else { "no" }.to_owned(),
            |record: &mut $of, _, typed| {
                record$(.$at)+ = typed == "si";
                Ok(())
            },
        )
    };
}

/// A field for one of several words, or none: name, label, kind of input, type, path in the record.
macro_rules! choice {
    ($name:expr, $label:expr, $kind:expr, $word:ty, $of:ident $(. $at:ident)+) => {
        $crate::panel::kit::form::Field::new(
            $name,
            $label,
            $kind,
            |record: &$of, _| record$(.$at)+.map_or("", <$word>::as_str).to_owned(),
            |record: &mut $of, _, typed| {
                record$(.$at)+ = <$word>::parse(typed);
                Ok(())
            },
        )
    };
}

/// A field for a text: name, label, kind of input, path in the record, and its rule.
macro_rules! text {
    ($name:expr, $label:expr, $kind:expr, $of:ident $(. $at:ident)+ $([$n:literal])?, $rule:expr) => {
        $crate::panel::kit::form::Field::new(
            $name,
            $label,
            $kind,
            |record: &$of, _| record$(.$at)+ $([$n])?.clone(),
            |record: &mut $of, _, typed| {
                record$(.$at)+ $([$n])? = $rule(typed)?;
                Ok(())
            },
        )
    };
}

pub(crate) use {choice, text, tick, whole};
