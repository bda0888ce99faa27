//! What a person has answered so far: from the fields that travel with the form, or from the lead once it exists.

use embudo_domain::Zona;
use embudo_domain::calculo::DatosReforma;
use embudo_domain::dinero::Cents;
use embudo_domain::ficha::Lead;
use embudo_domain::perfil::{Calidad, Urgencia};
use url::form_urlencoded;

use crate::parts::Campos;

/// Campaign and ad ids that are kept with a lead. Whatever else an address carries is not ours to keep.
const ATRIBUCION: &[&str] = &[
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
/// The longest of them.
const MAX_ATRIBUCION: usize = 500;
/// The largest floor area that is taken for one; the price table has its own idea of each type.
const MAX_M2: f64 = 100_000.0;
/// The largest budget, in euros.
const MAX_EUROS: i64 = 100_000_000;

/// The answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Respuestas {
    pub tipo: Option<Zona>,
    pub m2: Option<f64>,
    pub calidad: Option<Calidad>,
    pub estructural: Option<bool>,
    pub urgencia: Option<Urgencia>,
    pub presupuesto: Option<Cents>,
    pub provincia: Option<String>,
    /// Campaign and ad ids.
    pub utm: Vec<(String, String)>,
    /// The ticket under which they will be sent; only while there is no lead.
    pub boleto: Option<String>,
}

impl Respuestas {
    /// From fields; one that makes no sense counts as absent.
    pub fn de_campos(campos: &Campos) -> Self {
        let utm = ATRIBUCION.iter().filter_map(|nombre| {
            let valor = campos.texto(nombre);
            (!valor.is_empty() && valor.len() <= MAX_ATRIBUCION).then(|| ((*nombre).to_owned(), valor))
        });
        Self {
            tipo: Zona::parse(&campos.texto("tipo")),
            m2: leer_m2(&campos.texto("m2")).ok().flatten(),
            calidad: Calidad::parse(&campos.texto("calidad")),
            estructural: leer_si_no(&campos.texto("estructural")),
            urgencia: Urgencia::parse(&campos.texto("urgencia")),
            presupuesto: leer_euros(&campos.texto("presupuesto")),
            provincia: Some(campos.texto("provincia")).filter(|p| !p.is_empty()),
            utm: utm.collect(),
            boleto: Some(campos.texto("boleto")).filter(|b| !b.is_empty() && b.len() <= MAX_ATRIBUCION),
        }
    }

    /// From a lead.
    pub fn de_lead(lead: &Lead) -> Self {
        Self {
            tipo: lead.perfil.tipo_reforma,
            m2: lead.perfil.m2_suelo,
            calidad: lead.perfil.calidad_global,
            estructural: lead.perfil.estructural,
            urgencia: lead.perfil.urgencia,
            presupuesto: lead.perfil.presupuesto_target_cents.map(Cents),
            provincia: lead.provincia.clone(),
            utm: Vec::new(),
            boleto: None,
        }
    }

    /// These answers, with those of the fields in place of their own where the fields say something.
    pub fn con(&self, campos: &Campos) -> Self {
        let nuevas = Self::de_campos(campos);
        Self {
            tipo: nuevas.tipo.or(self.tipo),
            m2: nuevas.m2.or(self.m2),
            calidad: nuevas.calidad.or(self.calidad),
            estructural: nuevas.estructural.or(self.estructural),
            urgencia: nuevas.urgencia.or(self.urgencia),
            presupuesto: nuevas.presupuesto.or(self.presupuesto),
            provincia: nuevas.provincia.or_else(|| self.provincia.clone()),
            utm: nuevas.utm,
            boleto: nuevas.boleto,
        }
    }

    /// What the price needs.
    pub fn reforma(&self) -> DatosReforma {
        DatosReforma {
            tipo: self.tipo,
            m2_suelo: self.m2,
            calidad: self.calidad,
            estructural: self.estructural,
            urgencia: self.urgencia,
            provincia: self.provincia.clone(),
            presupuesto_target: self.presupuesto,
        }
    }

    /// The fields that travel from step to step while there is no lead.
    pub fn campos(&self) -> Vec<(String, String)> {
        let mut campos = Vec::new();
        if let Some(tipo) = self.tipo {
            campos.push(("tipo".to_owned(), tipo.to_string()));
        }
        if let Some(m2) = self.m2 {
            campos.push(("m2".to_owned(), escribir_m2(m2)));
        }
        campos.extend(self.utm.iter().cloned());
        campos.extend(self.boleto.clone().map(|boleto| ("boleto".to_owned(), boleto)));
        campos
    }

    /// The same as an address's query, with its question mark; empty if there is nothing.
    pub fn consulta(&self) -> String {
        let campos = self.campos();
        if campos.is_empty() {
            return String::new();
        }
        format!("?{}", form_urlencoded::Serializer::new(String::new()).extend_pairs(campos).finish())
    }
}

/// Square metres in any usual spelling: `12`, `7,5`, `7.5 m2`, `1.200`; `None` if nothing was written. The error says what to do.
pub(crate) fn leer_m2(texto: &str) -> Result<Option<f64>, &'static str> {
    const CON_NUMEROS: &str = "Escribe los metros con números, por ejemplo 12 o 7,5.";
    let mut texto = texto.to_lowercase();
    for unidad in ["m²", "m2", "metros cuadrados", "metros", "\u{a0}", " "] {
        texto = texto.replace(unidad, "");
    }
    if texto.is_empty() {
        return Ok(None);
    }
    let metros = en_cifras(&texto).ok_or(CON_NUMEROS)?;
    if metros <= 0.0 {
        return Err("Tiene que ser más de 0: escribe los metros del suelo, por ejemplo 12 o 7,5.");
    }
    if metros > MAX_M2 {
        return Err("Son demasiados metros para una reforma: revisa la cifra.");
    }
    Ok(Some(metros))
}

