//! How a quote is divided for reading: by room if it has several, otherwise by zone.

use serde::{Deserialize, Serialize};

use super::Document;
use crate::Zona;
use crate::decimal::Cantidad;
use crate::money::Cents;
use crate::perfil::Calidad;
use crate::pricing::{Capitulo, sum};

/// A room of a quote with several rooms. Its chapters follow those of the room before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PrintedRoom {
    pub nombre: String,
    #[serde(rename = "tipo")]
    pub kind: Zona,
    pub m2: Cantidad,
    pub calidad: Calidad,
    /// How many chapters it has.
    pub capitulos: usize,
    pub total: Cents,
}

/// A part of a quote under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'a> {
    pub nombre: String,
    /// The zone whose photos and notes belong here; `None` for the section that is about all rooms.
    pub zona: Option<Zona>,
    pub room: Option<&'a PrintedRoom>,
    pub capitulos: Vec<&'a Capitulo>,
    pub total: Cents,
}

impl Document {
    /// The parts of the quote in their order: the priced parts, then zones that only have photos or notes, then what
    /// applies to all of them (surcharges over several zones, the discount). Photos and notes of a zone belong to the
    /// first part with that zone.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let (own, over_all) = self.capitulos();
        let mut sections: Vec<Section<'_>> = if self.rooms.is_empty() {
            self.zonas().into_iter().map(|zona| self.of_zona(zona, own)).collect()
        } else {
            self.of_rooms(own)
        };
        for zona in self.zonas() {
            if !sections.iter().any(|s| s.zona == Some(zona)) {
                sections.push(self.of_zona(zona, &[]));
            }
        }
        sections.extend(over_all.iter().map(|c| Section {
            nombre: c.nombre.clone(),
            zona: None,
            room: None,
            capitulos: vec![c],
            total: c.total,
        }));
        sections
    }

    fn of_zona<'a>(&'a self, zona: Zona, own: &'a [Capitulo]) -> Section<'a> {
        let nombre = zona.heading(self.pricing.kind).to_owned();
        Section::new(nombre, zona, None, own.iter().filter(|c| c.zona == zona).collect())
    }

    /// One section for each room; a room whose chapters are in several zones is divided by zone.
    fn of_rooms<'a>(&'a self, own: &'a [Capitulo]) -> Vec<Section<'a>> {
        let mut rest = own;
        let mut sections = Vec::new();
        for room in &self.rooms {
            let (capitulos, later) = rest.split_at(room.capitulos.min(rest.len()));
            rest = later;
            let mut zonas = vec![room.kind];
            for c in capitulos {
                if !zonas.contains(&c.zona) {
                    zonas.push(c.zona);
                }
            }
            for zona in zonas {
                let nombre = match zona == room.kind {
                    true => room.nombre.clone(),
                    false => format!("{}: {}", room.nombre, zona.heading(room.kind).to_lowercase()),
                };
                let of_zona: Vec<_> = capitulos.iter().filter(|c| c.zona == zona).collect();
                sections.push(Section::new(nombre, zona, Some(room), of_zona));
            }
        }
        sections
    }

    /// The chapters of rooms and zones, and the chapters that apply to all of them: surcharges if there are several
    /// zones, the discount, and the accepted options.
    pub fn capitulos(&self) -> (&[Capitulo], &[Capitulo]) {
        let all = self.pricing.capitulos.as_slice();
        let without_chosen = match all {
            [before @ .., last] if last.is_chosen() && self.options.is_empty() => before,
            _ => all,
        };
        let without_discount = match without_chosen {
            [before @ .., last] if last.is_discount() => before,
            _ => without_chosen,
        };
        let own = match without_discount {
            [before @ .., second_last, last]
                if self.rooms.is_empty()
                    && last.is_adjustments()
                    && second_last.zona != last.zona
                    && before.iter().any(|c| c.zona == last.zona) =>
            {
                before.len() + 1
            }
            _ => without_discount.len(),
        };
        all.split_at(own)
    }
}

impl<'a> Section<'a> {
    fn new(nombre: String, zona: Zona, room: Option<&'a PrintedRoom>, capitulos: Vec<&'a Capitulo>) -> Self {
        let total = sum(capitulos.iter().map(|c| c.total));
        Self { nombre, zona: Some(zona), room, capitulos, total }
    }
}
