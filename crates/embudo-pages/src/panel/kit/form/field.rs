//! One line of a table: how a field is named, drawn, read from its record and written back.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use embudo_domain::words::beginning;

use crate::parts::clean;

/// The longest value that the audit log shows.
const MAX_AUDIT_TEXT: usize = 200;

/// What is wrong with what was typed, and how to mend it.
pub(crate) type Wrong = Cow<'static, str>;

/// How a field is filled in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// One line, of a type that HTML knows.
    Line(&'static str),
    /// The same, never shown again: an empty box changes nothing.
    Secret(&'static str),
    /// A text of this many lines, or more.
    Long(u8),
    /// A whole number of at most this many digits.
    Whole(u8),
    /// A number with decimals.
    Decimal,
    Tick,
    /// Codes and words, in a list.
    Select(&'static [(&'static str, &'static str)]),
    /// The same, or none.
    Maybe(&'static [(&'static str, &'static str)]),
    /// A province, or what somebody wrote as one, or none.
    Provincia,
    /// The same, all in sight.
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
    /// Further attributes of its box.
    pub attributes: &'static [(&'static str, &'static str)],
    /// Further classes of its box.
    pub class: &'static str,
    /// As its box shows it.
    read: fn(&R, &'static str) -> String,
    write: fn(&mut R, &'static str, &str) -> Result<(), Wrong>,
    /// As the log and other people may read it, where that is not what its box shows.
    shown: Option<fn(&R, &'static str) -> String>,
}

impl<R> Field<R> {
    /// Reading and writing get the name, so that one function can serve many fields.
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

    /// As its box shows it, and gives it back when nobody touches it.
    pub fn typed(&self, record: &R) -> String {
        clean(&(self.read)(record, self.name))
    }

    pub fn write(&self, record: &mut R, typed: &str) -> Result<(), Wrong> {
        (self.write)(record, self.name, typed)
    }

    /// As people read it.
    pub fn shown(&self, record: &R) -> String {
        self.shown.map_or_else(|| self.value_label(&self.typed(record)), |shown| shown(record, self.name))
    }

    /// As the audit log tells it, which need not hold all of it.
    pub fn audit_text(&self, record: &R) -> String {
        beginning(&self.shown(record), MAX_AUDIT_TEXT)
    }

    /// The value of the input, as people read it.
    pub fn value_label(&self, typed: &str) -> String {
        let choice = self.kind.choices().iter().find(|(code, _)| *code == typed);
        match (choice, typed) {
            (Some((_, word)), _) => (*word).to_owned(),
            (None, "") => "(vacío)".to_owned(),
            (None, typed) => typed.to_owned(),
        }
    }
}

/// A whole number, or none where it may be absent.
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

/// Reads a whole number within a range. In the sentence for any other stand `{min}` and `{max}`.
pub(crate) fn read_whole<N: Whole>(typed: &str, range: RangeInclusive<u32>, wrong: &str) -> Result<N, Wrong> {
    let (min, max) = (range.start().to_string(), range.end().to_string());
    N::parse(typed, range).ok_or_else(|| wrong.replace("{min}", &min).replace("{max}", &max).into())
}

/// A line for a whole number: name, label, where it is in the record, its range, and what is said of any other.
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

/// A line for a yes or no: name, label, where it is in the record.
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

/// A line for one of several words, or none of them: name, label, how it is drawn, its type, where it is in the record.
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

/// A line for a text: name, label, how it is drawn, where it is in the record, and its rule.
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