/// A number as it is written in Spain: a comma starts the decimals, points group thousands. A lone point that groups nothing
/// starts the decimals too.
fn en_cifras(texto: &str) -> Option<f64> {
    let (signo, cifras) = match texto.strip_prefix(['-', '−']) {
        Some(resto) => (-1.0, resto),
        None => (1.0, texto),
    };
    if !cifras.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',') {
        return None;
    }
    let llano = if cifras.contains(',') || en_grupos(cifras) {
        cifras.replace('.', "").replacen(',', ".", 1)
    } else {
        cifras.to_owned()
    };
    llano.parse::<f64>().ok().map(|n| n * signo)
}

/// Whether points part the figures into groups of three: `1.200`, `12.000.000`.
fn en_grupos(cifras: &str) -> bool {
    let mut grupos = cifras.split('.');
    let primero = grupos.next().unwrap_or_default();
    let mut otros = grupos.peekable();
    (1..=3).contains(&primero.len()) && otros.peek().is_some() && otros.all(|g| g.len() == 3)
}

/// Square metres as they travel in fields; read back they are the same.
pub(crate) fn escribir_m2(m2: f64) -> String {
    m2.to_string().replace('.', ",")
}

/// An amount in any usual spelling: `6000`, `6.000`, `6.000,50 €`, `6 000 euros`, `6mil`.
pub(crate) fn leer_euros(texto: &str) -> Option<Cents> {
    let texto =
        texto.to_lowercase().replace("euros", "").replace("eur", "").replace(['€', ' ', '\u{a0}', '\''], "");
    let (texto, por) = match texto.strip_suffix("mil").or_else(|| texto.strip_suffix('k')) {
        Some(miles) => (miles.to_owned(), 1_000),
        None => (texto, 1),
    };
    let (enteros, decimales) = match texto.rsplit_once(',') {
        Some((enteros, decimales)) => (enteros.replace('.', ""), decimales.to_owned()),
        // A point before three figures groups thousands; before one or two it starts the cents.
        None => match texto.rsplit_once('.') {
            Some((enteros, d)) if d.len() < 3 => (enteros.replace('.', ""), d.to_owned()),
            _ => (texto.replace('.', ""), String::new()),
        },
    };
    if enteros.is_empty() || decimales.len() > 2 || !decimales.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let enteros: i64 = enteros.parse().ok().filter(|n| (0..=MAX_EUROS).contains(n))?;
    let centimos: i64 = format!("{decimales:0<2}").parse().ok()?;
    Some(Cents((enteros * 100 + centimos) * por)).filter(|c| c.0 <= MAX_EUROS * 100)
}

fn leer_si_no(texto: &str) -> Option<bool> {
    match texto {
        "si" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::leer_campos;

    #[test]
    fn numbers_as_people_write_them() {
        for (texto, m2) in [
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
            assert_eq!(leer_m2(texto), Ok(Some(m2)), "{texto}");
            assert_eq!(leer_m2(&escribir_m2(m2)), Ok(Some(m2)), "{texto}");
        }
        assert_eq!(leer_m2(&escribir_m2(7.125)), Ok(Some(7.125)), "what travels is not read as thousands");
        assert_eq!(leer_m2(" "), Ok(None));
        for mal in ["doce", "1e9", "inf", "NaN", "1,2,3", "1.2.3", ".", ",", "-"] {
            assert!(leer_m2(mal).is_err_and(|m| m.contains("con números")), "{mal}");
        }
        for nada in ["0", "-3", "−5", "0,0"] {
            assert!(leer_m2(nada).is_err_and(|m| m.contains("más de 0")), "{nada}");
        }
        assert!(leer_m2("100.001").is_err_and(|m| m.contains("demasiados")));
        for (texto, cents) in [
            ("6000", 600_000),
            ("6.000", 600_000),
            ("6.000,50 €", 600_050),
            ("6 000 euros", 600_000),
            ("1.250.000", 125_000_000),
            ("99.5", 9_950),
            ("6 mil", 600_000),
            ("12k", 1_200_000),
        ] {
            assert_eq!(leer_euros(texto), Some(Cents(cents)), "{texto}");
        }
        for mal in ["", "mucho", "-5", "1,2,3", "99999999999", "6,000,000", "€"] {
            assert_eq!(leer_euros(mal), None, "{mal}");
        }
    }

    #[test]
    fn campaigns_and_the_ticket_travel_and_nothing_else_does() {
        let campos = leer_campos(b"tipo=bano&m2=5,5&utm_source=b%C3%BAho&gclid=x&otra=1&fbclid=");
        let respuestas = Respuestas::de_campos(&campos);
        assert_eq!(respuestas.consulta(), "?tipo=bano&m2=5%2C5&utm_source=b%C3%BAho&gclid=x");
        assert_eq!(Respuestas::de_campos(&leer_campos(&respuestas.consulta().as_bytes()[1..])), respuestas);
        assert_eq!(Respuestas::default().consulta(), "");
    }
}
