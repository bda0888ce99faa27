//! What notices to the company say: what happened, to whom, and what to do.

use embudo_domain::TrabajoId;
use embudo_domain::bucle::PasoBucle;
use embudo_domain::color::Color;
use embudo_domain::dinero::Cents;
use embudo_domain::ficha::{Ficha, Lead};
use embudo_domain::ingesta::Momento;
use embudo_domain::perfil::Urgencia;
use embudo_domain::{Zona, palabras};
use serde::{Deserialize, Serialize};

use crate::carta::{Escrito, boton, en_una_linea, enlace, escapar, pagina, parrafo};

/// Why the company is written to; kept with the job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "aviso", rename_all = "snake_case")]
pub(crate) enum Aviso {
    /// A lead was created.
    NuevoLead,
    /// The client came to the end of the form.
    FormularioCompleto,
    /// The client left contact data in the form and went no further.
    FormularioAMedias,
    /// A lead's profile is complete.
    PerfilCompleto,
    /// The client asked to be called.
    Llamada,
    /// The client accepted or declined a quote.
    Contestado {
        /// The quote's number.
        numero: String,
        /// Which of the two.
        aceptado: bool,
        /// Why, in the client's words.
        motivo: Option<String>,
    },
    /// What a profile signal asks for did not come in time.
    BucleVencido {
        /// What the lead waits for.
        paso: String,
    },
    /// Something that should have left the house did not.
    SinEntregar {
        /// What kind of job.
        tipo: String,
        /// How its last attempt ended.
        error: Option<String>,
        /// Which job; jobs of before did not say.
        #[serde(default)]
        trabajo: Option<TrabajoId>,
        /// How often it was tried.
        #[serde(default)]
        intentos: u32,
        /// The number of the quote that it carries.
        #[serde(default)]
        numero: Option<String>,
        /// Perhaps it did arrive.
        #[serde(default)]
        duda: bool,
    },
}

/// Notes are shown up to this many, and to this length in all: a mail is no archive.
const MAX_NOTAS: usize = 20;
const MAX_TEXTO: usize = 2_000;

/// Writes a notice; `pagina_de` knows the address of a quote's page, by its number.
pub(crate) fn escribir(aviso: &Aviso, ficha: &Ficha, pagina_de: impl Fn(&str) -> Option<String>) -> Escrito {
    let lead = &ficha.lead;
    let (asunto, parrafos) = palabras_de(aviso, lead);
    let numero = match aviso {
        Aviso::Contestado { numero, .. } => Some(numero.clone()),
        Aviso::SinEntregar { numero, .. } => numero.clone(),
        _ => ficha.presupuestos.first().filter(|p| p.pdf.is_some()).map(|p| p.numero.to_string()),
    };
    let presupuesto = numero.and_then(|n| Some((format!("Ver el presupuesto {n}"), pagina_de(&n)?)));
    let filas = filas(ficha);
    let filas_de_texto: String =
        filas.iter().map(|fila| format!("{}: {}\n", fila.campo, fila.valor)).collect();
    let mut texto = parrafos.join("\n\n") + "\n\n" + &filas_de_texto;
    texto.extend(presupuesto.iter().map(|(titulo, url)| format!("\n{titulo}:\n{url}\n")));
    texto += &format!("\nReferencia del lead: {}\n", lead.id);
    let html = html(&parrafos, &filas, presupuesto.as_ref(), lead);
    Escrito { asunto: en_una_linea(&asunto), texto, html }
}

