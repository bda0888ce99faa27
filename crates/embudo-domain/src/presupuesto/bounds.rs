//! The maximum size of a quote: every line and every word costs memory and time when the quote is drawn.
//!
//! The person who edits a draft is told what does not fit ([`Size::check`]). Data from the API or from the table is
//! shortened instead, because there is no person to ask: surplus lines are summed into one line for each zone of a
//! room, so that every total stays the same, and texts are cut with «…», the longest first.

use std::collections::BTreeMap;

use super::Document;
use crate::Zona;
use crate::errors::Invalid;
use crate::iva::ratio;
use crate::pricing::{Capitulo, Line, LineDiscount, lump_sum, sum};

/// The maximum size of a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The number of lines, options included.
    pub lines: usize,
    /// The bytes of what people write, counted as in `Size`.
    pub text: usize,
}

impl Default for Bounds {
    /// 300 lines, 60 kB.
    fn default() -> Self {
        Self { lines: 300, text: 60_000 }
    }
}

/// The size that a quote would have without being shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub lines: usize,
    /// The bytes of lines, terms and conditions. Notes do not count: the quote prints as many as fit, and «…» for the
    /// rest. A paragraph counts as at least [`PARAGRAPH`]. The names of client and company and the legal texts have
    /// limits of their own.
    pub text: usize,
}

/// The space on a page that the shortest paragraph takes, in bytes of text.
const PARAGRAPH: usize = 40;
/// The chapter for the lines that were summed up.
const OTHERS: &str = "Otras partidas";

impl Size {
    /// What a person has to remove before the quote can be sent.
    pub(super) fn check(self, bounds: Bounds) -> Result<(), Invalid> {
        let mut wrong = Invalid::default();
        if self.lines > bounds.lines {
            let (most, found) = (bounds.lines, self.lines);
            let text = format!("Caben {most} partidas como máximo, y hay {found}: quita algunas o únelas.");
            wrong.note_down("/estancias", "rango", text);
        }
        if self.text > bounds.text {
            let (most, found) = (bounds.text, self.text);
            let text = format!("Los textos ocupan {found} bytes y caben {most}: acorta los más largos.");
            wrong.note_down("/textos", "rango", text);
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }
}

impl Document {
    /// The document within the bounds, and its size before. A document that fits is not changed, so that its digest
    /// stays the same.
    pub(super) fn within(mut self, bounds: Bounds) -> (Self, Size) {
        let lines = self.pricing.capitulos.iter().map(|c| c.lines.len()).sum::<usize>() + self.options.len();
        if lines > bounds.lines {
            self.sum_up_lines(bounds.lines);
            self.leave_out_options(bounds.lines);
        }
        let text = shorten(self.texts(), bounds.text);
        if self.notas.len() > bounds.lines {
            self.notas.truncate(bounds.lines);
            if let Some(last) = self.notas.last_mut() {
                last.text = "…".to_owned();
            }
        }
        let notas = self.notas.iter_mut().map(|nota| &mut nota.text).collect();
        shorten(notas, bounds.text.saturating_sub(text));
        (self, Size { lines, text })
    }

    /// Replaces the surplus lines by sums: one line in each zone of each room, so that every printed total stays the
    /// same. Surcharges and discounts are not items and stay as they are.
    fn sum_up_lines(&mut self, most: usize) {
        let over_all = self.pricing.capitulos.split_off(self.capitulos().0.len());
        let mut own = std::mem::take(&mut self.pricing.capitulos).into_iter();
        let mut parts: Vec<Vec<Capitulo>> =
            self.rooms.iter().map(|room| own.by_ref().take(room.capitulos).collect()).collect();
        if self.rooms.is_empty() {
            parts.push(own.collect());
        }
        let fixed = over_all.iter().chain(parts.iter().flatten().filter(|c| c.is_adjustments()));
        let fixed: usize = fixed.map(|c| c.lines.len()).sum();
        let sums: usize = parts.iter().map(|part| last_of_zonas(part).len()).sum();
        let mut left = most.saturating_sub(fixed + sums);
        for part in &mut parts {
            left = sum_up(part, left);
        }
        for (room, part) in self.rooms.iter_mut().zip(&parts) {
            room.capitulos = part.len();
        }
        self.pricing.capitulos = parts.into_iter().flatten().chain(over_all).collect();
    }

