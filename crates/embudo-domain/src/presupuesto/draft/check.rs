//! The limits of a draft, so that every sum fits and every page can be drawn. Each mistake comes with its place and
//! says how to correct it.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::{Adjustment, Draft, DraftChapter, DraftLine, Room};
use crate::decimal::{Cantidad, Percentage};
use crate::errors::Invalid;
use crate::money::Cents;
use crate::presupuesto::{Discount, DiscountValue, Payment};
use crate::pricing::{ADJUSTMENTS, DISCOUNT, DISCOUNT_KEY};
use crate::tarifa::{Cause, MAX_QUANTITY};

/// The maximum size of a draft that is read.
pub const MAX_BYTES: usize = 4 << 20;
pub const MAX_ROOMS: usize = 20;
/// A table has at most 1,000 items.
pub const MAX_LINES: usize = 3_000;
pub const MAX_PAYMENTS: usize = 12;
const MAX_CONDITIONS: usize = 60;
const MAX_CHOICES: usize = 2_000;
const MAX_DAYS: u16 = 365;
/// 1,000,000 €: with the other limits no quote reaches 10^18 cents.
const MAX_PRECIO: Cents = Cents::euros(1_000_000);
pub(super) const MAX_TEXT: usize = 2_000;
const MAX_NAME: usize = 120;
const MAX_PLACE: usize = 300;
const MAX_PROSE: usize = 10_000;

impl Draft {
    /// Reads a draft. [`Self::check`] then finds what is wrong with it as a quote.
    pub fn read(json: &[u8]) -> Result<Self, Invalid> {
        let wrong = |mensaje: &str| Invalid::one("", "json", mensaje);
        if json.len() > MAX_BYTES {
            return Err(wrong("El borrador es demasiado largo: quita partidas o textos."));
        }
        let mut draft: Self = serde_json::from_slice(json)
            .map_err(|_| wrong("El borrador no se entiende: recarga la página y repite el cambio."))?;
        draft.fill_ids();
        Ok(draft)
    }

    /// Checks the draft. The error lists everything that prevents the draft from being sent.
    pub fn check(&self) -> Result<(), Invalid> {
        let mut wrong = Mistakes::default();
        let w = &mut wrong;
        self.rooms_and_lines(w);
        w.text("/obra/provincia", self.job.provincia.as_deref(), MAX_TEXT);
        if let Some(discount) = &self.discount {
            w.discount(discount);
        }
        let t = &self.terms;
        w.text("/terminos/introduccion", t.intro.as_deref(), MAX_PROSE);
        w.text("/terminos/textoAdicional", t.extra.as_deref(), MAX_PROSE);
        w.text("/terminos/direccionObra", t.site.as_deref(), MAX_PLACE);
        w.text("/terminos/nifCliente", t.nif.as_deref(), 32);
        w.text("/terminos/direccionCliente", t.address.as_deref(), MAX_PLACE);
        w.text("/terminos/duracion", t.duration.as_deref(), MAX_NAME);
        w.payments(&t.payments);
        let condiciones = self.condiciones.as_deref().unwrap_or_default();
        w.count("/condiciones", condiciones.len(), MAX_CONDITIONS, "condiciones");
        for (n, text) in condiciones.iter().enumerate() {
            w.required(&format!("/condiciones/{n}"), text, MAX_TEXT, "Escribe la condición o quítala.");
        }
        if self.valid_days.is_some_and(|d| !(1..=MAX_DAYS).contains(&d)) {
            let mensaje = format!("Pon entre 1 y {MAX_DAYS} días de validez.");
            w.note("/diasValidez", "rango", mensaje);
        }
        for (field, length) in [
            ("/fotos/orden", self.fotos.order.len()),
            ("/fotos/omitidas", self.fotos.left_out.len()),
            ("/notas/mostradas", self.notas.shown.len()),
            ("/notas/omitidas", self.notas.left_out.len()),
        ] {
            w.count(field, length, MAX_CHOICES, "elementos");
        }
        if wrong.0.is_empty() { Ok(()) } else { Err(wrong.0) }
    }

    fn rooms_and_lines(&self, w: &mut Mistakes) {
        w.count("/estancias", self.rooms.len(), MAX_ROOMS, "estancias");
        w.count("/estancias", self.lines().count(), MAX_LINES, "partidas");
        if !self.lines().any(|l| !l.optional) {
            w.note("/estancias", "requerido", "Añade al menos una partida que no sea opcional.");
        }
        let (mut rooms, mut lines) = (BTreeSet::new(), BTreeSet::new());
        // Of surplus rooms only the number is reported.
        for (n, room) in self.rooms.iter().enumerate().take(MAX_ROOMS) {
            let path = format!("/estancias/{n}");
            if room.id == 0 || !rooms.insert(room.id) {
                w.note(format!("{path}/id"), "valor", "Cada estancia lleva su propio número.");
            }
            w.room(&path, room, &mut lines);
        }
    }
}

/// The mistakes so far.
#[derive(Default)]
struct Mistakes(Invalid);

impl Mistakes {
    fn note(&mut self, field: impl Into<String>, code: &'static str, mensaje: impl Into<String>) {
        self.0.note_down(field, code, mensaje);
    }

