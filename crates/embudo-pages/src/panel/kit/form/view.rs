//! A form, ready to be drawn.

use askama::Template;
use askama::filters::HtmlSafe;

use super::{Field, Form, Kind, Returned};
use crate::parts::{Input, Shape};

/// A form with its own template. A page may also place the groups itself.
#[derive(Template)]
#[template(path = "panel/kit/form.html")]
pub(crate) struct FormView {
    action: &'static str,
    button: &'static str,
    button_class: &'static str,
    pub version: String,
    pub groups: Vec<GroupView>,
    /// The address of a link that shows the page again without the values that were typed. `None` unless the form came
    /// back with errors.
    back: Option<&'static str>,
}

impl HtmlSafe for FormView {}

pub(crate) struct GroupView {
    pub title: &'static str,
    pub class: &'static str,
    pub inputs: Vec<Input>,
}

impl FormView {
    /// Adds the link `back` if the form came back with errors.
    pub fn or_back(mut self, to: &'static str, returned: &Returned) -> Self {
        self.back = (!returned.form.is_good()).then_some(to);
        self
    }

    /// Returns a field, so that its page can add details.
    pub fn input(&mut self, name: &str) -> Option<&mut Input> {
        self.inputs().find(|input| input.name == name)
    }

    pub fn inputs(&mut self) -> impl Iterator<Item = &mut Input> {
        self.groups.iter_mut().flat_map(|group| &mut group.inputs)
    }

    pub fn adorn(&mut self, name: &str, change: impl FnOnce(Input) -> Input) {
        if let Some(input) = self.input(name) {
            *input = change(input.clone());
        }
    }

    /// Makes the button less prominent, for a page whose main purpose is not this form.
    pub fn secondary(mut self) -> Self {
        self.button_class = "boton-2";
        self
    }
}

impl<R> Form<R> {
    pub fn view(&self, now: &R, returned: &Returned) -> FormView {
        let input = |field: &'static Field<R>| field.input(now, returned);
        let groups = self.groups.iter().map(|group| GroupView {
            title: group.title,
            class: group.class,
            inputs: group.fields.iter().map(input).collect(),
        });
        FormView {
            action: self.action,
            button: self.button,
            button_class: "boton",
            version: self.version(now),
            groups: groups.collect(),
            back: None,
        }
    }
}

impl<R> Field<R> {
    pub fn input(&self, now: &R, returned: &Returned) -> Input {
        let shape = match self.kind {
            Kind::Line(kind) | Kind::Secret(kind) => Shape::Line(kind),
            Kind::Whole(_) | Kind::Decimal => Shape::Line("text"),
            Kind::Long(_) => Shape::Long,
            Kind::Tick => Shape::Tick,
            Kind::Select(_) | Kind::Maybe(_) | Kind::Provincia => Shape::Select,
            Kind::Radios(_) => Shape::Radios,
        };
        let mut value = returned.value(self.name, || self.typed(now));
        if matches!(self.kind, Kind::Secret(_)) && value == self.typed(now) {
            value.clear();
        }
        let other =
            returned.conflicts.contains(&self.name).then(|| (self.shown(now), self.value_label(&value)));
        let mut input = returned.form.input(shape, self.name, self.label).hint(self.hint).value(value);
        input.other = other;
        let input = match self.kind {
            Kind::Whole(digits) => {
                input.with("inputmode", "numeric").with("autocomplete", "off").max(digits.into())
            }
            Kind::Decimal => input.with("inputmode", "decimal"),
            Kind::Long(rows) => input.rows(rows),
            Kind::Select(choices) | Kind::Radios(choices) => input.choices(choices),
            Kind::Maybe(choices) => input.choice("", "–").choices(choices),
            Kind::Provincia => input.provincias(),
            Kind::Line(_) | Kind::Secret(_) | Kind::Tick => input,
        };
        let input = input.box_class(self.class);
        self.attributes.iter().fold(input, |input, (name, value)| input.with(name, value))
    }
}
