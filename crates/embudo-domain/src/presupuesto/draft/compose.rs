//! Seals a draft into the document of a quote.
//!
//! Rules of the sums, besides those of [`crate::pricing`]:
//!
//! 1. amount of a line = quantity × price, less its discount, each rounded half up; its materials are the same share of
//!    what is left;
//! 2. surcharges of a room are percentages of its lines after their discounts, without options;
//! 3. the discount on the whole is a line of its own at the end, never more than the sum before it: so the sum of all
//!    lines is exactly the base;
//! 4. the tax is decided by the lines before any discount, so that a discount never raises the rate;
//! 5. an option is separate: neither surcharges nor the discount on the whole apply to it.

use super::{Draft, DraftLine, FotoChoice, Room};
use crate::Zona;
use crate::errors::Invalid;
use crate::foto::Foto;
use crate::iva::{Added, Impuesto, TaxCase};
use crate::lead::Lead;
use crate::money::Cents;
use crate::nota::Nota;
use crate::presupuesto::document::{is_printed, is_shown, wishes};
use crate::presupuesto::{
    Base, Character, Cliente, Document, Issuer, PrintedFoto, PrintedNota, PrintedOption, PrintedRoom,
};
use crate::pricing::{
    Assumption, Capitulo, DISCOUNT, DISCOUNT_KEY, Line, LineDiscount, OF_THE_JOB, Pricing, Totals,
    adjustments_on, corners, lump_sum, price, sum,
};
use crate::words;

/// Why no sum can overflow: the message of every `expect`.
const FITS: &str = "a checked draft keeps every sum far below 2^63";

impl Draft {
    /// Seals the draft, or returns everything that prevents it from being sent. Long notes never prevent it: they are
    /// shortened to the space that is left.
    pub fn compose(
        &self,
        lead: &Lead,
        notas: &[Nota],
        fotos: &[Foto],
        base: Base<'_>,
    ) -> Result<Document, Invalid> {
        let (document, size) = self.seal(lead, notas, fotos, base)?.within(base.bounds);
        size.check(base.bounds)?;
        Ok(document)
    }

    /// Seals the draft where no person can be asked: what does not fit is shortened.
    pub fn compose_shortened(
        &self,
        lead: &Lead,
        notas: &[Nota],
        fotos: &[Foto],
        base: Base<'_>,
    ) -> Result<Document, Invalid> {
        Ok(self.seal(lead, notas, fotos, base)?.within(base.bounds).0)
    }

    fn seal(&self, lead: &Lead, notas: &[Nota], fotos: &[Foto], base: Base<'_>) -> Result<Document, Invalid> {
        self.check()?;
        let names = self.room_names();
        let is_named = self.rooms.len() > 1 || self.rooms.iter().any(|r| r.nombre.is_some());
        let rooms: Vec<PricedRoom> =
            self.rooms.iter().zip(names).map(|(room, name)| self.priced(room, name, lead, base)).collect();
        let mut pricing = self.pricing(&rooms, base);
        let condiciones = self.condiciones(base.condiciones);
        let case = TaxCase { provincia: pricing.provincia, condiciones, day: base.day };
        let mut impuesto = base.impuestos.apply(&pricing, condiciones, base.day);
        if self.character == Some(Character::Binding) {
            // A person confirms these facts, so they are no longer assumptions.
            pricing.assumptions.retain(|a| !a.is_deciding() && a.datum != "medidas");
        } else {
            self.put_range(&mut pricing, &mut impuesto, &rooms, case, base);
        }
        let options: Vec<PrintedOption> = rooms.iter().flat_map(|r| r.options(is_named)).collect();
        let added: Vec<Added> = options.iter().map(PrintedOption::added).collect();
        impuesto.alternative = base.impuestos.alternative(&impuesto, pricing.totals(), &added, case);
        let terms = self.terms.tidy();
        let document = Document {
            cliente: self.cliente(lead),
            empresa: Issuer::new(&lead.empresa.nombre, base.brand, base.logo),
            pricing,
            impuesto,
            valid_days: self.valid_days.unwrap_or(base.brand.valid_days),
            notas: self.printed_notas(lead, notas, base),
            fotos: self.fotos.printed(fotos),
            condiciones: self.printed_condiciones(base),
            rooms: if is_named { rooms.iter().map(PricedRoom::printed).collect() } else { Vec::new() },
            options,
            discount: self
                .discount
                .clone()
                .filter(|d| d.of(sum(rooms.iter().map(PricedRoom::total))) != Cents::ZERO),
            terms,
            decided: self.character,
            legal: Vec::new(),
        };
        Ok(document.with_legal(base.legal, condiciones, base.day))
    }

