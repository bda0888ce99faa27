//! How the form words what the business knows by codes.

use embudo_domain::Zona;
use embudo_domain::decimal::en_espanol;
use embudo_domain::perfil::Urgencia;

pub(crate) use embudo_domain::palabras::{calidad, telefono};

/// The words of a zone.
pub(crate) struct PalabrasZona {
    /// The zone.
    pub zona: Zona,
    /// On its card.
    pub nombre: &'static str,
    /// Under it: what it usually means.
    pub detalle: &'static str,
    /// In a sentence («tu cocina»).
    pub tuya: &'static str,
    /// Any of them («una cocina»).
    pub una: &'static str,
    /// The question of its size.
    pub pregunta_m2: &'static str,
    /// Small, usual and large, in its gender.
    pub tallas: [&'static str; 3],
}

const MASCULINAS: [&str; 3] = ["Pequeño", "Normal", "Grande"];
const FEMENINAS: [&str; 3] = ["Pequeña", "Normal", "Grande"];

/// Every zone, in the order of the cards.
pub(crate) const ZONAS: [PalabrasZona; 6] = [
    PalabrasZona {
        zona: Zona::Cocina,
        nombre: "Cocina",
        detalle: "Muebles, encimera, instalaciones",
        tuya: "tu cocina",
        una: "una cocina",
        pregunta_m2: "¿Cuántos metros tiene tu cocina?",
        tallas: FEMENINAS,
    },
    PalabrasZona {
        zona: Zona::Bano,
        nombre: "Baño",
        detalle: "Plato de ducha, alicatado, sanitarios",
        tuya: "tu baño",
        una: "un baño",
        pregunta_m2: "¿Cuántos metros tiene tu baño?",
        tallas: MASCULINAS,
    },
    PalabrasZona {
        zona: Zona::Salon,
        nombre: "Salón",
        detalle: "Suelo, paredes, iluminación",
        tuya: "tu salón",
        una: "un salón",
        pregunta_m2: "¿Cuántos metros tiene tu salón?",
        tallas: MASCULINAS,
    },
    PalabrasZona {
        zona: Zona::Comedor,
        nombre: "Comedor",
        detalle: "Abrirlo, renovarlo, darle luz",
        tuya: "tu comedor",
        una: "un comedor",
        pregunta_m2: "¿Cuántos metros tiene tu comedor?",
        tallas: MASCULINAS,
    },
    PalabrasZona {
        zona: Zona::Integral,
        nombre: "Toda la casa",
        detalle: "Reforma integral, de principio a fin",
        tuya: "toda tu casa",
        una: "una casa",
        pregunta_m2: "¿Cuántos metros tiene tu casa?",
        tallas: FEMENINAS,
    },
    PalabrasZona {
        zona: Zona::Otro,
        nombre: "Otra cosa",
        detalle: "Dormitorio, terraza, local…",
        tuya: "otra estancia",
        una: "una estancia",
        pregunta_m2: "¿Cuántos metros tiene la estancia?",
        tallas: FEMENINAS,
    },
];

/// The words of one zone.
pub(crate) fn zona(zona: Zona) -> &'static PalabrasZona {
    ZONAS.iter().find(|p| p.zona == zona).expect("every zone has its words")
}

/// A choice with what one gets.
pub(crate) struct Opcion {
    /// The value sent.
    pub valor: &'static str,
    /// Its name.
    pub nombre: &'static str,
    /// What it means.
    pub detalle: &'static str,
}

/// The qualities, by what one gets, under the names that the quote uses too.
pub(crate) const CALIDADES: [Opcion; 3] = [
    Opcion {
        valor: "basica",
        nombre: "Básica",
        detalle: "Materiales de serie que aguantan el día a día: gres, sanitarios y muebles estándar. Lo necesario, bien hecho.",
    },
    Opcion {
        valor: "media",
        nombre: "Media",
        detalle: "Porcelánico, griferías de marca y muebles con más opciones. Equilibrio entre precio y acabado.",
    },
    Opcion {
        valor: "premium",
        nombre: "Premium",
        detalle: "Piezas a medida, grandes formatos o piedra, iluminación pensada y remates sin juntas a la vista.",
    },
];

/// How soon.
pub(crate) const URGENCIAS: [Opcion; 3] = [
    Opcion { valor: "alta", nombre: "Cuanto antes", detalle: "Este mes o el que viene" },
    Opcion { valor: "media", nombre: "En unos meses", detalle: "De dos a seis meses" },
    Opcion { valor: "baja", nombre: "Sin prisa", detalle: "Estoy mirando opciones" },
];

/// An urgency inside a sentence.
pub(crate) fn urgencia(urgencia: Urgencia) -> &'static str {
    match urgencia {
        Urgencia::Alta => "cuanto antes",
        Urgencia::Media => "en unos meses",
        Urgencia::Baja => "sin prisa",
    }
}

/// Square metres as people write them: «5», «7,5».
pub(crate) fn metros(m2: f64) -> String {
    // Areas are within what the form accepts, far below what fits.
    #[allow(clippy::cast_possible_truncation)]
    let centesimas = (m2 * 100.0).round() as i64;
    match (centesimas % 100, centesimas % 10) {
        (0, _) => en_espanol(centesimas / 100, 0),
        (_, 0) => en_espanol(centesimas / 10, 1),
        _ => en_espanol(centesimas, 2),
    }
}

/// The name to greet with: the first word.
pub(crate) fn nombre_de_pila(nombre: &str) -> &str {
    nombre.split_whitespace().next().unwrap_or(nombre)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quality_has_one_name() {
        for opcion in CALIDADES {
            let una = embudo_domain::perfil::Calidad::parse(opcion.valor).expect("a quality");
            assert_eq!(opcion.nombre.to_lowercase(), calidad(una));
        }
    }

    #[test]
    fn figures_as_in_spain() {
        assert_eq!(
            ["5", "7,5", "7,25", "1.200"],
            [5.0, 7.5, 7.25, 1200.0].map(metros).each_ref().map(String::as_str)
        );
        assert_eq!(telefono("+34612345678"), "612 34 56 78");
        assert_eq!(telefono("+442079460958"), "+442079460958");
        assert_eq!(nombre_de_pila(" Ana María García"), "Ana");
    }
}
