//! A company (tenant). Its brand, prices and people come with the parts that need them.

use crate::EmpresaId;
use crate::search::fold;

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
    /// Whether it wants notices; they also need an address.
    pub notices: bool,
}

impl Empresa {
    /// Whether mails to the company are made: it wants them and has an address for them.
    pub fn wants_notices(&self) -> bool {
        self.notices && self.email_avisos.as_deref().is_some_and(|email| !email.is_empty())
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
