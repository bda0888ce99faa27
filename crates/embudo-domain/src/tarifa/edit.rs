//! Changes of a price table, one by one. The next version of a table is the table with its changes, under its own name
//! and its own start date.

use jiff::civil::Date;

use super::parse::items::{LUMP_SUM, MAX_PARTIDAS, MAX_PRECIO, MAX_RECARGO, fits_unit, least_recargo};
use super::parse::uncovered;
use super::{Cause, Partida, PartidaPrice, Tarifa, Unidad};
use crate::data::{is_key, is_text};
use crate::decimal::{Percentage, half_up};
use crate::money::Cents;
use crate::perfil::Calidad;
use crate::provincia::Provincia;

/// By how much prices can be changed at once: from half to double.
const RAISES: std::ops::RangeInclusive<i64> = -5_000..=10_000;

/// The price level of a province relative to the whole of Spain: from half to double.
const FACTORS: std::ops::RangeInclusive<i64> = 5_000..=20_000;

const NO_ITEM: &str = "Esa partida ya no está en la tarifa.";
const NO_QUALITY: &str = "La partida no se ofrece en esa calidad.";
const NO_CHAPTER: &str = "Ese capítulo ya no está en la tarifa.";
const NO_COST: &str = "Un coste va de 0 a 100.000 €.";
const NO_PRICE: &str = "Un precio va de 0 a 100.000 €.";
const NO_SHARE: &str = "La parte de materiales va de 0 a 100 %.";
const NO_TEXT: &str = "Escribe un texto de una línea, de 2.000 caracteres como mucho.";

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TarifaEdit {
    Precio {
        key: String,
        calidad: Calidad,
        precio: Cents,
    },
    /// The share of materials.
    Material {
        key: String,
        calidad: Calidad,
        material: Percentage,
    },
    /// What one unit costs the company. `None`: the percentage of its chapter applies.
    Coste {
        key: String,
        calidad: Calidad,
        coste: Option<Cents>,
    },
    /// The share of the price that the items of a chapter cost, except for items with a cost of their own. For all
    /// chapters if `capitulo` is `None`.
    ChapterCoste {
        capitulo: Option<String>,
        percentage: Option<Percentage>,
    },
    /// Adds a new item after the existing ones.
    Add(Box<Partida>),
    /// Removes an item.
    Remove {
        key: String,
    },
    /// What the client gets in a quality.
    Detail {
        key: String,
        calidad: Calidad,
        detail: Option<String>,
    },
    Concepto {
        key: String,
        concepto: String,
    },
    Unidad {
        key: String,
        unidad: Unidad,
    },
    Recargo {
        when: Cause,
        percentage: Percentage,
    },
    /// The price level of a province.
    Provincia {
        provincia: Provincia,
        factor: Percentage,
    },
    /// Changes all prices, or those of one chapter, by a percentage; surcharges stay.
    Raise {
        capitulo: Option<String>,
        percentage: Percentage,
    },
}

