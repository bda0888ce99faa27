//! A lead's photos by zone, as pairs of before and after; the rest alone.

use embudo_domain::Zona;
use embudo_domain::foto::Foto;
use embudo_domain::presupuesto::PrintedFoto;
use embudo_domain::rendition::{Rendition, RenditionOutcome};

use super::union::Source;
use crate::quote::pictures::{Album, Gallery, Pair, Picture};

pub(super) struct ZonaView {
    pub nombre: &'static str,
    pub how_many: usize,
    pub pairs: Vec<Pair>,
    pub loose: Vec<Picture>,
    /// The lead to which the photos belong, if it is not the lead of the page.
    pub source: Option<Source>,
}

/// The galleries, and the number of photos that cannot be shown.
pub(super) fn galleries(
    base: &str,
    fotos: &[Foto],
    renditions: Vec<Rendition>,
    source: Option<&Source>,
) -> (Vec<ZonaView>, usize) {
    let failed = |foto: &&Foto| {
        let of = renditions.iter().find(|r| r.foto == foto.id);
        of.is_some_and(|r| matches!(r.result, RenditionOutcome::Failed(_)))
    };
    let hidden = fotos.iter().filter(failed).count();
    let album = Album::new(base, renditions, false);
    let printed: Vec<PrintedFoto> =
        fotos.iter().map(|f| PrintedFoto { id: f.id, zona: f.zona, momento: f.momento }).collect();
    let all = Zona::WORDS.iter().filter_map(|word| Zona::parse(word));
    let view = |zona: Zona| {
        let nombre = zona.label();
        let own = printed.iter().filter(|foto| foto.zona == zona);
        let Gallery { pairs, loose } = album.arrange(own, nombre);
        let how_many = 2 * pairs.len() + loose.len();
        ZonaView { nombre, how_many, pairs, loose, source: source.cloned() }
    };
    (all.map(view).filter(|zona| zona.how_many > 0).collect(), hidden)
}
