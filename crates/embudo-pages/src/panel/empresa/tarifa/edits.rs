//! The changes that a form carries, and the conversion of fields to changes.

use embudo_domain::Zona;
use embudo_domain::decimal::{self, Percentage};
use embudo_domain::money::Cents;
use embudo_domain::perfil::Calidad;
use embudo_domain::provincia::Provincia;
use embudo_domain::tarifa::{Cause, Partida, PartidaPrice, Rule, Tarifa, TarifaEdit, Unidad};

use crate::panel::form_state::FormState;
use crate::parts::{FormFields, clean};

/// The maximum number of changes. Larger changes are made by importing a file.
pub(super) const MAX_EDITS: usize = 2_000;
const TOO_MANY: &str =
    "Son demasiados cambios para una versión: guarda los que llevas, o baja la tarifa y súbela cambiada.";
const NO_NUMBER: &str = "Escribe un número, como 12,5.";

/// Writes the changes for a form: one line for each, with its parts separated by tabs.
pub(super) fn write(edits: &[TarifaEdit]) -> String {
    edits.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Reads the changes of a form. Invalid lines are left out.
pub(super) fn read(text: &str) -> Vec<TarifaEdit> {
    text.lines().take(MAX_EDITS).filter_map(parse).collect()
}

fn line(edit: &TarifaEdit) -> String {
    match edit {
        TarifaEdit::Precio { key, calidad, precio } => format!("precio\t{key}\t{calidad}\t{}", precio.0),
        TarifaEdit::Material { key, calidad, material } => {
            format!("material\t{key}\t{calidad}\t{}", material.0)
        }
        TarifaEdit::Coste { key, calidad, coste } => {
            format!("coste\t{key}\t{calidad}\t{}", or_nothing(coste.map(|c| c.0)))
        }
        TarifaEdit::ChapterCoste { capitulo, percentage } => {
            format!(
                "costes\t{}\t\t{}",
                capitulo.as_deref().unwrap_or_default(),
                or_nothing(percentage.map(|p| p.0))
            )
        }
        TarifaEdit::Add(item) => format!("partida\t{}\t\t{}", item.key, write_item(item)),
        TarifaEdit::Remove { key } => format!("quitar\t{key}\t\t"),
        TarifaEdit::Detail { key, calidad, detail } => {
            format!("detalle\t{key}\t{calidad}\t{}", detail.as_deref().unwrap_or_default())
        }
        TarifaEdit::Concepto { key, concepto } => format!("concepto\t{key}\t\t{concepto}"),
        TarifaEdit::Unidad { key, unidad } => format!("unidad\t{key}\t\t{unidad}"),
        TarifaEdit::Recargo { when, percentage } => format!("recargo\t{when}\t\t{}", percentage.0),
        TarifaEdit::Provincia { provincia, factor } => {
            format!("provincia\t{}\t\t{}", provincia.code(), factor.0)
        }
        TarifaEdit::Raise { capitulo, percentage } => {
            format!("subir\t{}\t\t{}", capitulo.as_deref().unwrap_or_default(), percentage.0)
        }
    }
}

fn or_nothing(value: Option<i64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Writes a new item after its key: chapter, types, unit and rule, its price in each quality, and finally its texts.
fn write_item(p: &Partida) -> String {
    let kinds: Vec<&str> = p.kinds.iter().map(|kind| kind.as_str()).collect();
    let price = |price: &PartidaPrice| {
        format!("{}/{}/{}", price.precio.0, price.material.0, or_nothing(price.coste.map(|c| c.0)))
    };
    let prices = p.precios.each_ref().map(|p| p.as_ref().map(price).unwrap_or_default());
    let (capitulo, unidad, cantidad) = (&p.capitulo, p.unidad, p.cantidad);
    format!("{capitulo}\t{}\t{unidad}\t{cantidad}\t{}\t{}", kinds.join(","), prices.join("\t"), p.concepto)
}

fn read_item(key: &str, text: &str) -> Option<Partida> {
    let [capitulo, kinds, unidad, cantidad, basica, media, premium, concepto] =
        text.splitn(8, '\t').collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let price = |text: &str| -> Option<Option<PartidaPrice>> {
        if text.is_empty() {
            return Some(None);
        }
        let mut parts = text.split('/');
        let (precio, material) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let coste = match parts.next()? {
            "" => None,
            cents => Some(Cents(cents.parse().ok()?)),
        };
        Some(Some(PartidaPrice {
            precio: Cents(precio),
            material: Percentage(material),
            coste,
            detail: None,
        }))
    };
    let kinds: Option<Vec<Zona>> = kinds.split(',').filter(|k| !k.is_empty()).map(Zona::parse).collect();
    Some(Partida {
        kinds: kinds?,
        precios: [price(basica)?, price(media)?, price(premium)?],
        ..new_item(key, capitulo, concepto, Unidad::parse(unidad)?, Rule::parse(cantidad)?)
    })
}

/// An item without prices, which no job includes automatically.
pub(super) fn new_item(key: &str, capitulo: &str, concepto: &str, unidad: Unidad, cantidad: Rule) -> Partida {
    Partida {
        key: key.to_owned(),
        capitulo: capitulo.to_owned(),
        kinds: Vec::new(),
        zona: None,
        only_in: Vec::new(),
        not_in: Vec::new(),
        only_estructural: false,
        concepto: concepto.to_owned(),
        unidad,
        cantidad,
        precios: [None, None, None],
        source: None,
        own: true,
    }
}

fn parse(line: &str) -> Option<TarifaEdit> {
    let [kind, key, calidad, value] = line.trim_end_matches('\r').splitn(4, '\t').collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let number = || value.parse::<i64>().ok();
    edit(kind, key, calidad, value, number).ok()?
}

/// Makes a change from its parts. `Ok(None)` if the parts do not name a change; an error if its number cannot be read.
fn edit(
    kind: &str,
    key: &str,
    calidad: &str,
    value: &str,
    number: impl Fn() -> Option<i64>,
) -> Result<Option<TarifaEdit>, &'static str> {
    let number = || number().ok_or(NO_NUMBER);
    let (key, text) = (key.to_owned(), value.to_owned());
    let of = Calidad::parse(calidad);
    Ok(Some(match (kind, of) {
        ("precio", Some(calidad)) => TarifaEdit::Precio { key, calidad, precio: Cents(number()?) },
        ("material", Some(calidad)) => TarifaEdit::Material { key, calidad, material: Percentage(number()?) },
        ("coste", Some(calidad)) => {
            let coste = if value.is_empty() { None } else { Some(Cents(number()?)) };
            TarifaEdit::Coste { key, calidad, coste }
        }
        ("costes", None) => {
            let percentage = if value.is_empty() { None } else { Some(Percentage(number()?)) };
            TarifaEdit::ChapterCoste { capitulo: Some(key).filter(|key| !key.is_empty()), percentage }
        }
        ("partida", None) => match read_item(&key, value) {
            Some(item) => TarifaEdit::Add(Box::new(item)),
            None => return Ok(None),
        },
        ("quitar", None) => TarifaEdit::Remove { key },
        ("detalle", Some(calidad)) => {
            TarifaEdit::Detail { key, calidad, detail: Some(text).filter(|text| !text.is_empty()) }
        }
        ("concepto", None) => TarifaEdit::Concepto { key, concepto: text },
        ("unidad", None) => match Unidad::parse(value) {
            Some(unidad) => TarifaEdit::Unidad { key, unidad },
            None => return Ok(None),
        },
        ("recargo", None) => match Cause::parse(&key) {
            Some(when) => TarifaEdit::Recargo { when, percentage: Percentage(number()?) },
            None => return Ok(None),
        },
        ("provincia", None) => match of_code(&key) {
            Some(provincia) => TarifaEdit::Provincia { provincia, factor: Percentage(number()?) },
            None => return Ok(None),
        },
        ("subir", None) => {
            let capitulo = Some(key).filter(|key| !key.is_empty());
            TarifaEdit::Raise { capitulo, percentage: Percentage(number()?) }
        }
        _ => return Ok(None),
    }))
}

/// The province with this number. Field names contain the number.
fn of_code(text: &str) -> Option<Provincia> {
    Provincia::from_code(text.parse().ok()?)
}

/// Adds a change. An earlier change of the same value is dropped, unless prices were raised since then.
fn add(edits: &mut Vec<TarifaEdit>, edit: TarifaEdit) {
    let target = |edit: &TarifaEdit| line(edit).rsplit_once('\t').map(|(target, _)| target.to_owned());
    let raised = edits.iter().rposition(|e| matches!(e, TarifaEdit::Raise { .. })).map_or(0, |n| n + 1);
    let same = |e: &TarifaEdit| target(e) == target(&edit);
    if !matches!(edit, TarifaEdit::Raise { .. } | TarifaEdit::Add(_) | TarifaEdit::Remove { .. })
        && let Some(n) = edits[raised..].iter().position(same)
    {
        edits.remove(raised + n);
    }
    edits.push(edit);
}

/// The text that the field with this name shows for a table: `precio.suelo-gres.media`. `None` if the table has no such
/// field.
pub(super) fn shown(table: &Tarifa, name: &str) -> Option<String> {
    let mut parts = name.split('.');
    let (kind, key) = (parts.next()?, parts.next()?);
    if kind == "recargo" {
        let recargo = table.recargos().iter().find(|r| r.when.as_str() == key)?;
        return Some(number(recargo.percentage.0));
    }
    if kind == "provincia" {
        return Some(table.factor(of_code(key)?).as_factor());
    }
    let item = table.partidas().iter().find(|p| p.key == key)?;
    item_field(item, kind, parts.next().unwrap_or_default())
}

/// The text that a field shows for one item.
pub(super) fn item_field(item: &Partida, kind: &str, calidad: &str) -> Option<String> {
    match (kind, Calidad::parse(calidad)) {
        ("concepto", None) => Some(item.concepto.clone()),
        ("unidad", None) => Some(item.unidad.to_string()),
        (_, Some(calidad)) => {
            let price = item.precio(calidad)?;
            match kind {
                "precio" => Some(decimal::in_spanish(price.precio.0, 2)),
                "coste" => Some(price.coste.map(|c| decimal::in_spanish(c.0, 2)).unwrap_or_default()),
                "material" => Some(number(price.material.0)),
                "detalle" => Some(price.detail.clone().unwrap_or_default()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Formats a number without superfluous zeros.
fn number(value: i64) -> String {
    let text = decimal::in_spanish(value, 2);
    text.strip_suffix(",00").map_or(text.clone(), str::to_owned)
}

/// Applies the typed values to a table and adds them to its changes. A value that cannot be applied becomes an error of
/// its field.
pub(super) fn collect(
    table: &mut Tarifa,
    edits: &mut Vec<TarifaEdit>,
    fields: &FormFields,
    form: &mut FormState,
) {
    for (name, value) in &fields.0 {
        let typed = clean(value).replace('\n', " ");
        if shown(table, name).is_none_or(|now| now == typed) {
            continue;
        }
        let mut parts = name.split('.');
        let [kind, key, calidad] = [(); 3].map(|()| parts.next().unwrap_or_default());
        let number = || match kind {
            "provincia" => Percentage::from_factor(&typed).map(|factor| factor.0),
            _ => decimal::from_spanish(&typed, 2),
        };
        match edit(kind, key, calidad, &typed, number) {
            Ok(Some(edit)) => push(table, edits, edit, name, form),
            Ok(None) => {}
            Err(text) => form.add(name.clone(), text),
        }
    }
}

/// Raises or lowers prices by the typed percentage.
pub(super) fn raise(
    table: &mut Tarifa,
    edits: &mut Vec<TarifaEdit>,
    fields: &FormFields,
    form: &mut FormState,
) {
    let capitulo = Some(fields.text("sube.en")).filter(|key| !key.is_empty());
    match decimal::from_spanish(&fields.text("sube"), 2) {
        None => form.add("sube", "Escribe un porcentaje: 3 sube un 3 %, -2,5 baja un 2,5 %."),
        Some(0) => form.add("sube", "Un 0 % no cambia nada."),
        Some(percentage) => {
            let edit = TarifaEdit::Raise { capitulo, percentage: Percentage(percentage) };
            push(table, edits, edit, "sube", form);
        }
    }
}

/// Sets the cost of the items of a chapter, or of all items, to a percentage of their price. An empty field removes the
/// percentage.
pub(super) fn set_costs(
    table: &mut Tarifa,
    edits: &mut Vec<TarifaEdit>,
    fields: &FormFields,
    form: &mut FormState,
) {
    let capitulo = Some(fields.text("costes.en")).filter(|key| !key.is_empty());
    let typed = fields.text("costes");
    let percentage = decimal::from_spanish(&typed, 2).map(Percentage);
    if percentage.is_none() && !typed.is_empty() {
        return form.add("costes", "Escribe un porcentaje del precio: 65 es un 65 %. Vacío, se quita.");
    }
    push(table, edits, TarifaEdit::ChapterCoste { capitulo, percentage }, "costes", form);
}

/// Removes an item from the next version.
pub(super) fn remove(table: &mut Tarifa, edits: &mut Vec<TarifaEdit>, key: &str, form: &mut FormState) {
    push(table, edits, TarifaEdit::Remove { key: key.to_owned() }, "", form);
}

pub(super) fn push(
    table: &mut Tarifa,
    edits: &mut Vec<TarifaEdit>,
    edit: TarifaEdit,
    field: &str,
    form: &mut FormState,
) {
    if edits.len() >= MAX_EDITS {
        if form.of("").is_none() {
            form.add("", TOO_MANY);
        }
        return;
    }
    match table.edit(&edit) {
        Ok(()) => add(edits, edit),
        Err(text) => form.add(field.to_owned(), text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pairs: &[(&str, &str)]) -> FormFields {
        FormFields(pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect())
    }

    #[test]
    fn changes_come_back_as_they_went() {
        let mut table = Tarifa::por_defecto();
        let key = table.partidas()[0].key.clone();
        let name = |kind: &str| format!("{kind}.{key}.media");
        let (mut edits, mut form) = (Vec::new(), FormState::default());
        let typed = fields(&[
            (&name("precio"), "1.234,5"),
            (&name("material"), "12,5 %"),
            (&name("detalle"), "Uno\tdos <b>"),
            (&format!("concepto.{key}"), "Otra cosa"),
            ("recargo.urgencia_baja", "-4"),
            ("provincia.28", "1,05"),
            ("nada.que.ver", "1"),
        ]);
        collect(&mut table, &mut edits, &typed, &mut form);
        raise(&mut table, &mut edits, &fields(&[("sube", "-2,5"), ("sube.en", "")]), &mut form);
        assert!(form.is_good(), "{form:?}");
        assert_eq!(edits.len(), 7);
        assert_eq!(read(&write(&edits)), edits);
        assert_eq!(read(&write(&edits).replace('\n', "\r\n")), edits);
        let mut again = Tarifa::por_defecto();
        read(&write(&edits)).iter().for_each(|edit| again.edit(edit).expect("a change"));
        assert_eq!(again, table);
    }

    #[test]
    fn the_last_word_on_a_field_counts() {
        let mut table = Tarifa::por_defecto();
        let name = format!("precio.{}.media", table.partidas()[0].key);
        let (mut edits, mut form) = (Vec::new(), FormState::default());
        for price in ["10", "11", "12"] {
            collect(&mut table, &mut edits, &fields(&[(&name, price)]), &mut form);
        }
        assert_eq!(edits.len(), 1);
        raise(&mut table, &mut edits, &fields(&[("sube", "10")]), &mut form);
        assert_eq!(shown(&table, &name).as_deref(), Some("13,20"));
        collect(&mut table, &mut edits, &fields(&[(&name, "14")]), &mut form);
        assert_eq!((edits.len(), form.is_good()), (3, true));
    }

    #[test]
    fn nonsense_is_told_at_its_field_and_changes_nothing() {
        let mut table = Tarifa::por_defecto();
        let before = table.clone();
        let name = format!("precio.{}.media", table.partidas()[0].key);
        for wrong in
            ["", "NaN", "inf", "-1", "1e9", "99999999999999999999999999", "1,234,5", "<b>", "100.000,01"]
        {
            let (mut edits, mut form) = (Vec::new(), FormState::default());
            collect(&mut table, &mut edits, &fields(&[(&name, wrong)]), &mut form);
            assert!(form.of(&name).is_some() && edits.is_empty(), "{wrong}");
        }
        assert_eq!(table, before);
        for odd in ["precio\tx\tmedia", "subir", "recargo\tnunca\t\t3", "\t\t\t", "unidad\ta\t\tkg"] {
            assert_eq!(read(odd), [], "{odd}");
        }
    }
}
