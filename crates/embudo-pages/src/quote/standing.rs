//! The status of a quote in words, and what its client may do with it.

use embudo_domain::presupuesto::{Character, Document, Presupuesto, PresupuestoState, VisitRequest};
use jiff::civil::Date;

use super::words;

/// A banner at the top of the page.
pub(super) struct Banner {
    pub class: &'static str,
    pub icon: &'static str,
    pub title: String,
    /// What the status means for the client.
    pub text: String,
    /// The text that the client wrote.
    pub quotation: Option<String>,
    /// A link to another page: label and address.
    pub link: Option<(String, String)>,
}

/// The client's visit that is still open, with the link to its page.
pub(super) struct VisitLink {
    /// The agreed hour. `None` if the client has still to choose one.
    pub when: Option<String>,
    /// The address of the visit's page.
    pub path: String,
}

impl VisitLink {
    /// The link for people of the company, who manage the visit in the panel.
    pub fn leading_to(self, p: &Presupuesto) -> Self {
        Self { path: format!("/panel/leads/{}", p.lead), ..self }
    }

    fn says(&self) -> String {
        match &self.when {
            Some(when) => format!("Vamos a verte el {when}."),
            None => "Elige la hora que mejor te venga para la visita.".to_owned(),
        }
    }

    fn link(&self) -> (String, String) {
        let words = match self.when {
            Some(_) => "Tu visita: ver o cambiar",
            None => "Elegir hora para la visita",
        };
        (words.to_owned(), self.path.clone())
    }

    /// A separate banner for the visit.
    fn banner(&self) -> Banner {
        Banner {
            class: "aviso-bien",
            icon: "reloj",
            title: if self.when.is_some() { "Tu visita" } else { "Elige hora para la visita" }.to_owned(),
            text: match self.when {
                Some(_) => self.says(),
                None => "Te hemos propuesto unas horas. Elige la que mejor te venga.".to_owned(),
            },
            quotation: None,
            link: Some(self.link()),
        }
    }
}

/// The evidence of an answer, formatted for the page.
pub(super) struct Evidence {
    pub when: String,
    /// The version of the text that the client agreed to.
    pub texto_version: String,
    /// SHA-256 of the PDF.
    pub digest: String,
    /// The agreed total.
    pub total: String,
    /// The names of the ticked options.
    pub options: Vec<String>,
    pub declared: bool,
    pub early_start: bool,
    /// Whether the client answered by telephone.
    pub by_phone: bool,
}

/// The status of a quote, and the actions that are possible now.
pub(super) struct Standing {
    /// The banner at the top of the page. `None` while the quote waits for an answer.
    pub banner: Option<Banner>,
    /// The banner about the client's visit, if the first banner does not mention the visit.
    pub visit: Option<Banner>,
    /// The link to choose or change the hour of a visit: label and address.
    pub visit_link: Option<(String, String)>,
    /// Whether the quote may be accepted.
    pub acceptable: bool,
    /// Whether the quote is approximate, so that the client may ask for a visit.
    pub visitable: bool,
    /// Whether a visit was asked for.
    pub visit_asked: bool,
    /// Whether the quote may be declined.
    pub rejectable: bool,
    /// Whether the quote's validity ended without an answer.
    pub expired: bool,
    pub accepted: Option<Evidence>,
}

impl Standing {
    /// Derives the status from the quote. `replacement` is the number and the address of the quote that replaced this
    /// one.
    pub fn of(
        p: &Presupuesto,
        today: Date,
        replacement: Option<(String, String)>,
        visita: Option<&VisitLink>,
    ) -> Self {
        let holds = p.validity.holds(today);
        let fits = |state| holds && p.pdf.is_some() && p.state.can_become(state);
        let without_response = matches!(p.state, PresupuestoState::Emitido | PresupuestoState::Rechazado);
        let is_binding = p.document.character() == Character::Binding;
        let visit = p.open_visit().filter(|_| fits(PresupuestoState::Aceptado));
        let speaks_of_it = visit.is_some() || p.state == PresupuestoState::Aceptado;
        Self {
            banner: visit
                .map(|asked| visit_banner(asked, visita))
                .or_else(|| banner(p, holds, replacement, visita)),
            visit: visita.filter(|_| !speaks_of_it).map(VisitLink::banner),
            visit_link: visita.map(VisitLink::link),
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
    /// The status of a draft, which only the company sees.
    pub fn of_draft(document: &Document) -> Self {
        let is_binding = document.character() == Character::Binding;
        Self {
            banner: Some(Banner {
                class: "aviso-ojo",
                icon: "info",
                title: "Borrador".to_owned(),
                text: "Así lo verá tu cliente. Aún no tiene número y nadie más puede abrir esta página."
                    .to_owned(),
                quotation: None,
                link: None,
            }),
            visit: None,
            visit_link: None,
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
        when: words::format_moment(r.at),
        texto_version: r.texto_version.clone(),
        digest,
        total: taken.total.to_string(),
        options: taken.options.into_iter().map(|option| option.concepto).collect(),
        declared: taken.declared,
        early_start: taken.early_start,
        by_phone: taken.by_phone.is_some(),
    })
}

fn visit_banner(visit: &VisitRequest, visita: Option<&VisitLink>) -> Banner {
    let then = visita.map_or_else(
        || "Te llamamos para fijar el día, medir y cerrar el precio.".to_owned(),
        VisitLink::says,
    );
    Banner {
        class: "aviso-bien",
        icon: "hecho-circulo",
        title: "Visita pedida".to_owned(),
        text: format!("Nos la pediste el {}. {then}", words::format_moment(visit.at)),
        quotation: visit.note.clone(),
        link: visita.map(VisitLink::link),
    }
}

fn banner(
    p: &Presupuesto,
    holds: bool,
    replacement: Option<(String, String)>,
    visita: Option<&VisitLink>,
) -> Option<Banner> {
    let when = p.answer.as_ref().map(|r| words::format_moment(r.at));
    let by_phone = p.answer.as_ref().is_some_and(|r| r.by_phone.is_some());
    let how = if by_phone { " por teléfono" } else { "" };
    let the = |when: Option<String>| when.map_or_else(String::new, |c| format!(" el {c}"));
    let base = Banner {
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
            let text = match &replacement {
                Some((number, _)) => {
                    format!("El que vale ahora es el {number}. Este queda solo como recuerdo.")
                }
                None => "Estamos terminando uno nuevo. Te avisamos en cuanto esté listo.".to_owned(),
            };
            let link = replacement.map(|(number, path)| (format!("Ver el presupuesto {number}"), path));
            let title = "Hay un presupuesto más reciente".to_owned();
            Banner { class: "aviso-ojo", icon: "reloj", title, text, link, ..base }
        }
        PresupuestoState::Aceptado => Banner {
            class: "aviso-bien",
            icon: "hecho-circulo",
            title: "Presupuesto aceptado".to_owned(),
            text: format!(
                "Lo aceptaste{how}{}. ¡Gracias! {}",
                the(when),
                visita.map_or_else(|| "Te llamamos para fijar la visita.".to_owned(), VisitLink::says)
            ),
            link: visita.map(VisitLink::link),
            ..base
        },
        PresupuestoState::Rechazado => Banner {
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
        PresupuestoState::Preparing => Banner {
            icon: "reloj",
            title: "Lo estamos terminando".to_owned(),
            text: "El PDF aún no está listo. Vuelve a cargar la página dentro de un minuto.".to_owned(),
            ..base
        },
        PresupuestoState::Emitido if !holds => Banner {
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
