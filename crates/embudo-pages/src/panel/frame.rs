//! The HTML frame around the panel's pages: navigation rail, company, person.

use askama::Template;
use embudo_domain::role::Permission;
use embudo_store::inbox::Viewer;

use super::{Needs, ROUTES, Signed};
use crate::WebState;
use crate::parts::{Refusal, Storefront, assets, brand_files};

/// The theme, if the person chose one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theme {
    Light,
    Dark,
}

impl Theme {
    pub(super) fn parse(word: &str) -> Option<Self> {
        match word {
            "claro" => Some(Self::Light),
            "oscuro" => Some(Self::Dark),
            _ => None,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Light => "claro",
            Self::Dark => "oscuro",
        }
    }
}

/// The section of the panel to which a page belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Inbox,
    Calendar,
    Quotes,
    Outbox,
    Summary,
    Empresa,
    People,
    AuditLog,
    System,
    Account,
}

/// An entry of the navigation rail. It is shown to people who may open its page, once the page is in the table of
/// routes.
pub(crate) struct Entry {
    pub section: Section,
    pub path: &'static str,
    pub label: &'static str,
    pub icon: &'static str,
}

const fn entry(section: Section, path: &'static str, label: &'static str, icon: &'static str) -> Entry {
    Entry { section, path, label, icon }
}

const RAIL: &[Entry] = &[
    entry(Section::Inbox, "/panel/leads", "Bandeja", "bandeja"),
    entry(Section::Calendar, "/panel/visitas", "Calendario", "calendario"),
    entry(Section::Quotes, "/panel/presupuestos", "Presupuestos", "presupuestos"),
    entry(Section::Outbox, "/panel/envios", "Envíos", "envios"),
    entry(Section::Summary, "/panel/resumen", "Resumen", "resumen"),
    entry(Section::Empresa, "/panel/empresa", "Empresa", "empresa"),
    entry(Section::People, "/panel/usuarios", "Personas", "personas"),
    entry(Section::AuditLog, "/panel/registro", "Registro", "registro"),
    entry(Section::System, "/panel/sistema", "Sistema", "sistema"),
];

/// Whether a page is in the table of routes.
pub(super) fn is_page(path: &str) -> bool {
    ROUTES.iter().any(|r| r.method == "get" && r.path == path)
}

/// Whether a page is in the table of routes and the person may open it.
fn opens(signed: &Signed, path: &str) -> bool {
    let page = ROUTES.iter().find(|r| r.method == "get" && r.path == path);
    page.is_some_and(|page| matches!(page.needs, Needs::May(permission) if signed.may(permission)))
}

/// The entries that a person sees.
pub(super) fn rail(signed: &Signed) -> Vec<&'static Entry> {
    RAIL.iter().filter(|entry| opens(signed, entry.path)).collect()
}

/// How many entries fit into the bar of a phone with their full names.
const BAR: usize = 5;
/// The largest number shown beside an entry. Larger counts are shown as «99+», so a bounded count is enough.
const MAX_BADGE: u64 = 99;

/// The data of `panel/frame.html`. A template that extends it has a field `frame`.
pub(crate) struct PanelFrame {
    pub title: String,
    pub section: Section,
    pub signed: Signed,
    pub rail: Vec<&'static Entry>,
    /// The address of the company's style sheet.
    pub style_sheet: String,
    /// Additional style sheets and modules of ours, by file name.
    pub styles: &'static [&'static str],
    pub modules: &'static [&'static str],
    badges: Vec<(Section, u64)>,
}

impl PanelFrame {
    /// The frame of a page, in the look of the current company.
    pub async fn new(
        state: &WebState,
        signed: &Signed,
        title: impl Into<String>,
        section: Section,
    ) -> Result<Self, Refusal> {
        let storefront = match signed.chosen() {
            Some((empresa, _)) => Storefront::of_empresa(state, empresa.clone()).await?,
            None => Storefront::of_default(state).await?,
        };
        Ok(Self {
            title: title.into(),
            section,
            signed: signed.clone(),
            rail: rail(signed),
            style_sheet: brand_files::path(&storefront),
            styles: &[],
            modules: &[],
            badges: badges(state, signed).await?,
        })
    }