impl Tarifa {
    /// Makes a change, or says in Spanish why it is not possible; then the table is unchanged.
    pub fn edit(&mut self, edit: &TarifaEdit) -> Result<(), &'static str> {
        match edit {
            TarifaEdit::Precio { key, calidad, precio } => {
                if !(0..=MAX_PRECIO).contains(&precio.0) {
                    return Err(NO_PRICE);
                }
                self.price(key, *calidad)?.precio = *precio;
                self.item(key)?.own = true;
            }
            TarifaEdit::Provincia { provincia, factor } => self.set_factor(*provincia, *factor)?,
            TarifaEdit::Material { key, calidad, material } => {
                if !(0..=Percentage::HUNDRED.0).contains(&material.0) {
                    return Err(NO_SHARE);
                }
                self.price(key, *calidad)?.material = *material;
            }
            TarifaEdit::Coste { key, calidad, coste } => {
                if !is_cost(*coste) {
                    return Err(NO_COST);
                }
                self.price(key, *calidad)?.coste = *coste;
            }
            TarifaEdit::ChapterCoste { capitulo, percentage } => {
                self.set_chapter_coste(capitulo.as_deref(), *percentage)?;
            }
            TarifaEdit::Add(item) => match self.wrong_with(item).first() {
                Some((_, text)) => return Err(text),
                None => self.partidas.push(Partida { own: true, ..(**item).clone() }),
            },
            TarifaEdit::Remove { key } => self.remove(key)?,
            TarifaEdit::Detail { key, calidad, detail } => {
                if detail.as_deref().is_some_and(|text| !is_text(text)) {
                    return Err(NO_TEXT);
                }
                self.price(key, *calidad)?.detail.clone_from(detail);
            }
            TarifaEdit::Concepto { key, concepto } => {
                if !is_text(concepto) {
                    return Err(NO_TEXT);
                }
                self.item(key)?.concepto.clone_from(concepto);
            }
            TarifaEdit::Unidad { key, unidad } => {
                let item = self.item(key)?;
                if !fits_unit(*unidad, &item.cantidad) {
                    return Err(LUMP_SUM);
                }
                item.unidad = *unidad;
            }
            TarifaEdit::Recargo { when, percentage } => self.set_recargo(*when, *percentage)?,
            TarifaEdit::Raise { capitulo, percentage } => self.raise(capitulo.as_deref(), *percentage)?,
        }
        Ok(())
    }

    /// Everything that prevents an item from being added: the field as the TOML file calls it, and the reason in
    /// Spanish.
    pub fn wrong_with(&self, item: &Partida) -> Vec<(String, &'static str)> {
        let mut wrong: Vec<(String, &'static str)> = Vec::new();
        let mut note = |is_wrong: bool, field: &str, text: &'static str| {
            if is_wrong {
                wrong.push((field.to_owned(), text));
            }
        };
        let is_there = self.partidas.iter().any(|p| p.key == item.key);
        note(!is_key(&item.key), "clave", "Usa minúsculas sin tilde, cifras y guiones, 64 como mucho.");
        note(is_there, "clave", "Ya hay una partida con esa clave.");
        note(!self.capitulos.iter().any(|c| c.key == item.capitulo), "capitulo", NO_CHAPTER);
        note(!is_text(&item.concepto), "concepto", NO_TEXT);
        note(!fits_unit(item.unidad, &item.cantidad), "cantidad", LUMP_SUM);
        let none = item.precios.iter().all(Option::is_none);
        note(none, "media.precio", "Pon el precio de una calidad al menos.");
        for (calidad, price) in Calidad::WORDS.iter().zip(&item.precios) {
            let Some(price) = price else { continue };
            let field = |name: &str| format!("{calidad}.{name}");
            note(!(0..=MAX_PRECIO).contains(&price.precio.0), &field("precio"), NO_PRICE);
            note(!(0..=Percentage::HUNDRED.0).contains(&price.material.0), &field("material"), NO_SHARE);
            note(!is_cost(price.coste), &field("coste"), NO_COST);
            note(price.detail.as_deref().is_some_and(|text| !is_text(text)), &field("detalle"), NO_TEXT);
        }
        note(self.partidas.len() >= MAX_PARTIDAS, "", "No caben más partidas: 1.000 como mucho.");
        wrong
    }

    /// The same prices as another version that begins on another day. `None` if the version is not valid. Empty notes
    /// keep the present notes of the table.
    pub fn into_version(mut self, version: &str, since: Date, notas: &str) -> Option<Self> {
        let is_good = Self::is_version(version) && (notas.is_empty() || is_text(notas));
        if !notas.is_empty() {
            notas.clone_into(&mut self.notas);
        }
        version.clone_into(&mut self.version);
        self.vigente_desde = since;
        is_good.then_some(self)
    }

    fn item(&mut self, key: &str) -> Result<&mut Partida, &'static str> {
        self.partidas.iter_mut().find(|p| p.key == key).ok_or(NO_ITEM)
    }

    fn price(&mut self, key: &str, calidad: Calidad) -> Result<&mut PartidaPrice, &'static str> {
        self.item(key)?.precios[calidad as usize].as_mut().ok_or(NO_QUALITY)
    }

    fn remove(&mut self, key: &str) -> Result<(), &'static str> {
        let place = self.partidas.iter().position(|p| p.key == key).ok_or(NO_ITEM)?;
        let item = self.partidas.remove(place);
        if uncovered(self).is_empty() {
            return Ok(());
        }
        self.partidas.insert(place, item);
        Err("No se puede retirar: sin ella habría obras sin ninguna partida.")
    }

    fn set_chapter_coste(
        &mut self,
        capitulo: Option<&str>,
        percentage: Option<Percentage>,
    ) -> Result<(), &'static str> {
        if percentage.is_some_and(|p| !(0..=Percentage::HUNDRED.0).contains(&p.0)) {
            return Err("El coste va de 0 a 100 % del precio.");
        }
        let is_meant = |key: &str| capitulo.is_none_or(|wanted| key == wanted);
        if !self.capitulos.iter().any(|c| is_meant(&c.key)) {
            return Err(NO_CHAPTER);
        }
        for chapter in self.capitulos.iter_mut().filter(|c| is_meant(&c.key)) {
            chapter.coste = percentage;
        }
        Ok(())
    }

    fn set_recargo(&mut self, when: Cause, percentage: Percentage) -> Result<(), &'static str> {
        let recargo = self.recargos.iter_mut().find(|r| r.when == when);
        let recargo = recargo.ok_or("Ese recargo ya no está en la tarifa.")?;
        if !(least_recargo(when)..=MAX_RECARGO).contains(&percentage.0) {
            return Err(match least_recargo(when) {
                0 => "Un recargo va de 0 a 200 %.",
                _ => "Va de un descuento del 50 % (−50) a un recargo del 200 %.",
            });
        }
        let floors = recargo.floors.map_or(1, |span| span.count(span.last));
        if percentage.0 * i64::from(floors) > MAX_RECARGO {
            return Err("Entre todas las plantas el recargo pasa del 200 %.");
        }
        recargo.percentage = percentage;
        Ok(())
    }

    fn set_factor(&mut self, provincia: Provincia, factor: Percentage) -> Result<(), &'static str> {
        if !FACTORS.contains(&factor.0) {
            return Err("El factor de una provincia va de 0,5 a 2.");
        }
        match self.provincias.iter_mut().find(|(p, _)| *p == provincia) {
            Some(own) => own.1 = factor,
            None => {
                self.provincias.push((provincia, factor));
                self.provincias.sort_by_key(|(p, _)| *p);
            }
        }
        Ok(())
    }

    fn raise(&mut self, capitulo: Option<&str>, percentage: Percentage) -> Result<(), &'static str> {
        if !RAISES.contains(&percentage.0) {
            return Err("De una vez se puede bajar un 50 % (−50) o subir un 100 % como mucho.");
        }
        if capitulo.is_some_and(|key| !self.capitulos.iter().any(|c| c.key == key)) {
            return Err(NO_CHAPTER);
        }
        let factor = i128::from(Percentage::HUNDRED.0 + percentage.0);
        let raised = |precio: Cents| {
            let cents = half_up(i128::from(precio.0) * factor, i128::from(Percentage::HUNDRED.0));
            i64::try_from(cents).ok().filter(|cents| *cents <= MAX_PRECIO).map(Cents)
        };
        let is_meant = |p: &Partida| capitulo.is_none_or(|key| p.capitulo == key);
        let prices = |p: &Partida| p.precios.iter().flatten().all(|price| raised(price.precio).is_some());
        if !self.partidas.iter().filter(|p| is_meant(p)).all(prices) {
            return Err("Alguna partida pasaría de 100.000 €.");
        }
        for partida in self.partidas.iter_mut().filter(|p| is_meant(p)) {
            partida.own = true;
            for price in partida.precios.iter_mut().flatten() {
                price.precio = raised(price.precio).unwrap_or(price.precio);
            }
        }
        Ok(())
    }
}