/// The subject, and what happened.
fn palabras_de(aviso: &Aviso, lead: &Lead) -> (String, Vec<String>) {
    let quien = quien(lead);
    let con = |asunto: &str, texto: &str| (format!("{asunto}: {quien}"), vec![texto.to_owned()]);
    match aviso {
        Aviso::NuevoLead => con("Nuevo lead", "Ha entrado un lead nuevo. Cuanto antes le contestes, mejor."),
        Aviso::FormularioCompleto => con(
            "Formulario completo",
            "Ha terminado el formulario: aquí está todo lo que ha querido contar. Cuanto antes le contestes, mejor.",
        ),
        Aviso::FormularioAMedias => con(
            "Formulario a medias",
            "Ha dejado sus datos en el formulario y no ha seguido. Puede que le venga bien una llamada.",
        ),
        Aviso::PerfilCompleto => {
            con("Perfil completo", "Ya está todo lo que hace falta para preparar el presupuesto.")
        }
        Aviso::Llamada => {
            con("Pide que le llames", "Ha terminado el formulario y prefiere hablar por teléfono.")
        }
        Aviso::Contestado { numero, aceptado: true, .. } => con(
            &format!("Presupuesto {numero} aceptado"),
            &format!(
                "¡Enhorabuena! El cliente ha aceptado el presupuesto {numero}. Llámale para fijar la visita."
            ),
        ),
        Aviso::Contestado { numero, aceptado: false, motivo } => con(
            &format!("Presupuesto {numero} rechazado"),
            &match motivo {
                Some(motivo) => {
                    format!("El cliente ha rechazado el presupuesto {numero}. Su motivo: «{motivo}»")
                }
                None => format!("El cliente ha rechazado el presupuesto {numero} sin decir por qué."),
            },
        ),
        Aviso::BucleVencido { paso } => {
            let (asunto, falta) = match PasoBucle::parse(paso) {
                Some(PasoBucle::EsperandoFinalizar) => {
                    ("Presupuesto atascado", "ha devuelto los renders, pero no ha pedido el presupuesto")
                }
                _ => ("Renders atascados", "aceptó el perfil completo, pero no ha devuelto los renders"),
            };
            let texto =
                format!("El flujo {falta} en el plazo previsto. Revísalo y vuelve a lanzarlo si hace falta.");
            con(asunto, &texto)
        }
        Aviso::SinEntregar { tipo, error, trabajo, intentos, numero, duda } => {
            let cosa = que_es(tipo, numero.as_deref(), lead);
            let hecho = match intentos {
                _ if *duda => format!(
                    "No sabemos si ha llegado {cosa}: la conexión se cortó antes de que el servidor lo confirmara."
                ),
                0 | 1 => format!("No se ha podido entregar {cosa}, y no se va a repetir solo."),
                n => format!(
                    "No se ha podido entregar {cosa} después de {n} intentos, y ya no se va a repetir solo."
                ),
            };
            let asunto = if *duda { "Entrega dudosa" } else { "Sin entregar" };
            let motivo = error.as_deref().map(|error| format!("Motivo: {error}"));
            let parrafos = [Some(hecho), motivo, Some(que_hacer(tipo, *duda, *trabajo, lead))];
            (format!("{asunto}: {cosa}. {}", lead.nombre), parrafos.into_iter().flatten().collect())
        }
    }
}

/// «Ana García (baño, Madrid)».
fn quien(lead: &Lead) -> String {
    let que = lead.perfil.tipo_reforma.map(|z| zona(z).to_lowercase());
    let detalles = [que, lead.provincia.clone()].into_iter().flatten().collect::<Vec<_>>().join(", ");
    if detalles.is_empty() { lead.nombre.clone() } else { format!("{} ({detalles})", lead.nombre) }
}

fn zona(zona: Zona) -> &'static str {
    palabras::zona(zona, zona)
}

/// What was to be delivered.
fn que_es(tipo: &str, numero: Option<&str>, lead: &Lead) -> String {
    let presupuesto = numero.map_or("el presupuesto".to_owned(), |n| format!("el presupuesto {n}"));
    match tipo {
        "perfil" => "la señal de perfil completo".to_owned(),
        "mensajeria" => "la señal para empezar la conversación".to_owned(),
        "pdf" => format!("{presupuesto} por mensaje"),
        "correo_cliente" => format!("{presupuesto} por correo a {}", lead.email),
        "presupuesto" => format!("{presupuesto}, que no se ha podido preparar"),
        _ => "un aviso".to_owned(),
    }
}