    /// Adds these style sheets and modules of ours.
    pub fn with(self, styles: &'static [&'static str], modules: &'static [&'static str]) -> Self {
        Self { styles, modules, ..self }
    }

    /// The entries that a phone shows behind «Más». The phone's bar has room for five entries, of which «Más» is one.
    pub fn more(&self) -> &[&'static Entry] {
        if self.rail.len() > BAR { &self.rail[BAR - 1..] } else { &[] }
    }

    /// Whether a phone shows an entry behind «Más».
    pub fn is_in_more(&self, section: &Section) -> bool {
        self.more().iter().any(|entry| entry.section == *section)
    }

    /// The number beside an entry of the rail, as a short text.
    pub fn badge(&self, section: &Section) -> Option<String> {
        let (_, count) = self.badges.iter().find(|(of, count)| of == section && *count > 0)?;
        Some(if *count > MAX_BADGE { format!("{MAX_BADGE}+") } else { count.to_string() })
    }

    /// What the number beside an entry counts, in words.
    pub fn badge_words(&self, section: &Section) -> &'static str {
        match section {
            Section::Inbox => "con novedades",
            _ => "por resolver",
        }
    }

    /// The title of the browser's tab. It begins with the number of new items in the inbox, if there are any.
    pub fn tab(&self) -> String {
        let count = self.badge(&Section::Inbox).map(|count| format!("({count}) ")).unwrap_or_default();
        format!("{count}{} · {}", self.title, self.empresa())
    }

    /// The address of one of our files, for templates.
    pub fn asset(&self, nombre: &str) -> String {
        assets::path(nombre)
    }

    pub fn theme(&self) -> &'static str {
        self.signed.theme.map_or("", Theme::word)
    }

    /// The name of the current company.
    pub fn empresa(&self) -> &str {
        self.signed.chosen().map_or("Embudo", |(empresa, _)| empresa.nombre.as_str())
    }

    /// The other companies that the person can switch to, as slug and name.
    pub fn others(&self) -> Vec<(&str, &str)> {
        let chosen = self.signed.chosen().map(|(empresa, _)| empresa.id);
        let others = self.signed.empresas.iter().filter(|(e, _)| Some(e.id) != chosen);
        others.map(|(e, _)| (e.slug.as_str(), e.nombre.as_str())).collect()
    }

    /// The person's name.
    pub fn person(&self) -> &str {
        &self.signed.open.user.nombre
    }

    pub fn initials(&self) -> String {
        let words =
            self.person().split_whitespace().filter_map(|word| word.chars().find(|c| c.is_alphabetic()));
        words.take(2).flat_map(char::to_uppercase).collect()
    }

    pub fn role(&self) -> &'static str {
        match self.signed.chosen() {
            Some((_, role)) => role.as_str(),
            None => "sin empresa",
        }
    }

    pub fn is_account(&self) -> bool {
        self.section == Section::Account
    }
}

/// The numbers shown on every page, if the person may open the pages behind them: new items in the inbox, and stopped
/// jobs in the outbox.
async fn badges(state: &WebState, signed: &Signed) -> Result<Vec<(Section, u64)>, Refusal> {
    let Some((empresa, _)) = signed.chosen() else { return Ok(Vec::new()) };
    let mut badges = Vec::new();
    if signed.may(Permission::SeeLeads) {
        let viewer = Viewer { who: signed.open.user.id, empresas: vec![empresa.id] };
        badges.push((Section::Inbox, u64::from(state.app.store.count_news(&viewer).await?)));
    }
    if signed.may(Permission::RunOutbox) {
        badges.push((Section::Outbox, state.app.store.count_stopped(empresa.id).await?));
    }
    Ok(badges)
}

/// The data of `panel/bare.html`, the frame of pages before sign-in.
pub(crate) struct BareFrame {
    pub title: String,
    /// The name of the panel's company.
    pub empresa: String,
    pub style_sheet: Option<String>,
    pub theme: Option<Theme>,
}

impl BareFrame {
    pub fn new(storefront: Option<&Storefront>, title: impl Into<String>, theme: Option<Theme>) -> Self {
        Self {
            title: title.into(),
            empresa: storefront.map_or("Embudo", |s| s.empresa.nombre.as_str()).to_owned(),
            style_sheet: storefront.map(brand_files::path),
            theme,
        }
    }

    /// The frame in the look of the default company.
    pub async fn of(state: &WebState, title: &str, theme: Option<Theme>) -> Result<Self, Refusal> {
        Ok(Self::new(Some(&Storefront::of_default(state).await?), title, theme))
    }

    pub fn asset(&self, nombre: &str) -> String {
        assets::path(nombre)
    }

    pub fn theme(&self) -> &'static str {
        self.theme.map_or("", Theme::word)
    }
}

#[derive(Template)]
#[template(path = "panel/refusal.html")]
pub(super) struct RefusalPage {
    pub frame: BareFrame,
    pub text: &'static str,
}
