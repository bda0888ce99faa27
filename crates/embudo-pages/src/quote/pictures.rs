//! The pictures of a quote's page: before and after in pairs, the rest by themselves. What cannot be shown is left out.

use std::collections::HashMap;

use embudo_domain::FotoId;
use embudo_domain::ingesta::Momento;
use embudo_domain::presupuesto::PrintedFoto;
use embudo_domain::rendition::{Rendition, RenditionOutcome};

pub(crate) struct Picture {
    pub src: String,
    /// What it shows, for those who do not see it.
    pub alt: String,
    /// Width and height in pixels, where they are known.
    pub measures: Option<(u32, u32)>,
    /// «Antes» or «Después».
    pub footer: &'static str,
    pub ia: bool,
}

/// One place before and after.
pub(crate) struct Pair {
    pub antes: Picture,
    /// How it may be.
    pub after: Picture,
    pub vertical: bool,
}

/// The pictures of one zone.
#[derive(Default)]
pub(crate) struct Gallery {
    pub pairs: Vec<Pair>,
    pub loose: Vec<Picture>,
}

/// What is known of a lead's photos.
pub(crate) struct Album {
    base: String,
    done: HashMap<FotoId, RenditionOutcome>,
    /// The quote was drawn, so whatever has no rendition was removed since.
    drawn: bool,
}

impl Album {
    /// The photos of a quote whose page is at `base`.
    pub fn new(base: &str, renditions: Vec<Rendition>, drawn: bool) -> Self {
        let done = renditions.into_iter().map(|r| (r.foto, r.result)).collect();
        Self { base: base.to_owned(), done, drawn }
    }

    /// Arranges the photos of one zone: the first before with the first after, and so on.
    pub fn hang<'a>(&self, fotos: impl Iterator<Item = &'a PrintedFoto>, zona: &str) -> Gallery {
        let (mut antes, mut after) = (Vec::new(), Vec::new());
        for foto in fotos {
            let of = if foto.momento == Momento::Before { &mut antes } else { &mut after };
            let orden = of.len() + 1;
            of.extend(self.picture(foto, zona, orden));
        }
        let mut pictures = Gallery::default();
        let (mut antes, mut after) = (antes.into_iter(), after.into_iter());
        loop {
            match (antes.next(), after.next()) {
                (Some(a), Some(d)) => {
                    let vertical = a.is_portrait() && d.is_portrait();
                    pictures.pairs.push(Pair { antes: a, after: d, vertical });
                }
                (None, None) => return pictures,
                (a, d) => pictures.loose.extend(a.into_iter().chain(d)),
            }
        }
    }

    /// A photo that can be shown; `None` for one that cannot, or that was removed after the quote was made.
    fn picture(&self, foto: &PrintedFoto, zona: &str, orden: usize) -> Option<Picture> {
        let ia = foto.momento == Momento::Despues;
        let (footer, alt) = if ia {
            ("Después", format!("{zona}, después de la reforma: imagen generada por IA {orden}"))
        } else {
            ("Antes", format!("{zona}, antes de la reforma: fotografía {orden}"))
        };
        let measures = match self.done.get(&foto.id) {
            Some(RenditionOutcome::Done(d)) => Some((d.width, d.height)),
            Some(RenditionOutcome::Failed(_)) => return None,
            None if self.drawn => return None,
            None => None,
        };
        Some(Picture { src: format!("{}/fotos/{}", self.base, foto.id), alt, measures, footer, ia })
    }
}

impl Picture {
    /// Whether it is higher than wide.
    pub fn is_portrait(&self) -> bool {
        self.measures.is_some_and(|(width, height)| height > width)
    }

    /// Whether a frame may cut it: panoramas and very tall pictures are shown whole.
    pub fn fits(&self) -> bool {
        self.measures.is_none_or(|(width, height)| {
            let reason = f64::from(width) / f64::from(height.max(1));
            (0.55..1.9).contains(&reason)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use embudo_domain::Zona;

    fn foto(n: u128, momento: Momento) -> PrintedFoto {
        PrintedFoto { id: FotoId(uuid::Uuid::from_u128(n)), zona: Zona::Bano, momento }
    }

    #[test]
    fn pairs_in_order_and_the_rest_alone() {
        let album = Album::new("/p/x", Vec::new(), false);
        let fotos = [
            foto(1, Momento::Before),
            foto(2, Momento::Before),
            foto(3, Momento::Despues),
            foto(4, Momento::Before),
            foto(5, Momento::Despues),
        ];
        let pictures = album.hang(fotos.iter(), "Baño");
        let pairs: Vec<_> = pictures.pairs.iter().map(|p| (&p.antes.src, &p.after.src)).collect();
        assert!(pairs[0].0.ends_with("01") && pairs[0].1.ends_with("03"), "{pairs:?}");
        assert!(pairs[1].0.ends_with("02") && pairs[1].1.ends_with("05"), "{pairs:?}");
        assert_eq!(pictures.loose.len(), 1);
        assert!(pictures.pairs[0].after.ia && !pictures.pairs[0].antes.ia);
    }

    #[test]
    fn what_cannot_be_shown_is_left_out() {
        let failed = Rendition {
            lead: embudo_domain::LeadId(uuid::Uuid::nil()),
            foto: foto(2, Momento::Before).id,
            copy: None,
            result: RenditionOutcome::Failed("formato HEIC, que no se puede leer".to_owned()),
            creada_en: embudo_domain::Timestamp::UNIX_EPOCH,
        };
        let fotos = [foto(1, Momento::Before), foto(2, Momento::Before), foto(3, Momento::Despues)];
        let pictures = Album::new("/p/x", vec![failed], false).hang(fotos.iter(), "Baño");
        assert_eq!((pictures.pairs.len(), pictures.loose.len()), (1, 0));
        // Of a quote that was drawn, a photo without a rendition was removed since.
        let pictures = Album::new("/p/x", Vec::new(), true).hang(fotos.iter(), "Baño");
        assert!(pictures.pairs.is_empty() && pictures.loose.is_empty());
    }
}