    /// Options are in no total, so the quote only says how many of them were left out.
    fn leave_out_options(&mut self, most: usize) {
        let lines: usize = self.pricing.capitulos.iter().map(|c| c.lines.len()).sum();
        let fit = most.saturating_sub(lines);
        let out = self.options.len().saturating_sub(fit);
        self.options.truncate(fit);
        match out {
            0 => {}
            1 => self.condiciones.push("Una opción no cabe en este documento: pregunte por ella.".to_owned()),
            n => {
                self.condiciones
                    .push(format!("{n} opciones no caben en este documento: pregunte por ellas."));
            }
        }
    }

    /// Every text that a person wrote, except for notes.
    fn texts(&mut self) -> Vec<&mut String> {
        let mut all: Vec<&mut String> = Vec::new();
        for c in &mut self.pricing.capitulos {
            all.push(&mut c.nombre);
            all.extend(c.lines.iter_mut().flat_map(texts_of));
        }
        for option in &mut self.options {
            all.push(&mut option.capitulo);
            all.extend(texts_of(&mut option.line));
        }
        all.extend(&mut self.pricing.not_included);
        all.extend(self.rooms.iter_mut().map(|room| &mut room.nombre));
        all.extend(self.discount.iter_mut().filter_map(|discount| discount.reason.as_mut()));
        let terms = &mut self.terms;
        let several = [&mut terms.intro, &mut terms.extra, &mut terms.site, &mut terms.address];
        all.extend(several.into_iter().flatten());
        all.extend([&mut terms.nif, &mut terms.duration].into_iter().flatten());
        all.extend(terms.payments.iter_mut().map(|payment| &mut payment.moment));
        all.extend(&mut self.condiciones);
        all
    }
}

/// For each zone, the position of its last chapter with items.
fn last_of_zonas(part: &[Capitulo]) -> BTreeMap<Zona, usize> {
    let items = part.iter().enumerate().filter(|(_, c)| !c.is_adjustments());
    items.map(|(n, c)| (c.zona, n)).collect()
}

/// Keeps at most `left` lines of a part and sums the others at the end of their zone. Returns how many lines may still
/// be kept.
fn sum_up(part: &mut Vec<Capitulo>, mut left: usize) -> usize {
    let last = last_of_zonas(part);
    let mut out: BTreeMap<Zona, Vec<Line>> = BTreeMap::new();
    for (n, mut c) in std::mem::take(part).into_iter().enumerate() {
        if c.is_adjustments() {
            part.push(c);
            continue;
        }
        let zona = c.zona;
        out.entry(zona).or_default().extend(c.lines.split_off(left.min(c.lines.len())));
        left -= c.lines.len();
        if !c.lines.is_empty() {
            c.total = sum(c.lines.iter().map(|l| l.importe));
            part.push(c);
        }
        let out = out.get_mut(&zona).filter(|_| last.get(&zona) == Some(&n)).map(std::mem::take);
        if let Some(line) = out.and_then(summed) {
            part.push(Capitulo { zona, nombre: OTHERS.to_owned(), total: line.importe, lines: vec![line] });
        }
    }
    left
}

/// One line for several: its amounts and materials are the exact sums. This includes the sums before discounts, because
/// the tax depends on them.
fn summed(mut lines: Vec<Line>) -> Option<Line> {
    if lines.len() <= 1 {
        return lines.pop();
    }
    let before = sum(lines.iter().map(|l| l.before_discount().0));
    let material_before = sum(lines.iter().map(|l| l.before_discount().1));
    let importe = sum(lines.iter().map(|l| l.importe));
    let concepto = format!("Otras {} partidas, que no caben en este documento una a una", lines.len());
    let off = before.checked_sub(importe).unwrap_or_default();
    Some(Line {
        importe,
        material: sum(lines.iter().map(|l| l.material)),
        labour: sum(lines.iter().map(|l| l.labour)),
        discount: (off.0 != 0).then(|| LineDiscount {
            percentage: ratio(off, before),
            importe: before,
            material: material_before,
        }),
        ..lump_sum("", concepto, before, material_before)
    })
}

fn texts_of(line: &mut Line) -> impl Iterator<Item = &mut String> {
    std::iter::once(&mut line.concepto).chain(&mut line.detail)
}

/// Shortens the longest texts until all of them fit. Returns the size before that.
fn shorten(texts: Vec<&mut String>, most: usize) -> usize {
    let mut weights: Vec<usize> = texts.iter().map(|text| weight(text)).collect();
    let all = weights.iter().sum();
    if all <= most {
        return all;
    }
    // Short texts stay whole; the space that they do not use goes to the longer ones.
    weights.sort_unstable();
    let (mut left, mut count) = (most, weights.len());
    let mut cap = PARAGRAPH;
    for weight in weights {
        cap = left / count;
        if weight > cap {
            break;
        }
        (left, count) = (left - weight, count - 1);
    }
    for text in texts {
        cut(text, cap);
    }
    all
}

fn weight(text: &str) -> usize {
    text.split(is_break).map(|paragraph| paragraph.len().max(PARAGRAPH)).sum()
}

/// Whether a new paragraph of the text begins after this character.
fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Shortens a text to a weight. The first paragraph may always use `PARAGRAPH` bytes, because a shorter paragraph has
/// the same weight.
fn cut(text: &mut String, most: usize) {
    if weight(text) <= most.max(PARAGRAPH) {
        return;
    }
    let (mut used, mut end) = (0, 0);
    for paragraph in text.split_inclusive(is_break) {
        let room = most.saturating_sub(used);
        if end > 0 && room < PARAGRAPH {
            break;
        }
        let room = room.max(PARAGRAPH) - '…'.len_utf8();
        if paragraph.len() > room {
            end += paragraph.floor_char_boundary(room);
            break;
        }
        end += paragraph.len();
        used += paragraph.len().max(PARAGRAPH);
    }
    text.truncate(end);
    text.truncate(text.trim_end().len());
    text.push('…');
}

#[cfg(test)]
mod tests {
    use super::super::draft::{Adjustment, DraftLine};
    use super::super::tests::{base, lead};
    use super::super::{Base, Draft, PrintedNota};
    use super::*;
    use crate::decimal::Percentage;
    use crate::money::Cents;
    use crate::tarifa::Cause;

