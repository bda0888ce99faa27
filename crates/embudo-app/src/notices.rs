//! What notices to the company say: what happened, to whom, and what to do.

use embudo_domain::JobId;
use embudo_domain::color::Color;
use embudo_domain::ingesta::Momento;
use embudo_domain::lead::Lead;
use embudo_domain::money::Cents;
use embudo_domain::perfil::Urgencia;
use embudo_domain::record::LeadRecord;
use embudo_domain::watched_loop::LoopStep;
use embudo_domain::{Zona, words};
use serde::{Deserialize, Serialize};

use crate::letter::{WrittenMail, button, escape, link, on_one_line, page, paragraph};

/// Why the company is written to; kept with the job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "aviso", rename_all = "snake_case")]
pub(crate) enum Notice {
    /// A lead was created.
    #[serde(rename = "nuevo_lead")]
    NewLead,
    /// The client came to the end of the form.
    #[serde(rename = "formulario_completo")]
    CompleteForm,
    /// The client left contact data in the form and went no further.
    #[serde(rename = "formulario_a_medias")]
    HalfDoneForm,
    /// A lead's profile is complete.
    #[serde(rename = "perfil_completo")]
    PerfilComplete,
    /// The client asked to be called.
    #[serde(rename = "llamada")]
    Call,
    /// The client accepted or declined a quote.
    #[serde(rename = "contestado")]
    Answered {
        /// The quote's number.
        number: String,
        /// Which of the two.
        accepted: bool,
        /// Why, in the client's words.
        reason: Option<String>,
    },
    /// What a profile signal asks for did not come in time.
    OverdueLoop {
        /// What the lead waits for.
        step: String,
    },
    /// Something that should have been sent did not.
    NotDelivered {
        /// What kind of job.
        kind: String,
        /// How its last attempt ended.
        error: Option<String>,
        /// Which job; jobs of before did not say.
        #[serde(default)]
        job: Option<JobId>,
        /// How often it was tried.
        #[serde(default)]
        intentos: u32,
        /// The number of the quote that it carries.
        #[serde(default)]
        number: Option<String>,
        /// Perhaps it did arrive.
        #[serde(default)]
        doubt: bool,
    },
}

/// Notes are shown up to this many, and to this length in all: a mail is no archive.
const MAX_NOTAS: usize = 20;
const MAX_TEXT: usize = 2_000;

/// Writes a notice; `page_of` knows the address of a quote's page, by its number.
pub(crate) fn write(
    notice: &Notice,
    record: &LeadRecord,
    page_of: impl Fn(&str) -> Option<String>,
) -> WrittenMail {
    let lead = &record.lead;
    let (subject, paragraphs) = words_of(notice, lead);
    let number = match notice {
        Notice::Answered { number, .. } => Some(number.clone()),
        Notice::NotDelivered { number, .. } => number.clone(),
        _ => record.presupuestos.first().filter(|p| p.pdf.is_some()).map(|p| p.number.to_string()),
    };
    let presupuesto = number.and_then(|n| Some((format!("Ver el presupuesto {n}"), page_of(&n)?)));
    let rows = rows(record);
    let text_rows: String = rows.iter().map(|row| format!("{}: {}\n", row.field, row.value)).collect();
    let mut text = paragraphs.join("\n\n") + "\n\n" + &text_rows;
    text.extend(presupuesto.iter().map(|(title, url)| format!("\n{title}:\n{url}\n")));
    text += &format!("\nReferencia del lead: {}\n", lead.id);
    let html = html(&paragraphs, &rows, presupuesto.as_ref(), lead);
    WrittenMail { subject: on_one_line(&subject), text, html }
}

