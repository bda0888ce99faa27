//! The notices that people get, by mail and on their devices, and their choices.

use crate::role::{Permission, Role};
use crate::{EmpresaId, UserId};

enumeration! {
    /// What a notice is about, as people choose it. Several kinds of notice share a topic if nobody would want one
    /// without the other, or if one may replace another.
    NoticeTopic {
        /// A lead came in by a call or by the form (complete or left half done), a lead asks to be called, or its quote
        /// waits for a person.
        Arrivals = "leads",
        Perfil = "perfiles",
        /// A client accepted or declined a quote, asked for a visit, or requested something about their data.
        Answers = "respuestas",
        /// A client wrote, and a person has to answer.
        Messages = "mensajes",
        /// Something is overdue or was not delivered.
        Trouble = "problemas",
    }
}

impl NoticeTopic {
    pub const ALL: [Self; 5] = [Self::Arrivals, Self::Perfil, Self::Answers, Self::Messages, Self::Trouble];

    /// The label that people read.
    pub fn label(self) -> &'static str {
        match self {
            Self::Arrivals => "Leads y formularios",
            Self::Perfil => "Perfiles completos",
            Self::Answers => "Respuestas a presupuestos",
            Self::Messages => "Mensajes de clientes",
            Self::Trouble => "Algo no sale",
        }
    }

    /// What the choice means, as the panel shows it.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Arrivals => {
                "Entra un lead, alguien termina el formulario o lo deja a medias, pide que le llames, o hay un presupuesto por revisar."
            }
            Self::Perfil => "Ya está todo para preparar el presupuesto.",
            Self::Answers => {
                "Un cliente acepta o rechaza un presupuesto, pide una visita, o pide algo de sus datos."
            }
            Self::Messages => "Un cliente escribe y lo atiendes tú, o lleva 15 minutos sin respuesta.",
            Self::Trouble => "Los renders o el presupuesto no llegan a tiempo, o un envío no se entrega.",
        }
    }
}

/// A set of topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Topics(u8);

impl Topics {
    pub const NONE: Self = Self(0);
    pub const ALL: Self = Self(0b1_1111);
    /// The topics that devices show until the person chooses: those that somebody should act on within minutes.
    pub const FOR_DEVICES: Self = Self(
        1 << NoticeTopic::Arrivals as u8 | 1 << NoticeTopic::Answers as u8 | 1 << NoticeTopic::Messages as u8,
    );

    pub fn has(self, topic: NoticeTopic) -> bool {
        self.0 & Self::from(topic).0 != 0
    }

    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// The topics of both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn iter(self) -> impl Iterator<Item = NoticeTopic> {
        NoticeTopic::ALL.into_iter().filter(move |topic| self.has(*topic))
    }

    /// Reads words with spaces between them. `None` if one of them is not a topic.
    pub fn parse(text: &str) -> Option<Self> {
        text.split_whitespace().map(NoticeTopic::parse).collect()
    }

    /// «Leads y formularios, Algo no sale», for people.
    pub fn label(self) -> String {
        if self.is_empty() {
            return "ninguno".to_owned();
        }
        self.iter().map(NoticeTopic::label).collect::<Vec<_>>().join(", ")
    }
}

impl From<NoticeTopic> for Topics {
    fn from(topic: NoticeTopic) -> Self {
        Self(1 << topic as u8)
    }
}

impl FromIterator<NoticeTopic> for Topics {
    fn from_iter<I: IntoIterator<Item = NoticeTopic>>(topics: I) -> Self {
        topics.into_iter().fold(Self::NONE, |all, topic| all.and(topic.into()))
    }
}

impl std::fmt::Display for Topics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.iter().map(NoticeTopic::as_str).collect::<Vec<_>>().join(" "))
    }
}

/// The notices that a person wants about a company's leads: none until they choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoticeChoice {
    /// By mail.
    pub topics: Topics,
    /// On the devices where they switched notices on.
    pub on_devices: Topics,
    /// Only about leads that are assigned to them.
    pub only_assigned: bool,
}

/// What a company's own address gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedNotices {
    pub email: Option<String>,
    pub topics: Topics,
}

/// A person of a company who may sign in, and their choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    pub empresa: EmpresaId,
    pub user: UserId,
    pub nombre: String,
    pub email: String,
    pub role: Role,
    pub choice: NoticeChoice,
}

impl Recipient {
    /// Whether the person wants a mail on this topic about a lead that is assigned to `assigned`.
    pub fn wants(&self, topic: NoticeTopic, assigned: Option<UserId>) -> bool {
        self.choice.topics.has(topic) && self.hears_of(assigned)
    }

    /// Whether the person wants such a notice on their devices.
    pub fn wants_on_devices(&self, topic: NoticeTopic, assigned: Option<UserId>) -> bool {
        self.choice.on_devices.has(topic) && self.hears_of(assigned)
    }

    /// Whether the person gets notices about leads. A worker on site does not: visits have mails of their own.
    pub fn may_hear(&self) -> bool {
        self.role.may(Permission::SeeLeads)
    }

    fn hears_of(&self, assigned: Option<UserId>) -> bool {
        self.may_hear() && (!self.choice.only_assigned || assigned == Some(self.user))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn topics_read_back() {
        assert_eq!(NoticeTopic::ALL.into_iter().collect::<Topics>(), Topics::ALL);
        for topics in [Topics::NONE, Topics::ALL, Topics::from(NoticeTopic::Answers)] {
            assert_eq!(Topics::parse(&topics.to_string()), Some(topics));
        }
        assert_eq!(Topics::parse("leads visitas"), None);
        let two = Topics::from(NoticeTopic::Trouble).and(NoticeTopic::Arrivals.into());
        assert_eq!(
            (two.to_string().as_str(), two.label().as_str()),
            ("leads problemas", "Leads y formularios, Algo no sale")
        );
    }

    #[test]
    fn who_wants_their_own_hears_of_no_others() {
        let recipient = |only_assigned| Recipient {
            empresa: EmpresaId(Uuid::nil()),
            user: UserId(Uuid::from_u128(1)),
            nombre: "Ana".into(),
            email: "ana@ejemplo.es".into(),
            role: Role::Comercial,
            choice: NoticeChoice {
                topics: NoticeTopic::Answers.into(),
                on_devices: NoticeTopic::Perfil.into(),
                only_assigned,
            },
        };
        let (own, others) = (Some(UserId(Uuid::from_u128(1))), Some(UserId(Uuid::from_u128(2))));
        assert!(recipient(false).wants(NoticeTopic::Answers, None));
        assert!(!recipient(false).wants(NoticeTopic::Perfil, own));
        assert!(recipient(true).wants(NoticeTopic::Answers, own));
        assert!(!recipient(true).wants(NoticeTopic::Answers, others));
        assert!(!recipient(true).wants(NoticeTopic::Answers, None));
        assert!(recipient(true).wants_on_devices(NoticeTopic::Perfil, own));
        assert!(!recipient(true).wants_on_devices(NoticeTopic::Perfil, others));
        assert!(!recipient(false).wants_on_devices(NoticeTopic::Answers, own));
        let worker = Recipient { role: Role::Obra, ..recipient(false) };
        assert!(
            !worker.wants(NoticeTopic::Answers, own) && !worker.wants_on_devices(NoticeTopic::Perfil, own)
        );
    }
}
