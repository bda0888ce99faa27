//! What a person has answered so far. Before the lead exists, the answers come from fields that the form carries from
//! step to step; afterwards they come from the lead.

use embudo_domain::Zona;
use embudo_domain::iva::Contratante;
use embudo_domain::lead::Lead;
use embudo_domain::money::Cents;
use embudo_domain::obra::Obra;
use embudo_domain::perfil::{Calidad, Urgencia};
use embudo_domain::pricing::PricingInput;
use embudo_domain::provincia::CodigoPostal;
use url::form_urlencoded;

use crate::parts::FormFields;

/// The query parameters with campaign and ad ids. Their values are stored with the lead.
const ATTRIBUTION: &[&str] = &[
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
    "utm_id",
    "gclid",
    "gbraid",
    "wbraid",
    "dclid",
    "fbclid",
    "msclkid",
    "ttclid",
    "twclid",
    "li_fat_id",
];
/// The maximum length of an attribution value.
const MAX_ATTRIBUTION: usize = 500;
/// The largest floor area that the form accepts. The price table has its own limits for each type.
const MAX_M2: f64 = 100_000.0;
/// The largest plausible number of bathrooms of a home, and the lowest and highest plausible floor of one.
const MAX_BANOS: u8 = 20;
const MIN_PLANTA: i8 = -9;
const MAX_PLANTA: i8 = 99;
/// The largest budget, in euros.
const MAX_EUROS: i64 = 100_000_000;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FormAnswers {
    pub kind: Option<Zona>,
    pub m2: Option<f64>,
    /// The lead's floor area, unless it is unknown or an estimate. An area typed in the form counts as an estimate.
    pub m2_known: Option<f64>,
    pub calidad: Option<Calidad>,
    pub estructural: Option<bool>,
    pub urgencia: Option<Urgencia>,
    pub presupuesto: Option<Cents>,
    pub provincia: Option<String>,
    /// The other answers that decide tax and price.
    pub obra: Obra,
    /// Campaign and ad ids.
    pub utm: Vec<(String, String)>,
    /// The ticket that allows these answers to be sent. It is set only while there is no lead.
    pub ticket: Option<String>,
}

impl FormAnswers {
    /// Reads the answers from fields. An invalid value counts as absent.
    pub fn of_fields(fields: &FormFields) -> Self {
        let utm = ATTRIBUTION.iter().filter_map(|nombre| {
            let value = fields.text(nombre);
            (!value.is_empty() && value.len() <= MAX_ATTRIBUTION).then(|| ((*nombre).to_owned(), value))
        });
        Self {
            kind: Zona::parse(&fields.text("tipo")),
            m2: parse_m2(&fields.text("m2")).ok().flatten(),
            m2_known: None,
            calidad: Calidad::parse(&fields.text("calidad")),
            estructural: parse_yes_no(&fields.text("estructural")),
            urgencia: Urgencia::parse(&fields.text("urgencia")),
            presupuesto: parse_euros(&fields.text("presupuesto")),
            provincia: Some(fields.text("provincia")).filter(|p| !p.is_empty()),
            obra: obra_of(fields),
            utm: utm.collect(),
            ticket: Some(fields.text("boleto")).filter(|b| !b.is_empty() && b.len() <= MAX_ATTRIBUTION),
        }
    }

    /// Reads the answers from a lead.
    pub fn of_lead(lead: &Lead) -> Self {
        Self {
            kind: lead.perfil.tipo_reforma,
            m2: lead.perfil.m2_suelo,
            m2_known: lead.perfil.m2_suelo.filter(|m2| !lead.obra.is_estimate(Some(*m2))),
            calidad: lead.perfil.calidad_global,
            estructural: lead.perfil.estructural,
            urgencia: lead.perfil.urgencia,
            presupuesto: lead.perfil.presupuesto_target_cents.map(Cents),
            provincia: lead.place(),
            obra: lead.obra.clone(),
            utm: Vec::new(),
            ticket: None,
        }
    }

