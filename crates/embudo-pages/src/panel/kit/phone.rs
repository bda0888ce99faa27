//! A telephone as every page of the panel shows it: formatted for reading, and as a link that starts a call.

use askama::Template;
use askama::filters::HtmlSafe;

use crate::quote::words::phone_link;

#[derive(Debug, Clone, Default, Template)]
#[template(
    ext = "html",
    source = "{% if let Some(href) = href %}<a class=\"telefono cifra\" href=\"{{ href }}\">{{ shown }}</a>{% else %}<span class=\"cifra\">{{ shown }}</span>{% endif %}"
)]
pub(in crate::panel) struct Phone {
    shown: String,
    href: Option<String>,
}

impl HtmlSafe for Phone {}

impl Phone {
    /// Whether there is no number to show.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    pub fn of(e164: &str) -> Self {
        Self { shown: embudo_domain::words::telefono(e164), href: phone_link(e164) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_one_tap_from_a_call() {
        let shown = Phone::of("+34612345678").to_string();
        assert_eq!(shown, "<a class=\"telefono cifra\" href=\"tel:+34612345678\">612 34 56 78</a>");
        assert_eq!(Phone::of("").to_string(), "<span class=\"cifra\"></span>");
    }
}