    fn bathroom() -> crate::lead::Lead {
        let mut lead = lead();
        lead.perfil.tipo_reforma = Some(Zona::Bano);
        lead
    }

    fn line(n: usize) -> DraftLine {
        DraftLine {
            id: format!("libre-{n}"),
            concepto: format!("Partida {n}"),
            precio: Cents(1_000 + i64::try_from(n).expect("small")),
            material: Percentage(3_333),
            discount: Percentage(if n.is_multiple_of(3) { 1_050 } else { 0 }),
            ..DraftLine::default()
        }
    }

    /// A draft with this number of lines that a person wrote.
    fn draft(lines: usize) -> Draft {
        let mut draft = Draft::of_lead(&bathroom(), base());
        draft.rooms[0].capitulos[0].lines.extend((0..lines).map(line));
        draft
    }

    fn whole() -> Base<'static> {
        Base { bounds: Bounds { lines: usize::MAX, text: usize::MAX }, ..base() }
    }

    fn count(d: &Document) -> usize {
        d.pricing.capitulos.iter().map(|c| c.lines.len()).sum()
    }

    /// A shortened document has the same sums as the whole one, and they match what it prints.
    fn assert_same_sums(short: &Document, whole: &Document) {
        assert_eq!(short.impuesto, whole.impuesto);
        assert_eq!(short.pricing.totals(), whole.pricing.totals());
        assert_eq!(
            (short.pricing.base, short.pricing.material),
            (whole.pricing.base, whole.pricing.material)
        );
        let lines = || short.pricing.capitulos.iter().flat_map(|c| &c.lines);
        assert_eq!(sum(lines().map(|l| l.importe)), short.pricing.base);
        assert_eq!(sum(lines().map(|l| l.material)), short.pricing.material);
        for c in &short.pricing.capitulos {
            assert_eq!(sum(c.lines.iter().map(|l| l.importe)), c.total);
        }
        let totals =
            |d: &Document| d.sections().iter().map(|s| (s.nombre.clone(), s.total)).collect::<Vec<_>>();
        assert_eq!(totals(short), totals(whole));
        let rooms = |d: &Document| d.rooms.iter().map(|r| r.total).collect::<Vec<_>>();
        assert_eq!(rooms(short), rooms(whole));
    }

