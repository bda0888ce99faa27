//! A company (tenant). Its brand, its prices and its people are in modules of their own.

use crate::EmpresaId;
use crate::notice::{NoticeTopic, SharedNotices, Topics};
use crate::search::fold;

/// What the company of a new installation is called until somebody names it.
pub const UNNAMED: &str = "Mi empresa";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Empresa {
    pub id: EmpresaId,
    pub nombre: String,
    /// Its name in web addresses: lower-case letters, digits and hyphens, unique.
    pub slug: String,
    /// Whether this is the default company: leads that name no company go to it. Exactly one company is.
    pub por_defecto: bool,
    /// Where notices to the company go.
    pub email_avisos: Option<String>,
    /// Whether the company wants notices at `email_avisos`.
    pub notices: bool,
    /// The topics of the notices at that address.
    pub topics: Topics,
    /// The topics that somebody of the company wants by mail or on a device of their own. Updated whenever people
    /// change their choices.
    pub personal_topics: Topics,
}

impl Empresa {
    /// The topics that are set for its own address.
    pub fn shared(&self) -> SharedNotices {
        let topics = if self.notices { self.topics } else { Topics::NONE };
        SharedNotices { email: self.email_avisos.clone(), topics }
    }

    /// The topics that its own address gets: none if there is no address.
    pub fn shared_topics(&self) -> Topics {
        let SharedNotices { email, topics } = self.shared();
        if email.is_some_and(|email| !email.is_empty()) { topics } else { Topics::NONE }
    }

    /// Whether to make a notice on this topic: for the company's own address, or for somebody in the company.
    pub fn wants(&self, topic: NoticeTopic) -> bool {
        self.wanted().has(topic)
    }

    /// Whether it wants notices on any topic.
    pub fn wants_notices(&self) -> bool {
        !self.wanted().is_empty()
    }

    fn wanted(&self) -> Topics {
        self.shared_topics().and(self.personal_topics)
    }
}

/// The name of a company as it is written in a web address: «Reformas Peña, S.L.» is `reformas-pena-s-l`.
pub fn slug_of(nombre: &str) -> String {
    let folded = fold(nombre);
    let words: Vec<&str> =
        folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|p| !p.is_empty()).collect();
    words.join("-")
}

/// Whether a text is a valid name of a company in a web address.
pub fn is_slug(text: &str) -> bool {
    !text.is_empty() && text.len() <= 64 && slug_of(text) == text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_the_folded_name() {
        assert_eq!(slug_of("Reformas Peña, S.L."), "reformas-pena-s-l");
        assert_eq!(slug_of("¡¡!!"), "");
        assert!(is_slug("reformas-2") && !is_slug("Reformas") && !is_slug("a--b") && !is_slug(""));
    }
}
