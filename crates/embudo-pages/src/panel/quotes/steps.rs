//! The buttons of the editor. Each one changes the draft, or saves it and opens another page.

use embudo_domain::Zona;
use embudo_domain::perfil::Calidad;
use embudo_domain::presupuesto::draft::{
    DraftChapter, DraftLine, MAX_LINES, MAX_PAYMENTS, MAX_ROOMS, RoomInput,
};
use embudo_domain::presupuesto::{Base, Draft, Payment};
use embudo_domain::record::LeadRecord;
use embudo_domain::search::fold;
use embudo_domain::tarifa::{Partida, Tarifa};

use super::fields::{Mistakes, Typed, number};

/// The maximum number of items listed in the error if a text matches several items.
const MAX_NAMED: usize = 5;

/// The action of a button.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    Save,
    /// An autosave, sent by the module while a person types.
    Auto,
    Send,
    Recalculate,
    AddLine {
        room: u32,
        capitulo: usize,
    },
    AddChapter(u32),
    AddFromTable(u32),
    Remove(&'a str),
    Up(&'a str),
    Down(&'a str),
    AddRoom,
    RemoveRoom(u32),
    AddPayment,
    RemovePayment(usize),
}

impl<'a> Step<'a> {
    /// Reads the action of a button. An unknown action only saves.
    pub fn parse(text: &'a str) -> Self {
        let (word, of) = text.split_once('.').unwrap_or((text, ""));
        let room = || of.parse().unwrap_or(0);
        match word {
            "auto" => Self::Auto,
            "enviar" => Self::Send,
            "recalcular" => Self::Recalculate,
            "linea" => {
                let (room, capitulo) = of.split_once('.').unwrap_or_default();
                Self::AddLine {
                    room: room.parse().unwrap_or(0),
                    capitulo: capitulo.parse().unwrap_or(usize::MAX),
                }
            }
            "capitulo" => Self::AddChapter(room()),
            "tabla" => Self::AddFromTable(room()),
            "quitar" => Self::Remove(of),
            "subir" => Self::Up(of),
            "bajar" => Self::Down(of),
            "estancia" => Self::AddRoom,
            "quitar-estancia" => Self::RemoveRoom(room()),
            "pago" => Self::AddPayment,
            "quitar-pago" => Self::RemovePayment(of.parse().unwrap_or(usize::MAX)),
            _ => Self::Save,
        }
    }

    /// Whether the action removes something that somebody else may have changed.
    pub fn takes_out(&self) -> bool {
        matches!(self, Self::Remove(_) | Self::RemoveRoom(_) | Self::RemovePayment(_))
    }

    /// Does the action. Returns the place on the page where the result is shown.
    pub fn apply(
        &self,
        draft: &mut Draft,
        typed: &Typed,
        record: &LeadRecord,
        base: Base<'_>,
    ) -> Result<String, Mistakes> {
        let full = |what: &str| Mistakes::one("", format!("No caben más {what} en un presupuesto."));
        let is_full = draft.lines().count() >= MAX_LINES;
        Ok(match self {
            Self::Save | Self::Auto | Self::Send | Self::Recalculate => String::new(),
            Self::AddLine { .. } | Self::AddChapter(_) | Self::AddFromTable(_) if is_full => {
                return Err(full("partidas"));
            }
            Self::AddLine { room, capitulo } => {
                let found = draft.room_mut(*room).and_then(|room| room.capitulos.get_mut(*capitulo));
                let Some(capitulo) = found else { return Ok(String::new()) };
                capitulo.lines.push(DraftLine::default());
                added(draft)
            }
            Self::AddChapter(room) => {
                let Some(room) = draft.room_mut(*room) else { return Ok(String::new()) };
                room.capitulos.push(DraftChapter {
                    nombre: "Otros trabajos".to_owned(),
                    lines: vec![DraftLine::default()],
                    ..DraftChapter::default()
                });
                added(draft)
            }
            Self::AddFromTable(room) => from_table(draft, *room, typed, record, base.tarifa)?,
            Self::Remove(id) => remove(draft, id),
            Self::Up(id) => moved(draft, id, Way::Up),
            Self::Down(id) => moved(draft, id, Way::Down),
            Self::AddRoom if draft.rooms.len() >= MAX_ROOMS || is_full => return Err(full("estancias")),
            Self::AddRoom => add_room(draft, typed, record, base.tarifa)?,
            Self::RemoveRoom(id) => {
                draft.rooms.retain(|room| room.id != *id);
                "#estancias".to_owned()
            }
            Self::AddPayment if draft.terms.payments.len() >= MAX_PAYMENTS => return Err(full("pagos")),
            Self::AddPayment => {
                let payments = &mut draft.terms.payments;
                // The next payment is usually the rest of the amount.
                let so_far: i64 = payments.iter().map(|p| p.percentage.0).fold(0, i64::saturating_add);
                let left = 10_000_i64.saturating_sub(so_far).clamp(0, 10_000);
                let moment = if payments.is_empty() { "Al aceptar" } else { "Al terminar" };
                payments.push(Payment {
                    percentage: embudo_domain::decimal::Percentage(left),
                    moment: moment.to_owned(),
                });
                "#pagos".to_owned()
            }
            Self::RemovePayment(n) => {
                if *n < draft.terms.payments.len() {
                    draft.terms.payments.remove(*n);
                }
                "#pagos".to_owned()
            }
        })
    }
}

/// The anchor of a line on the page.
fn place(id: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(id.as_bytes()).collect();
    format!("#l-{encoded}")
}

/// Gives the new line its id, and returns its anchor.
fn added(draft: &mut Draft) -> String {
    let before: Vec<String> = draft.lines().map(|line| line.id.clone()).collect();
    draft.fill_ids();
    let new = draft.lines().find(|line| !before.contains(&line.id));
    new.map(|line| place(&line.id)).unwrap_or_default()
}

fn remove(draft: &mut Draft, id: &str) -> String {
    for room in &mut draft.rooms {
        for capitulo in &mut room.capitulos {
            capitulo.lines.retain(|line| line.id != id);
        }
        room.capitulos.retain(|capitulo| !capitulo.lines.is_empty());
    }
    "#estancias".to_owned()
}

#[derive(Clone, Copy)]
enum Way {
    Up,
    Down,
}

/// Swaps a line with its neighbour in the chapter.
fn moved(draft: &mut Draft, id: &str, way: Way) -> String {
    for capitulo in draft.rooms.iter_mut().flat_map(|room| &mut room.capitulos) {
        if let Some(n) = capitulo.lines.iter().position(|line| line.id == id) {
            let other = match way {
                Way::Up => n.checked_sub(1),
                Way::Down => Some(n + 1).filter(|n| *n < capitulo.lines.len()),
            };
            if let Some(other) = other {
                capitulo.lines.swap(n, other);
            }
        }
    }
    place(id)
}

fn add_room(
    draft: &mut Draft,
    typed: &Typed,
    record: &LeadRecord,
    tarifa: &Tarifa,
) -> Result<String, Mistakes> {
    let Some(kind) = Zona::parse(&typed.word("nueva.tipo")) else {
        return Err(Mistakes::one("nueva.tipo", "Elige qué estancia es."));
    };
    let m2 = typed.word("nueva.m2");
    let m2_suelo = match m2.is_empty() {
        true => None,
        #[allow(clippy::cast_precision_loss, reason = "an area is small")]
        false => match number(&m2) {
            Ok(area) if (1..=10_000_000).contains(&area) => Some(area as f64 / 100.0),
            _ => return Err(Mistakes::one("nueva.m2", "Pon los metros cuadrados con cifras: 12,5.")),
        },
    };
    let calidad = Calidad::parse(&typed.word("nueva.calidad"));
    let facts = RoomInput { kind: Some(kind), m2_suelo, calidad, ..RoomInput::default() };
    let id = draft.add_room(facts, &record.lead, tarifa);
    draft.fill_ids();
    Ok(format!("#estancia-{id}"))
}

/// Adds a line from the price table: the item chosen from the list, or the item that matches the text.
fn from_table(
    draft: &mut Draft,
    room: u32,
    typed: &Typed,
    record: &LeadRecord,
    tarifa: &Tarifa,
) -> Result<String, Mistakes> {
    let field = format!("tabla.{room}");
    let wanted = typed.word(&field);
    if wanted.is_empty() {
        return Err(Mistakes::one(field, "Escribe o elige una partida de la tarifa."));
    }
    let Some(kind) = draft.room(room).map(|room| Zona::assumed(room.facts.kind)) else {
        return Ok(String::new());
    };
    let chosen = typed.word(&format!("{field}.clave"));
    let partida = match tarifa.partidas().iter().find(|p| p.key == chosen) {
        Some(partida) => partida,
        None => find(tarifa, &wanted, kind).map_err(|mistake| Mistakes::one(&field, mistake))?,
    };
    let Some(line) = draft.table_line(room, &partida.key, &record.lead, tarifa) else {
        let mistake =
            "La tarifa no tiene esa partida en la calidad de esta estancia: añádela como partida libre.";
        return Err(Mistakes::one(field, mistake));
    };
    let at = place(&line.id);
    let capitulos = &mut draft.room_mut(room).expect("it was found above").capitulos;
    match capitulos.iter_mut().find(|c| c.key.as_deref() == Some(&partida.capitulo)) {
        Some(capitulo) => capitulo.lines.push(line),
        None => {
            let named = tarifa.capitulos().iter().find(|c| c.key == partida.capitulo);
            let nombre = named.map_or(partida.capitulo.clone(), |c| c.nombre.clone());
            capitulos.push(DraftChapter {
                zona: partida.zona.filter(|zona| *zona != kind),
                key: Some(partida.capitulo.clone()),
                table: Some(nombre.clone()),
                nombre,
                lines: vec![line],
            });
        }
    }
    Ok(at)
}

/// Finds the item that matches a text. If several items have the same name, the one of the room's own kind is chosen.
fn find<'t>(tarifa: &'t Tarifa, wanted: &str, kind: Zona) -> Result<&'t Partida, String> {
    let wanted = fold(wanted);
    let all = || tarifa.partidas().iter();
    let own_first =
        |found: Vec<&'t Partida>| found.iter().find(|p| p.kinds.contains(&kind)).or(found.first()).copied();
    let exact = all().filter(|p| fold(&p.concepto) == wanted || p.key == wanted).collect();
    if let Some(partida) = own_first(exact) {
        return Ok(partida);
    }
    let has = |text: &str| wanted.split_whitespace().all(|word| text.contains(word));
    let mut within: Vec<&Partida> = all().filter(|p| has(&fold(&p.concepto))).collect();
    if within.is_empty() {
        let capitulo = |key: &str| tarifa.capitulos().iter().find(|c| c.key == key).map_or("", |c| &c.nombre);
        let text = |p: &Partida| fold(&format!("{} {} {}", p.concepto, p.key, capitulo(&p.capitulo)));
        within = all().filter(|p| has(&text(p))).collect();
    }
    let mut names: Vec<&str> = within.iter().map(|p| p.concepto.as_str()).collect();
    names.dedup();
    match names.len() {
        0 => Err("No hay ninguna así en tu tarifa: prueba con otra palabra.".to_owned()),
        1 => Ok(own_first(within).expect("there is one")),
        _ => {
            names.truncate(MAX_NAMED);
            Err(format!("Hay varias: {}. Escribe algo más.", names.join("; ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buttons_are_read_and_nothing_else_is() {
        assert_eq!(Step::parse("linea.2.0"), Step::AddLine { room: 2, capitulo: 0 });
        assert_eq!(Step::parse("quitar.1-alicatado.x"), Step::Remove("1-alicatado.x"));
        assert_eq!(Step::parse("quitar-pago.99999999999999999999999"), Step::RemovePayment(usize::MAX));
        for none in ["", "guardar", "borrar-todo", "estancia2"] {
            assert_eq!(Step::parse(none), Step::Save, "{none}");
        }
    }

    #[test]
    fn items_are_found_by_a_part_of_their_name() {
        let tarifa = Tarifa::por_defecto();
        let one = &tarifa.partidas()[0];
        let found = find(&tarifa, &one.concepto.to_uppercase(), one.kinds[0]).expect("it is there");
        assert_eq!(found.concepto, one.concepto);
        assert!(find(&tarifa, "zzz", Zona::Bano).expect_err("none").contains("No hay ninguna"));
        assert!(find(&tarifa, "a", Zona::Bano).expect_err("many").starts_with("Hay varias"));
        // The words may be in any order and may include the key.
        let mut words: Vec<&str> = one.concepto.split_whitespace().collect();
        words.reverse();
        let found = find(&tarifa, &words.join(" "), one.kinds[0]).expect("it is there");
        assert_eq!(found.concepto, one.concepto);
        assert_eq!(find(&tarifa, &one.key, one.kinds[0]).expect("it is there").key, one.key);
    }
}
