//! One field of a form, drawn in the same way on every page: label, box, hint, error, and the value that somebody else
//! saved meanwhile.
//!
//! A page asks its list of mistakes to create each field, so that every field is drawn with its error.

use std::borrow::Borrow;

use askama::Template;
use askama::filters::HtmlSafe;

use embudo_domain::provincia::Provincia;
use embudo_domain::search::fold;

use super::assets;

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident => $field:ident: $value:ty;)+) => {$(
        $(#[$doc])*
        pub fn $name(self, value: $value) -> Self {
            Self { $field: value.to_string(), ..self }
        }
    )+};
}

/// The error of a field.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mistake {
    pub text: String,
    /// Whether the value may be left as it is.
    pub is_doubt: bool,
    /// The value that the person probably meant.
    pub suggestion: Option<String>,
    /// Whether this is the first error of the page. Its field gets the focus.
    pub has_focus: bool,
}

/// One option of a field with several options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub code: String,
    pub word: String,
    pub hint: String,
}

/// The kind of input element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One line; the value is the `type` attribute in HTML.
    Line(&'static str),
    /// Several lines.
    #[default]
    Long,
    Select,
    Radios,
    /// A checkbox that sends «no» while it is not ticked.
    Tick,
    /// A checkbox that sends nothing while it is not ticked.
    Check,
}

#[derive(Debug, Clone, Default, Template)]
#[template(path = "input.html")]
pub(crate) struct Input {
    /// The name under which the mistakes of the field are listed.
    pub name: String,
    /// The name under which the value is sent.
    sent_as: String,
    pub id: String,
    pub label: String,
    note: &'static str,
    spoken: String,
    pub hint: String,
    pub value: String,
    pub choices: Vec<Choice>,
    /// The value that somebody else saved meanwhile and the typed value, both formatted for people.
    pub other: Option<(String, String)>,
    shape: Shape,
    /// Additional CSS classes of the whole field and of its box.
    class: &'static str,
    box_class: &'static str,
    /// The text beside the input, and the CSS class of both.
    unit: Option<(&'static str, &'static str)>,
    attributes: Vec<(&'static str, String)>,
    mistake: Option<Mistake>,
}

impl HtmlSafe for Input {}

#[allow(clippy::needless_pass_by_value, reason = "templates pass values and references alike")]
impl Input {
    pub fn new(shape: Shape, name: &str, label: &str, mistake: Option<Mistake>) -> Self {
        let name = name.to_owned();
        Self {
            id: name.clone(),
            sent_as: name.clone(),
            name,
            label: label.to_owned(),
            shape,
            mistake,
            ..Self::default()
        }
    }

    setters! {
        /// Sets the name under which the value is sent, for a page that has several fields of one name with separate
        /// mistakes.
        named => sent_as: impl ToString;
        /// Sets the id, if another element already uses the name as its id.
        id => id: impl ToString;
        hint => hint: impl ToString;
        value => value: impl ToString;
        /// Sets the text that a screen reader says after the label.
        spoken => spoken: impl ToString;
    }

    /// Adds a remark beside the label.
    pub fn note(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    pub fn kind(self, kind: &'static str) -> Self {
        Self { shape: Shape::Line(kind), ..self }
    }

    pub fn class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }

    pub fn box_class(self, box_class: &'static str) -> Self {
        Self { box_class, ..self }
    }

    /// Adds a text beside the input, with the CSS class of both.
    pub fn unit(self, unit: &'static str, class: &'static str) -> Self {
        Self { unit: Some((unit, class)), ..self }
    }

    pub fn checked(self, is_ticked: impl Borrow<bool>) -> Self {
        self.value(if *is_ticked.borrow() { "si" } else { "" })
    }

    pub fn with(mut self, attribute: &'static str, value: impl ToString) -> Self {
        self.attributes.push((attribute, value.to_string()));
        self
    }

    pub fn required(self) -> Self {
        self.with("required", "")
    }

    pub fn max(self, letters: u32) -> Self {
        self.with("maxlength", letters)
    }

    pub fn rows(self, rows: u8) -> Self {
        self.with("rows", rows)
    }

    pub fn choice(mut self, code: impl ToString, word: impl ToString) -> Self {
        self.choices.push(Choice { code: code.to_string(), word: word.to_string(), hint: String::new() });
        self
    }

    pub fn choices<C: ToString, W: ToString>(self, choices: &[(C, W)]) -> Self {
        choices.iter().fold(self, |input, (code, word)| input.choice(code.to_string(), word.to_string()))
    }

    /// Adds every province. A stored value that is not one of these names, because it came through the API, stays in
    /// the list of choices.
    pub fn provincias(self) -> Self {
        let mut all: Vec<&str> = Provincia::all().map(Provincia::nombre).collect();
        all.sort_by_key(|name| fold(name));
        let value = self.value.clone();
        let list = self.choice("", "–").names(&all);
        match value.is_empty() || all.contains(&value.as_str()) {
            true => list,
            false => list.choice(&value, &value),
        }
    }

    /// Adds choices whose code is also their label.
    pub fn names(self, names: &[&str]) -> Self {
        names.iter().fold(self, |input, name| input.choice(name, name))
    }

    fn described(&self) -> String {
        let hint = (!self.hint.is_empty() && !self.is_box()).then(|| format!("{}-ayuda", self.id));
        let mistake = self.mistake.as_ref().map(|_| format!("{}-error", self.name));
        mistake.into_iter().chain(hint).collect::<Vec<_>>().join(" ")
    }

    /// Whether this is a single checkbox, which shows its hint beside its label.
    fn is_box(&self) -> bool {
        matches!(self.shape, Shape::Tick | Shape::Check)
    }

    /// Whether the error gives its field the focus. A field with `autofocus` does not need it.
    fn is_focused(&self, mistake: &Mistake) -> bool {
        mistake.has_focus && !self.attributes.iter().any(|(name, _)| *name == "autofocus")
    }

    fn line(&self) -> Option<&'static str> {
        match self.shape {
            Shape::Line(kind) => Some(kind),
            _ => None,
        }
    }

    fn alert(&self) -> String {
        format!("{}#alerta", assets::path("iconos.svg"))
    }
}

/// Adds the methods that draw fields to a list of mistakes. The list must have `mistake(field)`.
macro_rules! draws_inputs {
    ($list:ty) => {
        #[allow(dead_code, reason = "not every kind of page has every kind of field")]
        impl $list {
            pub fn input(
                &self,
                shape: $crate::parts::Shape,
                name: &str,
                label: &str,
            ) -> $crate::parts::Input {
                $crate::parts::Input::new(shape, name, label, self.mistake(name))
            }

            pub fn line(&self, name: &str, label: &str) -> $crate::parts::Input {
                self.input($crate::parts::Shape::Line("text"), name, label)
            }

            pub fn long(&self, name: &str, label: &str) -> $crate::parts::Input {
                self.input($crate::parts::Shape::Long, name, label)
            }

            pub fn select(&self, name: &str, label: &str) -> $crate::parts::Input {
                self.input($crate::parts::Shape::Select, name, label)
            }

            pub fn tickbox(&self, name: &str, label: &str) -> $crate::parts::Input {
                self.input($crate::parts::Shape::Check, name, label)
            }
        }
    };
}
pub(crate) use draws_inputs;
