//! Codes that a person chooses from, each with its label.

use embudo_domain::Zona;
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::IntentoResult;
use embudo_domain::iva::Contratante;
use embudo_domain::perfil::{Calidad, CanalOrigen, EstadoWa, Urgencia};

/// A code and its label.
pub(in crate::panel) type Choice = (&'static str, &'static str);

pub(in crate::panel) const ZONAS: &[Choice] = Zona::LABELS;
pub(in crate::panel) const CALIDADES: &[Choice] = Calidad::LABELS;
pub(in crate::panel) const URGENCIAS: &[Choice] = Urgencia::LABELS;
pub(in crate::panel) const CONTRATANTES: &[Choice] = Contratante::LABELS;
pub(in crate::panel) const CANALES: &[Choice] = CanalOrigen::LABELS;
pub(in crate::panel) const ESTADOS_WA: &[Choice] = EstadoWa::LABELS;
pub(in crate::panel) const YES_NO: &[Choice] = &[("si", "Sí"), ("no", "No")];
pub(in crate::panel) const RESULTS: &[Choice] = IntentoResult::LABELS;
pub(in crate::panel) const MOMENTOS: &[Choice] = Momento::LABELS;

/// The label of a code, or the code itself if it has no label.
pub(in crate::panel) fn label_of<'a>(choices: &'a [Choice], code: &'a str) -> &'a str {
    choices.iter().find(|(of, _)| *of == code).map_or(code, |(_, word)| word)
}
