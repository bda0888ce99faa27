//! Merges the changes of two people to one draft. The changes of each are kept; only where both changed the same value
//! in different ways is there a question to answer.
//!
//! Every value is compared with the version that both began with. Rooms and lines are matched by their ids, chapters by
//! their lines or their key. Quantity and price belong to their unit, so if one person changed the unit of a line, the
//! question is about the whole line.

mod order;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use self::order::order;
use super::changes::format_discount;
use super::{
    Adjustment, Draft, DraftChapter, DraftLine, FotoChoice, NotaChoice, Room, RoomInput, TaxChoice, WorkInput,
};
use crate::decimal::{Cantidad, Percentage};
use crate::iva::{Answer, Contratante};
use crate::money::Cents;
use crate::presupuesto::{Character, Discount, Payment, Terms};
use crate::tarifa::Unidad;
use crate::{Zona, words};

enumeration! {
    /// One of the two people who changed a draft.
    Side { Mine = "mia", Theirs = "suya" }
}

/// Something that both people changed in different ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The key of its answer.
    pub key: String,
    /// «Alicatado: precio».
    pub subject: String,
    pub mine: String,
    pub theirs: String,
}

/// Answers by the keys of their questions.
pub type Answers = BTreeMap<String, Side>;

/// Two versions merged into one.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// Contains my version wherever a question is open.
    pub draft: Draft,
    /// The questions without an answer.
    pub open: Vec<Question>,
}

impl Draft {
    /// Merges what two people made of one draft.
    pub fn merge(base: &Self, theirs: &Self, mine: &Self, answers: &Answers) -> Merged {
        let of = Three { base, theirs, mine };
        let mut with = Merging { answers, open: Vec::new(), lines: of.map(by_id), placed: BTreeSet::new() };
        let mut draft = Self {
            rooms: with.rooms(of.map(|d| d.rooms.as_slice())),
            job: with.job(of.map(|d| &d.job)),
            job_of_lead: of.map(|d| &d.job_of_lead).follow().clone(),
            tarifa: of.map(|d| &d.tarifa).follow().clone(),
            discount: with.value(
                "descuento",
                "Descuento sobre el total",
                of.map(|d| d.discount.clone()),
                |d| d.as_ref().map_or_else(nothing, show_discount),
            ),
            fotos: with.fotos(of.map(|d| &d.fotos)),
            notas: notas(of.map(|d| &d.notas)),
            terms: with.terms(of.map(|d| &d.terms)),
            condiciones: with.value("condiciones", "Condiciones", of.map(|d| d.condiciones.clone()), |all| {
                all.as_ref().map_or_else(|| "Las de la empresa".to_owned(), |all| all.join(" "))
            }),
            valid_days: with.value("dias", "Días de validez", of.map(|d| d.valid_days), |days| {
                days.map_or_else(|| "Los de la empresa".to_owned(), |days| days.to_string())
            }),
            tax: with.tax(of.map(|d| d.tax)),
            character: with.value("caracter", "Carácter", of.map(|d| d.character), |c| {
                c.map_or("Según lo que se sabe", Character::as_str).to_owned()
            }),
        };
        draft.fill_ids();
        Merged { draft, open: with.open }
    }
}

/// A value in the three versions.
#[derive(Clone, Copy)]
struct Three<T> {
    base: T,
    theirs: T,
    mine: T,
}

impl<T: Copy> Three<T> {
    fn map<U>(self, part: impl Fn(T) -> U) -> Three<U> {
        Three { base: part(self.base), theirs: part(self.theirs), mine: part(self.mine) }
    }
}

impl<T: PartialEq> Three<T> {
    /// The version of the person who changed it. If both changed it in different ways: both versions, theirs first.
    fn settled(self) -> Result<T, (T, T)> {
        match self {
            Self { base, theirs, mine } if theirs == mine || theirs == base => Ok(mine),
            Self { base, theirs, mine } if mine == base => Ok(theirs),
            Self { theirs, mine, .. } => Err((theirs, mine)),
        }
    }

