//! The facts of a lead as forms: which stand together, how each is written, and what was typed turned back into facts by the rules of
//! the API.

use embudo_domain::body::Body as _;
use embudo_domain::facts::{Editable as _, Facts};
use embudo_domain::lead::LeadPatch;
use embudo_domain::money::Cents;
use embudo_domain::obra::Obra;
use embudo_domain::perfil::{Perfil, PerfilPatch};
use embudo_domain::words::beginning;
use embudo_domain::{Invalid, Timestamp};
use serde_json::{Map, Value, json};

use super::words::{self, Choice};
use crate::form::{parse_euros, parse_m2, write_m2};
use crate::panel::form_state::FormState;
use crate::panel::stale::version;
use crate::panel::words::{from_field, moment, to_field};
use crate::parts::{FormFields, clean};

/// The most of a text that stands in its field. What comes through the API may be of any length.
const FIELD_CHARS: usize = 4_000;

/// How a fact is typed.
#[derive(Debug, Clone, Copy)]
pub(in crate::panel) enum Input {
    Text,
    Long,
    Tel,
    Mail,
    Choice(&'static [Choice]),
    YesNo,
    Metros,
    Whole,
    Euros,
    Moment,
}

pub(in crate::panel) struct Fact {
    /// The name on the wire.
    pub name: &'static str,
    pub label: &'static str,
    pub input: Input,
}

/// Facts that are edited together.
pub(in crate::panel) struct Group {
    pub id: &'static str,
    pub title: &'static str,
    pub facts: &'static [Fact],
}

const fn fact(name: &'static str, label: &'static str, input: Input) -> Fact {
    Fact { name, label, input }
}

pub(super) const GROUPS: &[Group] = &[
    Group {
        id: "contacto",
        title: "Contacto",
        facts: &[
            fact("nombre", "Nombre", Input::Text),
            fact("telefono", "Teléfono", Input::Tel),
            fact("email", "Correo", Input::Mail),
            fact("codigoPostal", "Código postal", Input::Text),
            fact("provincia", "Provincia", Input::Text),
        ],
    },
    Group {
        id: "obra",
        title: "La reforma",
        facts: &[
            fact("tipoReforma", "Tipo", Input::Choice(words::ZONAS)),
            fact("m2Suelo", "Superficie (m²)", Input::Metros),
            fact("rangoM2", "Metros, como los dijo", Input::Text),
            fact("calidadGlobal", "Calidad", Input::Choice(words::CALIDADES)),
            fact("estructural", "Obra estructural", Input::YesNo),
            fact("espacio", "Espacio", Input::Text),
            fact("estilo", "Estilo", Input::Text),
            fact("tasteText", "Gustos", Input::Long),
        ],
    },
    Group {
        id: "vivienda",
        title: "La obra",
        facts: &[
            fact("esVivienda", "Es una vivienda", Input::YesNo),
            fact("contratante", "Quién la encarga", Input::Choice(words::CONTRATANTES)),
            fact("dosAnos", "Dos años desde la última reforma", Input::YesNo),
            fact("banos", "Baños", Input::Whole),
            fact("planta", "Planta (0: baja)", Input::Whole),
            fact("ascensor", "Ascensor para la obra", Input::YesNo),
        ],
    },
    Group {
        id: "dinero",
        title: "Presupuesto y plazo",
        facts: &[
            fact("presupuestoTarget", "Presupuesto objetivo (€)", Input::Euros),
            fact("presupuestoDeclarado", "Presupuesto, como lo dijo", Input::Text),
            fact("urgencia", "Urgencia", Input::Choice(words::URGENCIAS)),
            fact("viable", "Viable", Input::YesNo),
        ],
    },
    Group {
        id: "seguimiento",
        title: "Seguimiento",
        facts: &[
            fact("canalOrigen", "Canal", Input::Choice(words::CANALES)),
            fact("estadoWa", "Último mensaje", Input::Choice(words::ESTADOS_WA)),
            fact("botStep", "Paso del bot", Input::Text),
            fact("fotosSolicitadasAt", "Fotos pedidas", Input::Moment),
        ],
    },
];

impl Group {
    pub fn of(id: &str) -> Option<&'static Self> {
        GROUPS.iter().find(|group| group.id == id)
    }

    /// What a form of this group is made from: a mark of each fact, in order.
    pub fn version(&self, facts: &Facts) -> String {
        let typed: Vec<String> = self.facts.iter().map(|fact| fact.typed(facts)).collect();
        version(typed.iter().map(String::as_str))
    }
}

impl Fact {
    pub fn is_yes_or_no(&self) -> bool {
        matches!(self.input, Input::YesNo)
    }

    /// As its field shows it, and gives it back when nobody touches it.
    pub fn typed(&self, facts: &Facts) -> String {
        beginning(&self.whole(facts), FIELD_CHARS)
    }

    /// Whether its field shows less than there is.
    pub fn is_cut(&self, facts: &Facts) -> bool {
        self.whole(facts).chars().nth(FIELD_CHARS).is_some()
    }

