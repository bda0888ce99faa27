//! Consents given with a lead: purpose, channel, which text was shown, and when.

use jiff::Timestamp;

use crate::body::{Element, all_right};
use crate::errors::Invalid;
use crate::json::ParsedValues;
use crate::schema::{Field, Kind};
use crate::words::plain;

/// One consent, given or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consentimiento {
    /// What for (`presupuesto`, `comercial`, …).
    pub purpose: String,
    /// The channel to which the consent is limited. `None`: it holds for all channels.
    pub channel: Option<String>,
    /// The version of the text the person saw.
    pub texto_version: String,
    /// Where it was given or withdrawn (`formulario_web`, `llamada`, …).
    pub source: Option<String>,
    /// Whether the consent was given; `false` if it was refused or withdrawn.
    pub granted: bool,
    /// When it was given or refused; if absent, at the moment of the call.
    pub otorgado_en: Option<Timestamp>,
}

/// The words that people read instead of the codes of purposes, channels and places. Callers may also send codes of
/// their own.
const PURPOSES: &[(&str, &str)] = &[
    ("presupuesto", "recibir su presupuesto"),
    ("comercial", "recibir ideas y ofertas"),
    ("contacto", "que la empresa le contacte"),
    (REMINDERS, "recibir recordatorios"),
    (NOTICE, "información sobre privacidad"),
];
const CHANNELS: &[(&str, &str)] = &[
    ("email", "correo"),
    ("mensajeria", "mensajería"),
    ("messaging", "mensajería"),
    ("llamada", "teléfono"),
    ("telefono", "teléfono"),
];
const SOURCES: &[(&str, &str)] = &[
    ("formulario_web", "el formulario web"),
    ("formulario", "el formulario web"),
    ("messaging", "la mensajería"),
    ("mensajeria", "la mensajería"),
    ("llamada", "una llamada"),
    ("web", "la web"),
    ("enlace_del_correo", "el enlace de un correo"),
    ("pagina_de_permisos", "su página de permisos"),
    ("panel", "el panel"),
];

impl Consentimiento {
    /// The purpose and the channel as people read them: «recibir ideas y ofertas por correo».
    pub fn what(&self) -> String {
        let what = read_as(PURPOSES, &self.purpose);
        match &self.channel {
            Some(channel) => format!("{what} por {}", read_as(CHANNELS, channel)),
            None => what,
        }
    }

    /// The place where it was given, as people read it: «el formulario web».
    pub fn place(&self) -> Option<String> {
        self.source.as_deref().map(|source| read_as(SOURCES, source))
    }

    /// Whether this entry only records that a text was shown. Nobody has to agree to such a text.
    pub fn is_notice(&self) -> bool {
        self.purpose == NOTICE
    }
}

fn read_as(words: &[(&str, &str)], code: &str) -> String {
    words.iter().find(|(of, _)| *of == code).map_or_else(|| plain(code), |(_, word)| (*word).to_owned())
}

/// The purpose of the ledger entry that records that the privacy notice was shown.
const NOTICE: &str = "informacion_privacidad";
/// The purpose under which a person refuses reminders.
pub const REMINDERS: &str = "recordatorios";

/// Whether a person may be reminded of their request by mail. The ledger is in order: the last entry on a purpose
/// counts.
///
/// Reminders are about the person's own request, so they need no consent. They end when the person refuses reminders,
/// contact by mail or the quote itself, or withdraws an earlier consent to offers by mail.
pub fn allows_reminders(ledger: &[Consentimiento]) -> bool {
    let about = |purpose: &'static str| {
        let by_mail = |c: &&Consentimiento| c.channel.as_deref().is_none_or(|channel| channel == "email");
        ledger.iter().filter(move |c| c.purpose == purpose).filter(by_mail)
    };
    let is_refused = |purpose| about(purpose).next_back().is_some_and(|c| !c.granted);
    let is_withdrawn = |purpose| is_refused(purpose) && about(purpose).any(|c| c.granted);
    ![REMINDERS, "contacto", "presupuesto"].into_iter().any(is_refused) && !is_withdrawn("comercial")
}

/// The fields of one consent.
pub const FIELD_TABLE: &[Field] = &[
    Field::required("finalidad", Kind::NonEmptyText, "Para qué se consiente.", r#""presupuesto""#),
    Field::optional("canal", Kind::NonEmptyText, "Canal al que se limita.", r#""email""#),
    Field::required(
        "textoVersion",
        Kind::NonEmptyText,
        "Versión del texto que vio la persona.",
        r#""2026-01""#,
    ),
    Field::optional("fuente", Kind::NonEmptyText, "Dónde se recogió.", r#""formulario_web""#),
    Field::optional("otorgado", Kind::Boolean, "Si lo otorgó; por defecto true.", "true"),
    Field::optional(
        "otorgadoEn",
        Kind::DateTime,
        "Cuándo; por defecto, el momento de la llamada.",
        r#""2026-11-14T10:30:00Z""#,
    ),
];

impl Element for Consentimiento {
    const FIELD_TABLE: &'static [Field] = FIELD_TABLE;

    fn read(parsed: ParsedValues<'_>, base: &str, wrong: &mut Invalid) -> Option<Self> {
        let mut d = all_right(parsed, base, wrong)?;
        Some(Self {
            purpose: d.text("finalidad").expect("required"),
            channel: d.text("canal"),
            texto_version: d.text("textoVersion").expect("required"),
            source: d.text("fuente"),
            granted: d.boolean("otorgado").unwrap_or(true),
            otorgado_en: d.date("otorgadoEn"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn consent(purpose: &str, channel: Option<&str>, granted: bool) -> Consentimiento {
        Consentimiento {
            purpose: purpose.to_owned(),
            channel: channel.map(str::to_owned),
            texto_version: "1".to_owned(),
            source: None,
            granted,
            otorgado_en: None,
        }
    }

    #[test]
    fn codes_are_read_as_words() {
        assert_eq!(consent("comercial", Some("email"), true).what(), "recibir ideas y ofertas por correo");
        assert_eq!(consent("informacion_privacidad", None, true).what(), "información sobre privacidad");
        assert_eq!(consent("uso_de_fotos", Some("red_social"), true).what(), "uso de fotos por red social");
        let at = |source: &str| Consentimiento { source: Some(source.into()), ..consent("x", None, true) };
        assert_eq!(at("formulario_web").place().as_deref(), Some("el formulario web"));
        assert_eq!(consent("x", None, true).place(), None);
    }

    #[test]
    fn reminders_end_with_a_refusal() {
        let mail = Some("email");
        assert!(allows_reminders(&[]));
        assert!(
            allows_reminders(&[consent("comercial", mail, false)]),
            "no offers, but the quote was asked for"
        );
        assert!(allows_reminders(&[consent("contacto", Some("llamada"), false)]), "calls are not mails");
        assert!(allows_reminders(&[consent(REMINDERS, mail, false), consent(REMINDERS, mail, true)]));
        for refused in [REMINDERS, "contacto", "presupuesto"] {
            assert!(
                !allows_reminders(&[consent(refused, None, true), consent(refused, mail, false)]),
                "{refused}"
            );
            assert!(!allows_reminders(&[consent(refused, None, false)]), "{refused}");
        }
        assert!(
            !allows_reminders(&[consent("comercial", mail, true), consent("comercial", mail, false)]),
            "withdrawn"
        );
    }
}