    /// Like `settled`, for a value that no person types. If both changed it in different ways, their version is kept,
    /// because it is already stored.
    fn follow(self) -> T {
        self.settled().unwrap_or_else(|(theirs, _)| theirs)
    }
}

fn by_id(draft: &Draft) -> HashMap<&str, &DraftLine> {
    draft.lines().map(|line| (line.id.as_str(), line)).collect()
}

/// An element of a list, in each version that has it.
type Parts<'a, T> = (Option<&'a T>, Option<&'a T>, Option<&'a T>);

/// The elements of three lists, matched by their keys, in the order of [`order()`].
fn parts<'a, T, K: PartialEq + Clone>(of: Three<&'a [T]>, keys: &Three<Vec<K>>) -> Vec<Parts<'a, T>> {
    let find = |list: &'a [T], keys: &[K], key: &K| list.get(keys.iter().position(|other| other == key)?);
    let part = |key: &K| {
        (find(of.base, &keys.base, key), find(of.theirs, &keys.theirs, key), find(of.mine, &keys.mine, key))
    };
    order(&keys.base, &keys.theirs, &keys.mine).iter().map(part).collect()
}

struct Merging<'a> {
    answers: &'a Answers,
    open: Vec<Question>,
    lines: Three<HashMap<&'a str, &'a DraftLine>>,
    /// The lines that already have their place, so that no line appears twice.
    placed: BTreeSet<&'a str>,
}

impl<'a> Merging<'a> {
    /// Which version counts. Records an open question if there is no answer yet.
    fn ask(&mut self, key: &str, subject: &str, theirs: String, mine: String) -> Side {
        if let Some(side) = self.answers.get(key) {
            return *side;
        }
        self.open.push(Question { key: key.to_owned(), subject: subject.to_owned(), mine, theirs });
        Side::Mine
    }

    fn value<T: PartialEq>(
        &mut self,
        key: &str,
        subject: &str,
        of: Three<T>,
        show: impl Fn(&T) -> String,
    ) -> T {
        let (theirs, mine) = match of.settled() {
            Ok(value) => return value,
            Err(both) => both,
        };
        match self.ask(key, subject, show(&theirs), show(&mine)) {
            Side::Theirs => theirs,
            Side::Mine => mine,
        }
    }

    fn text(&mut self, key: &str, subject: &str, of: Three<&Option<String>>) -> Option<String> {
        self.value(key, subject, of, |text| text.as_deref().map_or_else(nothing, str::to_owned)).clone()
    }

    /// Whether to keep an element that only one version still has. A new element is kept. An element that the other
    /// person removed is dropped, unless it was changed in this version: then there is a question.
    fn stays<T: PartialEq>(
        &mut self,
        (base, left, whose): (Option<&T>, &T, Side),
        key: &str,
        subject: &str,
        shown: String,
    ) -> bool {
        let gone = || "Quitar".to_owned();
        match (base, whose) {
            (None, _) => true,
            (Some(base), _) if base == left => false,
            (_, Side::Mine) => self.ask(key, subject, gone(), shown) == whose,
            (_, Side::Theirs) => self.ask(key, subject, shown, gone()) == whose,
        }
    }

    fn rooms(&mut self, of: Three<&'a [Room]>) -> Vec<Room> {
        let mut rooms = Vec::new();
        let keys = of.map(|list| list.iter().map(|room| room.id).collect());
        for part in parts(of, &keys) {
            let mut one_sided = |base, room: &Room, whose| {
                let (key, name) = (format!("estancia.{}", room.id), name_of_room(room));
                self.stays((base, room, whose), &key, &name, "Dejarla, con los cambios".to_owned())
            };
            match part {
                (Some(base), Some(theirs), Some(mine)) => rooms.push(self.room(Three { base, theirs, mine })),
                (None, Some(theirs), Some(mine)) => {
                    rooms.push(theirs.clone());
                    // Both people added a room under the same number.
                    if mine != theirs {
                        let mut other = Room { id: 0, ..mine.clone() };
                        for line in other.capitulos.iter_mut().flat_map(|c| &mut c.lines) {
                            line.id.clear();
                        }
                        rooms.push(other);
                    }
                }
                (base, Some(room), None) if one_sided(base, room, Side::Theirs) => rooms.push(room.clone()),
                (base, None, Some(room)) if one_sided(base, room, Side::Mine) => rooms.push(room.clone()),
                _ => {}
            }
        }
        rooms
    }

