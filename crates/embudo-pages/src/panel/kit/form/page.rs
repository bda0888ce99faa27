//! A page that consists of one form.

use askama::Template;

use super::FormView;
use crate::panel::PanelFrame;
use crate::panel::form_state::FormState;
use crate::panel::kit::tabs::Tabs;

#[derive(Template)]
#[template(path = "panel/kit/page.html")]
pub(crate) struct FormPage {
    pub frame: PanelFrame,
    /// The position of the page: among the company's tabs, or below another page.
    pub place: Place,
    pub intro: &'static str,
    pub done: Option<&'static str>,
    pub view: FormView,
    pub form: FormState,
}

pub(crate) enum Place {
    Tab(Tabs),
    /// The address and the name of the page above.
    Below(&'static str, &'static str),
}
