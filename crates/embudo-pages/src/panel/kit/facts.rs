//! The facts of a lead as forms: which facts are in one form, how each one is shown, and how the typed values become
//! facts again by the rules of the API.

use embudo_domain::body::Body as _;
use embudo_domain::contact::{Email, Telefono};
use embudo_domain::facts::{Editable as _, Facts};
use embudo_domain::lead::LeadPatch;
use embudo_domain::money::Cents;
use embudo_domain::obra::Obra;
use embudo_domain::perfil::{Perfil, PerfilPatch};
use embudo_domain::words::beginning;
use embudo_domain::{Invalid, Timestamp};
use serde_json::{Value, json};

use crate::form::{parse_euros, parse_m2, write_m2};
use crate::panel::form_state::FormState;
use crate::panel::kit::choices;
use crate::panel::kit::form::{self, Field, Form, Kind, Wrong};
use crate::panel::words::{from_field, moment, to_field};
use crate::parts::clean;

/// The maximum length of the text in a field. A text from the API may be of any length.
const FIELD_CHARS: usize = 4_000;

/// Facts that are edited in one form.
pub(in crate::panel) struct Group {
    pub id: &'static str,
    pub title: &'static str,
    pub form: Form<Facts>,
}

/// One form of facts: its id, its title and its lines.
macro_rules! group {
    ($id:literal, $title:literal, $($name:literal $label:literal $kind:expr),+ $(,)?) => {
        Group {
            id: $id,
            title: $title,
            form: Form {
                rules,
                ..Form::new("datos", "Guardar", &[form::Group::new("", "", &[$(fact($name, $label, $kind)),+])])
            },
        }
    };
}

const LINE: Kind = Kind::Line("text");
const YES_NO: Kind = Kind::Maybe(choices::YES_NO);

pub(in crate::panel) const GROUPS: &[Group] = &[
    group! {
        "contacto", "Contacto",
        "nombre" "Nombre" LINE,
        "telefono" "Teléfono" Kind::Line("tel"),
        "email" "Correo" Kind::Line("email"),
        "direccion" "Dirección de la obra" LINE,
        "codigoPostal" "Código postal" LINE,
        "provincia" "Provincia" Kind::Provincia,
    },
    group! {
        "obra", "La reforma",
        "tipoReforma" "Tipo" Kind::Maybe(choices::ZONAS),
        "m2Suelo" "Superficie (m²)" Kind::Decimal,
        "m2Estimado" "¿Superficie medida?" YES_NO,
        "rangoM2" "Metros, como los dijo" LINE,
        "calidadGlobal" "Calidad" Kind::Maybe(choices::CALIDADES),
        "estructural" "Obra estructural" YES_NO,
        "espacio" "Espacio" LINE,
        "estilo" "Estilo" LINE,
        "tasteText" "Gustos" Kind::Long(4),
    },
    group! {
        "vivienda", "La obra",
        "esVivienda" "Es una vivienda" YES_NO,
        "contratante" "Quién la encarga" Kind::Maybe(choices::CONTRATANTES),
        "dosAnos" "Dos años desde la construcción o rehabilitación" YES_NO,
        "banos" "Baños" LINE,
        "planta" "Planta (0: baja)" LINE,
        "ascensor" "Ascensor para la obra" YES_NO,
    },
    group! {
        "dinero", "Presupuesto y plazo",
        "presupuestoTarget" "Presupuesto objetivo (€)" Kind::Decimal,
        "presupuestoDeclarado" "Presupuesto, como lo dijo" LINE,
        "urgencia" "Urgencia" Kind::Maybe(choices::URGENCIAS),
        "viable" "Viable" YES_NO,
    },
    group! {
        "seguimiento", "Seguimiento",
        "canalOrigen" "Canal" Kind::Maybe(choices::CANALES),
        "estadoWa" "Último mensaje" Kind::Maybe(choices::ESTADOS_WA),
        "botStep" "Paso del asistente" LINE,
        "fotosSolicitadasAt" "Fotos pedidas" Kind::Line("datetime-local"),
    },
];

const fn fact(name: &'static str, label: &'static str, kind: Kind) -> Field<Facts> {
    Field::new(name, label, kind, field_text, write).with(&[("autocomplete", "off")])
}

impl Group {
    pub fn of(id: &str) -> Option<&'static Self> {
        GROUPS.iter().find(|group| group.id == id)
    }
}

/// The text of a fact in its field.
fn field_text(facts: &Facts, name: &'static str) -> String {
    beginning(&clean(&whole(facts, name)), FIELD_CHARS)
}

/// Whether the field shows only the beginning of the fact.
pub(in crate::panel) fn is_cut(facts: &Facts, name: &str) -> bool {
    clean(&whole(facts, name)).chars().nth(FIELD_CHARS).is_some()
}

fn whole(facts: &Facts, name: &str) -> String {
    let perfil = &facts.perfil;
    let value = match name {
        "m2Suelo" => perfil.m2_suelo.map(write_m2),
        "m2Estimado" => {
            perfil.m2_suelo.map(|m2| if facts.obra.is_estimate(Some(m2)) { "no" } else { "si" }.to_owned())
        }
        "presupuestoTarget" => perfil.presupuesto_target_cents.map(write_euros),
        "fotosSolicitadasAt" => perfil.fotos_solicitadas_at.map(to_field),
        _ => facts.text(name).map(|text| if text == "sí" { "si".to_owned() } else { text }),
    };
    value.unwrap_or_default()
}