    fn pricing(&self, rooms: &[PricedRoom], base: Base<'_>) -> Pricing {
        let first = &rooms.first().expect("a checked draft has a line, and so a room").table;
        let mut capitulos: Vec<Capitulo> = rooms.iter().flat_map(|r| r.capitulos.iter().cloned()).collect();
        let lines = |all: &[Capitulo]| sum(all.iter().flat_map(|c| &c.lines).map(|l| l.material));
        let (before, material_before) = (sum(capitulos.iter().map(|c| c.total)), lines(&capitulos));
        let off = self.discount.as_ref().map_or(Cents::ZERO, |d| d.of(before));
        if let Some(discount) = self.discount.as_ref().filter(|_| off != Cents::ZERO) {
            let precio = Cents(-off.0);
            let material = precio.proportional(material_before, before).expect(FITS);
            let line = lump_sum(DISCOUNT_KEY, discount.concepto(), precio, material);
            capitulos.push(Capitulo {
                zona: first.kind,
                nombre: DISCOUNT.to_owned(),
                total: line.importe,
                lines: vec![line],
            });
        }
        let (total, material) = (sum(capitulos.iter().map(|c| c.total)), lines(&capitulos));
        let used = self.tarifa.as_ref();
        Pricing {
            tarifa_version: used.map_or_else(|| base.tarifa.version().to_owned(), |t| t.version.clone()),
            tarifa_since: used.map_or(base.tarifa.vigente_desde(), |t| t.vigente_desde),
            kind: first.kind,
            title: title(rooms),
            m2: crate::decimal::Cantidad(rooms.iter().map(|r| r.table.m2.0).sum()),
            calidad: first.calidad,
            provincia: first.provincia,
            capitulos,
            base: total,
            material,
            labour: total.checked_sub(material).expect(FITS),
            range: None,
            assumptions: assumptions(rooms),
            not_included: not_included(rooms),
            target: first.target.filter(|_| !self.notas.without_target),
        }
    }

    /// Sets a range while something that decides the price is open: the table's range, shifted by the amount that the
    /// person's changes add.
    fn put_range(
        &self,
        pricing: &mut Pricing,
        impuesto: &mut Impuesto,
        rooms: &[PricedRoom],
        case: TaxCase,
        base: Base<'_>,
    ) {
        let by_table = sum(rooms.iter().map(|r| r.table.base));
        let moved = pricing.base.checked_sub(by_table).expect(FITS);
        let open: Vec<Vec<Totals>> = rooms.iter().map(|r| r.corners.clone()).collect();
        if let Some((bases, totals)) =
            base.impuestos.range_of_rooms(&open, moved, impuesto, case, base.tarifa)
        {
            pricing.range = Some(bases);
            impuesto.range = Some(totals);
        }
    }

    /// The heading of each room. Rooms with the same name are numbered; no two rooms have the same heading, because
    /// options are assigned to rooms by it.
    fn room_names(&self) -> Vec<String> {
        let name = |r: &Room| {
            let kind = Zona::assumed(r.facts.kind);
            let own = r.nombre.as_deref().map(str::trim).filter(|n| !n.is_empty());
            own.unwrap_or(kind.heading(kind)).to_owned()
        };
        let names: Vec<String> = self.rooms.iter().map(name).collect();
        let mut headings: Vec<String> = Vec::with_capacity(names.len());
        for name in &names {
            let is_alone = names.iter().filter(|other| *other == name).count() == 1;
            let is_free = |heading: &String| !names.contains(heading) && !headings.contains(heading);
            let mut numbered = (1..).map(|n| format!("{name} {n}"));
            headings.push(match is_alone {
                true => name.clone(),
                false => numbered.find(is_free).expect("numbers do not end"),
            });
        }
        headings
    }

    fn priced(&self, room: &Room, nombre: String, lead: &Lead, base: Base<'_>) -> PricedRoom {
        let data = self.facts(room, lead);
        let table = price(&data, base.tarifa);
        let mut corners = corners(&data, base.tarifa);
        if corners.is_empty() {
            corners.push(table.totals());
        }
        let (mut capitulos, mut options) = (Vec::new(), Vec::new());
        for c in &room.capitulos {
            let zona = c.zona.unwrap_or(table.kind);
            let lines: Vec<Line> = c.lines.iter().filter(|l| !l.optional).map(DraftLine::printed).collect();
            if !lines.is_empty() {
                let total = sum(lines.iter().map(|l| l.importe));
                capitulos.push(Capitulo { zona, nombre: c.nombre.clone(), lines, total });
            }
            options.extend(c.lines.iter().filter(|l| l.optional).map(|l| PrintedOption {
                id: l.id.clone(),
                zona,
                room: None,
                capitulo: c.nombre.clone(),
                line: l.printed(),
            }));
        }
        let partidas = sum(capitulos.iter().map(|c| c.total));
        let material = sum(capitulos.iter().flat_map(|c| &c.lines).map(|l| l.material));
        let given = room.adjustments.iter().map(|a| (a.cause, a.concepto.as_str(), a.percentage));
        capitulos.extend(adjustments_on(table.kind, given, partidas, material));
        PricedRoom { nombre, table, corners, capitulos, options }
    }

    fn cliente(&self, lead: &Lead) -> Cliente {
        let said = Cliente::new(lead);
        let as_said = super::WorkInput::of(lead).provincia == self.job.provincia;
        if as_said { said } else { Cliente { provincia: self.job.provincia.clone(), ..said } }
    }