    /// Returns these answers with the values of the fields. Where the fields have no value, the answer stays.
    pub fn with(&self, fields: &FormFields) -> Self {
        let new_ones = Self::of_fields(fields);
        let mut obra = self.obra.clone();
        obra.overlay(&new_ones.obra);
        Self {
            kind: new_ones.kind.or(self.kind),
            m2: new_ones.m2.or(self.m2),
            m2_known: self.m2_known,
            calidad: new_ones.calidad.or(self.calidad),
            estructural: new_ones.estructural.or(self.estructural),
            urgencia: new_ones.urgencia.or(self.urgencia),
            presupuesto: new_ones.presupuesto.or(self.presupuesto),
            provincia: new_ones.provincia.or_else(|| self.provincia.clone()),
            obra,
            utm: new_ones.utm,
            ticket: new_ones.ticket,
        }
    }

    /// The input of the price calculation.
    pub fn reforma(&self) -> PricingInput {
        PricingInput {
            kind: self.kind,
            m2_suelo: self.m2,
            m2_estimated: self.m2_known.is_none_or(|known| self.m2 != Some(known)),
            calidad: self.calidad,
            estructural: self.estructural,
            urgencia: self.urgencia,
            provincia: self.provincia.clone(),
            codigo_postal: self.obra.codigo_postal.as_ref().map(|code| code.as_str().to_owned()),
            presupuesto_target: self.presupuesto,
            // The form does not ask for the room in words.
            room_kind: None,
            banos: self.obra.banos,
            planta: self.obra.planta,
            ascensor: self.obra.ascensor,
        }
    }

    /// The fields that the form carries from step to step while there is no lead.
    pub fn fields(&self) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        if let Some(kind) = self.kind {
            fields.push(("tipo".to_owned(), kind.to_string()));
        }
        if let Some(m2) = self.m2 {
            fields.push(("m2".to_owned(), write_m2(m2)));
        }
        fields.extend(self.utm.iter().cloned());
        fields.extend(self.ticket.clone().map(|ticket| ("boleto".to_owned(), ticket)));
        fields
    }

    /// The result of `fields` as the query of an address, including its question mark. Empty if there are no fields.
    pub fn query(&self) -> String {
        let fields = self.fields();
        if fields.is_empty() {
            return String::new();
        }
        format!("?{}", form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish())
    }
}

/// Parses square metres in any usual spelling: `12`, `7,5`, `7.5 m2`, `1.200`. Returns `None` for an empty text. The
/// error tells the person what to do.
pub(crate) fn parse_m2(text: &str) -> Result<Option<f64>, &'static str> {
    const WITH_NUMBERS: &str = "Escribe los metros con números, por ejemplo 12 o 7,5.";
    let mut text = text.to_lowercase();
    for unidad in ["m²", "m2", "metros cuadrados", "metros", "\u{a0}", " "] {
        text = text.replace(unidad, "");
    }
    if text.is_empty() {
        return Ok(None);
    }
    let metros = in_digits(&text).ok_or(WITH_NUMBERS)?;
    if metros <= 0.0 {
        return Err("Tiene que ser más de 0: escribe los metros del suelo, por ejemplo 12 o 7,5.");
    }
    if metros > MAX_M2 {
        return Err("Son demasiados metros para una reforma: revisa la cifra.");
    }
    Ok(Some(metros))
}

/// Parses a number as written in Spain: a comma starts the decimals, points group thousands. A single point that does
/// not group thousands starts the decimals.
fn in_digits(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix(['-', '−']) {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    if !digits.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',') {
        return None;
    }
    let plain = if digits.contains(',') || in_groups(digits) {
        digits.replace('.', "").replacen(',', ".", 1)
    } else {
        digits.to_owned()
    };
    plain.parse::<f64>().ok().map(|n| n * sign)
}

