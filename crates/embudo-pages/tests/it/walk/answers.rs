//! Requirements for every response to every caller: no server error, the required headers, and nothing of another
//! company. Violations are collected, so that one walk reports all of them.

use std::sync::Mutex;

use embudo_testkit::Answered;

use super::map::{Door, Route};
use super::world::Company;

/// The violations that were found.
#[derive(Default)]
pub struct Findings(Mutex<Vec<String>>);

impl Findings {
    /// Records a violation if the condition does not hold.
    pub fn expect(&self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.0.lock().unwrap().push(what());
        }
    }

    /// Fails the test if there are violations.
    pub fn none(&self) {
        let found = self.0.lock().unwrap();
        let told: String = found.iter().map(|line| format!("- {line}\n")).collect();
        assert!(found.is_empty(), "{} answers are not as walk/map.rs says:\n{told}", found.len());
    }

    /// The response is no server error and has its headers.
    pub fn is_healthy(&self, route: &Route, what: &str, answer: &Answered) {
        self.expect(answer.status.as_u16() < 500, || format!("{what}: {}", short(answer)));
        let kind = answer.header("content-type").unwrap_or_default();
        let is_html = kind.starts_with("text/html");
        let policy = answer.header("content-security-policy").unwrap_or_default();
        let is_strict = policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors");
        self.expect(!is_html || is_strict && !policy.contains("unsafe"), || {
            format!("{what}: its content security policy is «{policy}»")
        });
        if is_html && answer.status.as_u16() == 422 {
            self.tells_what_is_wrong(what, &answer.text);
        }
        let is_not_sniffed = answer.header("x-content-type-options") == Some("nosniff");
        self.expect(is_not_sniffed, || format!("{what}: it lacks nosniff ({kind})"));
        let is_personal = route.is_panel() || matches!(route.door, Door::Pass(_));
        let is_page = is_html || kind.starts_with("application/json") || answer.status.is_redirection();
        let kept = answer.header("cache-control").unwrap_or_default();
        self.expect(!is_personal || !is_page || kept == "no-store", || {
            format!("{what}: browsers keep it ({kind}, «{kept}»)")
        });
    }

    /// A refused form shows a summary at the top, with a link to every field that has an error.
    fn tells_what_is_wrong(&self, what: &str, html: &str) {
        // The response to a module is a fragment without a head, so it is not a page.
        if !html.contains("<html") {
            return;
        }
        let Some(summary) = html.split("resumen-errores").nth(1) else {
            return self.expect(false, || format!("{what}: a refusal without a summary"));
        };
        let summary = summary.split("</div></div>").next().unwrap_or_default();
        let links: Vec<&str> =
            summary.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let is_marked = html.contains("aria-invalid=\"true\"");
        self.expect(!is_marked || !links.is_empty(), || format!("{what}: a mistake that nothing leads to"));
        for id in links {
            let is_there = html.contains(&format!("id=\"{id}\""));
            self.expect(is_there, || format!("{what}: the summary leads to «{id}», which is not there"));
        }
    }

    /// The response contains nothing of this company, except what the request itself contained.
    pub fn shows_nothing_of(&self, company: &Company, what: &str, sent: &str, answer: &Answered) {
        let place = answer.header("location").unwrap_or_default();
        for mark in company.marks().filter(|mark| !sent.contains(*mark)) {
            let is_shown = answer.text.contains(mark) || place.contains(mark);
            self.expect(!is_shown, || format!("{what}: it shows «{mark}» of another company; {place}"));
        }
    }
}

/// The caller and the request, for the text of a violation.
pub fn what(route: &Route, path: &str, who: &str) -> String {
    format!("{who}: {} {} ({path})", route.method, route.path)
}

/// A response in one line.
pub fn short(answer: &Answered) -> String {
    let place = answer.header("location").unwrap_or_default();
    let text: String =
        answer.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
    format!("{} {place} {text}", answer.status)
}
