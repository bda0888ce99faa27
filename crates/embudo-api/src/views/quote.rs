//! The content of a lead's quotes for the client: lines and totals, never what they cost the company.

use embudo_app::App;
use embudo_domain::number::PlainNumber;
use embudo_domain::presupuesto::{Character, Presupuesto, PrintedOption};
use embudo_domain::pricing::{Capitulo, Line, Range};

use super::shape::{Day, Href, NonEmpty};

view! {
    QuoteList<'a> { quotes: &'a [Presupuesto], app: &'a App }
    = "PresupuestosDelLead", "Lo que dicen los presupuestos del lead, del más nuevo al más antiguo.", |v| {
        "presupuestos": v.quotes.iter().map(|quote| QuoteView { quote, app: v.app }).collect::<Vec<_>>(),
    }
}

view! {
    QuoteView<'a> { quote: &'a Presupuesto, app: &'a App }
    = "PresupuestoDetallado", "Un presupuesto como lo lee el cliente. Los importes van en céntimos.", |v| {
        "numero" ("Año y orden, sin huecos."): v.quote.number,
        "estado" ("`emitido` quiere decir dibujado y en manos de sus entregas."): v.quote.state,
        "titulo" ("Qué se presupuesta."): &v.quote.document.pricing.title,
        "orientativo" ("true si algo que decide el precio se supone; entonces el total está entre `minimoCents` y `maximoCents`."):
            v.quote.document.character() == Character::Orientative,
        "capitulos" ("Sus partidas, por capítulos."):
            v.quote.document.pricing.capitulos.iter().map(|chapter| ChapterView { chapter }).collect::<Vec<_>>(),
        "opciones" ("Lo que el cliente puede añadir; no está en el total."): v.options(),
        "baseCents" ("Sin impuestos."): v.quote.document.impuesto.base,
        "impuesto" ("`IVA`, `IGIC` o `IPSI`, con su tipo."): v.tax(),
        "cuotaCents" ("El impuesto."): v.quote.document.impuesto.quota,
        "totalCents" ("Con impuestos."): v.quote.document.impuesto.total,
        "minimoCents" ("Lo menos que puede ser el total; null si es firme."): v.range().map(|range| range.minimum),
        "maximoCents" ("Lo más que puede ser; null si es firme."): v.range().map(|range| range.maximum),
        "noIncluye" ("Lo que el precio deja fuera."): &v.quote.document.pricing.not_included,
        "emitido" ("El día de su fecha."): Day(v.quote.validity.issued),
        "validoHasta" ("El último día en que vale."): Day(v.quote.validity.until),
        "pagina" ("Su página para el cliente, donde lo ve, lo acepta o lo rechaza."): v.page(),
    }
}

impl QuoteView<'_> {
    fn options(&self) -> Vec<OptionView<'_>> {
        self.quote.document.options.iter().map(|option| OptionView { option, quote: self.quote }).collect()
    }

    fn tax(&self) -> String {
        let tax = &self.quote.document.impuesto;
        format!("{} {}", tax.nombre, tax.percentage)
    }

    fn range(&self) -> Option<Range> {
        self.quote.document.shown_range()
    }

    fn page(&self) -> Href {
        let quotes = self.app.quotes();
        Href(quotes.page_url(self.quote.id).unwrap_or_else(|| quotes.page_path(self.quote.id)))
    }
}

view! {
    ChapterView<'a> { chapter: &'a Capitulo } = "CapituloDelPresupuesto", "Un capítulo de un presupuesto.", |v| {
        "zona" ("La zona de sus partidas."): v.chapter.zona,
        "nombre" ("Su nombre."): &v.chapter.nombre,
        "partidas" ("Nunca vacío."): v.chapter.lines.iter().map(|line| LineView { line }).collect::<Vec<_>>(),
        "totalCents" ("La suma de sus partidas, sin impuestos."): v.chapter.total,
    }
}

view! {
    LineView<'a> { line: &'a Line } = "PartidaDelPresupuesto", "Una partida, sin impuestos.", |v| {
        "concepto": NonEmpty(&v.line.concepto),
        "detalle" ("Lo que se recibe en esta calidad; null si no se dice."): &v.line.detail,
        "cantidad" ("Cuántas unidades, con dos decimales como mucho."): v.amount(),
        "unidad" ("`pa` es partida alzada."): v.line.unidad,
        "precioCents" ("Lo que vale una unidad."): v.line.precio,
        "importeCents" ("Con su descuento, si lo tiene."): v.line.importe,
    }
}

impl LineView<'_> {
    fn amount(&self) -> PlainNumber {
        // The quantities of quotes are far below the limit up to which a double is exact.
        PlainNumber(self.line.cantidad.0 as f64 / 100.0)
    }
}

view! {
    OptionView<'a> { option: &'a PrintedOption, quote: &'a Presupuesto }
    = "OpcionDelPresupuesto", "Algo que el cliente puede añadir.", |v| {
        "concepto": NonEmpty(&v.option.line.concepto),
        "detalle" ("null si no se dice."): &v.option.line.detail,
        "precioCents" ("Lo que añade al total, con impuestos."): v.quote.document.option_price(v.option),
    }
}
