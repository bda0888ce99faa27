//! The outbox in words that a renovator understands.

use embudo_domain::job::{JobKind, JobStanding};
use embudo_domain::words::beginning;

/// The maximum length of an error in a list.
const SHORT: usize = 140;

/// The status of a job, in words.
pub(super) fn standing(standing: JobStanding) -> &'static str {
    match standing {
        JobStanding::Waiting => "En espera",
        JobStanding::Running => "Enviando",
        JobStanding::Failing => "Reintentando",
        JobStanding::Paused => "En pausa",
        JobStanding::Dead => "Sin entregar",
        JobStanding::Parked => "Por decidir",
        JobStanding::Done => "Hecho",
        JobStanding::Superseded => "Sustituido",
        JobStanding::Discarded => "Descartado",
        JobStanding::Expired => "Caducado",
    }
}

/// The CSS class for the status.
pub(super) fn chip(standing: JobStanding) -> &'static str {
    match standing {
        JobStanding::Done => "ficha-bien",
        JobStanding::Failing | JobStanding::Paused | JobStanding::Parked => "ficha-ojo",
        JobStanding::Dead | JobStanding::Expired => "ficha-mal",
        JobStanding::Waiting | JobStanding::Running | JobStanding::Superseded | JobStanding::Discarded => "",
    }
}

/// What the status means, and what the person can do.
pub(super) fn explained(standing: JobStanding, kind: JobKind) -> &'static str {
    match standing {
        JobStanding::Waiting => "Está en la cola y sale en cuanto le toca.",
        JobStanding::Running => {
            "Se está enviando ahora mismo. Vuelve a cargar la página para ver cómo termina."
        }
        JobStanding::Failing => {
            "El último intento falló. Se repite solo, cada vez más espaciado, durante unos tres días; si ya has arreglado la causa, no hace falta esperar."
        }
        JobStanding::Paused => "El destino está en pausa: espera sin gastar intentos y sale al reanudarlo.",
        JobStanding::Dead => {
            "Ya no se repite solo. Arregla la causa y envíalo otra vez, o descártalo si ya no hace falta."
        }
        JobStanding::Parked => {
            "Nadie sabe si el servidor lo aceptó: la conexión se cortó justo al final. Si el cliente lo ha recibido, dalo por enviado; si no, envíalo otra vez. No se repite solo para no mandarle dos."
        }
        JobStanding::Done if kind == JobKind::Presupuesto => {
            "El presupuesto se calculó, se dibujó y pasó a sus envíos."
        }
        JobStanding::Done => "El destino lo aceptó.",
        JobStanding::Superseded => "Uno más nuevo del mismo lead ocupó su lugar: este ya no hacía falta.",
        JobStanding::Discarded => {
            "No hacía falta enviarlo: lo dijo una persona, o ya nadie quería este aviso."
        }
        JobStanding::Expired if kind == JobKind::PushNotice => {
            "El dispositivo no pudo recibirlo en un día. Lo que pasó se ve en la ficha del lead."
        }
        JobStanding::Expired => {
            "No pudo salir dentro de las 24 horas en que se puede escribir al cliente por mensajería. Escríbele desde su ficha, por correo o por WhatsApp."
        }
    }
}

/// An error for a list: shortened, and without e-mail addresses, which servers repeat in their responses.
pub(super) fn plain_error(error: &str) -> String {
    let is_address = |word: &str| word.contains('@');
    let words: Vec<&str> =
        error.split_whitespace().map(|word| if is_address(word) { "«dirección»" } else { word }).collect();
    cut(&words.join(" "), SHORT).0
}

/// The probable cause, judged by the status code of the response.
pub(super) fn hint(kind: JobKind, status: Option<u16>) -> Option<&'static str> {
    if kind.is_mail() {
        return match status? {
            421 | 450..=452 => Some("El servidor de correo pide esperar: suele arreglarse solo."),
            530 | 534 | 535 => Some(
                "El servidor no acepta el usuario o la contraseña del correo (SMTP_USER, SMTP_PASSWORD).",
            ),
            550 | 551 | 553 => {
                Some("El servidor no acepta esa dirección: comprueba con el cliente que está bien escrita.")
            }
            552 => Some("El buzón está lleno o el PDF es demasiado grande para él."),
            554 => Some("El servidor lo rechaza, a menudo por parecer correo no deseado."),
            _ => None,
        };
    }
    match status? {
        300..=399 => Some("La dirección ha cambiado: hay que configurar la nueva."),
        401 | 403 => Some("El receptor pide una clave o no acepta la firma."),
        404 => Some("La dirección no existe en el receptor: ¿está activo el flujo?"),
        410 => Some("El receptor ha dicho que no quiere más."),
        413 => Some("Es demasiado grande para el receptor."),
        429 => Some("El receptor pide ir más despacio: suele arreglarse solo."),
        500..=599 => Some("El receptor ha fallado por dentro: mira su registro."),
        _ => None,
    }
}

/// The beginning of a text, and whether it was cut.
pub(super) fn cut(text: &str, max: usize) -> (String, bool) {
    (beginning(text, max), text.chars().nth(max).is_some())
}

/// «0,3 s», «12 s».
pub(super) fn lasted(ms: i64) -> String {
    match ms {
        ..1_000 => format!("{ms} ms"),
        ms @ ..10_000 => format!("{},{} s", ms / 1_000, ms % 1_000 / 100),
        ms => format!("{} s", ms / 1_000),
    }
}

/// «182 KB», «1,4 MB».
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{} KB", bytes / 1_024),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0).replace('.', ","),
    }
}

/// «1 intento», «3 intentos».
pub(super) fn attempts(intentos: u32) -> String {
    match intentos {
        0 => "sin intentos".to_owned(),
        1 => "1 intento".to_owned(),
        n => format!("{n} intentos"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_show_no_address() {
        let error = "destinatario: 550 <ana@ejemplo.es>: no such user";
        assert_eq!(plain_error(error), "destinatario: 550 «dirección» no such user");
        assert_eq!(plain_error(&"a ".repeat(400)).chars().count(), SHORT);
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("áéí", 3), ("áéí".to_owned(), false));
        assert_eq!(cut("áéíó", 3), ("áéí…".to_owned(), true));
        assert_eq!(
            (lasted(320), lasted(1_250), lasted(30_400)),
            ("320 ms".into(), "1,2 s".into(), "30 s".into())
        );
    }
}
