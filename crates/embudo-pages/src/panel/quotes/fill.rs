//! Writes the typed values into a draft. The code walks the draft and never the form, so a form cannot decide the
//! number of lines.

use embudo_domain::brand::Brand;
use embudo_domain::decimal::{Cantidad, Percentage};
use embudo_domain::iva::{Answer, Condiciones, Contratante};
use embudo_domain::money::Cents;
use embudo_domain::perfil::{Calidad, Urgencia};
use embudo_domain::presupuesto::draft::{DraftLine, Room, TaxChoice};
use embudo_domain::presupuesto::{Base, Character, Discount, DiscountValue, Draft};
use embudo_domain::record::LeadRecord;
use embudo_domain::tarifa::Unidad;
use embudo_domain::{FotoId, NotaId, Zona};

use super::fields::{
    Mistakes, Typed, area, number, of_adjustment, of_capitulo, of_line, of_payment, of_room, usual_of,
};

/// Larger areas are typing mistakes. The price table has its own limits for the areas that it prices.
const MAX_M2: i64 = 10_000_000;

/// Writes the typed values into a draft. A value that cannot be read stays as it was, and its error is returned.
pub(super) fn fill(draft: &mut Draft, typed: &Typed, record: &LeadRecord, base: Base<'_>) -> Mistakes {
    let mut with = Filling { typed, mistakes: Mistakes::default() };
    for room in &mut draft.rooms {
        with.room(room);
    }
    with.job(draft);
    with.discount(draft);
    with.terms(draft);
    with.company(draft, base.brand);
    with.tax(draft, base.condiciones);
    with.fotos(draft, record);
    with.notas(draft, record, base.brand);
    with.mistakes
}

struct Filling<'a> {
    typed: &'a Typed,
    mistakes: Mistakes,
}