    #[test]
    fn what_fits_is_not_touched() {
        let lead = bathroom();
        let d = Document::compose(&lead, &[], &[], base());
        assert_eq!(d.digest(), Document::compose(&lead, &[], &[], whole()).digest());
        assert_eq!(draft(100).compose(&lead, &[], &[], base()), draft(100).compose(&lead, &[], &[], whole()));
    }

    #[test]
    fn a_person_is_told_and_what_comes_by_itself_is_shortened() {
        let (lead, draft) = (bathroom(), draft(1_622));
        let refused = draft.compose(&lead, &[], &[], base()).expect_err("too many");
        assert!(
            refused.errors[0].mensaje.starts_with("Caben 300 partidas como máximo, y hay 16"),
            "{refused:?}"
        );
        let all = draft.compose(&lead, &[], &[], whole()).expect("right");
        let short = draft.compose_shortened(&lead, &[], &[], base()).expect("right");
        assert!(count(&short) <= 300, "{}", count(&short));
        assert_same_sums(&short, &all);
        let out = count(&all) - count(&short) + 1;
        let line = &short.pricing.capitulos.iter().rfind(|c| c.nombre == OTHERS).expect("one").lines[0];
        assert_eq!(line.concepto, format!("Otras {out} partidas, que no caben en este documento una a una"));
    }

    #[test]
    fn every_room_keeps_its_total_and_what_adjusts_stays() {
        let lead = bathroom();
        let mut draft = draft(200);
        draft.rooms[0].nombre = Some("Baño grande".to_owned());
        let mut second = draft.rooms[0].clone();
        (second.id, second.nombre) = (7, Some("Baño pequeño".to_owned()));
        second.capitulos.iter_mut().flat_map(|c| &mut c.lines).for_each(|l| l.id.push_str("-2"));
        draft.rooms.push(second);
        for room in &mut draft.rooms {
            room.adjustments = vec![Adjustment {
                cause: Cause::UrgenciaAlta,
                concepto: "Urgencia".to_owned(),
                percentage: Percentage(1_000),
                table: None,
            }];
        }
        draft.discount = Some(crate::presupuesto::Discount {
            value: crate::presupuesto::DiscountValue::Percentage(Percentage(500)),
            reason: None,
        });
        let all = draft.compose(&lead, &[], &[], whole()).expect("right");
        for lines in [1, 10, 57, 250, 300] {
            let base = Base { bounds: Bounds { lines, ..Bounds::default() }, ..base() };
            let short = draft.compose_shortened(&lead, &[], &[], base).expect("right");
            assert_same_sums(&short, &all);
            assert!(count(&short) <= lines.max(10), "{lines}: {}", count(&short));
        }
    }