    fn whole(&self, facts: &Facts) -> String {
        let perfil = &facts.perfil;
        let value = match self.input {
            Input::YesNo => facts.text(self.name).map(|word| word.replace('í', "i")),
            Input::Metros => perfil.m2_suelo.map(write_m2),
            Input::Euros => perfil.presupuesto_target_cents.map(write_euros),
            Input::Moment => perfil.fotos_solicitadas_at.map(to_field),
            _ => facts.text(self.name),
        };
        clean(&value.unwrap_or_default())
    }

    /// As people read it; empty where it is not known.
    pub fn said(&self, facts: &Facts, now: Timestamp) -> String {
        let (typed, perfil) = (self.whole(facts), &facts.perfil);
        match self.input {
            Input::Choice(choices) => words::said(choices, &typed).to_owned(),
            Input::YesNo => words::said(words::YES_NO, &typed).to_owned(),
            Input::Metros if !typed.is_empty() => format!("{typed} m²"),
            Input::Euros => perfil.presupuesto_target_cents.map(|n| Cents(n).short()).unwrap_or_default(),
            Input::Moment => perfil.fotos_solicitadas_at.map(|at| moment(at, now)).unwrap_or_default(),
            Input::Tel => embudo_domain::words::telefono(&facts.telefono.e164),
            _ => typed,
        }
    }

    /// What was typed as the API would be sent it; or what is wrong with it.
    fn value(&self, typed: &str) -> Result<Value, &'static str> {
        match self.input {
            Input::YesNo => Ok(match typed {
                "si" => json!(true),
                "no" => json!(false),
                _ => json!(typed),
            }),
            Input::Whole => match typed.parse::<i32>() {
                Ok(n) => Ok(json!(n)),
                Err(_) => Err("Escribe un número entero, por ejemplo 2."),
            },
            Input::Metros => parse_m2(typed).map(|m2| json!(m2)),
            Input::Euros => match parse_euros(typed) {
                Some(Cents(cents)) => Ok(json!(cents)),
                None => Err("Escribe un importe en euros, por ejemplo 6.500."),
            },
            Input::Moment => match from_field(typed) {
                Some(at) => Ok(json!(at.to_string())),
                None => Err("Escribe el día y la hora, por ejemplo 2026-11-14T10:30."),
            },
            _ => Ok(json!(typed)),
        }
    }
}

fn write_euros(cents: i64) -> String {
    match cents % 100 {
        0 => (cents / 100).to_string(),
        rest => format!("{},{rest:02}", cents / 100),
    }
}

/// The facts with what was typed into a group's form; what is wrong is noted under its field.
pub(in crate::panel) fn read(
    group: &Group,
    typed: &FormFields,
    before: &Facts,
    form: &mut FormState,
) -> Option<Facts> {
    let (mut sent, mut cleared) = (Map::new(), Vec::new());
    for fact in group.facts {
        let text = typed.text(fact.name);
        let required = matches!(fact.name, "nombre" | "telefono" | "email");
        if text == fact.typed(before) {
            continue;
        }
        if text.is_empty() && !required {
            cleared.push(fact.name);
            continue;
        }
        match fact.value(&text) {
            Ok(value) => drop(sent.insert(fact.name.to_owned(), value)),
            Err(mistake) => form.add(fact.name, mistake),
        }
    }
    let mut facts = before.clone();
    if !sent.is_empty() {
        let body = Value::Object(sent).to_string();
        let of_perfil = Perfil::fields().iter().any(|field| field.nombre == group.facts[0].name);
        let read = match of_perfil {
            false => LeadPatch::read(body.as_bytes()).map(|patch| correct(&mut facts, patch)),
            true => PerfilPatch::read(body.as_bytes()).map(|patch| facts.perfil.overlay(&patch.perfil)),
        };
        if let Err(wrong) = read {
            note(&wrong, group, form);
        }
    }
    for name in cleared {
        match name {
            "provincia" => facts.provincia = None,
            _ => {
                facts.perfil.take_over(name, &Perfil::default());
                facts.obra.take_over(name, &Obra::default());
            }
        }
    }
    form.is_good().then_some(facts)
}

fn correct(facts: &mut Facts, LeadPatch { contact: patch, obra }: LeadPatch) {
    facts.obra.overlay(&obra);
    facts.nombre = patch.nombre.unwrap_or_else(|| facts.nombre.clone());
    facts.telefono = patch.telefono.unwrap_or_else(|| facts.telefono.clone());
    facts.email = patch.email.unwrap_or_else(|| facts.email.clone());
    facts.provincia = patch.provincia.or_else(|| facts.provincia.clone());
}

fn note(wrong: &Invalid, group: &Group, form: &mut FormState) {
    for error in &wrong.errors {
        let of = group.facts.iter().find(|fact| error.field == format!("/{}", fact.name));
        form.add(of.map_or("", |fact| fact.name), error.mensaje.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_in_one_group() {
        let mut grouped: Vec<_> = GROUPS.iter().flat_map(|g| g.facts.iter().map(|f| f.name)).collect();
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