    fn room(&mut self, of: Three<&'a Room>) -> Room {
        let name = name_of_room(of.mine);
        let key = |part: &str| format!("estancia.{}.{part}", of.theirs.id);
        let about = |part: &str| format!("{name}: {part}");
        let facts = of.map(|room| &room.facts);
        // Whether the area was measured belongs to the area.
        let area = facts.map(|f| (f.m2_suelo, f.estimated));
        let (m2_suelo, estimated) = self.value(&key("m2"), &about("m² de suelo"), area, show_area);
        Room {
            id: of.theirs.id,
            nombre: self.text(&key("nombre"), &about("título"), of.map(|room| &room.nombre)),
            facts: RoomInput {
                kind: self.value(&key("tipo"), &about("tipo"), facts.map(|f| f.kind), |kind| {
                    kind.map_or_else(unsaid, |kind| kind.label().to_owned())
                }),
                calidad: self.value(
                    &key("calidad"),
                    &about("calidad"),
                    facts.map(|f| f.calidad),
                    |calidad| calidad.map_or_else(unsaid, |calidad| calidad.to_string()),
                ),
                estructural: self.value(
                    &key("estructural"),
                    &about("si se toca la estructura"),
                    facts.map(|f| f.estructural),
                    |yes| yes.map_or_else(unsaid, |yes| if yes { "Sí" } else { "No" }.to_owned()),
                ),
                m2_suelo,
                estimated,
                room_kind: facts.map(|f| f.room_kind).follow(),
            },
            of_lead: of.map(|room| room.of_lead).follow(),
            capitulos: self.capitulos(of),
            adjustments: self.adjustments(of),
            table: of.map(|room| &room.table).follow().clone(),
        }
    }