/// Whether points split the digits into groups of three: `1.200`, `12.000.000`.
fn in_groups(digits: &str) -> bool {
    let mut groups = digits.split('.');
    let first = groups.next().unwrap_or_default();
    let mut others = groups.peekable();
    (1..=3).contains(&first.len()) && others.peek().is_some() && others.all(|g| g.len() == 3)
}

/// Writes square metres for a field. Reading the field gives the same value.
pub(crate) fn write_m2(m2: f64) -> String {
    m2.to_string().replace('.', ",")
}

/// Parses an amount in any usual spelling: `6000`, `6.000`, `6.000,50 €`, `6 000 euros`, `6mil`.
pub(crate) fn parse_euros(text: &str) -> Option<Cents> {
    let text =
        text.to_lowercase().replace("euros", "").replace("eur", "").replace(['€', ' ', '\u{a0}', '\''], "");
    let (text, by) = match text.strip_suffix("mil").or_else(|| text.strip_suffix('k')) {
        Some(miles) => (miles.to_owned(), 1_000),
        None => (text, 1),
    };
    let (integers, decimals) = match text.rsplit_once(',') {
        Some((integers, decimals)) => (integers.replace('.', ""), decimals.to_owned()),
        // A point before three digits groups thousands; before one or two digits it starts the cents.
        None => match text.rsplit_once('.') {
            Some((integers, d)) if d.len() < 3 => (integers.replace('.', ""), d.to_owned()),
            _ => (text.replace('.', ""), String::new()),
        },
    };
    if integers.is_empty() || decimals.len() > 2 || !decimals.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let integers: i64 = integers.parse().ok().filter(|n| (0..=MAX_EUROS).contains(n))?;
    let cents: i64 = format!("{decimals:0<2}").parse().ok()?;
    Some(Cents((integers * 100 + cents) * by)).filter(|c| c.0 <= MAX_EUROS * 100)
}

/// Reads the answers that decide tax and price. The fields have the same names as in the API.
pub(crate) fn obra_of(fields: &FormFields) -> Obra {
    Obra {
        es_vivienda: parse_yes_no(&fields.text("esVivienda")),
        contratante: Contratante::parse(&fields.text("contratante")),
        dos_anos: parse_yes_no(&fields.text("dosAnos")),
        banos: fields.text("banos").parse().ok().filter(|n| *n <= MAX_BANOS),
        planta: parse_planta(&fields.text("planta")),
        ascensor: parse_yes_no(&fields.text("ascensor")),
        codigo_postal: CodigoPostal::parse(&fields.text("codigoPostal")),
        // The floor area is an answer of its own: `FormAnswers::m2`.
        m2_estimado: None,
        // The address is asked for with the contact data.
        direccion: None,
    }
}

