//! Makes a draft from a sealed quote, for a new version of that quote. If the draft of that quote is still stored, it
//! is the better starting point: a document contains no costs, no ids of notes, and does not show which lines a person
//! changed.

use super::{
    Adjustment, AdjustmentValues, Draft, DraftChapter, DraftLine, FotoChoice, Room, RoomInput, UsedTarifa,
    WorkInput,
};
use crate::decimal::Percentage;
use crate::iva::ratio;
use crate::money::Cents;
use crate::perfil::Urgencia;
use crate::presupuesto::{Document, PrintedOption, PrintedRoom};
use crate::pricing::{Assumption, Capitulo, Line, sum};
use crate::tarifa::{Cause, Tarifa};

impl Draft {
    /// The same lines, prices, texts and photos. Lines with a key, and the known facts, are treated as given by the
    /// table and the lead, so that [`Self::recalculate`] updates them. The table tells which chapter is which, and what
    /// a line costs the company.
    pub fn of_document(d: &Document, tarifa: &Tarifa) -> Self {
        let all: Vec<&Capitulo> = d.pricing.capitulos.iter().filter(|c| !c.is_discount()).collect();
        let whole = [PrintedRoom {
            nombre: String::new(),
            kind: d.pricing.kind,
            m2: d.pricing.m2,
            calidad: d.pricing.calidad,
            capitulos: all.len(),
            total: Cents::ZERO,
        }];
        let printed = if d.rooms.is_empty() { &whole } else { d.rooms.as_slice() };
        let (mut rest, mut rooms) = (all.as_slice(), Vec::new());
        for (id, room) in (1..).zip(printed) {
            let (own, later) = rest.split_at(room.capitulos.min(rest.len()));
            rest = later;
            rooms.push(drafted_room(id, room, own, d, tarifa));
        }
        if let Some(first) = rooms.first_mut() {
            first.of_lead = Some(first.facts);
        }
        let causes = || rooms.iter().flat_map(|r: &Room| &r.adjustments).map(|a| a.cause);
        let urgencia = match () {
            () if is_supposed(d, "urgencia", None) => None,
            () if causes().any(|c| c == Cause::UrgenciaAlta) => Some(Urgencia::Alta),
            () if causes().any(|c| c == Cause::UrgenciaBaja) => Some(Urgencia::Baja),
            () => Some(Urgencia::Media),
        };
        let known = || d.pricing.provincia.map(|p| p.nombre().to_owned());
        let job = WorkInput { urgencia, provincia: d.cliente.provincia.clone().or_else(known) };
        Self {
            rooms,
            job_of_lead: Some(job.clone()),
            job,
            tarifa: Some(UsedTarifa {
                version: d.pricing.tarifa_version.clone(),
                vigente_desde: d.pricing.tarifa_since,
            }),
            discount: d.discount.clone(),
            fotos: FotoChoice { order: d.fotos.iter().map(|f| f.id).collect(), left_out: Vec::new() },
            terms: d.terms.clone(),
            condiciones: Some(d.condiciones.clone()),
            valid_days: Some(d.valid_days),
            character: d.decided,
            ..Self::default()
        }
    }
}

fn drafted_room(id: u32, printed: &PrintedRoom, own: &[&Capitulo], d: &Document, tarifa: &Tarifa) -> Room {
    let (adjusting, items): (Vec<&Capitulo>, Vec<&Capitulo>) = own.iter().partition(|c| c.is_adjustments());
    let mut capitulos: Vec<DraftChapter> = Vec::new();
    for c in items {
        let partida = c.lines.iter().find_map(|l| tarifa.partidas().iter().find(|p| p.key == l.key));
        capitulos.push(DraftChapter {
            zona: (c.zona != printed.kind).then_some(c.zona),
            nombre: c.nombre.clone(),
            key: partida.map(|p| p.capitulo.clone()),
            table: partida.is_some().then(|| c.nombre.clone()),
            lines: c.lines.iter().map(|l| DraftLine::of_printed(l).costed(printed, tarifa)).collect(),
        });
    }
    let is_own =
        |o: &&PrintedOption| d.rooms.is_empty() || o.room.as_deref() == Some(printed.nombre.as_str());
    for option in d.options.iter().filter(is_own) {
        let line = DraftLine {
            id: option.id.clone(),
            optional: true,
            ..DraftLine::of_printed(&option.line).costed(printed, tarifa)
        };
        let zona = (option.zona != printed.kind).then_some(option.zona);
        match capitulos.iter_mut().find(|c| c.zona == zona && c.nombre == option.capitulo) {
            Some(c) => c.lines.push(line),
            None => capitulos.push(DraftChapter {
                zona,
                nombre: option.capitulo.clone(),
                lines: vec![line],
                ..DraftChapter::default()
            }),
        }
    }
    let partidas =
        sum(capitulos.iter().flat_map(|c| &c.lines).filter(|l| !l.optional).map(|l| l.printed().importe));
    let adjustments: Vec<Adjustment> =
        adjusting.iter().flat_map(|c| &c.lines).filter_map(|l| Adjustment::of_printed(l, partidas)).collect();
    let mut room = Room {
        id,
        nombre: (!d.rooms.is_empty()).then(|| printed.nombre.clone()),
        facts: facts(printed, &capitulos, &adjustments, d, tarifa),
        adjustments,
        capitulos,
        ..Room::default()
    };
    room.name_lines();
    room
}