    fn capitulos(&mut self, room: Three<&'a Room>) -> Vec<DraftChapter> {
        let lists = room.map(|room| room.capitulos.as_slice());
        let mut known: Vec<&DraftChapter> = Vec::new();
        let mut numbers = |list: &'a [DraftChapter]| {
            let mut taken = Vec::new();
            for capitulo in list {
                let found = (0..known.len()).find(|n| !taken.contains(n) && is_same(known[*n], capitulo));
                taken.push(found.unwrap_or(known.len()));
                if found.is_none() {
                    known.push(capitulo);
                }
            }
            taken
        };
        let keys =
            Three { base: numbers(lists.base), theirs: numbers(lists.theirs), mine: numbers(lists.mine) };
        let mut merged = Vec::new();
        for (n, (base, theirs, mine)) in parts(lists, &keys).into_iter().enumerate() {
            let Some(one) = theirs.or(mine) else { continue };
            let mut capitulo = DraftChapter { lines: Vec::new(), ..one.clone() };
            if let (Some(base), Some(theirs), Some(mine)) = (base, theirs, mine) {
                let of = Three { base, theirs, mine };
                let subject = format!("Nombre del capítulo «{}»", base.nombre);
                let key = format!("capitulo.{}.{n}", room.theirs.id);
                capitulo.nombre = self.value(&key, &subject, of.map(|c| c.nombre.clone()), String::clone);
                capitulo.zona = of.map(|c| c.zona).follow();
                capitulo.key = of.map(|c| &c.key).follow().clone();
                capitulo.table = of.map(|c| &c.table).follow().clone();
            }
            capitulo.lines = self.lines(base, theirs, mine);
            if !capitulo.lines.is_empty() {
                merged.push(capitulo);
            }
        }
        merged
    }

    /// Lines are looked up in the whole draft, so a line that was moved elsewhere does not count as removed.
    fn lines(
        &mut self,
        base: Option<&'a DraftChapter>,
        theirs: Option<&'a DraftChapter>,
        mine: Option<&'a DraftChapter>,
    ) -> Vec<DraftLine> {
        let ids = |c: Option<&'a DraftChapter>| -> Vec<&'a str> {
            c.into_iter().flat_map(|c| &c.lines).map(|line| line.id.as_str()).collect()
        };
        let mut lines = Vec::new();
        for id in order(&ids(base), &ids(theirs), &ids(mine)) {
            if !self.placed.insert(id) {
                continue;
            }
            let of = Three {
                base: self.lines.base.get(id).copied(),
                theirs: self.lines.theirs.get(id).copied(),
                mine: self.lines.mine.get(id).copied(),
            };
            let mut one_sided = |line: &DraftLine, whose| {
                self.stays((of.base, line, whose), &format!("linea.{id}"), &line.concepto, measure(line))
            };
            match (of.base, of.theirs, of.mine) {
                (Some(base), Some(theirs), Some(mine)) => lines.push(self.line(Three { base, theirs, mine })),
                (None, Some(theirs), Some(mine)) => {
                    lines.push(theirs.clone());
                    // Both people added a line under the same id.
                    if mine != theirs {
                        lines.push(DraftLine { id: String::new(), ..mine.clone() });
                    }
                }
                (_, Some(line), None) if one_sided(line, Side::Theirs) => lines.push(line.clone()),
                (_, None, Some(line)) if one_sided(line, Side::Mine) => lines.push(line.clone()),
                _ => {}
            }
        }
        lines
    }

    fn line(&mut self, of: Three<&DraftLine>) -> DraftLine {
        let id = &of.theirs.id;
        let key = |part: &str| format!("linea.{id}.{part}");
        let about = |part: &str| format!("{}: {part}", of.base.concepto);
        let measures = of.map(|l| (l.cantidad, l.unidad, l.precio));
        let (cantidad, unidad, precio) = if of.theirs.unidad == of.mine.unidad {
            let cantidad = self.value(&key("cantidad"), &about("cantidad"), of.map(|l| l.cantidad), |n| {
                format!("{n} {}", of.mine.unidad.symbol())
            });
            let precio = self.value(&key("precio"), &about("precio"), of.map(|l| l.precio), Cents::to_string);
            (cantidad, of.mine.unidad, precio)
        } else {
            self.value(&key("medida"), &about("cantidad, unidad y precio"), measures, show_measure)
        };
        let percentage = |p: &Percentage| p.to_string();
        DraftLine {
            id: id.clone(),
            key: of.map(|l| &l.key).follow().clone(),
            concepto: self.value(
                &key("concepto"),
                &about("concepto"),
                of.map(|l| l.concepto.clone()),
                String::clone,
            ),
            detail: self.text(&key("detalle"), &about("detalle"), of.map(|l| &l.detail)),
            cantidad,
            unidad,
            precio,
            material: self.value(&key("material"), &about("material"), of.map(|l| l.material), percentage),
            coste: self.value(&key("coste"), &about("lo que te cuesta"), of.map(|l| l.coste), |coste| {
                coste.map_or_else(nothing, |coste| coste.to_string())
            }),
            discount: self.value(&key("descuento"), &about("descuento"), of.map(|l| l.discount), percentage),
            optional: of.map(|l| l.optional).follow(),
            table: of.map(|l| &l.table).follow().clone(),
        }
    }

    fn adjustments(&mut self, of: Three<&'a Room>) -> Vec<Adjustment> {
        let lists = of.map(|room| room.adjustments.as_slice());
        let keys = lists.map(|list| list.iter().map(|a| a.cause).collect());
        let key = |a: &Adjustment| format!("ajuste.{}.{}", of.theirs.id, a.cause);
        let mut all = Vec::new();
        for part in parts(lists, &keys) {
            let mut one_sided = |base, a: &Adjustment, whose| {
                self.stays((base, a, whose), &key(a), &a.concepto, a.percentage.to_string())
            };
            match part {
                (base, Some(theirs), Some(mine)) => {
                    let of = Three { base: base.unwrap_or(theirs), theirs, mine };
                    all.push(Adjustment {
                        cause: theirs.cause,
                        concepto: of.map(|a| &a.concepto).follow().clone(),
                        percentage: self.value(
                            &key(theirs),
                            &theirs.concepto,
                            of.map(|a| a.percentage),
                            Percentage::to_string,
                        ),
                        table: of.map(|a| &a.table).follow().clone(),
                    });
                }
                (base, Some(a), None) if one_sided(base, a, Side::Theirs) => all.push(a.clone()),
                (base, None, Some(a)) if one_sided(base, a, Side::Mine) => all.push(a.clone()),
                _ => {}
            }
        }
        all
    }

    fn job(&mut self, of: Three<&WorkInput>) -> WorkInput {
        WorkInput {
            urgencia: self.value("urgencia", "Urgencia", of.map(|job| job.urgencia), |urgencia| {
                urgencia.map_or_else(unsaid, |urgencia| urgencia.to_string())
            }),
            provincia: self.text("provincia", "Provincia", of.map(|job| &job.provincia)),
        }
    }

    fn terms(&mut self, of: Three<&Terms>) -> Terms {
        Terms {
            intro: self.text("introduccion", "Introducción", of.map(|t| &t.intro)),
            extra: self.text("textoAdicional", "Texto adicional", of.map(|t| &t.extra)),
            site: self.text("direccionObra", "Dirección de la obra", of.map(|t| &t.site)),
            nif: self.text("nifCliente", "NIF del cliente", of.map(|t| &t.nif)),
            address: self.text("direccionCliente", "Dirección del cliente", of.map(|t| &t.address)),
            start: self.value("inicio", "Empieza el", of.map(|t| t.start), |day| {
                day.map_or_else(nothing, words::day)
            }),
            duration: self.text("duracion", "Duración", of.map(|t| &t.duration)),
            payments: self.payments(of.map(|t| &t.payments)),
        }
    }

    /// The percentages of a plan belong together, because they sum to 100. A different number of payments is a
    /// different plan.
    fn payments(&mut self, of: Three<&Vec<Payment>>) -> Vec<Payment> {
        let is_one_plan = of.theirs.len() == of.mine.len() && of.theirs.len() == of.base.len();
        if !is_one_plan {
            return self.value("pagos", "Plan de pagos", of.map(Vec::clone), |plan| show_plan(plan));
        }
        let parts = of.map(|plan| plan.iter().map(|p| p.percentage).collect::<Vec<_>>());
        let parts = self.value("pagos", "Partes del plan de pagos", parts, |parts| {
            parts.iter().map(Percentage::to_string).collect::<Vec<_>>().join(", ")
        });
        let each = parts.into_iter().enumerate().map(|(n, percentage)| {
            let (key, subject) = (format!("pago.{n}"), format!("Cuándo es el pago {}", n + 1));
            let moment = self.value(&key, &subject, of.map(|plan| plan[n].moment.clone()), String::clone);
            Payment { percentage, moment }
        });
        each.collect()
    }

    fn tax(&mut self, of: Three<Option<TaxChoice>>) -> Option<TaxChoice> {
        if let Ok(settled) = of.settled() {
            return settled;
        }
        let of = of.map(Option::unwrap_or_default);
        let answer = |answer: &Option<Answer>| match answer {
            None => "Lo que dice el lead",
            Some(Answer::Declared) => "Sí",
            Some(Answer::Denied) => "No",
            Some(Answer::Unknown) => "No se sabe",
        };
        let answer = |given: &Option<Answer>| answer(given).to_owned();
        let choice = TaxChoice {
            vivienda: self.value("vivienda", "¿Es una vivienda?", of.map(|tax| tax.vivienda), answer),
            contratante: self.value(
                "contratante",
                "¿Quién contrata?",
                of.map(|tax| tax.contratante),
                |who| {
                    let who = who.map(|who| who.map_or("No se sabe", Contratante::label));
                    who.unwrap_or("Lo que dice el lead").to_owned()
                },
            ),
            two_years: self.value(
                "dosAnos",
                "¿Dos años desde la construcción o rehabilitación?",
                of.map(|tax| tax.two_years),
                answer,
            ),
        };
        Some(choice).filter(|choice| *choice != TaxChoice::default())
    }

    fn fotos(&mut self, of: Three<&FotoChoice>) -> FotoChoice {
        let order = match of.map(|f| &f.order).settled() {
            Ok(order) => order,
            Err((theirs, mine)) => {
                let (side, own) = ("Su orden".to_owned(), "Tu orden".to_owned());
                if self.ask("fotos", "Orden de las fotos", side, own) == Side::Mine { mine } else { theirs }
            }
        };
        FotoChoice { order: order.clone(), left_out: set(of.map(|f| f.left_out.as_slice())) }
    }
}

