//! The subject and the paragraphs of each notice.

use embudo_domain::lead::Lead;
use embudo_domain::rights::RightAsked;
use embudo_domain::watched_loop::LoopStep;
use embudo_domain::{JobId, Zona};

use super::{Notice, Taken};

/// How something that was not delivered is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// By a command on the server, because the address of the panel is not known.
    Command,
    /// In the panel, on the page of the job.
    Panel,
    /// By another person, who has the permission.
    Ask,
}

impl Again {
    /// The instruction to the reader, as the end of a sentence.
    fn instruction(self, job: Option<JobId>) -> String {
        match (self, job) {
            (Self::Command, Some(id)) => format!("repite el envío con «embudo jobs retry {id}»"),
            (Self::Command, None) => "repite el envío con «embudo jobs retry»".to_owned(),
            (Self::Panel, _) => "repite el envío desde el panel".to_owned(),
            (Self::Ask, _) => "pide a quien lleva los envíos que lo repita".to_owned(),
        }
    }
}

/// The subject, and what happened.
pub(super) fn subject_and_paragraphs(notice: &Notice, lead: &Lead, again: Again) -> (String, Vec<String>) {
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
        Notice::MessageWaits => with(
            "Mensaje en espera",
            "Quiere seguir por mensajería, pero ha cambiado de teléfono o lo ha pedido muchas veces y no le hemos escrito. Comprueba el número y, si es bueno, empieza la conversación desde su ficha.",
        ),
        Notice::ClientWrote => with(
            "Mensaje de un cliente",
            "Te ha escrito y espera una respuesta. Léelo y contéstale desde su ficha.",
        ),
        Notice::ToReview { .. } => with(
            "Presupuesto por revisar",
            "Hay un presupuesto preparado. Míralo, corrige lo que haga falta y envíalo: el cliente aún no ha recibido nada.",
        ),
        Notice::AskedAgain { .. } => with(
            "Piden el presupuesto",
            "Ha llegado el momento de enviar el presupuesto y tienes un borrador abierto: no lo hemos tocado ni enviado. Termínalo y envíalo; el cliente aún no ha recibido nada.",
        ),
        Notice::Answered { number, accepted: true, taken, .. } => {
            let (subject, mut paragraphs) = with(
                &format!("Presupuesto {number} aceptado"),
                &format!(
                    "¡Enhorabuena! El cliente ha aceptado el presupuesto {number}. Llámale para fijar la visita."
                ),
            );
            paragraphs.extend(taken.as_ref().map(format_taken));
            (subject, paragraphs)
        }
        Notice::AskedVisit { number, note } => with(
            "Pide una visita",
            &match note {
                Some(note) => format!(
                    "El cliente ha visto el presupuesto {number}, que es orientativo, y pide una visita. Te dice: «{note}»"
                ),
                None => format!(
                    "El cliente ha visto el presupuesto {number}, que es orientativo, y pide una visita. Llámale y fijad el día."
                ),
            },
        ),
        Notice::RightAsked { number, what } => match RightAsked::parse(what) {
            Some(RightAsked::Erasure) => with(
                "Pide que se borren sus datos",
                &format!(
                    "Lo pide desde la página del presupuesto {number}. Tienes un mes para contestarle. Comprueba que es quien dice ser y hazlo en su ficha, en «Datos de la persona»."
                ),
            ),
            _ => with(
                "Pide una copia de sus datos",
                &format!(
                    "La pide desde la página del presupuesto {number}. Tienes un mes para contestarle. Comprueba que es quien dice ser y descárgala en su ficha, en «Datos de la persona»."
                ),
            ),
        },
        Notice::Answered { number, accepted: false, reason, .. } => with(
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
            let paragraphs =
                [Some(done), reason, Some(what_to_do(kind, *doubt, &again.instruction(*job), lead))];
            (format!("{subject}: {thing}. {}", lead.name()), paragraphs.into_iter().flatten().collect())
        }
    }
}

/// «Por 6.120,00 €, impuestos incluidos, con la opción «Mampara».»
fn format_taken(taken: &Taken) -> String {
    let quoted = |options: &[String]| options.iter().map(|o| format!("«{o}»")).collect::<Vec<_>>().join(", ");
    let with = match taken.options.as_slice() {
        [] => String::new(),
        [one] => format!(", con la opción «{one}»"),
        several => format!(", con las opciones {}", quoted(several)),
    };
    let mut text = format!("Por {}, impuestos incluidos{with}.", taken.total);
    if taken.declared {
        text.push_str(" Ha hecho la declaración para el tipo reducido.");
    }
    if taken.early_start {
        text.push_str(" Pide que la obra empiece antes de que pase el plazo de desistimiento.");
    }
    if let Some(who) = &taken.by_phone {
        text.push_str(&format!(" Lo dijo por teléfono y lo apuntó {who}."));
    }
    text
}

/// «Ana García (baño, Madrid)».
fn who(lead: &Lead) -> String {
    let what = lead.perfil.tipo_reforma.map(|z| zona(z).to_lowercase());
    let details = [what, lead.place()].into_iter().flatten().collect::<Vec<_>>().join(", ");
    if details.is_empty() { lead.name() } else { format!("{} ({details})", lead.name()) }
}

pub(super) fn zona(zona: Zona) -> &'static str {
    zona.heading(zona)
}

/// What should have been delivered.
fn what_is(kind: &str, number: Option<&str>, lead: &Lead) -> String {
    let presupuesto = number.map_or("el presupuesto".to_owned(), |n| format!("el presupuesto {n}"));
    match kind {
        "perfil" => "la señal de perfil completo".to_owned(),
        "mensajeria" => "la señal para empezar la conversación".to_owned(),
        "pdf" => format!("{presupuesto} por mensaje"),
        "correo_cliente" => format!("{presupuesto} por correo a {}", lead.email),
        "recordatorio" => format!("un recordatorio por correo a {}", lead.email),
        "respuesta" => "una respuesta por mensajería".to_owned(),
        "correo_respuesta" => format!("una respuesta por correo a {}", lead.email),
        "presupuesto" => format!("{presupuesto}, que no se ha podido preparar"),
        _ => "un aviso".to_owned(),
    }
}

/// What a person can do about the failed delivery.
fn what_to_do(kind: &str, doubt: bool, again: &str, lead: &Lead) -> String {
    match kind {
        "correo_cliente" if doubt => format!("Pregunta al cliente si lo tiene. Si no, {again}."),
        "correo_cliente" => format!(
            "Comprueba con el cliente que su correo es {}; si no lo es, corrígelo. Después, {again}.",
            lead.email
        ),
        "pdf" => format!(
            "El presupuesto está hecho y puedes enviárselo tú. Si no, revisa el flujo que lo recibe (MESSAGING_WEBHOOK_URL) y {again}."
        ),
        "mensajeria" => format!(
            "El cliente espera que le escribas. Revisa el flujo que recibe la señal (MESSAGING_START_WEBHOOK_URL) y {again}."
        ),
        "respuesta" => "El cliente espera una respuesta: escríbele otra vez desde su ficha, por correo o por WhatsApp. Revisa el flujo que la \
             recibe (MESSAGING_REPLY_WEBHOOK_URL)."
            .to_owned(),
        "perfil" => format!(
            "Sin ella no empiezan los renders ni el presupuesto. Revisa el flujo que la recibe (PERFIL_WEBHOOK_URL) y {again}."
        ),
        _ => format!("Mira por qué ha fallado y {again}."),
    }
}