    #[test]
    fn a_document_of_the_table_is_shortened_too() {
        let lead = bathroom();
        let all = Document::compose(&lead, &[], &[], whole());
        let base = Base { bounds: Bounds { lines: 5, ..Bounds::default() }, ..base() };
        let short = Document::compose(&lead, &[], &[], base);
        assert_eq!(count(&short), 5);
        assert_same_sums(&short, &all);
    }

    #[test]
    fn options_that_do_not_fit_are_counted() {
        let lead = bathroom();
        let mut draft = draft(400);
        let own = |l: &&mut DraftLine| l.id.starts_with("libre-");
        let lines = draft.rooms[0].capitulos.iter_mut().flat_map(|c| &mut c.lines);
        lines.filter(own).for_each(|l| l.optional = true);
        let all = draft.compose(&lead, &[], &[], whole()).expect("right");
        let short = draft.compose_shortened(&lead, &[], &[], base()).expect("right");
        assert_eq!(count(&short) + short.options.len(), 300);
        assert_same_sums(&short, &all);
        let out = 400 - short.options.len();
        assert_eq!(
            short.condiciones.last().map(String::as_str),
            Some(format!("{out} opciones no caben en este documento: pregunte por ellas.").as_str())
        );
    }

    #[test]
    fn the_longest_texts_are_cut_first() {
        let mut texts = ["corto".to_owned(), "ñ".repeat(5_000), "y\n".repeat(100_000), "z".repeat(300)];
        let before = shorten(texts.iter_mut().collect(), 2_000);
        assert!(before > 4_000_000, "every line of the third counts: {before}");
        assert!(texts.iter().map(|t| weight(t)).sum::<usize>() <= 2_000);
        assert_eq!((texts[0].as_str(), texts[3].len()), ("corto", 300));
        assert!(texts[1].len() > 800 && texts[1].ends_with("ñ…"), "{}", texts[1].len());
        assert!(texts[2].lines().count() > 10 && texts[2].ends_with("y…"), "{}", texts[2]);
        let same = texts.clone();
        assert!(shorten(texts.iter_mut().collect(), 2_000) <= 2_000);
        assert_eq!(texts, same, "what was shortened fits");
    }

    #[test]
    fn notes_get_what_the_rest_leaves() {
        let lead = bathroom();
        let mut d = Document::compose(&lead, &[], &[], whole());
        let nota = |text: String| PrintedNota { zona: Zona::Bano, text };
        d.notas = (0..5_000).map(|n| nota(format!("nota {n} {}", "palabra ".repeat(500)))).collect();
        let (short, size) = d.clone().within(Bounds::default());
        size.check(Bounds::default()).expect("nobody is asked to shorten a client's notes");
        assert_eq!(short.notas.len(), 300);
        let notas: usize = short.notas.iter().map(|n| weight(&n.text)).sum();
        assert!(notas + size.text <= 60_000, "{notas}");
        assert!(short.notas.iter().all(|n| n.text.ends_with('…')));
        assert_eq!(short.pricing, d.pricing);
    }

    #[test]
    fn long_lines_are_told_to_a_person() {
        let (lead, mut draft) = (bathroom(), draft(200));
        for l in draft.rooms[0].capitulos.iter_mut().flat_map(|c| &mut c.lines) {
            l.detail = Some("palabra ".repeat(200));
        }
        let refused = draft.compose(&lead, &[], &[], base()).expect_err("too long");
        assert!(refused.errors[0].mensaje.contains("bytes y caben 60000"), "{refused:?}");
        let mut short = draft.compose_shortened(&lead, &[], &[], base()).expect("right");
        assert!(short.texts().iter().map(|t| weight(t)).sum::<usize>() <= 60_000);
        assert_same_sums(&short, &draft.compose(&lead, &[], &[], whole()).expect("right"));
    }
}