    fn room<'a>(&mut self, path: &str, room: &'a Room, ids: &mut BTreeSet<&'a str>) {
        self.text(&format!("{path}/nombre"), room.nombre.as_deref(), MAX_NAME);
        self.count(&format!("{path}/lineasTabla"), room.table.len(), MAX_LINES, "partidas");
        self.count(&format!("{path}/capitulos"), room.capitulos.len(), MAX_LINES, "capítulos");
        for (n, capitulo) in room.capitulos.iter().enumerate().take(MAX_LINES) {
            self.capitulo(&format!("{path}/capitulos/{n}"), capitulo, ids);
        }
        let mut causes = BTreeSet::new();
        for (n, adjustment) in room.adjustments.iter().enumerate() {
            let path = format!("{path}/ajustes/{n}");
            if !causes.insert(adjustment.cause) {
                self.note(
                    format!("{path}/causa"),
                    "valor",
                    "Ya hay un ajuste por esta causa: deja solo uno.",
                );
            }
            self.adjustment(&path, adjustment);
        }
    }

    fn capitulo<'a>(&mut self, path: &str, capitulo: &'a DraftChapter, ids: &mut BTreeSet<&'a str>) {
        let nombre = format!("{path}/nombre");
        self.required(&nombre, &capitulo.nombre, MAX_TEXT, "Ponle un nombre al capítulo.");
        for (n, line) in capitulo.lines.iter().enumerate() {
            let path = format!("{path}/lineas/{n}");
            if line.id.is_empty() || line.id.len() > MAX_NAME || !ids.insert(&line.id) {
                self.note(format!("{path}/id"), "valor", "Cada partida lleva su propio identificador.");
            }
            let key = line.key.as_deref().unwrap_or_default();
            let reserved = (capitulo.nombre == ADJUSTMENTS && Cause::parse(key).is_some())
                || (capitulo.nombre == DISCOUNT && key == DISCOUNT_KEY);
            if reserved || key.len() > MAX_NAME {
                let mensaje =
                    format!("Cambia el nombre del capítulo: «{}» lo usa el programa.", capitulo.nombre);
                self.note(nombre.clone(), "valor", mensaje);
            }
            self.line(&path, line);
        }
    }

    fn line(&mut self, path: &str, l: &DraftLine) {
        let at = |field: &str| format!("{path}/{field}");
        self.required(&at("concepto"), &l.concepto, MAX_TEXT, "Escribe el concepto de la partida.");
        self.text(&at("detalle"), l.detail.as_deref(), MAX_TEXT);
        if !(1..=MAX_QUANTITY.0).contains(&l.cantidad.0) {
            let mensaje = format!("La cantidad va de {} a {}.", Cantidad(1), MAX_QUANTITY);
            self.note(at("cantidad"), "rango", mensaje);
        }
        self.money(&at("precio"), l.precio);
        self.money(&at("coste"), l.coste.unwrap_or_default());
        self.percentage(&at("material"), l.material, 0..=10_000);
        self.percentage(&at("descuento"), l.discount, 0..=10_000);
    }

    fn adjustment(&mut self, path: &str, a: &Adjustment) {
        self.required(&format!("{path}/concepto"), &a.concepto, MAX_TEXT, "Escribe el concepto del ajuste.");
        // The same limits as in a table. Only one cause may have a negative percentage: with two, a larger job could be
        // a cent cheaper.
        let minimum = if a.cause == Cause::UrgenciaBaja { -5_000 } else { 0 };
        self.percentage(&format!("{path}/porcentaje"), a.percentage, minimum..=20_000);
    }

    fn discount(&mut self, discount: &Discount) {
        match discount.value {
            DiscountValue::Percentage(p) => self.percentage("/descuento/valor/porcentaje", p, 0..=10_000),
            DiscountValue::Amount(amount) => self.money("/descuento/valor/importe", amount),
        }
        self.text("/descuento/motivo", discount.reason.as_deref(), MAX_PLACE);
    }

    fn payments(&mut self, payments: &[Payment]) {
        self.count("/terminos/pagos", payments.len(), MAX_PAYMENTS, "pagos");
        for (n, p) in payments.iter().enumerate() {
            let path = format!("/terminos/pagos/{n}");
            self.percentage(&format!("{path}/porcentaje"), p.percentage, 1..=10_000);
            let moment = format!("{path}/momento");
            self.required(&moment, &p.moment, MAX_PLACE, "Di cuándo se paga: «al aceptar», por ejemplo.");
        }
        let sum = payments.iter().fold(0_i64, |sum, p| sum.saturating_add(p.percentage.0));
        if !payments.is_empty() && sum != Percentage::HUNDRED.0 {
            let mensaje =
                format!("Los pagos suman el {}: ajústalos para que sumen el 100 %.", Percentage(sum));
            self.note("/terminos/pagos", "valor", mensaje);
        }
    }

    fn money(&mut self, field: &str, amount: Cents) {
        if !(Cents::ZERO..=MAX_PRECIO).contains(&amount) {
            self.note(field, "rango", format!("Pon un importe entre 0 € y {}.", MAX_PRECIO.short()));
        }
    }

    fn percentage(&mut self, field: &str, percentage: Percentage, limits: RangeInclusive<i64>) {
        if !limits.contains(&percentage.0) {
            let (from, to) = (Percentage(*limits.start()), Percentage(*limits.end()));
            self.note(field, "rango", format!("Pon un porcentaje entre el {from} y el {to}."));
        }
    }

    fn count(&mut self, field: &str, found: usize, most: usize, what: &str) {
        if found > most {
            self.note(field, "rango", format!("Caben {most} {what} como máximo, y hay {found}."));
        }
    }

    fn required(&mut self, field: &str, text: &str, most: usize, mensaje: &str) {
        if text.trim().is_empty() {
            self.note(field, "vacio", mensaje);
        }
        self.text(field, Some(text), most);
    }

    fn text(&mut self, field: &str, text: Option<&str>, most: usize) {
        let text = text.unwrap_or_default();
        if text.chars().count() > most {
            self.note(field, "rango", format!("El texto es demasiado largo: caben {most} caracteres."));
        }
        if text.contains('\0') {
            self.note(field, "caracter_nulo", "Quita el carácter nulo del texto.");
        }
    }
}
