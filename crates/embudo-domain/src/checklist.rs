//! What is left to set up before a company can work, and what does not work until then.

use crate::brand::Brand;
use crate::color::Color;
use crate::empresa::{Empresa, UNNAMED};
use crate::job::Destination;

enumeration! {
    /// A part of the set-up, in the order in which it is best done.
    Task {
        /// The company data that quotes and mails show.
        Data = "datos",
        Brand = "marca",
        Tarifa = "tarifa",
        Mail = "correo",
        Webhooks = "conexiones",
        Form = "formulario",
    }
}

enumeration! {
    /// One thing that a task asks for.
    Requirement {
        Nombre = "name",
        Nif = "nif",
        Address = "address",
        Telefono = "telephone",
        Email = "email",
        /// A logo or a colour of its own.
        Look = "logo or colour",
        /// A price table of its own that is in force today.
        Tarifa = "tarifa",
        Smtp = "smtp",
        PublicUrl = "public_url",
        /// An address or a person that gets the company's notices.
        Notices = "notices",
        Perfil = "profile webhook",
        Mensajeria = "messaging webhook",
        Pdf = "quote webhook",
        /// A lead has come in through the form.
        FormTried = "form tried",
    }
}

/// What is known of a company and of the server that it works on.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    pub empresa: &'a Empresa,
    pub brand: &'a Brand,
    pub has_logo: bool,
    /// Whether a price table of its own is in force today; otherwise the shipped one is.
    pub has_prices: bool,
    /// Whether a lead came through its form.
    pub is_form_tried: bool,
    pub server: Server<'a>,
}

/// What is configured on the server.
#[derive(Debug, Clone, Copy)]
pub struct Server<'a> {
    /// Whether the server knows its own address.
    pub has_public_url: bool,
    /// The destinations that the server can send to.
    pub destinations: &'a [Destination],
}

/// A task, and which of its requirements are met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub task: Task,
    /// Every requirement of the task, and whether it is met.
    pub points: Vec<(Requirement, bool)>,
}

impl Task {
    /// Whether a company can work without this task. Only some companies have an external workflow that renders and
    /// writes messages.
    pub fn is_optional(self) -> bool {
        self == Self::Webhooks
    }
}

impl Item {
    pub fn is_done(&self) -> bool {
        self.missing().next().is_none()
    }

    pub fn missing(&self) -> impl Iterator<Item = Requirement> {
        self.points.iter().filter(|(_, is_met)| !is_met).map(|(requirement, _)| *requirement)
    }
}

/// Every task of a company.
pub fn checklist(situation: &Situation<'_>) -> Vec<Item> {
    let tasks: [(Task, &[Requirement]); 6] = [
        (
            Task::Data,
            &[
                Requirement::Nombre,
                Requirement::Nif,
                Requirement::Address,
                Requirement::Telefono,
                Requirement::Email,
            ],
        ),
        (Task::Brand, &[Requirement::Look]),
        (Task::Tarifa, &[Requirement::Tarifa]),
        (Task::Mail, &[Requirement::Smtp, Requirement::PublicUrl, Requirement::Notices]),
        (Task::Webhooks, &[Requirement::Perfil, Requirement::Mensajeria, Requirement::Pdf]),
        (Task::Form, &[Requirement::FormTried]),
    ];
    let points = |all: &[Requirement]| all.iter().map(|one| (*one, one.is_met(situation))).collect();
    tasks.into_iter().map(|(task, all)| Item { task, points: points(all) }).collect()
}

impl Requirement {
    fn is_met(self, of: &Situation<'_>) -> bool {
        let brand = of.brand;
        let is_there = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
        let sends = |destination| of.server.destinations.contains(&destination);
        match self {
            Self::Nombre => of.empresa.nombre != UNNAMED,
            Self::Nif => is_there(&brand.nif),
            Self::Address => is_there(&brand.address),
            Self::Telefono => is_there(&brand.telefono),
            Self::Email => is_there(&brand.email),
            Self::Look => of.has_logo || brand.color != Color::DEFAULT,
            Self::Tarifa => of.has_prices,
            Self::PublicUrl => of.server.has_public_url,
            Self::Notices => of.empresa.wants_notices(),
            Self::FormTried => of.is_form_tried,
            Self::Smtp | Self::Perfil | Self::Mensajeria | Self::Pdf => self.destination().is_some_and(sends),
        }
    }

    /// The destination to which nothing can be sent until this requirement is met, if there is one.
    pub fn destination(self) -> Option<Destination> {
        match self {
            Self::Smtp => Some(Destination::Mail),
            Self::Perfil => Some(Destination::Perfil),
            Self::Mensajeria => Some(Destination::Mensajeria),
            Self::Pdf => Some(Destination::Pdf),
            _ => None,
        }
    }

