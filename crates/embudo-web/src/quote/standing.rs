//! Where a quote stands, in words, and what its client may do with it.

use embudo_domain::presupuesto::{Character, Document, Presupuesto, PresupuestoState, VisitRequest};
use jiff::civil::Date;

use super::words;

/// A banner over the page.
pub(super) struct Cartel {
    pub class: &'static str,
    pub icon: &'static str,
    pub title: String,
    /// What follows from it.
    pub text: String,
    /// What the client wrote.
    pub quotation: Option<String>,
    /// Where to go instead: words and address.
    pub link: Option<(String, String)>,
}

/// The evidence of an answer, as shown.
pub(super) struct Evidence {
    pub when: String,
    /// The version of the words agreed to.
    pub texto_version: String,
    /// SHA-256 of the PDF.
    pub digest: String,
    /// What was agreed to be paid.
    pub total: String,
    /// What the options are that were ticked.
    pub options: Vec<String>,
    pub declared: bool,
    pub early_start: bool,
}

/// What may be done now.
pub(super) struct Standing {
    /// What stands over the page; nothing while it waits for an answer.
    pub cartel: Option<Cartel>,
    /// It may be accepted.
    pub acceptable: bool,
    /// It is orientative, and a visit may be asked for.
    pub visitable: bool,
    /// A visit was asked for.
    pub visit_asked: bool,
    /// It may be declined.
    pub rejectable: bool,
    /// It holds no longer, and nobody answered it in time.
    pub expired: bool,
    pub accepted: Option<Evidence>,
}

impl Standing {
    /// Reads it off the quote. `actual` is the number and address of the one that counts instead.
    pub fn of(p: &Presupuesto, today: Date, actual: Option<(String, String)>) -> Self {
        let holds = p.validity.holds(today);
        let fits = |state| holds && p.pdf.is_some() && p.state.can_become(state);
        let without_response = matches!(p.state, PresupuestoState::Emitido | PresupuestoState::Rechazado);
        let is_binding = p.document.character() == Character::Binding;
        let visit = p.open_visit().filter(|_| fits(PresupuestoState::Aceptado));
        Self {
            cartel: visit.map(visit_cartel).or_else(|| cartel(p, holds, actual)),
            acceptable: is_binding && fits(PresupuestoState::Aceptado),
            visitable: !is_binding && visit.is_none() && fits(PresupuestoState::Aceptado),
            visit_asked: visit.is_some(),
            rejectable: fits(PresupuestoState::Rechazado),
            expired: !holds && without_response,
            accepted: (p.state == PresupuestoState::Aceptado).then(|| evidence(p)).flatten(),
        }
    }
}

impl Standing {
    /// Of a draft, which only its company sees.
    pub fn of_draft(document: &Document) -> Self {
        let is_binding = document.character() == Character::Binding;
        Self {
            cartel: Some(Cartel {
                class: "aviso-ojo",
                icon: "info",
                title: "Borrador".to_owned(),
                text: "Así lo verá tu cliente. Aún no tiene número y nadie más puede abrir esta página."
                    .to_owned(),
                quotation: None,
                link: None,
            }),
            acceptable: is_binding,
            visitable: !is_binding,
            visit_asked: false,
            rejectable: true,
            expired: false,
            accepted: None,
        }
    }
}

fn evidence(p: &Presupuesto) -> Option<Evidence> {
    use std::fmt::Write as _;
    let r = p.answer.as_ref()?;
    let mut digest = String::new();
    for byte in r.pdf_sha256 {
        let _ = write!(digest, "{byte:02x}");
    }
    let taken = p.acceptance()?;
    Some(Evidence {
        when: words::momento(r.at),
        texto_version: r.texto_version.clone(),
        digest,
        total: taken.total.to_string(),
        options: taken.options.into_iter().map(|option| option.concepto).collect(),
        declared: taken.declared,
        early_start: taken.early_start,
    })
}

fn visit_cartel(visit: &VisitRequest) -> Cartel {
    Cartel {
        class: "aviso-bien",
        icon: "hecho-circulo",
        title: "Visita pedida".to_owned(),
        text: format!(
            "Nos la pediste el {}. Te llamamos para fijar el día, medir y cerrar el precio.",
            words::momento(visit.at)
        ),
        quotation: visit.note.clone(),
        link: None,
    }
}

fn cartel(p: &Presupuesto, holds: bool, actual: Option<(String, String)>) -> Option<Cartel> {
    let when = p.answer.as_ref().map(|r| words::momento(r.at));
    let the = |when: Option<String>| when.map_or_else(String::new, |c| format!(" el {c}"));
    let base = Cartel {
        class: "",
        icon: "info",
        title: String::new(),
        text: String::new(),
        quotation: None,
        link: None,
    };
    let until = words::day(p.validity.until);
    Some(match p.state {
        PresupuestoState::Superseded => {
            let text = match &actual {
                Some((number, _)) => {
                    format!("El que vale ahora es el {number}. Este queda solo como recuerdo.")
                }
                None => "Estamos terminando uno nuevo. Te avisamos en cuanto esté listo.".to_owned(),
            };
            let link = actual.map(|(number, path)| (format!("Ver el presupuesto {number}"), path));
            let title = "Hay un presupuesto más reciente".to_owned();
            Cartel { class: "aviso-ojo", icon: "reloj", title, text, link, ..base }
        }
        PresupuestoState::Aceptado => Cartel {
            class: "aviso-bien",
            icon: "hecho-circulo",
            title: "Presupuesto aceptado".to_owned(),
            text: format!("Lo aceptaste{}. ¡Gracias! Te llamamos para fijar la visita.", the(when)),
            ..base
        },
        PresupuestoState::Rechazado => Cartel {
            icon: "info",
            title: "Presupuesto rechazado".to_owned(),
            text: if holds {
                let may = match p.document.character() {
                    Character::Binding => "aceptarlo",
                    Character::Orientative => "pedirnos una visita",
                };
                format!("Nos dijiste que no{}. Si cambias de idea, puedes {may} hasta el {until}.", the(when))
            } else {
                format!("Nos dijiste que no{}. Además, caducó el {until}.", the(when))
            },
            quotation: p.answer.as_ref().and_then(|r| r.reason.clone()),
            ..base
        },
        PresupuestoState::Borrador => Cartel {
            icon: "reloj",
            title: "Lo estamos terminando".to_owned(),
            text: "El PDF aún no está listo. Vuelve a cargar la página dentro de un minuto.".to_owned(),
            ..base
        },
        PresupuestoState::Emitido if !holds => Cartel {
            class: "aviso-ojo",
            icon: "reloj",
            title: "Este presupuesto ha caducado".to_owned(),
            text: format!(
                "Valía hasta el {until}. Los precios pueden haber cambiado: pídenos uno nuevo, sin compromiso."
            ),
            link: Some(("Pedir uno nuevo".to_owned(), "#respuesta".to_owned())),
            ..base
        },
        PresupuestoState::Emitido => return None,
    })
}
