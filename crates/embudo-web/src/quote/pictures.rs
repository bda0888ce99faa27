//! The pictures of a quote's page: before and after in pairs, the rest by themselves. What cannot be shown is left out.

use std::collections::HashMap;

use embudo_domain::FotoId;
use embudo_domain::ingesta::Momento;
use embudo_domain::presupuesto::FotoImpresa;
use embudo_domain::rendicion::{Rendicion, Resultado};

/// A picture.
pub(super) struct Cuadro {
    /// Its address.
    pub src: String,
    /// What it shows, for those who do not see it.
    pub alt: String,
    /// Width and height in pixels, where they are known.
    pub medidas: Option<(u32, u32)>,
    /// «Antes» or «Después».
    pub pie: &'static str,
    /// It was generated.
    pub ia: bool,
}

/// One place before and after.
pub(super) struct Pareja {
    /// How it is.
    pub antes: Cuadro,
    /// How it may be.
    pub despues: Cuadro,
    /// Both stand upright.
    pub vertical: bool,
}

/// The pictures of one zone.
#[derive(Default)]
pub(super) struct Cuadros {
    /// Pairs to compare.
    pub parejas: Vec<Pareja>,
    /// The rest.
    pub sueltos: Vec<Cuadro>,
}

/// What is known of a lead's photos.
pub(super) struct Album {
    base: String,
    hechas: HashMap<FotoId, Resultado>,
    /// The quote was drawn, so whatever has no rendition was removed since.
    dibujado: bool,
}

impl Album {
    /// The photos of a quote whose page is at `base`.
    pub fn new(base: &str, rendiciones: Vec<Rendicion>, dibujado: bool) -> Self {
        let hechas = rendiciones.into_iter().map(|r| (r.foto, r.resultado)).collect();
        Self { base: base.to_owned(), hechas, dibujado }
    }

    /// Arranges the photos of one zone: the first before with the first after, and so on.
    pub fn colgar<'a>(&self, fotos: impl Iterator<Item = &'a FotoImpresa>, zona: &str) -> Cuadros {
        let (mut antes, mut despues) = (Vec::new(), Vec::new());
        for foto in fotos {
            let de = if foto.momento == Momento::Antes { &mut antes } else { &mut despues };
            let orden = de.len() + 1;
            de.extend(self.cuadro(foto, zona, orden));
        }
        let mut cuadros = Cuadros::default();
        let (mut antes, mut despues) = (antes.into_iter(), despues.into_iter());
        loop {
            match (antes.next(), despues.next()) {
                (Some(a), Some(d)) => {
                    let vertical = a.es_vertical() && d.es_vertical();
                    cuadros.parejas.push(Pareja { antes: a, despues: d, vertical });
                }
                (None, None) => return cuadros,
                (a, d) => cuadros.sueltos.extend(a.into_iter().chain(d)),
            }
        }
    }

    /// A photo that can be shown; `None` for one that cannot, or that was removed after the quote was made.
    fn cuadro(&self, foto: &FotoImpresa, zona: &str, orden: usize) -> Option<Cuadro> {
        let ia = foto.momento == Momento::Despues;
        let (pie, alt) = if ia {
            ("Después", format!("{zona}, después de la reforma: imagen generada por IA {orden}"))
        } else {
            ("Antes", format!("{zona}, antes de la reforma: fotografía {orden}"))
        };
        let medidas = match self.hechas.get(&foto.id) {
            Some(Resultado::Hecha(d)) => Some((d.ancho, d.alto)),
            Some(Resultado::Fallida(_)) => return None,
            None if self.dibujado => return None,
            None => None,
        };
        Some(Cuadro { src: format!("{}/fotos/{}", self.base, foto.id), alt, medidas, pie, ia })
    }
}

impl Cuadro {
    /// Whether it is higher than wide.
    pub fn es_vertical(&self) -> bool {
        self.medidas.is_some_and(|(ancho, alto)| alto > ancho)
    }

    /// Whether a frame may cut it: panoramas and very tall pictures are shown whole.
    pub fn cabe(&self) -> bool {
        self.medidas.is_none_or(|(ancho, alto)| {
            let razon = f64::from(ancho) / f64::from(alto.max(1));
            (0.55..1.9).contains(&razon)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use embudo_domain::Zona;

    fn foto(n: u128, momento: Momento) -> FotoImpresa {
        FotoImpresa { id: FotoId(uuid::Uuid::from_u128(n)), zona: Zona::Bano, momento }
    }

    #[test]
    fn pairs_in_order_and_the_rest_alone() {
        let album = Album::new("/p/x", Vec::new(), false);
        let fotos = [
            foto(1, Momento::Antes),
            foto(2, Momento::Antes),
            foto(3, Momento::Despues),
            foto(4, Momento::Antes),
            foto(5, Momento::Despues),
        ];
        let cuadros = album.colgar(fotos.iter(), "Baño");
        let parejas: Vec<_> = cuadros.parejas.iter().map(|p| (&p.antes.src, &p.despues.src)).collect();
        assert!(parejas[0].0.ends_with("01") && parejas[0].1.ends_with("03"), "{parejas:?}");
        assert!(parejas[1].0.ends_with("02") && parejas[1].1.ends_with("05"), "{parejas:?}");
        assert_eq!(cuadros.sueltos.len(), 1);
        assert!(cuadros.parejas[0].despues.ia && !cuadros.parejas[0].antes.ia);
    }

    #[test]
    fn what_cannot_be_shown_is_left_out() {
        let fallida = Rendicion {
            lead: embudo_domain::LeadId(uuid::Uuid::nil()),
            foto: foto(2, Momento::Antes).id,
            copia: None,
            resultado: Resultado::Fallida("formato HEIC, que no se puede leer".to_owned()),
            creada_en: embudo_domain::Timestamp::UNIX_EPOCH,
        };
        let fotos = [foto(1, Momento::Antes), foto(2, Momento::Antes), foto(3, Momento::Despues)];
        let cuadros = Album::new("/p/x", vec![fallida], false).colgar(fotos.iter(), "Baño");
        assert_eq!((cuadros.parejas.len(), cuadros.sueltos.len()), (1, 0));
        // Of a quote that was drawn, a photo without a rendition was removed since.
        let cuadros = Album::new("/p/x", Vec::new(), true).colgar(fotos.iter(), "Baño");
        assert!(cuadros.parejas.is_empty() && cuadros.sueltos.is_empty());
    }
}
