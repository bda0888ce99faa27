//! The known data of the lead, line by line.

use embudo_domain::ingesta::Momento;
use embudo_domain::money::Cents;
use embudo_domain::perfil::Urgencia;
use embudo_domain::record::LeadRecord;
use embudo_domain::{Zona, words};

use super::texts::zona;

/// The maximum number of notes shown, and their maximum total length: a mail is not an archive.
const MAX_NOTAS: usize = 20;
const MAX_TEXT: usize = 2_000;

/// A line of the table; `url` makes it a link (a call, a mail).
pub(super) struct Row {
    pub field: &'static str,
    pub value: String,
    pub url: Option<String>,
}

pub(super) fn rows(record: &LeadRecord) -> Vec<Row> {
    let (lead, p) = (&record.lead, &record.lead.perfil);
    let simple = |field, value| Row { field, value, url: None };
    let mut rows = vec![simple("Nombre", lead.name())];
    rows.extend(lead.e164().map(|e164| Row {
        field: "Teléfono",
        value: words::telefono(e164),
        url: Some(format!("tel:{e164}")),
    }));
    rows.extend(lead.mail().map(|email| Row {
        field: "Correo",
        value: email.to_owned(),
        url: Some(format!("mailto:{email}")),
    }));
    let optional = [
        ("Dirección", lead.obra.direccion.as_ref().map(|d| words::name(d.as_str()))),
        ("Provincia", lead.place()),
        ("Reforma", p.tipo_reforma.map(|z| zona(z).to_owned())),
        ("Superficie", p.m2_suelo.map(|m| format!("{m} m²").replace('.', ","))),
        ("Calidad", p.calidad_global.map(|c| c.in_sentence().to_owned())),
        ("Estructura", p.estructural.map(|e| if e { "hay que tocarla" } else { "no se toca" }.to_owned())),
        ("Cuándo", p.urgencia.map(|u| when(u).to_owned())),
        ("Quiere gastar", p.presupuesto_target_cents.map(|c| Cents(c).short())),
        ("Le gustaría", p.taste_text.as_deref().map(trim)),
        (
            "Fotos",
            Some(record.fotos.iter().filter(|f| f.momento == Momento::Before).count())
                .filter(|n| *n > 0)
                .map(|n| n.to_string()),
        ),
        ("Notas", notas(record)),
    ];
    rows.extend(optional.into_iter().filter_map(|(field, value)| Some(simple(field, value?))));
    rows
}

fn when(urgencia: Urgencia) -> &'static str {
    match urgencia {
        Urgencia::Alta => "cuanto antes",
        Urgencia::Media => "en unos meses",
        Urgencia::Baja => "sin prisa",
    }
}

fn notas(record: &LeadRecord) -> Option<String> {
    let line = |text: &str, at: Option<Zona>| match at {
        Some(at) => format!("{}: {text}", zona(at)),
        None => text.to_owned(),
    };
    let all: Vec<_> = record.notas.iter().take(MAX_NOTAS).map(|n| line(&n.text, n.zona)).collect();
    Some(trim(&all.join(" · "))).filter(|t| !t.is_empty())
}

fn trim(text: &str) -> String {
    words::beginning(text, MAX_TEXT)
}