fn facts(
    printed: &PrintedRoom,
    capitulos: &[DraftChapter],
    adjustments: &[Adjustment],
    d: &Document,
    tarifa: &Tarifa,
) -> RoomInput {
    let is_known = |datum: &str| !is_supposed(d, datum, (!d.rooms.is_empty()).then_some(&printed.nombre));
    let room = (!d.rooms.is_empty()).then_some(&printed.nombre);
    let is_estimate = supposed(d, "m2Suelo", room).any(Assumption::is_estimate);
    let keys = || capitulos.iter().flat_map(|c| &c.lines).filter_map(|l| l.key.as_deref());
    let needs = |key| tarifa.partidas().iter().any(|p| p.key == key && p.only_estructural);
    let estructural = adjustments.iter().any(|a| a.cause == Cause::Estructural) || keys().any(needs);
    // At most 10^8: the conversion is exact.
    #[allow(clippy::cast_precision_loss)]
    let m2 = printed.m2.0 as f64 / 100.0;
    RoomInput {
        kind: is_known("tipoReforma").then_some(printed.kind),
        m2_suelo: (is_known("m2Suelo") || is_estimate).then_some(m2),
        estimated: is_estimate,
        calidad: is_known("calidadGlobal").then_some(printed.calidad),
        estructural: (estructural || is_known("estructural")).then_some(estructural),
        room_kind: None,
    }
}

/// Whether the quote says that it assumes something; about one room if there are several.
fn is_supposed(d: &Document, datum: &str, room: Option<&String>) -> bool {
    supposed(d, datum, room).next().is_some()
}

fn supposed<'d>(d: &'d Document, datum: &str, room: Option<&String>) -> impl Iterator<Item = &'d Assumption> {
    let is_of =
        move |text: &str| room.is_none_or(|r| d.rooms.len() == 1 || text.starts_with(&format!("{r}: ")));
    d.pricing.assumptions.iter().filter(move |a| a.datum == datum && is_of(&a.text))
}

impl Room {
    /// Gives an id to every line that lacks one, in the form of the ids of the price table. `self.table` lists the
    /// lines that came from the table.
    fn name_lines(&mut self) {
        let mut seen = std::collections::BTreeSet::new();
        for (n, line) in self.capitulos.iter_mut().flat_map(|c| &mut c.lines).enumerate() {
            if line.id.is_empty() {
                line.id = match &line.key {
                    Some(key) => format!("{}-{key}", self.id),
                    None => format!("{}-linea-{}", self.id, n + 1),
                };
            }
            if !seen.insert(line.id.clone()) {
                line.id = format!("{}-copia-{}", self.id, n + 1);
            }
        }
        self.table = self.lines().filter(|l| l.table.is_some()).map(|l| l.id.clone()).collect();
    }
}

impl DraftLine {
    fn of_printed(l: &Line) -> Self {
        let (before, material) = l.before_discount();
        let mut line = Self {
            key: (!l.key.is_empty()).then(|| l.key.clone()),
            concepto: l.concepto.clone(),
            detail: l.detail.clone(),
            cantidad: l.cantidad,
            unidad: l.unidad,
            precio: l.precio,
            material: ratio(material, before),
            discount: l.discount.map_or(Percentage(0), |d| d.percentage),
            ..Self::default()
        };
        line.table = line.key.is_some().then(|| line.values());
        line
    }

    /// Adds the cost that the table gives, if there is one.
    fn costed(mut self, room: &PrintedRoom, tarifa: &Tarifa) -> Self {
        let partida = self.key.as_ref().and_then(|key| tarifa.partidas().iter().find(|p| p.key == *key));
        let price = partida.and_then(|p| Some((p, p.precio(room.calidad)?)));
        self.coste = price.and_then(|(partida, price)| tarifa.coste(partida, price, self.precio));
        if let Some(table) = &mut self.table {
            table.coste = self.coste;
        }
        self
    }
}

impl Adjustment {
    /// The percentage is computed back from its amount. For a quote of a few euros it may be wrong by a hundredth.
    fn of_printed(l: &Line, partidas: Cents) -> Option<Self> {
        let magnitude = ratio(Cents(l.importe.0.abs()), partidas);
        let percentage = Percentage(magnitude.0 * l.importe.0.signum());
        let concepto = l.concepto.rsplit_once(" (").map_or(l.concepto.as_str(), |(c, _)| c).to_owned();
        let values = AdjustmentValues { concepto: concepto.clone(), percentage };
        Some(Self { cause: Cause::parse(&l.key)?, concepto, percentage, table: Some(values) })
    }
}
