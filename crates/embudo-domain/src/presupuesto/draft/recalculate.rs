//! Applies new facts and prices to a draft; what people changed stays.
//!
//! Every value is compared with the value that it was made from. If they are equal, it follows the new value; if a
//! person changed it, it stays. Lines that a person removed stay removed, free lines stay, and the order stays. A new
//! line is inserted where the table would put it.

use super::{
    Adjustment, Draft, DraftChapter, DraftLine, Room, RoomInput, TableValues, UsedTarifa, WorkInput,
};
use crate::lead::Lead;
use crate::presupuesto::Base;
use crate::presupuesto::differences::{Difference, of_drafts};
use crate::pricing::{PricingInput, item};
use crate::tarifa::Tarifa;

/// A draft after new facts or prices.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalculated {
    pub draft: Draft,
    /// What changed in its lines; empty if nothing did.
    pub differences: Vec<Difference>,
}

impl Draft {
    /// Applies what the lead says and what the table costs today. An untouched draft becomes the draft that would be
    /// made today.
    pub fn recalculate(&self, lead: &Lead, base: Base<'_>) -> Recalculated {
        let mut draft = self.clone();
        let said = WorkInput::of(lead);
        let made = self.job_of_lead.clone().unwrap_or_default();
        if draft.job.urgencia == made.urgencia {
            draft.job.urgencia = said.urgencia;
        }
        if draft.job.provincia == made.provincia {
            draft.job.provincia.clone_from(&said.provincia);
        }
        draft.job_of_lead = Some(said);
        draft.tarifa = Some(UsedTarifa::of(base.tarifa));
        for n in 0..draft.rooms.len() {
            let mut room = draft.rooms[n].clone();
            if let Some(made) = room.of_lead {
                let said = RoomInput::of(lead);
                room.facts = room.facts.follow(made, said);
                room.of_lead = Some(said);
            }
            let data = draft.facts(&room, lead);
            draft.rooms[n] = room.merge(&data, base.tarifa);
        }
        let differences = of_drafts(self, &draft);
        Recalculated { draft, differences }
    }
}

impl RoomInput {
    /// Each fact that equals what the lead said before is replaced by what the lead says now.
    fn follow(self, made: Self, said: Self) -> Self {
        let area = |facts: &Self| (facts.m2_suelo, facts.estimated);
        // Whether the area was measured belongs to the area.
        let (m2_suelo, estimated) = follow(area(&self), &area(&made), area(&said));
        Self {
            kind: follow(self.kind, &made.kind, said.kind),
            m2_suelo,
            estimated,
            calidad: follow(self.calidad, &made.calidad, said.calidad),
            estructural: follow(self.estructural, &made.estructural, said.estructural),
            room_kind: follow(self.room_kind, &made.room_kind, said.room_kind),
        }
    }
}

/// The new value, unless a person changed the old one.
fn follow<T: PartialEq>(now: T, made: &T, new: T) -> T {
    if now == *made { new } else { now }
}

impl Room {
    fn merge(self, data: &PricingInput, tarifa: &Tarifa) -> Self {
        let fresh = Self::of_table(self.id, data, tarifa);
        if self.is_as_made() {
            return Self { nombre: self.nombre, facts: self.facts, of_lead: self.of_lead, ..fresh };
        }
        let removed: Vec<String> = self.removed().map(str::to_owned).collect();
        let mut room = self;
        let given = std::mem::take(&mut room.table);
        for c in &mut room.capitulos {
            c.lines.retain_mut(|l| {
                let new = l.key.as_deref().and_then(|key| {
                    let is_usual = !given.contains(&l.id) || fresh.table.contains(&l.id);
                    item(data, tarifa, key).filter(|_| is_usual).map(|i| TableValues::of(&i))
                });
                match new {
                    Some(new) => l.follow(new),
                    // The line no longer belongs to such a job: it is removed, unless a person changed it.
                    None if given.contains(&l.id) && !l.is_changed() => return false,
                    None => l.table = None,
                }
                true
            });
        }
        for (at, c) in fresh.capitulos.iter().enumerate() {
            for (n, line) in c.lines.iter().enumerate() {
                if !removed.contains(&line.id) && !room.lines().any(|l| l.id == line.id) {
                    room.put(&fresh.capitulos, at, n);
                }
            }
        }
        room.capitulos.retain(|c| !(c.lines.is_empty() && c.key.is_some()));
        room.adjustments = fresh.adjustments.into_iter().map(|a| a.kept(&room.adjustments)).collect();
        room.table = fresh.table;
        room
    }

    /// Inserts a line of the table where the table has it: after the nearest preceding line of the table that is in
    /// this room.
    fn put(&mut self, fresh: &[DraftChapter], at: usize, n: usize) {
        let c = &fresh[at];
        let line = c.lines[n].clone();
        let is_same = |own: &DraftChapter, other: &DraftChapter| {
            own.zona == other.zona && own.key.is_some() && own.key == other.key
        };
        if let Some(own) = self.capitulos.iter_mut().find(|own| is_same(own, c)) {
            let place_of = |id: &str| own.lines.iter().position(|l| l.id == id);
            let before = c.lines[..n].iter().rev().find_map(|l| place_of(&l.id));
            own.lines.insert(before.map_or(0, |p| p + 1), line);
            return;
        }
        let place_of = |other: &DraftChapter| self.capitulos.iter().position(|own| is_same(own, other));
        let before = fresh[..at].iter().rev().find_map(place_of);
        let new = DraftChapter { lines: vec![line], ..c.clone() };
        self.capitulos.insert(before.map_or(0, |p| p + 1), new);
    }
}

impl DraftLine {
    /// Each value that equals what the table gave is replaced by what the table gives now. Quantity, price and cost
    /// belong to their unit.
    fn follow(&mut self, new: TableValues) {
        let made = self.table.replace(new.clone());
        let Some(made) = made else { return };
        let is_other_unit = self.unidad != made.unidad;
        if self.concepto == made.concepto {
            self.concepto = new.concepto;
        }
        if self.detail == made.detail {
            self.detail = new.detail;
        }
        if self.material == made.material {
            self.material = new.material;
        }
        if is_other_unit {
            return;
        }
        self.cantidad = follow(self.cantidad, &made.cantidad, new.cantidad);
        self.precio = follow(self.precio, &made.precio, new.precio);
        self.coste = follow(self.coste, &made.coste, new.coste);
        self.unidad = new.unidad;
    }
}

impl Adjustment {
    /// Keeps what a person changed, if they changed anything.
    fn kept(self, earlier: &[Self]) -> Self {
        let Some(own) = earlier.iter().find(|a| a.cause == self.cause) else { return self };
        let Some(made) = &own.table else { return Self { table: self.table, ..own.clone() } };
        Self {
            concepto: follow(own.concepto.clone(), &made.concepto, self.concepto),
            percentage: follow(own.percentage, &made.percentage, self.percentage),
            ..self
        }
    }
}