/// The subject, and what happened.
fn words_of(notice: &Notice, lead: &Lead) -> (String, Vec<String>) {
    let who = who(lead);
    let with = |subject: &str, text: &str| (format!("{subject}: {who}"), vec![text.to_owned()]);
    match notice {
        Notice::NewLead => with("Nuevo lead", "Ha entrado un lead nuevo. Cuanto antes le contestes, mejor."),
        Notice::CompleteForm => with(
            "Formulario completo",
            "Ha terminado el formulario: aquí está todo lo que ha querido contar. Cuanto antes le contestes, mejor.",
        ),
        Notice::HalfDoneForm => with(
            "Formulario a medias",
            "Ha dejado sus datos en el formulario y no ha seguido. Puede que le venga bien una llamada.",
        ),
        Notice::PerfilComplete => {
            with("Perfil completo", "Ya está todo lo que hace falta para preparar el presupuesto.")
        }
        Notice::Call => {
            with("Pide que le llames", "Ha terminado el formulario y prefiere hablar por teléfono.")
        }
        Notice::Answered { number, accepted: true, .. } => with(
            &format!("Presupuesto {number} aceptado"),
            &format!(
                "¡Enhorabuena! El cliente ha aceptado el presupuesto {number}. Llámale para fijar la visita."
            ),
        ),
        Notice::Answered { number, accepted: false, reason } => with(
            &format!("Presupuesto {number} rechazado"),
            &match reason {
                Some(reason) => {
                    format!("El cliente ha rechazado el presupuesto {number}. Su motivo: «{reason}»")
                }
                None => format!("El cliente ha rechazado el presupuesto {number} sin decir por qué."),
            },
        ),
        Notice::OverdueLoop { step } => {
            let (subject, missing) = match LoopStep::parse(step) {
                Some(LoopStep::AwaitingFinalizar) => {
                    ("Presupuesto atascado", "ha devuelto los renders, pero no ha pedido el presupuesto")
                }
                _ => ("Renders atascados", "aceptó el perfil completo, pero no ha devuelto los renders"),
            };
            let text = format!(
                "El flujo {missing} en el plazo previsto. Revísalo y vuelve a lanzarlo si hace falta."
            );
            with(subject, &text)
        }
        Notice::NotDelivered { kind, error, job, intentos, number, doubt } => {
            let thing = what_is(kind, number.as_deref(), lead);
            let done = match intentos {
                _ if *doubt => format!(
                    "No sabemos si ha llegado {thing}: la conexión se cortó antes de que el servidor lo confirmara."
                ),
                0 | 1 => format!("No se ha podido entregar {thing}, y no se va a repetir solo."),
                n => format!(
                    "No se ha podido entregar {thing} después de {n} intentos, y ya no se va a repetir solo."
                ),
            };
            let subject = if *doubt { "Entrega dudosa" } else { "Sin entregar" };
            let reason = error.as_deref().map(|error| format!("Motivo: {error}"));
            let paragraphs = [Some(done), reason, Some(what_to_do(kind, *doubt, *job, lead))];
            (format!("{subject}: {thing}. {}", lead.nombre), paragraphs.into_iter().flatten().collect())
        }
    }
}

/// «Ana García (baño, Madrid)».
fn who(lead: &Lead) -> String {
    let what = lead.perfil.tipo_reforma.map(|z| zona(z).to_lowercase());
    let details = [what, lead.provincia.clone()].into_iter().flatten().collect::<Vec<_>>().join(", ");
    if details.is_empty() { lead.nombre.clone() } else { format!("{} ({details})", lead.nombre) }
}

fn zona(zona: Zona) -> &'static str {
    words::zona(zona, zona)
}

/// What was to be delivered.
fn what_is(kind: &str, number: Option<&str>, lead: &Lead) -> String {
    let presupuesto = number.map_or("el presupuesto".to_owned(), |n| format!("el presupuesto {n}"));
    match kind {
        "perfil" => "la señal de perfil completo".to_owned(),
        "mensajeria" => "la señal para empezar la conversación".to_owned(),
        "pdf" => format!("{presupuesto} por mensaje"),
        "correo_cliente" => format!("{presupuesto} por correo a {}", lead.email),
        "presupuesto" => format!("{presupuesto}, que no se ha podido preparar"),
        _ => "un aviso".to_owned(),
    }
}

