//! What notices to the company say.

use embudo_domain::bucle::PasoBucle;
use embudo_domain::ficha::Lead;
use serde::{Deserialize, Serialize};

use crate::carta::{Escrito, en_una_linea, escapar, pagina};

/// Why the company is written to; kept with the job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "aviso", rename_all = "snake_case")]
pub(crate) enum Aviso {
    /// A lead was created.
    NuevoLead,
    /// The client came to the end of the form.
    FormularioCompleto,
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
    },
}

/// Writes a notice.
pub(crate) fn escribir(aviso: &Aviso, lead: &Lead) -> Escrito {
    let nombre = &lead.nombre;
    let (asunto, entrada) = match aviso {
        Aviso::NuevoLead => (
            format!("Nuevo lead: {nombre}"),
            "Ha entrado un lead nuevo. Cuanto antes le contestes, mejor.".to_owned(),
        ),
        Aviso::FormularioCompleto => (
            format!("Formulario completo: {nombre}"),
            "Ha terminado el formulario: ya tienes todo lo que ha querido contar.".to_owned(),
        ),
        Aviso::PerfilCompleto => (
            format!("Perfil completo: {nombre}"),
            "Ya están los datos y las fotos para preparar el presupuesto.".to_owned(),
        ),
        Aviso::Llamada => (
            format!("Pide que le llames: {nombre}"),
            "Ha terminado el formulario y prefiere hablar por teléfono.".to_owned(),
        ),
        Aviso::Contestado { numero, aceptado: true, .. } => (
            format!("Presupuesto {numero} aceptado: {nombre}"),
            format!(
                "¡Enhorabuena! El cliente ha aceptado el presupuesto {numero}. Llámale para fijar la visita."
            ),
        ),
        Aviso::Contestado { numero, aceptado: false, motivo } => (
            format!("Presupuesto {numero} rechazado: {nombre}"),
            match motivo {
                Some(motivo) => {
                    format!("El cliente ha rechazado el presupuesto {numero}. Su motivo: «{motivo}»")
                }
                None => format!("El cliente ha rechazado el presupuesto {numero} sin decir por qué."),
            },
        ),
        Aviso::BucleVencido { paso } => {
            let (asunto, falta) = match PasoBucle::desde(paso) {
                Some(PasoBucle::EsperandoFinalizar) => {
                    ("Presupuesto atascado", "ha devuelto los renders, pero no ha pedido el presupuesto")
                }
                _ => ("Renders atascados", "aceptó el perfil completo, pero no ha devuelto los renders"),
            };
            let entrada =
                format!("El flujo {falta} en el plazo previsto. Revísalo y vuelve a lanzarlo si hace falta.");
            (format!("{asunto}: {nombre}"), entrada)
        }
        Aviso::SinEntregar { tipo, error } => (
            format!("Sin entregar ({}): {nombre}", que_es(tipo)),
            format!(
                "No se ha podido entregar {} después de todos los intentos. Último error: {}. Revísalo y repítelo con «embudo jobs retry».",
                que_es(tipo),
                error.as_deref().unwrap_or("sin detalle"),
            ),
        ),
    };
    let filas = filas(lead);
    let texto_filas: String = filas.iter().map(|(campo, valor)| format!("{campo}: {valor}\n")).collect();
    let texto = format!("{entrada}\n\n{texto_filas}\nReferencia del lead: {}\n", lead.id);
    Escrito { html: html(&entrada, &filas, lead), asunto: en_una_linea(&asunto), texto }
}

fn que_es(tipo: &str) -> &'static str {
    match tipo {
        "perfil" => "la señal de perfil completo",
        "mensajeria" => "la señal para seguir por mensajería",
        "pdf" => "el presupuesto por mensajería",
        "correo_cliente" => "el presupuesto por correo",
        "presupuesto" => "el presupuesto, que no se ha podido dibujar",
        _ => "un aviso",
    }
}

fn filas(lead: &Lead) -> Vec<(&'static str, String)> {
    let p = &lead.perfil;
    let opcionales = [
        ("Provincia", lead.provincia.clone()),
        ("Reforma", p.tipo_reforma.map(|z| z.to_string())),
        ("Superficie", p.m2_suelo.map(|m| format!("{m} m²").replace('.', ","))),
        ("Calidad", p.calidad_global.map(|c| c.to_string())),
        ("Urgencia", p.urgencia.map(|u| u.to_string())),
    ];
    let mut filas = vec![
        ("Nombre", lead.nombre.clone()),
        ("Teléfono", lead.telefono_e164.clone()),
        ("Correo", lead.email.clone()),
    ];
    filas.extend(opcionales.into_iter().filter_map(|(campo, valor)| Some((campo, valor?))));
    filas
}

fn html(entrada: &str, filas: &[(&'static str, String)], lead: &Lead) -> String {
    let filas: String = filas
        .iter()
        .map(|(campo, valor)| {
            format!(
                "<tr><td style=\"padding:6px 16px 6px 0;color:#6b625a\">{campo}</td><td style=\"padding:6px 0\">{}</td></tr>",
                escapar(valor)
            )
        })
        .collect();
    let cuerpo = format!(
        "<p style=\"margin:0 0 16px;font-size:17px\">{}</p><table style=\"border-collapse:collapse\">{filas}</table>",
        escapar(entrada)
    );
    pagina(&cuerpo, &format!("{} · referencia {}", lead.empresa.nombre, lead.id))
}
