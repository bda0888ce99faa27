//! Makes rooms and lines from the price table.

use super::{
    Adjustment, AdjustmentValues, Draft, DraftChapter, DraftLine, Room, RoomInput, TableValues, UsedTarifa,
    WorkInput,
};
use crate::decimal::Percentage;
use crate::lead::Lead;
use crate::money::Cents;
use crate::presupuesto::{Base, Terms};
use crate::pricing::{PricingInput, TableItem, item, recargos_of, room_capitulos, unit_prices};
use crate::tarifa::{Recargo, Tarifa};

impl Draft {
    /// What the table says about a lead today. Composed without changes, it equals
    /// [`Document::compose`](crate::presupuesto::Document::compose).
    pub fn of_lead(lead: &Lead, base: Base<'_>) -> Self {
        let mut draft = Self::empty(lead, base);
        let facts = RoomInput::of(lead);
        draft.add_room(facts, lead, base.tarifa);
        draft.rooms[0].of_lead = Some(facts);
        draft
    }

    /// A draft without rooms, for a quote from scratch.
    pub fn empty(lead: &Lead, base: Base<'_>) -> Self {
        let job = WorkInput::of(lead);
        let tarifa = Some(UsedTarifa::of(base.tarifa));
        Self { job_of_lead: Some(job.clone()), job, tarifa, terms: Terms::of(lead), ..Self::default() }
    }

    /// Adds a room with what the table says about it, and returns the room's id.
    pub fn add_room(&mut self, facts: RoomInput, lead: &Lead, tarifa: &Tarifa) -> u32 {
        let id = self.rooms.iter().map(|r| r.id).max().unwrap_or(0).saturating_add(1);
        let data = self.facts(&Room { facts, ..Room::default() }, lead);
        self.rooms.push(Room { facts, ..Room::of_table(id, &data, tarifa) });
        id
    }

    /// A line of the table for a room, even if such a room usually does not have that line. `None` if the table does
    /// not have it in the room's quality. Its id is unique in the draft.
    pub fn table_line(&self, room: u32, key: &str, lead: &Lead, tarifa: &Tarifa) -> Option<DraftLine> {
        let data = self.facts(self.room(room)?, lead);
        let mut line = DraftLine::of_item(room, &item(&data, tarifa, key)?);
        let named = line.id.clone();
        let mut n = 1;
        while self.lines().any(|l| l.id == line.id) {
            n += 1;
            line.id = format!("{named}-{n}");
        }
        Some(line)
    }

    /// The price of one unit of every item of the table in a room, in the table's order; `None` if the item is not
    /// available.
    pub fn unit_prices(&self, room: &Room, lead: &Lead, tarifa: &Tarifa) -> Vec<Option<Cents>> {
        unit_prices(&self.facts(room, lead), tarifa)
    }

    /// Gives an id to every room and line that lacks one.
    pub fn fill_ids(&mut self) {
        let mut room_id = self.rooms.iter().map(|r| r.id).max().unwrap_or(0);
        for room in self.rooms.iter_mut().filter(|r| r.id == 0) {
            room_id = room_id.saturating_add(1);
            room.id = room_id;
        }
        let taken: std::collections::BTreeSet<String> = self.lines().map(|l| l.id.clone()).collect();
        let mut n = 0_usize;
        for room in &mut self.rooms {
            for line in room.capitulos.iter_mut().flat_map(|c| &mut c.lines).filter(|l| l.id.is_empty()) {
                while line.id.is_empty() || taken.contains(&line.id) {
                    n += 1;
                    line.id = format!("{}-linea-{n}", room.id);
                }
            }
        }
    }
}

impl Room {
    /// A room as the table gives it.
    pub(super) fn of_table(id: u32, data: &PricingInput, tarifa: &Tarifa) -> Self {
        let kind = crate::Zona::assumed(data.kind);
        let capitulos: Vec<DraftChapter> = room_capitulos(data, tarifa)
            .into_iter()
            .map(|c| {
                let items = c.lines.iter().filter_map(|l| item(data, tarifa, &l.key));
                let keys = c.lines.first().and_then(|l| tarifa.partidas().iter().find(|p| p.key == l.key));
                DraftChapter {
                    zona: (c.zona != kind).then_some(c.zona),
                    key: keys.map(|p| p.capitulo.clone()),
                    table: Some(c.nombre.clone()),
                    lines: items.map(|i| DraftLine::of_item(id, &i)).collect(),
                    nombre: c.nombre,
                }
            })
            .collect();
        let table = capitulos.iter().flat_map(|c| &c.lines).map(|l| l.id.clone()).collect();
        let adjustments = recargos_of(data, tarifa).into_iter().map(Adjustment::of).collect();
        Self { id, capitulos, adjustments, table, ..Self::default() }
    }
}

impl DraftLine {
    pub(super) fn of_item(room: u32, item: &TableItem<'_>) -> Self {
        let values = TableValues::of(item);
        Self {
            id: format!("{room}-{}", item.partida.key),
            key: Some(item.partida.key.clone()),
            table: Some(values.clone()),
            ..Self::default().with(values)
        }
    }

    /// Replaces the values of the table and keeps everything else.
    pub(super) fn with(self, values: TableValues) -> Self {
        let TableValues { concepto, detail, cantidad, unidad, precio, material, coste } = values;
        Self { concepto, detail, cantidad, unidad, precio, material, coste, ..self }
    }
}

impl TableValues {
    pub(super) fn of(item: &TableItem<'_>) -> Self {
        Self {
            concepto: item.partida.concepto.clone(),
            detail: item.detail.map(str::to_owned),
            cantidad: item.cantidad,
            unidad: item.partida.unidad,
            precio: item.precio,
            material: item.material,
            coste: item.coste,
        }
    }
}

impl Adjustment {
    pub(super) fn of((recargo, percentage): (&Recargo, Percentage)) -> Self {
        let values = AdjustmentValues { concepto: recargo.concepto.clone(), percentage };
        Self {
            cause: recargo.when,
            concepto: values.concepto.clone(),
            percentage: values.percentage,
            table: Some(values),
        }
    }
}

impl UsedTarifa {
    pub(super) fn of(tarifa: &Tarifa) -> Self {
        Self { version: tarifa.version().to_owned(), vigente_desde: tarifa.vigente_desde() }
    }
}