fn is_cost(coste: Option<Cents>) -> bool {
    coste.is_none_or(|coste| (0..=MAX_PRECIO).contains(&coste.0))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const CALIDAD: Calidad = Calidad::Media;

    fn precio(cents: i64) -> TarifaEdit {
        let key = Tarifa::por_defecto().partidas[0].key.clone();
        TarifaEdit::Precio { key, calidad: CALIDAD, precio: Cents(cents) }
    }

    fn key_of(n: usize) -> String {
        Tarifa::por_defecto().partidas[n].key.clone()
    }

    /// An item that no job has automatically.
    fn towel_rail() -> Partida {
        Partida {
            key: "toallero-electrico".into(),
            concepto: "Toallero eléctrico".into(),
            kinds: Vec::new(),
            only_in: Vec::new(),
            not_in: Vec::new(),
            ..Tarifa::por_defecto().partidas[0].clone()
        }
    }

    fn of(t: &Tarifa) -> Cents {
        t.partidas[0].precio(CALIDAD).expect("a price").precio
    }

    #[test]
    fn an_edited_table_reads_back_as_the_same() {
        let mut table = Tarifa::por_defecto();
        let (key, capitulo) = (table.partidas[0].key.clone(), table.partidas[0].capitulo.clone());
        let edits = [
            precio(12_34),
            TarifaEdit::Material { key: key.clone(), calidad: CALIDAD, material: Percentage(1_250) },
            TarifaEdit::Detail { key: key.clone(), calidad: CALIDAD, detail: Some("\"Así\"".into()) },
            TarifaEdit::Concepto { key, concepto: "Quitar <todo> \\ y más".into() },
            TarifaEdit::Recargo { when: Cause::UrgenciaBaja, percentage: Percentage(-1_000) },
            TarifaEdit::ChapterCoste { capitulo: None, percentage: Some(Percentage(6_500)) },
            TarifaEdit::Coste { key: key_of(1), calidad: CALIDAD, coste: Some(Cents(7_05)) },
            TarifaEdit::Add(Box::new(towel_rail())),
            TarifaEdit::Raise { capitulo: Some(capitulo), percentage: Percentage(300) },
        ];
        for edit in &edits {
            table.edit(edit).expect("a change");
        }
        assert_eq!(of(&table), Cents(12_71));
        let next = table.into_version("2027.1", date(2027, 1, 1), "Precios de 2027").expect("a version");
        assert_eq!(Tarifa::parse(&next.write()), Ok(next));
    }

    #[test]
    fn what_cannot_be_changes_nothing() {
        let shipped = Tarifa::por_defecto();
        let mut table = shipped.clone();
        let key = || shipped.partidas[0].key.clone();
        let lost = || "no-esta".to_owned();
        for wrong in [
            precio(-1),
            precio(MAX_PRECIO + 1),
            precio(i64::MAX),
            TarifaEdit::Precio { key: lost(), calidad: CALIDAD, precio: Cents(1) },
            TarifaEdit::Material { key: key(), calidad: CALIDAD, material: Percentage(10_001) },
            TarifaEdit::Detail { key: key(), calidad: CALIDAD, detail: Some("a\nb".into()) },
            TarifaEdit::Concepto { key: key(), concepto: String::new() },
            TarifaEdit::Concepto { key: key(), concepto: "a".repeat(2_001) },
            TarifaEdit::Recargo { when: Cause::UrgenciaAlta, percentage: Percentage(-1) },
            TarifaEdit::Recargo { when: Cause::SinAscensor, percentage: Percentage(5_000) },
            TarifaEdit::Raise { capitulo: None, percentage: Percentage(10_001) },
            TarifaEdit::Raise { capitulo: None, percentage: Percentage(i64::MIN) },
            TarifaEdit::Raise { capitulo: Some(lost()), percentage: Percentage(300) },
        ] {
            assert!(table.edit(&wrong).is_err(), "{wrong:?}");
            assert_eq!(table, shipped);
        }
        let by_floor = shipped.partidas.iter().find(|p| !fits_unit(Unidad::Pa, &p.cantidad)).expect("one");
        let lump = TarifaEdit::Unidad { key: by_floor.key.clone(), unidad: Unidad::Pa };
        assert_eq!(table.edit(&lump), Err(LUMP_SUM));
        for name in ["", "_serie", "a b", "2027,1"] {
            assert_eq!(shipped.clone().into_version(name, date(2027, 1, 1), ""), None, "{name}");
        }
    }

    #[test]
    fn an_item_comes_and_goes() {
        let shipped = Tarifa::por_defecto();
        let mut table = shipped.clone();
        let add = TarifaEdit::Add(Box::new(Partida { own: false, ..towel_rail() }));
        table.edit(&add).expect("a new item");
        assert!(table.partidas.last().is_some_and(|p| p.own && p.key == "toallero-electrico"));
        assert_eq!(table.edit(&add), Err("Ya hay una partida con esa clave."));
        table.edit(&TarifaEdit::Remove { key: "toallero-electrico".into() }).expect("gone");
        assert_eq!(table, shipped);
        let mut bad = towel_rail();
        (bad.key, bad.capitulo, bad.concepto) = ("Toallero".into(), "baños".into(), "  ".into());
        bad.precios = [None, None, None];
        let fields: Vec<String> = table.wrong_with(&bad).into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["clave", "capitulo", "concepto", "media.precio"]);
        let mut dear = towel_rail();
        let price = dear.precios[1].as_mut().expect("a price");
        (price.precio, price.coste, price.material) =
            (Cents(MAX_PRECIO + 1), Some(Cents(-1)), Percentage(10_001));
        let fields: Vec<String> = table.wrong_with(&dear).into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["media.precio", "media.material", "media.coste"]);
    }

    #[test]
    fn what_jobs_need_cannot_go() {
        let mut table = Tarifa::por_defecto();
        let keys: Vec<String> = table.partidas.iter().map(|p| p.key.clone()).collect();
        let gone =
            keys.iter().filter(|key| table.edit(&TarifaEdit::Remove { key: (*key).clone() }).is_ok()).count();
        assert!(gone > 0 && gone < keys.len());
        assert_eq!(Tarifa::parse(&table.write()).map(|read| read.partidas.len()), Ok(keys.len() - gone));
    }

    #[test]
    fn a_cost_is_typed_or_a_part_of_the_price() {
        let mut table = Tarifa::por_defecto();
        let cost = |t: &Tarifa, n: usize| {
            let p = &t.partidas[n];
            let price = p.precio(CALIDAD).expect("a price");
            t.coste(p, price, price.precio)
        };
        assert_eq!(cost(&table, 0), None);
        let capitulo = table.partidas[0].capitulo.clone();
        let part = |percentage: Option<i64>| TarifaEdit::ChapterCoste {
            capitulo: Some(capitulo.clone()),
            percentage: percentage.map(Percentage),
        };
        table.edit(&part(Some(6_000))).expect("a part");
        assert_eq!(cost(&table, 0), of(&table).part(Percentage(6_000)));
        let typed = |coste: Option<i64>| TarifaEdit::Coste {
            key: key_of(0),
            calidad: CALIDAD,
            coste: coste.map(Cents),
        };
        table.edit(&typed(Some(1_23))).expect("a cost");
        assert_eq!(cost(&table, 0), Some(Cents(1_23)));
        table.edit(&typed(None)).expect("no cost of its own");
        assert_eq!(cost(&table, 0), of(&table).part(Percentage(6_000)));
        for wrong in [typed(Some(-1)), typed(Some(MAX_PRECIO + 1)), part(Some(10_001)), part(Some(-1))] {
            assert!(table.edit(&wrong).is_err(), "{wrong:?}");
        }
        table.edit(&part(None)).expect("unknown again");
        assert_eq!(table, Tarifa::por_defecto());
    }

    #[test]
    fn raising_never_passes_the_limit() {
        let mut table = Tarifa::por_defecto();
        table.edit(&precio(MAX_PRECIO)).expect("the dearest");
        let before = table.clone();
        let raise = TarifaEdit::Raise { capitulo: None, percentage: Percentage(1) };
        assert!(table.edit(&raise).is_err());
        assert_eq!(table, before);
        let lower = TarifaEdit::Raise { capitulo: None, percentage: Percentage(-5_000) };
        table.edit(&lower).expect("lowered");
        assert_eq!(of(&table), Cents(MAX_PRECIO / 2));
    }
}