/// What a person can do about it.
fn que_hacer(tipo: &str, duda: bool, trabajo: Option<TrabajoId>, lead: &Lead) -> String {
    let orden = trabajo.map_or("embudo jobs retry".to_owned(), |id| format!("embudo jobs retry {id}"));
    match tipo {
        "correo_cliente" if duda => {
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
struct Fila {
    campo: &'static str,
    valor: String,
    url: Option<String>,
}

fn filas(ficha: &Ficha) -> Vec<Fila> {
    let (lead, p) = (&ficha.lead, &ficha.lead.perfil);
    let simple = |campo, valor| Fila { campo, valor, url: None };
    let mut filas = vec![
        simple("Nombre", lead.nombre.clone()),
        Fila {
            campo: "Teléfono",
            valor: palabras::telefono(&lead.telefono_e164),
            url: Some(format!("tel:{}", lead.telefono_e164)),
        },
        Fila { campo: "Correo", valor: lead.email.clone(), url: Some(format!("mailto:{}", lead.email)) },
    ];
    let opcionales = [
        ("Provincia", lead.provincia.clone()),
        ("Reforma", p.tipo_reforma.map(|z| zona(z).to_owned())),
        ("Superficie", p.m2_suelo.map(|m| format!("{m} m²").replace('.', ","))),
        ("Calidad", p.calidad_global.map(|c| palabras::calidad(c).to_owned())),
        ("Estructura", p.estructural.map(|e| if e { "hay que tocarla" } else { "no se toca" }.to_owned())),
        ("Cuándo", p.urgencia.map(|u| cuando(u).to_owned())),
        ("Quiere gastar", p.presupuesto_target_cents.map(|c| Cents(c).corto())),
        ("Le gustaría", p.taste_text.as_deref().map(recortar)),
        (
            "Fotos",
            Some(ficha.fotos.iter().filter(|f| f.momento == Momento::Antes).count())
                .filter(|n| *n > 0)
                .map(|n| n.to_string()),
        ),
        ("Notas", notas(ficha)),
    ];
    filas.extend(opcionales.into_iter().filter_map(|(campo, valor)| Some(simple(campo, valor?))));
    filas
}

fn cuando(urgencia: Urgencia) -> &'static str {
    match urgencia {
        Urgencia::Alta => "cuanto antes",
        Urgencia::Media => "en unos meses",
        Urgencia::Baja => "sin prisa",
    }
}

fn notas(ficha: &Ficha) -> Option<String> {
    let una = |texto: &str, en: Option<Zona>| match en {
        Some(en) => format!("{}: {texto}", zona(en)),
        None => texto.to_owned(),
    };
    let todas: Vec<_> = ficha.notas.iter().take(MAX_NOTAS).map(|n| una(&n.texto, n.zona)).collect();
    Some(recortar(&todas.join(" · "))).filter(|t| !t.is_empty())
}

fn recortar(texto: &str) -> String {
    let mut corto: String = texto.chars().take(MAX_TEXTO).collect();
    if corto.len() < texto.len() {
        corto.push('…');
    }
    corto
}

fn html(parrafos: &[String], filas: &[Fila], presupuesto: Option<&(String, String)>, lead: &Lead) -> String {
    let paleta = Color::POR_DEFECTO.paleta();
    let fila = |f: &Fila| {
        let valor = match &f.url {
            Some(url) => enlace(url, &f.valor, paleta.fuerte),
            None => escapar(&f.valor),
        };
        format!(
            "<tr><td style=\"padding:6px 16px 6px 0;color:#6b625a;vertical-align:top;white-space:nowrap\">{}</td><td style=\"padding:6px 0\">{valor}</td></tr>",
            f.campo
        )
    };
    let mut cuerpo: String = parrafos.iter().map(|p| parrafo(p)).collect();
    cuerpo += &format!(
        "<table role=\"presentation\" style=\"border-collapse:collapse;margin:0 0 20px\">{}</table>",
        filas.iter().map(fila).collect::<String>()
    );
    if let Some((titulo, url)) = presupuesto {
        cuerpo += &boton(url, titulo, paleta);
    }
    pagina(&cuerpo, &format!("{} · referencia {}", lead.empresa.nombre, lead.id), paleta.marca)
}
