//! The tabs of the company's pages.

use crate::panel::frame::is_page;

/// The pages of a company, in the order of their tabs.
const PAGES: &[(&str, &str)] = &[
    ("/panel/empresa", "Puesta en marcha"),
    ("/panel/empresa/datos", "Datos"),
    ("/panel/empresa/marca", "Marca"),
    ("/panel/empresa/tarifa", "Tarifa"),
    ("/panel/empresa/textos", "Textos"),
    ("/panel/empresa/formulario", "Formulario"),
    ("/panel/empresa/presupuestos", "Presupuestos"),
    ("/panel/empresa/recordatorios", "Recordatorios"),
    ("/panel/empresa/avisos", "Avisos"),
    ("/panel/empresa/conexiones", "Conexiones"),
    ("/panel/empresa/privacidad", "Privacidad"),
];

/// The data of `panel/empresa/tabs.html`. A template that includes it has a field `tabs`.
pub(in crate::panel) struct Tabs {
    pub here: &'static str,
}

impl Tabs {
    /// The existing pages: address, name, and whether the page is the current one.
    pub fn all(&self) -> Vec<(&'static str, &'static str, bool)> {
        let pages = PAGES.iter().filter(|(path, _)| is_page(path));
        pages.map(|(path, name)| (*path, *name, *path == self.here)).collect()
    }
}
