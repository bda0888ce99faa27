//! A company (tenant). Its brand, prices and people come with the parts that need them.

use crate::EmpresaId;
use crate::notice::{NoticeTopic, SharedNotices, Topics};
use crate::search::fold;

/// What the company of a new installation is called until somebody names it.
pub const UNNAMED: &str = "Mi empresa";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Empresa {
    pub id: EmpresaId,
    pub nombre: String,
    /// Its name in addresses: lower-case letters, digits and hyphens, unique.
    pub slug: String,
    /// Whether leads that name no company go to it; exactly one company is.
    pub por_defecto: bool,
    /// Where notices to the company go.
    pub email_avisos: Option<String>,
    /// Whether it wants notices at that address.
    pub notices: bool,
    /// Which ones.
    pub topics: Topics,
    /// What somebody in it wants in their own mail; kept with their choices.
    pub personal_topics: Topics,
}

impl Empresa {
    /// What its own address is to get, as it was set.
    pub fn shared(&self) -> SharedNotices {
        let topics = if self.notices { self.topics } else { Topics::NONE };
        SharedNotices { email: self.email_avisos.clone(), topics }
    }

    /// What its own address gets: nothing without one.
    pub fn shared_topics(&self) -> Topics {
        let SharedNotices { email, topics } = self.shared();
        if email.is_some_and(|email| !email.is_empty()) { topics } else { Topics::NONE }
    }

    /// Whether a notice is made: for its own address, or for somebody in it.
    pub fn wants(&self, topic: NoticeTopic) -> bool {
        self.wanted().has(topic)
    }

    /// Whether it wants any.
    pub fn wants_notices(&self) -> bool {
        !self.wanted().is_empty()
    }

    fn wanted(&self) -> Topics {
        self.shared_topics().and(self.personal_topics)
    }
}

/// The name of a company as it stands in an address: «Reformas Peña, S.L.» is `reformas-pena-s-l`.
pub fn slug_of(nombre: &str) -> String {
    let folded = fold(nombre);
    let words: Vec<&str> =
        folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|p| !p.is_empty()).collect();
    words.join("-")
}

/// Whether a text can stand in an address as a company's name.
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
