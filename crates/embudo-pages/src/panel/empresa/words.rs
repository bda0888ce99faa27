//! The texts of the company's pages, in words that a renovator understands.

use embudo_domain::checklist::{Requirement, Task};
use embudo_domain::job::Destination;

pub(super) const SETTINGS_HINT: &str = "Ajustes del servidor. Escríbelos con tus valores y reinicia:";
pub(super) const COMMANDS_HINT: &str = "En el servidor:";
pub(super) const BOTH_HINT: &str =
    "En el servidor: primero los ajustes, con tus valores, y después la orden:";

pub(super) fn title(task: Task) -> &'static str {
    match task {
        Task::Data => "Datos de la empresa",
        Task::Brand => "Logo y color",
        Task::Tarifa => "Precios",
        Task::Mail => "Correo",
        Task::Webhooks => "Webhooks",
        Task::Form => "Formulario",
    }
}

/// The sentence for a finished task: what works now.
pub(super) fn done(task: Task) -> &'static str {
    match task {
        Task::Data => "Tus presupuestos y correos dicen quién eres y cómo encontrarte.",
        Task::Brand => "El formulario, los correos y los presupuestos llevan tu aspecto.",
        Task::Tarifa => "Los presupuestos salen con tus precios.",
        Task::Mail => "Los presupuestos y los avisos salen por correo, con sus enlaces.",
        Task::Webhooks => "Tu automatización recibe las tres señales.",
        Task::Form => "Ya ha llegado un lead por tu formulario.",
    }
}

pub(super) fn label(requirement: Requirement) -> &'static str {
    match requirement {
        Requirement::Nombre => "Nombre",
        Requirement::Nif => "NIF",
        Requirement::Address => "Dirección",
        Requirement::Telefono => "Teléfono",
        Requirement::Email => "Correo para clientes",
        Requirement::Look => "Logo o color propio",
        Requirement::Tarifa => "Tarifa propia",
        Requirement::Smtp => "Servidor de correo",
        Requirement::PublicUrl => "Dirección pública",
        Requirement::Notices => "Correo para avisos",
        Requirement::Perfil => "Señales de perfil",
        Requirement::Mensajeria => "Inicio de conversaciones",
        Requirement::Pdf => "Presupuestos por mensajería",
        Requirement::FormTried => "Primer lead por el formulario",
    }
}

/// The sentence for a missing requirement: what does not work without it.
pub(super) fn without(requirement: Requirement) -> &'static str {
    match requirement {
        Requirement::Nombre => {
            "Hasta que lo pongas, tus clientes leen «Mi empresa» en el formulario y en los presupuestos."
        }
        Requirement::Nif => "Tus presupuestos salen sin NIF, y un cliente puede no darlos por buenos.",
        Requirement::Address => "Tus presupuestos y tu política de privacidad salen sin dirección.",
        Requirement::Telefono => "Ni el formulario ni el presupuesto dicen a qué número llamarte.",
        Requirement::Email => "Si un cliente contesta al correo de su presupuesto, no te llega.",
        Requirement::Look => "El formulario y los presupuestos salen con un color genérico y sin logo.",
        Requirement::Tarifa => {
            "Los presupuestos y el precio orientativo del formulario salen con precios de serie, que no son los tuyos."
        }
        Requirement::Smtp => {
            "No sale ningún correo: ni presupuestos a clientes, ni avisos, ni el enlace para recuperar una contraseña."
        }
        Requirement::PublicUrl => {
            "Los correos y presupuestos salen sin enlaces: el cliente no puede ver ni aceptar el suyo en internet."
        }
        Requirement::Notices => "Nadie de la empresa recibe un correo cuando entra un lead.",
        Requirement::Perfil => {
            "Cuando un perfil se completa, tu automatización no se entera y nadie prepara las imágenes."
        }
        Requirement::Mensajeria => {
            "El formulario no ofrece seguir por mensajería y nadie inicia la conversación."
        }
        Requirement::Pdf => "El presupuesto no sale por mensajería, solo por correo.",
        Requirement::FormTried => {
            "Nadie puede pedirte presupuesto hasta que conozca la dirección. Pruébalo tú primero, de principio a fin."
        }
    }
}

/// The purpose of a destination.
pub(super) fn purpose(destination: Destination) -> &'static str {
    match destination {
        Destination::Perfil => {
            "Avisa a tu automatización de que un perfil está completo, para que prepare las imágenes."
        }
        Destination::Mensajeria => "Pide a tu automatización que empiece a escribir a un cliente.",
        Destination::Pdf => "Entrega el presupuesto a tu automatización, para que lo mande por mensajería.",
        Destination::Reply => {
            "Entrega a tu automatización lo que escribe una persona en el panel, para que lo mande por mensajería."
        }
        Destination::Events => {
            "Cuenta a tu automatización lo que va pasando: un lead nuevo, un presupuesto aceptado, una visita acordada."
        }
        Destination::Mail => "Lleva presupuestos a los clientes y avisos a la empresa.",
    }
}

/// Example lines for these settings. They contain nothing that a user typed.
pub(super) fn lines(settings: &[&str], home: &str) -> Vec<String> {
    settings.iter().map(|name| format!("{name}={}", example(name, home))).collect()
}

fn example<'a>(setting: &str, home: &'a str) -> &'a str {
    match setting {
        "SMTP_HOST" => "smtp.tu-proveedor.es",
        "EMAIL_FROM" => "presupuestos@tu-dominio.es",
        // The address of this request is a good guess for the public address, if it can be public at all.
        "PUBLIC_URL" if is_plain_https(home) => home,
        "PUBLIC_URL" => "https://leads.tu-dominio.es",
        "PERFIL_WEBHOOK_URL" => "https://flujos.tu-dominio.es/webhook/perfil",
        "MESSAGING_START_WEBHOOK_URL" => "https://flujos.tu-dominio.es/webhook/inicio",
        "MESSAGING_REPLY_WEBHOOK_URL" => "https://flujos.tu-dominio.es/webhook/respuesta",
        "EVENTS_WEBHOOK_URL" => "https://flujos.tu-dominio.es/webhook/eventos",
        "MESSAGING_WEBHOOK_URL" => "https://flujos.tu-dominio.es/webhook/presupuesto",
        _ => "…",
    }
}

/// Whether the address is `https://` with a host and nothing else. The operator pastes it into the server's settings.
fn is_plain_https(home: &str) -> bool {
    let Some(host) = home.strip_prefix("https://") else { return false };
    host.contains('.') && host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-:".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_line_that_can_be_pasted() {
        let settings = Requirement::WORDS
            .iter()
            .filter_map(|word| Requirement::parse(word))
            .flat_map(Requirement::settings);
        let settings: Vec<&str> = settings.copied().collect();
        let all = lines(&settings, "https://obras.es");
        assert_eq!(all.len(), 6);
        assert!(all.contains(&"PUBLIC_URL=https://obras.es".to_owned()));
        for line in &all {
            assert!(!line.contains('…') && line.bytes().all(|b| b.is_ascii_graphic()), "{line}");
        }
        for odd in ["http://127.0.0.1:8080", "https://a.es;rm", "https://$(x).es", "https://localhost"] {
            assert_eq!(lines(&["PUBLIC_URL"], odd), ["PUBLIC_URL=https://leads.tu-dominio.es"], "{odd}");
        }
    }
}
