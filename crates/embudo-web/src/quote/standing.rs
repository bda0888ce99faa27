//! Where a quote stands, in words, and what its client may do with it.

use embudo_domain::presupuesto::{EstadoPresupuesto, Presupuesto};
use jiff::civil::Date;

use super::words;

/// A banner over the page.
pub(super) struct Cartel {
    /// How it looks.
    pub clase: &'static str,
    /// Its icon.
    pub icono: &'static str,
    /// What happened.
    pub titulo: String,
    /// What follows from it.
    pub texto: String,
    /// What the client wrote.
    pub cita: Option<String>,
    /// Where to go instead: words and address.
    pub enlace: Option<(String, String)>,
}

/// The evidence of an answer, as shown.
pub(super) struct Prueba {
    /// When.
    pub cuando: String,
    /// The version of the words agreed to.
    pub texto_version: String,
    /// SHA-256 of the PDF.
    pub huella: String,
}

/// What may be done now.
pub(super) struct Situacion {
    /// What stands over the page; nothing while it waits for an answer.
    pub cartel: Option<Cartel>,
    /// It may be accepted.
    pub aceptable: bool,
    /// It may be declined.
    pub rechazable: bool,
    /// It holds no longer, and nobody answered it in time.
    pub caducado: bool,
    /// It was accepted, with its evidence.
    pub aceptado: Option<Prueba>,
}

impl Situacion {
    /// Reads it off the quote. `actual` is the number and address of the one that counts instead.
    pub fn de(p: &Presupuesto, hoy: Date, actual: Option<(String, String)>) -> Self {
        let vale = p.validez.vale(hoy);
        let cabe = |estado| vale && p.pdf.is_some() && p.estado.puede_pasar_a(estado);
        let sin_respuesta = matches!(p.estado, EstadoPresupuesto::Emitido | EstadoPresupuesto::Rechazado);
        Self {
            cartel: cartel(p, vale, actual),
            aceptable: cabe(EstadoPresupuesto::Aceptado),
            rechazable: cabe(EstadoPresupuesto::Rechazado),
            caducado: !vale && sin_respuesta,
            aceptado: (p.estado == EstadoPresupuesto::Aceptado).then(|| prueba(p)).flatten(),
        }
    }
}

fn prueba(p: &Presupuesto) -> Option<Prueba> {
    use std::fmt::Write as _;
    let r = p.respuesta.as_ref()?;
    let mut huella = String::new();
    for byte in r.pdf_sha256 {
        let _ = write!(huella, "{byte:02x}");
    }
    Some(Prueba { cuando: words::momento(r.en), texto_version: r.texto_version.clone(), huella })
}

fn cartel(p: &Presupuesto, vale: bool, actual: Option<(String, String)>) -> Option<Cartel> {
    let cuando = p.respuesta.as_ref().map(|r| words::momento(r.en));
    let el = |cuando: Option<String>| cuando.map_or_else(String::new, |c| format!(" el {c}"));
    let base = Cartel {
        clase: "",
        icono: "info",
        titulo: String::new(),
        texto: String::new(),
        cita: None,
        enlace: None,
    };
    let hasta = words::dia(p.validez.hasta);
    Some(match p.estado {
        EstadoPresupuesto::Sustituido => {
            let texto = match &actual {
                Some((numero, _)) => {
                    format!("El que vale ahora es el {numero}. Este queda solo como recuerdo.")
                }
                None => "Estamos terminando uno nuevo. Te avisamos en cuanto esté listo.".to_owned(),
            };
            let enlace = actual.map(|(numero, ruta)| (format!("Ver el presupuesto {numero}"), ruta));
            let titulo = "Hay un presupuesto más reciente".to_owned();
            Cartel { clase: "aviso-ojo", icono: "reloj", titulo, texto, enlace, ..base }
        }
        EstadoPresupuesto::Aceptado => Cartel {
            clase: "aviso-bien",
            icono: "hecho-circulo",
            titulo: "Presupuesto aceptado".to_owned(),
            texto: format!("Lo aceptaste{}. ¡Gracias! Te llamamos para fijar la visita.", el(cuando)),
            ..base
        },
        EstadoPresupuesto::Rechazado => Cartel {
            icono: "info",
            titulo: "Presupuesto rechazado".to_owned(),
            texto: if vale {
                format!(
                    "Nos dijiste que no{}. Si cambias de idea, puedes aceptarlo hasta el {hasta}.",
                    el(cuando)
                )
            } else {
                format!("Nos dijiste que no{}. Además, caducó el {hasta}.", el(cuando))
            },
            cita: p.respuesta.as_ref().and_then(|r| r.motivo.clone()),
            ..base
        },
        EstadoPresupuesto::Borrador => Cartel {
            icono: "reloj",
            titulo: "Lo estamos terminando".to_owned(),
            texto: "El PDF aún no está listo. Vuelve a cargar la página dentro de un minuto.".to_owned(),
            ..base
        },
        EstadoPresupuesto::Emitido if !vale => Cartel {
            clase: "aviso-ojo",
            icono: "reloj",
            titulo: "Este presupuesto ha caducado".to_owned(),
            texto: format!(
                "Valía hasta el {hasta}. Los precios pueden haber cambiado: pídenos uno nuevo, sin compromiso."
            ),
            enlace: Some(("Pedir uno nuevo".to_owned(), "#respuesta".to_owned())),
            ..base
        },
        EstadoPresupuesto::Emitido => return None,
    })
}
