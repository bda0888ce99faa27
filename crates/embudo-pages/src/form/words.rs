//! The form's words for the codes of the domain.

use embudo_domain::Zona;
use embudo_domain::decimal::in_spanish;
use embudo_domain::perfil::Urgencia;

pub(crate) use embudo_domain::words::telefono;

pub(crate) struct ZonaWords {
    pub zona: Zona,
    pub nombre: &'static str,
    /// The text below the name: what the zona usually includes.
    pub detail: &'static str,
    /// The name with a possessive («tu cocina»).
    pub yours: &'static str,
    /// The name with an indefinite article («una cocina»).
    pub a: &'static str,
    /// The question about the floor area.
    pub ask_m2: &'static str,
    /// The names of a small, a usual and a large size, in the grammatical gender of the zona.
    pub sizes: [&'static str; 3],
    /// An example of the client's wishes for this zona.
    pub tastes: &'static str,
}

const MASCULINE: [&str; 3] = ["Pequeño", "Normal", "Grande"];
const FEMININE: [&str; 3] = ["Pequeña", "Normal", "Grande"];

/// Every zone, in the order of the cards.
pub(crate) const ZONAS: [ZonaWords; 6] = [
    ZonaWords {
        zona: Zona::Cocina,
        nombre: "Cocina",
        detail: "Muebles, encimera, instalaciones",
        yours: "tu cocina",
        a: "una cocina",
        ask_m2: "¿Cuántos metros tiene tu cocina?",
        sizes: FEMININE,
        tastes: "Madera clara, mucha luz, una isla para desayunar…",
    },
    ZonaWords {
        zona: Zona::Bano,
        nombre: "Baño",
        detail: "Plato de ducha, alicatado, sanitarios",
        yours: "tu baño",
        a: "un baño",
        ask_m2: "¿Cuántos metros tiene tu baño?",
        sizes: MASCULINE,
        tastes: "Ducha a ras de suelo, mueble con cajones, azulejo claro…",
    },
    ZonaWords {
        zona: Zona::Salon,
        nombre: "Salón",
        detail: "Suelo, paredes, iluminación",
        yours: "tu salón",
        a: "un salón",
        ask_m2: "¿Cuántos metros tiene tu salón?",
        sizes: MASCULINE,
        tastes: "Suelo de madera, luz cálida, la tele en la pared…",
    },
    ZonaWords {
        zona: Zona::Comedor,
        nombre: "Comedor",
        detail: "Abrirlo, renovarlo, darle luz",
        yours: "tu comedor",
        a: "un comedor",
        ask_m2: "¿Cuántos metros tiene tu comedor?",
        sizes: MASCULINE,
        tastes: "Abierto a la cocina, una mesa grande, mucha luz…",
    },
    ZonaWords {
        zona: Zona::Integral,
        nombre: "Toda la casa",
        detail: "Reforma integral, de principio a fin",
        yours: "toda tu casa",
        a: "una casa",
        ask_m2: "¿Cuántos metros tiene tu casa?",
        sizes: FEMININE,
        tastes: "Menos pasillo, cocina abierta, un baño más…",
    },
    ZonaWords {
        zona: Zona::Other,
        nombre: "Otra cosa",
        detail: "Dormitorio, terraza, local…",
        yours: "otra estancia",
        a: "una estancia",
        ask_m2: "¿Cuántos metros tiene la estancia?",
        sizes: FEMININE,
        tastes: "Qué quieres hacer y para qué la usas…",
    },
];

pub(crate) fn zona(zona: Zona) -> &'static ZonaWords {
    ZONAS.iter().find(|p| p.zona == zona).expect("every zone has its words")
}

/// A choice, and what the client gets with it.
pub(crate) struct Choice {
    pub value: &'static str,
    pub nombre: &'static str,
    pub detail: &'static str,
}

/// The qualities and what the client gets with each. The quote uses the same names.
pub(crate) const CALIDADES: [Choice; 3] = [
    Choice {
        value: "basica",
        nombre: "Básica",
        detail: "Materiales de serie que aguantan el día a día: gres, sanitarios y muebles estándar. Lo necesario, bien hecho.",
    },
    Choice {
        value: "media",
        nombre: "Media",
        detail: "Porcelánico, griferías de marca y muebles con más opciones. Equilibrio entre precio y acabado.",
    },
    Choice {
        value: "premium",
        nombre: "Premium",
        detail: "Piezas a medida, grandes formatos o piedra, iluminación pensada y remates sin juntas a la vista.",
    },
];

/// When the client wants to start.
pub(crate) const URGENCIAS: [Choice; 3] = [
    Choice { value: "alta", nombre: "Cuanto antes", detail: "Este mes o el que viene" },
    Choice { value: "media", nombre: "En unos meses", detail: "De dos a seis meses" },
    Choice { value: "baja", nombre: "Sin prisa", detail: "Estoy mirando opciones" },
];

/// An urgency as part of a sentence.
pub(crate) fn urgencia(urgencia: Urgencia) -> &'static str {
    match urgencia {
        Urgencia::Alta => "cuanto antes",
        Urgencia::Media => "en unos meses",
        Urgencia::Baja => "sin prisa",
    }
}

/// Square metres as people write them: «5», «7,5».
pub(crate) fn metros(m2: f64) -> String {
    // The form accepts only areas far below the limit of `i64`.
    #[allow(clippy::cast_possible_truncation)]
    let hundredths = (m2 * 100.0).round() as i64;
    match (hundredths % 100, hundredths % 10) {
        (0, _) => in_spanish(hundredths / 100, 0),
        (_, 0) => in_spanish(hundredths / 10, 1),
        _ => in_spanish(hundredths, 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quality_has_one_name() {
        for choice in CALIDADES {
            let a = embudo_domain::perfil::Calidad::parse(choice.value).expect("a quality");
            assert_eq!(choice.nombre.to_lowercase(), a.in_sentence());
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
    }
}