/// The fact formatted for people. Empty if it is not known.
pub(in crate::panel) fn fact_label(field: &Field<Facts>, facts: &Facts, now: Timestamp) -> String {
    let (all, perfil) = (clean(&whole(facts, field.name)), &facts.perfil);
    match field.name {
        "m2Suelo" if !all.is_empty() => format!("{all} m²"),
        "presupuestoTarget" => perfil.presupuesto_target_cents.map(|n| Cents(n).short()).unwrap_or_default(),
        "fotosSolicitadasAt" => perfil.fotos_solicitadas_at.map(|at| moment(at, now)).unwrap_or_default(),
        "telefono" => embudo_domain::words::telefono(&facts.telefono.e164),
        _ => choices::label_of(field.kind.choices(), &all).to_owned(),
    }
}

fn write_euros(cents: i64) -> String {
    match cents % 100 {
        0 => (cents / 100).to_string(),
        rest => format!("{},{rest:02}", cents / 100),
    }
}

/// Converts the typed text to the JSON that the API would receive, or returns its error.
pub(in crate::panel) fn value(name: &str, typed: &str) -> Result<Value, Wrong> {
    Ok(match name {
        "m2Suelo" => json!(parse_m2(typed)?),
        "presupuestoTarget" => {
            json!(parse_euros(typed).ok_or("Escribe un importe en euros, por ejemplo 6.500.")?.0)
        }
        "fotosSolicitadasAt" => {
            let at = from_field(typed).ok_or("Escribe el día y la hora, por ejemplo 2026-11-14T10:30.")?;
            json!(at.to_string())
        }
        "banos" | "planta" => {
            json!(typed.parse::<i32>().map_err(|_| "Escribe un número entero, por ejemplo 2.")?)
        }
        "estructural" | "esVivienda" | "dosAnos" | "ascensor" | "viable" if typed == "si" => json!(true),
        "estructural" | "esVivienda" | "dosAnos" | "ascensor" | "viable" if typed == "no" => json!(false),
        _ => json!(typed),
    })
}

/// Whether a lead must have this fact.
pub(in crate::panel) fn is_required(name: &str) -> bool {
    name == "nombre"
}

/// Requires a telephone or an e-mail address, unless one of the two already has an error.
fn rules(facts: &Facts, form: &mut FormState) {
    let is_wrong = |name| form.of(name).is_some();
    if facts.telefono.is_none() && facts.email.is_none() && !is_wrong("telefono") && !is_wrong("email") {
        form.add("telefono", "Escribe un teléfono o un correo: con uno de los dos basta.");
    }
}

/// Writes a typed fact by the rules of the API. An empty text clears the fact, unless it is required.
fn write(facts: &mut Facts, name: &'static str, typed: &str) -> Result<(), Wrong> {
    if name == "m2Estimado" {
        // The field asks whether the area was measured.
        facts.obra.m2_estimado = facts.perfil.m2_suelo.filter(|_| typed != "si");
        return Ok(());
    }
    let was_known = facts.perfil.m2_suelo.is_some_and(|m2| !facts.obra.is_estimate(Some(m2)));
    if typed.is_empty() && !is_required(name) {
        clear(facts, name);
        return Ok(());
    }
    let body = json!({ name: value(name, typed)? }).to_string();
    let is_of_perfil = Perfil::fields().iter().any(|field| field.nombre == name);
    let written = match is_of_perfil {
        true => PerfilPatch::read(body.as_bytes()).map(|patch| facts.perfil.overlay(&patch.perfil)),
        false => LeadPatch::read(body.as_bytes()).map(|patch| correct(facts, patch)),
    };
    if name == "m2Suelo" && !was_known {
        facts.obra.m2_estimado = facts.perfil.m2_suelo;
    }
    written.map_err(|invalid: Invalid| {
        invalid.errors.first().map_or("", |error| &*error.mensaje).to_owned().into()
    })
}

fn clear(facts: &mut Facts, name: &str) {
    match name {
        "telefono" => facts.telefono = Telefono::default(),
        "email" => facts.email = Email::default(),
        "provincia" => facts.provincia = None,
        _ => {
            facts.perfil.take_over(name, &Perfil::default());
            facts.obra.take_over(name, &Obra::default());
        }
    }
}

fn correct(facts: &mut Facts, LeadPatch { contact: patch, obra }: LeadPatch) {
    facts.obra.overlay(&obra);
    facts.nombre = patch.nombre.unwrap_or_else(|| facts.nombre.clone());
    facts.telefono = patch.telefono.unwrap_or_else(|| facts.telefono.clone());
    facts.email = patch.email.unwrap_or_else(|| facts.email.clone());
    facts.provincia = patch.provincia.or_else(|| facts.provincia.clone());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_in_one_group() {
        let mut grouped: Vec<_> = GROUPS.iter().flat_map(|g| g.form.fields().map(|f| f.name)).collect();
        let mut all: Vec<_> = Facts::names().collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn amounts_are_typed_as_they_are_shown() {
        for cents in [0, 650_000, 650_050, 5] {
            assert_eq!(parse_euros(&write_euros(cents)), Some(Cents(cents)), "{cents}");
        }
    }
}