    /// The server settings that meet this requirement. Empty: the company itself must meet it.
    pub fn settings(self) -> &'static [&'static str] {
        match self {
            Self::PublicUrl => &["PUBLIC_URL"],
            other => other.destination().map_or(&[], Destination::settings),
        }
    }
}

/// The company data that the law requires on a quote and that is still missing.
pub fn missing_on_quotes(empresa: &Empresa, brand: &Brand) -> Vec<&'static str> {
    let is_empty = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
    let nombre = empresa.nombre.trim();
    let parts = [
        (nombre.is_empty() || nombre == UNNAMED, "el nombre"),
        (is_empty(&brand.nif), "el NIF"),
        (is_empty(&brand.address), "la dirección"),
    ];
    parts.into_iter().filter(|(is_missing, _)| *is_missing).map(|(_, what)| what).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EmpresaId;
    use crate::notice::Topics;

    fn empresa() -> Empresa {
        Empresa {
            id: EmpresaId(uuid::Uuid::nil()),
            nombre: UNNAMED.into(),
            slug: "mi-empresa".into(),
            por_defecto: true,
            email_avisos: None,
            notices: true,
            topics: Topics::ALL,
            personal_topics: Topics::NONE,
        }
    }

    fn situation<'a>(empresa: &'a Empresa, brand: &'a Brand) -> Situation<'a> {
        let server = Server { has_public_url: false, destinations: &[] };
        Situation { empresa, brand, has_logo: false, has_prices: false, is_form_tried: false, server }
    }

    fn full() -> (Empresa, Brand) {
        let brand = Brand {
            nif: Some("B12345678".into()),
            address: Some("Calle Mayor 1".into()),
            telefono: Some("910 000 000".into()),
            email: Some("hola@ejemplo.es".into()),
            ..Brand::default()
        };
        let email_avisos = Some("avisos@ejemplo.es".into());
        (Empresa { nombre: "Reformas Peña".into(), email_avisos, ..empresa() }, brand)
    }

    fn left(situation: &Situation<'_>) -> Vec<Task> {
        checklist(situation).iter().filter(|item| !item.is_done()).map(|item| item.task).collect()
    }

    #[test]
    fn of_a_new_company_everything_is_left() {
        let (empresa, brand) = (empresa(), Brand::default());
        let items = checklist(&situation(&empresa, &brand));
        let words: Vec<&str> = items.iter().map(|item| item.task.as_str()).collect();
        assert_eq!(words, Task::WORDS);
        let asked: Vec<&str> = items.iter().flat_map(Item::missing).map(Requirement::as_str).collect();
        assert_eq!(asked, Requirement::WORDS, "every requirement belongs to one task");
    }

    #[test]
    fn each_task_is_done_by_what_it_asks_for() {
        let (empresa, brand) = full();
        let server = Server { has_public_url: true, destinations: &Destination::ALL };
        let done = Situation {
            has_logo: true,
            has_prices: true,
            is_form_tried: true,
            server,
            ..situation(&empresa, &brand)
        };
        assert_eq!(left(&done), []);
        assert_eq!(left(&Situation { has_logo: false, ..done }), [Task::Brand]);
        let own_color = Brand { color: Color::BLACK, ..brand.clone() };
        assert_eq!(
            left(&Situation { has_logo: false, brand: &own_color, ..done }),
            [],
            "a colour is a look too"
        );
        assert_eq!(left(&Situation { has_prices: false, ..done }), [Task::Tarifa]);
        assert_eq!(left(&Situation { is_form_tried: false, ..done }), [Task::Form]);
        let blank = Brand { nif: Some(" ".into()), ..brand.clone() };
        assert_eq!(left(&Situation { brand: &blank, ..done }), [Task::Data]);
        let deaf = Empresa { notices: false, ..empresa.clone() };
        assert_eq!(left(&Situation { empresa: &deaf, ..done }), [Task::Mail]);
        let hidden = Server { has_public_url: false, ..server };
        assert_eq!(left(&Situation { server: hidden, ..done }), [Task::Mail]);
    }

    #[test]
    fn every_destination_is_asked_for_by_name() {
        let (empresa, brand) = full();
        // A company can work without replies by messaging and without events.
        let optional = [Destination::Reply, Destination::Events];
        for missing in Destination::ALL.into_iter().filter(|d| !optional.contains(d)) {
            let others: Vec<Destination> = Destination::ALL.into_iter().filter(|d| *d != missing).collect();
            let server = Server { has_public_url: true, destinations: &others };
            let items = checklist(&Situation { server, ..situation(&empresa, &brand) });
            let settings =
                items.iter().flat_map(Item::missing).flat_map(Requirement::settings).collect::<Vec<_>>();
            assert_eq!(settings, missing.settings().iter().collect::<Vec<_>>());
        }
    }
}
