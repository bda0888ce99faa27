//! The data of a visit that a person types: who goes, where, and for how long.

use embudo_app::Conflicts;
use embudo_domain::visita::{
    MAX_ADDRESS, MAX_NOTES, MAX_PEOPLE, MAX_SLOTS, MINUTES, SpanishTimeZone, Visita,
};
use embudo_domain::{EmpresaId, Timestamp, UserId};

use super::words::from_field;
use crate::panel::form_state::FormState;
use crate::panel::kit::people::People;
use crate::parts::FormFields;

/// How many hours can be typed in addition to the offered ones.
const TYPED_SLOTS: usize = 3;

/// The fields of the form, as they were typed.
#[derive(Debug, Clone)]
pub(super) struct Typed {
    pub minutes: String,
    pub address: String,
    pub notes: String,
    /// People of this company, or people who are already on the visit.
    pub people: Vec<UserId>,
    /// Whether the form contained the id of a person outside this company.
    has_stranger: bool,
}

/// The fields after parsing.
pub(super) struct Details {
    pub minutes: u32,
    pub address: String,
    pub notes: String,
    pub people: Vec<UserId>,
}

impl Typed {
    pub fn of(visita: &Visita) -> Self {
        Self {
            minutes: visita.minutes.to_string(),
            address: visita.address.clone(),
            notes: visita.notes.clone(),
            people: visita.people.clone(),
            has_stranger: false,
        }
    }

    /// The fields of a new visit on which this person goes.
    pub fn new(minutes: u32, goes: UserId) -> Self {
        let (address, notes) = (String::new(), String::new());
        Self { minutes: minutes.to_string(), address, notes, people: vec![goes], has_stranger: false }
    }

    /// Only two groups of people are accepted: people of the company who may go on visits, and people who are already
    /// on the visit (`before`), whatever their permissions are now.
    pub fn sent(fields: &FormFields, people: &People, empresa: EmpresaId, before: &[UserId]) -> Self {
        let sent = fields.0.iter().filter(|(name, _)| name == "persona");
        let mut sent: Vec<UserId> = sent.filter_map(|(_, id)| UserId::parse(id)).collect();
        sent.sort();
        sent.dedup();
        let may_go = |id: &UserId| before.contains(id) || people.goes(*id, empresa);
        let (people, strangers): (Vec<UserId>, Vec<UserId>) = sent.into_iter().partition(may_go);
        Self {
            minutes: fields.text("minutos"),
            address: fields.text("direccion").replace('\n', " "),
            notes: fields.text("notas"),
            people,
            has_stranger: !strangers.is_empty(),
        }
    }

    /// The minutes, or `usual` if they cannot be read.
    pub fn minutes_or(&self, usual: u32) -> u32 {
        self.minutes.parse().ok().filter(|minutes| MINUTES.contains(minutes)).unwrap_or(usual)
    }

    pub fn read(&self, form: &mut FormState) -> Option<Details> {
        let minutes = self.minutes.parse::<u32>().ok().filter(|minutes| MINUTES.contains(minutes));
        if minutes.is_none() {
            form.add("minutos", "Escribe los minutos, de 15 a 480.");
        }
        if self.address.chars().count() > MAX_ADDRESS {
            form.add("direccion", "Es demasiado larga: caben 300 letras.");
        }
        if self.notes.chars().count() > MAX_NOTES {
            form.add("notas", "Es demasiado largo: caben 4.000 letras.");
        }
        match self.people.as_slice() {
            _ if self.has_stranger => {
                form.add("persona", "Alguien de la lista no trabaja en esta empresa.");
            }
            [] => form.add("persona", "Elige quién va."),
            all if all.len() > MAX_PEOPLE => form.add("persona", "Pueden ir hasta cinco personas."),
            _ => {}
        }
        let minutes = minutes.filter(|_| form.is_good())?;
        let Self { address, notes, people, .. } = self.clone();
        Some(Details { minutes, address, notes, people })
    }
}

impl Details {
    pub fn put_into(self, visita: Visita) -> Visita {
        Visita {
            minutes: self.minutes,
            address: self.address,
            notes: self.notes,
            people: self.people,
            ..visita
        }
    }
}

/// The hours to propose: the ticked ones and the typed ones.
pub(super) fn read_slots(fields: &FormFields, zone: SpanishTimeZone, form: &mut FormState) -> Vec<Timestamp> {
    let mut slots = Vec::new();
    for (_, text) in
        fields.0.iter().filter(|(name, text)| (name == "hueco" || name == "otra") && !text.is_empty())
    {
        match from_field(zone, text.trim()) {
            Ok(slot) => slots.push(slot),
            Err(mistake) => form.add("otra", mistake),
        }
    }
    if slots.len() > MAX_SLOTS {
        form.add("otra", "Son demasiadas: propón hasta doce horas.");
    }
    slots.sort();
    slots.dedup();
    slots
}

/// The typed hours, one for each field that the form has.
pub(super) fn typed_hours(fields: Option<&FormFields>) -> Vec<String> {
    let typed = fields.into_iter().flat_map(|fields| &fields.0);
    let typed = typed.filter(|(name, text)| name == "otra" && !text.is_empty());
    let mut hours: Vec<String> = typed.map(|(_, text)| text.clone()).collect();
    hours.resize(TYPED_SLOTS, String::new());
    hours
}

/// Whether the person saw the conflicts and decided to continue.
pub(super) fn conflicts(fields: &FormFields) -> Conflicts {
    if fields.has("aun-asi") { Conflicts::Override } else { Conflicts::Heed }
}

/// A person who may go, and whether they go.
pub(super) struct Goer {
    pub id: String,
    pub nombre: String,
    pub goes: bool,
}

pub(super) fn goers(people: &People, empresa: EmpresaId, going: &[UserId]) -> Vec<Goer> {
    let of = |id: UserId, nombre: &str| Goer {
        id: id.to_string(),
        nombre: nombre.to_owned(),
        goes: going.contains(&id),
    };
    let mut goers: Vec<Goer> = people.goers(empresa).map(|user| of(user.id, &user.nombre)).collect();
    // People who go but may no longer be chosen are shown too.
    let gone = going.iter().filter(|id| !people.goes(**id, empresa));
    goers.extend(gone.map(|id| of(*id, people.name(*id))));
    goers
}