/// An element is either in the set or not, so two people cannot change it in different ways.
fn notas(of: Three<&NotaChoice>) -> NotaChoice {
    NotaChoice {
        shown: set(of.map(|n| n.shown.as_slice())),
        left_out: set(of.map(|n| n.left_out.as_slice())),
        without_wishes: of.map(|n| n.without_wishes).follow(),
        without_target: of.map(|n| n.without_target).follow(),
    }
}

fn set<T: PartialEq + Copy>(of: Three<&[T]>) -> Vec<T> {
    let (theirs, mine) = match of.settled() {
        Ok(settled) => return settled.to_vec(),
        Err(both) => both,
    };
    let is_taken_out = |one: &&T| of.base.contains(one) && !mine.contains(one);
    let is_new = |one: &&T| !of.base.contains(one) && !theirs.contains(one);
    let kept = theirs.iter().filter(|one| !is_taken_out(one));
    kept.chain(mine.iter().filter(is_new)).copied().collect()
}

/// Whether two chapters, from different versions of a room, are the same chapter.
fn is_same(one: &DraftChapter, other: &DraftChapter) -> bool {
    let is_of_table = one.key.is_some() && one.key == other.key && one.zona == other.zona;
    is_of_table || one.lines.iter().any(|line| other.lines.iter().any(|twin| twin.id == line.id))
}