/// What a person can do about it.
fn what_to_do(kind: &str, doubt: bool, job: Option<JobId>, lead: &Lead) -> String {
    let orden = job.map_or("embudo jobs retry".to_owned(), |id| format!("embudo jobs retry {id}"));
    match kind {
        "correo_cliente" if doubt => {
            format!("Pregunta al cliente si lo tiene. Si no, envíalo otra vez con «{orden}».")
        }
        "correo_cliente" => format!(
            "Comprueba con el cliente que su correo es {}; si no lo es, corrígelo. Después envíalo otra vez con «{orden}».",
            lead.email
        ),
        "pdf" => format!(
            "El presupuesto está hecho y puedes enviárselo tú. Para repetir la entrega, revisa el flujo que la recibe (MESSAGING_WEBHOOK_URL) y usa «{orden}»."
        ),
        "mensajeria" => format!(
            "El cliente espera que le escribas. Para repetir la señal, revisa el flujo que la recibe (MESSAGING_START_WEBHOOK_URL) y usa «{orden}»."
        ),
        "perfil" => format!(
            "Sin ella no empiezan los renders ni el presupuesto. Revisa el flujo que la recibe (PERFIL_WEBHOOK_URL) y repítela con «{orden}»."
        ),
        _ => format!("Mira por qué ha fallado y repítelo con «{orden}»."),
    }
}

/// A line of the table; `url` opens it (a call, a mail).
struct Row {
    field: &'static str,
    value: String,
    url: Option<String>,
}

fn rows(record: &LeadRecord) -> Vec<Row> {
    let (lead, p) = (&record.lead, &record.lead.perfil);
    let simple = |field, value| Row { field, value, url: None };
    let mut rows = vec![
        simple("Nombre", lead.nombre.clone()),
        Row {
            field: "Teléfono",
            value: words::telefono(&lead.telefono_e164),
            url: Some(format!("tel:{}", lead.telefono_e164)),
        },
        Row { field: "Correo", value: lead.email.clone(), url: Some(format!("mailto:{}", lead.email)) },
    ];
    let optional = [
        ("Provincia", lead.provincia.clone()),
        ("Reforma", p.tipo_reforma.map(|z| zona(z).to_owned())),
        ("Superficie", p.m2_suelo.map(|m| format!("{m} m²").replace('.', ","))),
        ("Calidad", p.calidad_global.map(|c| words::calidad(c).to_owned())),
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
    let a = |text: &str, at: Option<Zona>| match at {
        Some(at) => format!("{}: {text}", zona(at)),
        None => text.to_owned(),
    };
    let all: Vec<_> = record.notas.iter().take(MAX_NOTAS).map(|n| a(&n.text, n.zona)).collect();
    Some(trim(&all.join(" · "))).filter(|t| !t.is_empty())
}

fn trim(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_TEXT).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn html(paragraphs: &[String], rows: &[Row], presupuesto: Option<&(String, String)>, lead: &Lead) -> String {
    let palette = Color::DEFAULT.palette();
    let row = |f: &Row| {
        let value = match &f.url {
            Some(url) => link(url, &f.value, palette.strong),
            None => escape(&f.value),
        };
        format!(
            "<tr><td style=\"padding:6px 16px 6px 0;color:#6b625a;vertical-align:top;white-space:nowrap\">{}</td><td style=\"padding:6px 0\">{value}</td></tr>",
            f.field
        )
    };
    let mut body: String = paragraphs.iter().map(|p| paragraph(p)).collect();
    body += &format!(
        "<table role=\"presentation\" style=\"border-collapse:collapse;margin:0 0 20px\">{}</table>",
        rows.iter().map(row).collect::<String>()
    );
    if let Some((title, url)) = presupuesto {
        body += &button(url, title, palette);
    }
    page(&body, &format!("{} · referencia {}", lead.empresa.nombre, lead.id), palette.brand)
}
