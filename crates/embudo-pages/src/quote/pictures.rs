//! The pictures of a quote's page: photos before and after as pairs, the rest alone. A photo that cannot be shown is
//! left out.

use std::collections::HashMap;

use embudo_domain::FotoId;
use embudo_domain::ingesta::Momento;
use embudo_domain::presupuesto::PrintedFoto;
use embudo_domain::rendition::{Rendition, RenditionOutcome};

pub(crate) struct Picture {
    pub src: String,
    /// The alternative text, for people who cannot see the picture.
    pub alt: String,
    /// Width and height in pixels, if they are known.
    pub measures: Option<(u32, u32)>,
    /// «Antes» or «Después».
    pub footer: &'static str,
    pub ia: bool,
}

/// A picture of a place before the work, and one after.
pub(crate) struct Pair {
    pub before: Picture,
    /// A picture of the possible result.
    pub after: Picture,
    pub vertical: bool,
}

/// The pictures of one zone.
#[derive(Default)]
pub(crate) struct Gallery {
    pub pairs: Vec<Pair>,
    pub loose: Vec<Picture>,
}

/// The address and the renditions of a lead's photos.
pub(crate) struct Album {
    base: String,
    done: HashMap<FotoId, RenditionOutcome>,
    /// Whether the quote's PDF was already drawn. Drawing makes the missing renditions, so a photo that has none
    /// afterwards was deleted since, and is left out.
    drawn: bool,
}

impl Album {
    /// The album of a quote whose page is at `base`.
    pub fn new(base: &str, renditions: Vec<Rendition>, drawn: bool) -> Self {
        let done = renditions.into_iter().map(|r| (r.foto, r.result)).collect();
        Self { base: base.to_owned(), done, drawn }
    }

    /// Arranges the photos of one zone as pairs: the first photo before with the first photo after, and so on.
    pub fn arrange<'a>(&self, fotos: impl Iterator<Item = &'a PrintedFoto>, zona: &str) -> Gallery {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for foto in fotos {
            let of = if foto.momento == Momento::Before { &mut before } else { &mut after };
            let orden = of.len() + 1;
            of.extend(self.picture(foto, zona, orden));
        }
        let mut pictures = Gallery::default();
        let (mut before, mut after) = (before.into_iter(), after.into_iter());
        loop {
            match (before.next(), after.next()) {
                (Some(a), Some(d)) => {
                    let vertical = a.is_portrait() && d.is_portrait();
                    pictures.pairs.push(Pair { before: a, after: d, vertical });
                }
                (None, None) => return pictures,
                (a, d) => pictures.loose.extend(a.into_iter().chain(d)),
            }
        }
    }

    /// The picture of a photo. `None` if it cannot be shown or was deleted after the quote was made.
    fn picture(&self, foto: &PrintedFoto, zona: &str, orden: usize) -> Option<Picture> {
        let ia = foto.momento == Momento::After;
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
    /// Whether the picture is taller than wide.
    pub fn is_portrait(&self) -> bool {
        self.measures.is_some_and(|(width, height)| height > width)
    }

    /// Whether a frame may crop the picture. Panoramas and very tall pictures are shown whole.
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
            foto(3, Momento::After),
            foto(4, Momento::Before),
            foto(5, Momento::After),
        ];
        let pictures = album.arrange(fotos.iter(), "Baño");
        let pairs: Vec<_> = pictures.pairs.iter().map(|p| (&p.before.src, &p.after.src)).collect();
        assert!(pairs[0].0.ends_with("01") && pairs[0].1.ends_with("03"), "{pairs:?}");
        assert!(pairs[1].0.ends_with("02") && pairs[1].1.ends_with("05"), "{pairs:?}");
        assert_eq!(pictures.loose.len(), 1);
        assert!(pictures.pairs[0].after.ia && !pictures.pairs[0].before.ia);
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
        let fotos = [foto(1, Momento::Before), foto(2, Momento::Before), foto(3, Momento::After)];
        let pictures = Album::new("/p/x", vec![failed], false).arrange(fotos.iter(), "Baño");
        assert_eq!((pictures.pairs.len(), pictures.loose.len()), (1, 0));
        // Drawing makes the missing renditions: a photo that has none afterwards was deleted since, and is left out.
        let pictures = Album::new("/p/x", Vec::new(), true).arrange(fotos.iter(), "Baño");
        assert!(pictures.pairs.is_empty() && pictures.loose.is_empty());
    }
}