impl Filling<'_> {
    fn line(&self, name: &str, into: &mut String) {
        if let Some(text) = self.typed.line(name) {
            *into = text;
        }
    }

    fn optional(&self, name: &str, into: &mut Option<String>) {
        if let Some(text) = self.typed.prose(name) {
            *into = Some(text).filter(|text| !text.is_empty());
        }
    }

    /// A required number.
    fn number(&mut self, name: &str, into: &mut i64) {
        let Some(text) = self.typed.line(name) else { return };
        match number(&text) {
            Ok(value) => *into = value,
            Err(mistake) => self.mistakes.add(name, mistake),
        }
    }

    /// An optional number.
    fn maybe(&mut self, name: &str, into: &mut Option<i64>) {
        match self.typed.line(name) {
            None => {}
            Some(text) if text.is_empty() => *into = None,
            Some(text) => match number(&text) {
                Ok(value) => *into = Some(value),
                Err(mistake) => self.mistakes.add(name, mistake),
            },
        }
    }

    /// A choice. An unknown word changes nothing.
    fn choice<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>, into: &mut Option<T>) {
        match self.typed.line(name) {
            None => {}
            Some(word) if word.is_empty() => *into = None,
            Some(word) => *into = parse(&word).or(into.take()),
        }
    }

    /// A checkbox with a hidden «no».
    fn ticked(&self, name: &str) -> Option<bool> {
        self.typed.line(name).map(|word| word == "si")
    }

    fn room(&mut self, room: &mut Room) {
        let name = |part: &str| of_room(room.id, part);
        self.optional(&name("nombre"), &mut room.nombre);
        room.nombre = room.nombre.take().map(|nombre| nombre.replace('\n', " "));
        self.choice(&name("tipo"), Zona::parse, &mut room.facts.kind);
        self.choice(&name("calidad"), Calidad::parse, &mut room.facts.calidad);
        let yes = |word: &str| Some(word == "si");
        self.choice(&name("estructural"), yes, &mut room.facts.estructural);
        self.area(&name("m2"), &mut room.facts.m2_suelo);
        if let Some(is_measured) = self.ticked(&name("medidos")) {
            room.facts.estimated = room.facts.m2_suelo.is_some() && !is_measured;
        }
        for (n, capitulo) in room.capitulos.iter_mut().enumerate() {
            self.line(&of_capitulo(room.id, n), &mut capitulo.nombre);
            for line in &mut capitulo.lines {
                self.partida(line);
            }
        }
        for (n, adjustment) in room.adjustments.iter_mut().enumerate() {
            self.number(&of_adjustment(room.id, n), &mut adjustment.percentage.0);
        }
    }

    fn area(&mut self, name: &str, into: &mut Option<f64>) {
        let Some(text) = self.typed.line(name) else { return };
        // The lead's area may have more decimals than the form shows.
        if text == area(*into) {
            return;
        }
        match number(&text) {
            _ if text.is_empty() => *into = None,
            #[allow(clippy::cast_precision_loss, reason = "it is bounded far below")]
            Ok(area) if (1..=MAX_M2).contains(&area) => *into = Some(area as f64 / 100.0),
            Ok(_) => self.mistakes.add(name, "Pon los metros cuadrados del suelo, de 0,01 a 100.000."),
            Err(mistake) => self.mistakes.add(name, mistake),
        }
    }

    fn partida(&mut self, line: &mut DraftLine) {
        let id = line.id.clone();
        let name = |part: &str| of_line(&id, part);
        self.line(&name("concepto"), &mut line.concepto);
        self.optional(&name("detalle"), &mut line.detail);
        let Cantidad(cantidad) = &mut line.cantidad;
        self.number(&name("cantidad"), cantidad);
        if let Some(unidad) = self.typed.line(&name("unidad")).and_then(|word| Unidad::parse(&word)) {
            line.unidad = unidad;
        }
        self.number(&name("precio"), &mut line.precio.0);
        let mut coste = line.coste.map(|c| c.0);
        self.maybe(&name("coste"), &mut coste);
        line.coste = coste.map(Cents);
        for (part, into) in [("descuento", &mut line.discount), ("material", &mut line.material)] {
            let mut value = Some(into.0);
            self.maybe(&name(part), &mut value);
            *into = Percentage(value.unwrap_or(0));
        }
        if let Some(is_optional) = self.ticked(&name("opcional")) {
            line.optional = is_optional;
        }
    }

    fn job(&mut self, draft: &mut Draft) {
        self.choice("obra.urgencia", Urgencia::parse, &mut draft.job.urgencia);
        self.optional("obra.provincia", &mut draft.job.provincia);
    }

    fn discount(&mut self, draft: &mut Draft) {
        let Some(text) = self.typed.line("descuento.valor") else { return };
        if text.is_empty() {
            draft.discount = None;
            return;
        }
        let value = match number(&text) {
            Ok(value) => value,
            Err(mistake) => return self.mistakes.add("descuento.valor", mistake),
        };
        let value = match self.typed.word("descuento.tipo").as_str() {
            "importe" => DiscountValue::Amount(Cents(value)),
            _ => DiscountValue::Percentage(Percentage(value)),
        };
        let reason = Some(self.typed.word("descuento.motivo")).filter(|reason| !reason.is_empty());
        draft.discount = Some(Discount { value, reason });
    }

    fn terms(&mut self, draft: &mut Draft) {
        let terms = &mut draft.terms;
        for (name, into) in [
            ("terminos.introduccion", &mut terms.intro),
            ("terminos.textoAdicional", &mut terms.extra),
            ("terminos.direccionObra", &mut terms.site),
            ("terminos.nifCliente", &mut terms.nif),
            ("terminos.direccionCliente", &mut terms.address),
            ("terminos.duracion", &mut terms.duration),
        ] {
            self.optional(name, into);
        }
        match self.typed.line("terminos.inicio") {
            None => {}
            Some(day) if day.is_empty() => terms.start = None,
            Some(day) => match day.parse() {
                Ok(day) => terms.start = Some(day),
                Err(_) => self.mistakes.add("terminos.inicio", "Elige un día del calendario."),
            },
        }
        for (n, payment) in terms.payments.iter_mut().enumerate() {
            self.number(&of_payment(n, "porcentaje"), &mut payment.percentage.0);
            self.line(&of_payment(n, "momento"), &mut payment.moment);
        }
    }

    /// The values inherited from the company. A value that equals the company's value on the page keeps following the
    /// company.
    fn company(&mut self, draft: &mut Draft, brand: &Brand) {
        if let Some(text) = self.typed.prose("condiciones") {
            let own = sentences(&text);
            let shown = self.typed.prose(&usual_of("condiciones"));
            let usual = sentences(&shown.unwrap_or_else(|| brand.condiciones().join("\n")));
            draft.condiciones = (own != usual).then_some(own);
        }
        match self.typed.line("dias") {
            None => {}
            Some(days) if days.is_empty() => draft.valid_days = None,
            Some(days) => match days.parse::<u16>() {
                Ok(days) => {
                    let shown = self.typed.line(&usual_of("dias")).and_then(|days| days.parse().ok());
                    draft.valid_days = Some(days).filter(|days| *days != shown.unwrap_or(brand.valid_days));
                }
                Err(_) => self.mistakes.add("dias", "Escribe cuántos días vale, con cifras."),
            },
        }
        self.choice("caracter", Character::parse, &mut draft.character);
    }

    /// The answers about tax, each on its own. An answer that equals the lead's answer on the page keeps following the
    /// lead.
    fn tax(&mut self, draft: &mut Draft, usual: Condiciones) {
        let was = draft.tax.unwrap_or_default();
        let answer = |name: &str| self.typed.line(name).and_then(|word| Answer::parse(&word));
        let contratante = |name: &str| {
            let word = self.typed.line(name)?;
            if word.is_empty() { Some(None) } else { Contratante::parse(&word).map(Some) }
        };
        let choice = TaxChoice {
            vivienda: own(&answer, "iva.vivienda", usual.vivienda, was.vivienda),
            contratante: own(&contratante, "iva.contratante", usual.contratante, was.contratante),
            two_years: own(&answer, "iva.dosAnos", usual.two_years, was.two_years),
        };
        draft.tax = Some(choice).filter(|choice| *choice != TaxChoice::default());
    }

    fn fotos(&mut self, draft: &mut Draft, record: &LeadRecord) {
        let arranged = draft.fotos.arranged(&record.fotos);
        let mut placed: Vec<(i64, FotoId)> = Vec::new();
        let mut left_out = Vec::new();
        for (n, (foto, is_printed)) in arranged.iter().enumerate() {
            let name = format!("foto.{}", foto.id);
            let place = self.typed.line(&format!("{name}.orden")).and_then(|text| text.parse::<i64>().ok());
            placed.push((place.unwrap_or(i64::try_from(n + 1).unwrap_or(i64::MAX)), foto.id));
            if !self.ticked(&name).unwrap_or(*is_printed) {
                left_out.push(foto.id);
            }
        }
        // The sort is stable: of two photos with the same number, the former one stays first.
        placed.sort_by_key(|(place, _)| *place);
        draft.fotos.arrange(placed.into_iter().map(|(_, id)| id).collect(), left_out, &record.fotos);
    }

    fn notas(&mut self, draft: &mut Draft, record: &LeadRecord, brand: &Brand) {
        let is_chosen = |nota: &&embudo_domain::nota::Nota| {
            let as_it_is = draft.prints(nota, &record.lead, brand);
            self.ticked(&format!("nota.{}", nota.id)).unwrap_or(as_it_is)
        };
        let chosen: Vec<NotaId> = record.notas.iter().filter(is_chosen).map(|nota| nota.id).collect();
        draft.choose_notas(&chosen, &record.notas, &record.lead, brand);
        if let Some(is_printed) = self.ticked("gustos") {
            draft.notas.without_wishes = !is_printed;
        }
        if let Some(is_printed) = self.ticked("cifra") {
            draft.notas.without_target = !is_printed;
        }
    }
}

/// The typed value if it differs from the inherited value that the page showed. Without such a field, the previous
/// value.
fn own<T: PartialEq + Copy>(
    read: &dyn Fn(&str) -> Option<T>,
    name: &str,
    usual: T,
    was: Option<T>,
) -> Option<T> {
    let Some(value) = read(name) else { return was };
    Some(value).filter(|value| *value != read(&usual_of(name)).unwrap_or(usual))
}

fn sentences(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