/// Writes these answers as fields, without the unknown ones.
pub(crate) fn obra_fields(obra: &Obra) -> Vec<(&'static str, String)> {
    let yes_no = |answer: Option<bool>| answer.map(|s| if s { "si" } else { "no" }.to_owned());
    let all = [
        ("esVivienda", yes_no(obra.es_vivienda)),
        ("contratante", obra.contratante.map(|c| c.to_string())),
        ("dosAnos", yes_no(obra.dos_anos)),
        ("banos", obra.banos.map(|n| n.to_string())),
        ("planta", obra.planta.map(|n| n.to_string())),
        ("ascensor", yes_no(obra.ascensor)),
        ("codigoPostal", obra.codigo_postal.as_ref().map(|c| c.as_str().to_owned())),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Parses a floor as people write it: `3`, `3º`, `bajo`, `entresuelo`, `-1`.
pub(crate) fn parse_planta(text: &str) -> Option<i8> {
    let folded = embudo_domain::search::fold(text);
    let folded = folded.trim().trim_end_matches(['º', 'ª', 'o', 'a', '.']);
    match folded {
        "baj" | "planta baj" | "pb" | "entresuel" => Some(0),
        "sotan" | "semisotan" => Some(-1),
        "atic" => None,
        digits => digits.replace('−', "-").parse().ok().filter(|n| (MIN_PLANTA..=MAX_PLANTA).contains(n)),
    }
}

fn parse_yes_no(text: &str) -> Option<bool> {
    match text {
        "si" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::read_fields;

    #[test]
    fn numbers_as_people_write_them() {
        for (text, m2) in [
            ("12", 12.0),
            ("7,5", 7.5),
            (" 7.5 m2", 7.5),
            ("7.25", 7.25),
            ("10 m²", 10.0),
            ("8 metros", 8.0),
            ("1.200", 1_200.0),
            ("1.200,5", 1_200.5),
            ("1 200", 1_200.0),
            ("12.000", 12_000.0),
        ] {
            assert_eq!(parse_m2(text), Ok(Some(m2)), "{text}");
            assert_eq!(parse_m2(&write_m2(m2)), Ok(Some(m2)), "{text}");
        }
        assert_eq!(parse_m2(&write_m2(7.125)), Ok(Some(7.125)), "what travels is not read as thousands");
        assert_eq!(parse_m2(" "), Ok(None));
        for wrong in ["doce", "1e9", "inf", "NaN", "1,2,3", "1.2.3", ".", ",", "-"] {
            assert!(parse_m2(wrong).is_err_and(|m| m.contains("con números")), "{wrong}");
        }
        for nothing in ["0", "-3", "−5", "0,0"] {
            assert!(parse_m2(nothing).is_err_and(|m| m.contains("más de 0")), "{nothing}");
        }
        assert!(parse_m2("100.001").is_err_and(|m| m.contains("demasiados")));
        for (text, cents) in [
            ("6000", 600_000),
            ("6.000", 600_000),
            ("6.000,50 €", 600_050),
            ("6 000 euros", 600_000),
            ("1.250.000", 125_000_000),
            ("99.5", 9_950),
            ("6 mil", 600_000),
            ("12k", 1_200_000),
        ] {
            assert_eq!(parse_euros(text), Some(Cents(cents)), "{text}");
        }
        for wrong in ["", "mucho", "-5", "1,2,3", "99999999999", "6,000,000", "€"] {
            assert_eq!(parse_euros(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn floors_as_people_write_them() {
        for (text, planta) in
            [("3", 3), ("3º", 3), ("3.ª", 3), ("Bajo", 0), ("planta baja", 0), ("-1", -1), ("Sótano", -1)]
        {
            assert_eq!(parse_planta(text), Some(planta), "{text}");
        }
        for wrong in ["", "ático", "tercero", "100", "-10", "3,5"] {
            assert_eq!(parse_planta(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_decides_tax_and_price_travels_as_it_is_read() {
        let query =
            b"esVivienda=si&contratante=comunidad&dosAnos=no&banos=2&planta=3&ascensor=no&codigoPostal=28013";
        let obra = obra_of(&read_fields(query));
        let again: Vec<(String, String)> =
            obra_fields(&obra).into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
        assert_eq!(again.len(), 7);
        assert_eq!(obra_of(&FormFields(again)), obra);
        assert!(
            obra_of(&read_fields(b"esVivienda=&contratante=yo&banos=99&planta=x&codigoPostal=99999"))
                .is_empty()
        );
    }

    #[test]
    fn campaigns_and_the_ticket_travel_and_nothing_else_does() {
        let fields = read_fields(b"tipo=bano&m2=5,5&utm_source=b%C3%BAho&gclid=x&otra=1&fbclid=");
        let answers = FormAnswers::of_fields(&fields);
        assert_eq!(answers.query(), "?tipo=bano&m2=5%2C5&utm_source=b%C3%BAho&gclid=x");
        assert_eq!(FormAnswers::of_fields(&read_fields(&answers.query().as_bytes()[1..])), answers);
        assert_eq!(FormAnswers::default().query(), "");
    }
}