fn name_of_room(room: &Room) -> String {
    let kind = Zona::assumed(room.facts.kind);
    room.nombre.clone().unwrap_or_else(|| kind.heading(kind).to_owned())
}

fn show_area((m2, estimated): &(Option<f64>, bool)) -> String {
    let Some(m2) = m2 else { return unsaid() };
    #[allow(clippy::cast_possible_truncation, reason = "what does not fit is no area and saturates")]
    let area = Cantidad((m2 * 100.0).round() as i64);
    format!("{area} m²{}", if *estimated { ", sin medir" } else { "" })
}

fn show_measure((cantidad, unidad, precio): &(Cantidad, Unidad, Cents)) -> String {
    format!("{cantidad} {} a {precio}", unidad.symbol())
}

fn measure(line: &DraftLine) -> String {
    format!("Dejarla: {}", show_measure(&(line.cantidad, line.unidad, line.precio)))
}

fn show_discount(discount: &Discount) -> String {
    let reason = discount.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("{}{reason}", format_discount(discount))
}

fn show_plan(plan: &[Payment]) -> String {
    let each: Vec<String> = plan.iter().map(|p| format!("{} {}", p.percentage, p.moment)).collect();
    if each.is_empty() { nothing() } else { each.join(", ") }
}

fn nothing() -> String {
    "Nada".to_owned()
}

fn unsaid() -> String {
    "Sin decir".to_owned()
}

#[cfg(test)]
mod tests;
