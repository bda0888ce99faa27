//! What decides the tax and part of the price of a job but is not part of the profile. The form asks for it; our own
//! endpoints and people in the panel also set it. Each field may be unknown; a quote then makes an assumption and says
//! so.

use crate::direccion::Direccion;
use crate::iva::answers::{Answer, Condiciones, Contratante};
use crate::provincia::CodigoPostal;
use crate::search::fold;

field_list! {
    /// `None` is "not sent" in a patch and "not known" in a record.
    Obra {
        es_vivienda: bool, "esVivienda", "Si es una vivienda de uso particular; un local nunca lleva el tipo reducido.", "true";
        contratante: Contratante, "contratante", "Quién encarga la obra.", r#""particular""#;
        dos_anos: bool, "dosAnos", "Si han pasado al menos dos años desde que se construyó o se rehabilitó (una cocina o un baño nuevos no son una rehabilitación).", "true";
        banos: u8, "banos", "Cuántos baños se reforman en una reforma integral.", "2";
        planta: i8, "planta", "Planta: 0 es la baja, por debajo los sótanos.", "3";
        ascensor: bool, "ascensor", "Si hay un ascensor que sirva para la obra.", "false";
        codigo_postal: CodigoPostal, "codigoPostal",
            "Código postal de la obra; decide la provincia, aunque se haya escrito otra.", r#""28013""#;
        m2_estimado: f64, "m2Estimado",
            "Superficie que es solo una estimación: mientras `m2Suelo` valga lo mismo, el presupuesto es orientativo.", "12";
        direccion: Direccion, "direccion", "Calle y número de la obra.", r#""Calle Mayor 3, 2.º B""#;
    }
}

/// The fields to be written, and the fields to be cleared.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ObraPatch {
    pub obra: Obra,
    /// The names of the cleared fields on the wire.
    pub cleared: Vec<&'static str>,
}

impl Obra {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether an area is only a guess of the client's.
    pub fn is_estimate(&self, m2_suelo: Option<f64>) -> bool {
        m2_suelo.is_some() && m2_suelo == self.m2_estimado
    }

    /// The answers that decide the tax rate.
    pub fn condiciones(&self) -> Condiciones {
        Condiciones {
            vivienda: answer(self.es_vivienda),
            contratante: self.contratante,
            two_years: answer(self.dos_anos),
        }
    }
}

/// Business premises, as people name them, without accents.
const PREMISES: &[&str] = &[
    "local",
    "locales",
    "oficina",
    "oficinas",
    "despacho",
    "despachos",
    "tienda",
    "tiendas",
    "comercio",
    "comercial",
    "negocio",
    "nave",
    "naves",
    "almacen",
    "taller",
    "bar",
    "bares",
    "cafeteria",
    "restaurante",
    "restaurantes",
    "clinica",
    "clinicas",
    "consulta",
    "consultorio",
    "farmacia",
    "peluqueria",
    "gimnasio",
    "academia",
    "guarderia",
    "hotel",
    "hostal",
    "supermercado",
    "panaderia",
    "coworking",
];

/// Words for a dwelling. Together with one of them, a word for premises may mean a study at home, a flat above a bar,
/// or the former use of a converted shop.
const DWELLINGS: &[&str] = &[
    "vivienda",
    "viviendas",
    "casa",
    "casas",
    "piso",
    "pisos",
    "apartamento",
    "chalet",
    "chale",
    "atico",
    "duplex",
    "adosado",
    "loft",
    "hogar",
    "domicilio",
    "habitacion",
    "dormitorio",
];

/// Whether a text names business premises and no dwelling.
pub fn names_premises(text: &str) -> bool {
    let folded = fold(text);
    let mut words = folded.split(|c: char| !c.is_alphanumeric());
    words.clone().any(|word| PREMISES.contains(&word)) && !words.any(|word| DWELLINGS.contains(&word))
}

fn answer(said: Option<bool>) -> Answer {
    match said {
        None => Answer::Unknown,
        Some(true) => Answer::Declared,
        Some(false) => Answer::Denied,
    }
}

impl ObraPatch {
    pub fn is_empty(&self) -> bool {
        self.obra.is_empty() && self.cleared.is_empty()
    }

    /// The values after the patch is applied.
    pub fn over(&self, mut before: Obra) -> Obra {
        for name in &self.cleared {
            before.take_over(name, &Obra::default());
        }
        before.overlay(&self.obra);
        before
    }
}

impl From<Obra> for ObraPatch {
    fn from(obra: Obra) -> Self {
        Self { obra, cleared: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_what_the_tax_asks() {
        assert_eq!(Obra::default().condiciones(), Condiciones::default());
        let local = Obra { es_vivienda: Some(false), dos_anos: Some(true), ..Obra::default() };
        let condiciones = local.condiciones();
        assert_eq!((condiciones.vivienda, condiciones.two_years), (Answer::Denied, Answer::Declared));
    }

    #[test]
    fn premises_are_known_by_their_names() {
        for text in
            ["local comercial", "un LOCAL", "La cocina de un bar", "Clínica dental", "oficina, 2 despachos"]
        {
            assert!(names_premises(text), "{text}");
        }
        for text in
            ["", "cocina", "localizado en Madrid", "barra americana", "oficina en casa", "local a vivienda"]
        {
            assert!(!names_premises(text), "{text}");
        }
    }

    #[test]
    fn what_is_taken_back_is_unknown_and_the_rest_stays() {
        let before = Obra { banos: Some(2), planta: Some(3), ..Obra::default() };
        let patch =
            ObraPatch { obra: Obra { ascensor: Some(false), ..Obra::default() }, cleared: vec!["planta"] };
        let after = patch.over(before);
        assert_eq!(after, Obra { banos: Some(2), ascensor: Some(false), ..Obra::default() });
        assert!(ObraPatch::default().is_empty() && !patch.is_empty());
    }
}