    fn printed_notas(&self, lead: &Lead, notas: &[Nota], base: Base<'_>) -> Vec<PrintedNota> {
        let choice = &self.notas;
        let is_chosen = |n: &&Nota| {
            !choice.left_out.contains(&n.id)
                && (choice.shown.contains(&n.id) || is_printed(n, lead, base.brand))
        };
        let wishes = wishes(lead).filter(|_| !choice.without_wishes);
        wishes.into_iter().chain(notas.iter().filter(is_chosen).map(|n| PrintedNota::new(n, lead))).collect()
    }

    /// If there is a plan of payments, the company's own sentence on payment is left out.
    fn printed_condiciones(&self, base: Base<'_>) -> Vec<String> {
        if let Some(own) = &self.condiciones {
            return own.iter().map(|t| t.trim().to_owned()).collect();
        }
        let mut usual = base.brand.condiciones();
        if !self.terms.payments.is_empty() {
            usual.retain(|t| !t.trim_start().to_lowercase().starts_with("forma de pago"));
        }
        usual
    }
}

impl FotoChoice {
    fn printed(&self, fotos: &[Foto]) -> Vec<PrintedFoto> {
        let place = |f: &Foto| self.order.iter().position(|id| *id == f.id).unwrap_or(usize::MAX);
        let is_chosen = |f: &&Foto| is_shown(&f.image) && !self.left_out.contains(&f.id);
        let mut chosen: Vec<&Foto> = fotos.iter().filter(is_chosen).collect();
        // The sort is stable: photos without a chosen place keep their order.
        chosen.sort_by_key(|f| place(f));
        chosen.iter().map(|f| PrintedFoto { id: f.id, zona: f.zona, momento: f.momento }).collect()
    }
}

impl DraftLine {
    pub(super) fn printed(&self) -> Line {
        let before = self.precio.by_cantidad(self.cantidad).expect(FITS);
        let off = before.part(self.discount).expect(FITS);
        let importe = before.checked_sub(off).expect(FITS);
        let material = importe.part(self.material).expect(FITS);
        let discount = (self.discount.0 != 0).then(|| LineDiscount {
            percentage: self.discount,
            importe: before,
            material: before.part(self.material).expect(FITS),
        });
        Line {
            key: self.key.clone().unwrap_or_default(),
            concepto: self.concepto.clone(),
            detail: self.detail.clone(),
            cantidad: self.cantidad,
            unidad: self.unidad,
            precio: self.precio,
            importe,
            material,
            labour: importe.checked_sub(material).expect(FITS),
            discount,
        }
    }
}

/// A room with its lines, together with what the table says about it today.
struct PricedRoom {
    nombre: String,
    table: Pricing,
    /// The totals at the extremes of what is unknown; only one if nothing is unknown.
    corners: Vec<Totals>,
    capitulos: Vec<Capitulo>,
    options: Vec<PrintedOption>,
}

impl PricedRoom {
    fn total(&self) -> Cents {
        sum(self.capitulos.iter().map(|c| c.total))
    }

    fn options(&self, is_named: bool) -> impl Iterator<Item = PrintedOption> {
        let room = is_named.then(|| self.nombre.clone());
        self.options.iter().map(move |o| PrintedOption { room: room.clone(), ..o.clone() })
    }

    fn printed(&self) -> PrintedRoom {
        PrintedRoom {
            nombre: self.nombre.clone(),
            kind: self.table.kind,
            m2: self.table.m2,
            calidad: self.table.calidad,
            capitulos: self.capitulos.len(),
            total: self.total(),
        }
    }
}

/// «Reforma de cocina y baño».
fn title(rooms: &[PricedRoom]) -> String {
    let mut titles: Vec<&str> = Vec::new();
    for room in rooms {
        if !titles.contains(&room.table.title.as_str()) {
            titles.push(&room.table.title);
        }
    }
    let short = |t: &str, n: usize| match n {
        0 => t.to_owned(),
        _ => t.strip_prefix("Reforma de ").unwrap_or(t).to_owned(),
    };
    let mut titles: Vec<String> = titles.iter().enumerate().map(|(n, t)| short(t, n)).collect();
    let last = titles.pop().unwrap_or_default();
    if titles.is_empty() { last } else { format!("{} y {last}", titles.join(", ")) }
}

/// The assumptions: those about the whole job once, those about a room with its name if there are several rooms.
fn assumptions(rooms: &[PricedRoom]) -> Vec<Assumption> {
    let mut all: Vec<Assumption> = Vec::new();
    for room in rooms {
        for a in &room.table.assumptions {
            let is_of_job = OF_THE_JOB.contains(&a.datum.as_str());
            let said = match is_of_job || rooms.len() == 1 {
                true => a.clone(),
                false => Assumption {
                    text: format!("{}: {}", room.nombre, words::lowercase_first(&a.text)),
                    ..a.clone()
                },
            };
            if !all.contains(&said) {
                all.push(said);
            }
        }
    }
    all
}

fn not_included(rooms: &[PricedRoom]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in rooms.iter().flat_map(|r| &r.table.not_included) {
        if !all.contains(text) {
            all.push(text.clone());
        }
    }
    all
}
