//! A page that is one form.

use askama::Template;

use super::FormView;
use crate::panel::PanelFrame;
use crate::panel::form_state::FormState;
use crate::panel::kit::tabs::Tabs;

#[derive(Template)]
#[template(path = "panel/kit/page.html")]
pub(crate) struct FormPage {
    pub frame: PanelFrame,
    /// Where it stands: among the company's pages, or below another page.
    pub place: Place,
    pub intro: &'static str,
    pub done: Option<&'static str>,
    pub view: FormView,
    pub form: FormState,
}

pub(crate) enum Place {
    Tab(Tabs),
    /// Address and name.
    Below(&'static str, &'static str),
}
