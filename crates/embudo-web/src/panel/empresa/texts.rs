//! `/panel/empresa/textos`: what quotes and the privacy page say in the company's name. Each text is the shipped one until the company
//! writes its own, which carries its day; what was sent keeps what it said.

use std::sync::LazyLock;

use askama::Template;
use axum::extract::State;
use embudo_domain::brand::DEFAULT_CONDITIONS;
use embudo_domain::identity::Identity;
use embudo_domain::legal::{Legal, LegalKey, LegalText, PLACEHOLDERS};
use embudo_domain::privacy::{Privacy, purpose};
use embudo_domain::settings::Settings;
use embudo_domain::words::day;
use http::{StatusCode, Uri};

use super::edit::{typed, version_of};
use super::{Tabs, company, frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::stale::version;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{FormFields, Refusal, clean, private_page};

pub(super) const PATH: &str = "/panel/empresa/textos";
pub(super) const QUOTE_NAMES: [&str; 2] = ["condiciones", "diasValidez"];
pub(super) const POLICY_NAMES: [&str; 1] = ["politica"];

static SHIPPED: LazyLock<Legal> = LazyLock::new(Legal::por_defecto);

#[derive(Template)]
#[template(path = "panel/empresa/texts.html")]
struct Page {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    done: Option<&'static str>,
    shipped_version: String,
    reviewed: String,
    placeholders: String,
    texts: Vec<ShownText>,
    conditions: String,
    shipped_conditions: String,
    valid_days: String,
    quote_version: String,
    policy: String,
    policy_version: String,
    recipients: Vec<Recipient>,
    recipients_version: String,
    privacy_day: Option<String>,
    form_address: String,
    /// What somebody else wrote meanwhile, in which field.
    other: Option<(&'static str, String)>,
}

struct ShownText {
    word: &'static str,
    title: String,
    text: String,
    version: String,
    /// The day of the company's own; none: it is the shipped one.
    own: Option<String>,
    /// How it prints.
    printed: Vec<String>,
    is_open: bool,
}

struct Recipient {
    name: &'static str,
    label: &'static str,
    who: String,
}

/// What came back with a form.
#[derive(Default)]
pub(super) struct Returned {
    pub form: FormState,
    pub done: Option<&'static str>,
    pub typed: FormFields,
    /// The legal text that was typed, to be looked at.
    pub text: Option<LegalText>,
    pub other: Option<(&'static str, String)>,
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let done = match uri.query() {
        Some("hecho") => Some("Guardado. Vale para lo que se envíe desde ahora; lo enviado no cambia."),
        Some("hecho=volver") => Some("Hecho: vuelve a valer el texto de Embudo."),
        _ => None,
    };
    page(&state, &signed, StatusCode::OK, Returned { done, ..Returned::default() }).await
}

pub(super) fn shipped(key: LegalKey) -> &'static LegalText {
    let found = SHIPPED.texts().iter().find(|text| text.key == key);
    found.expect("a test reads the shipped texts, and every one is there")
}

/// The text that holds now.
pub(super) fn current(settings: &Settings, key: LegalKey) -> LegalText {
    let own = settings.legal.texts.iter().find(|text| text.key == key);
    own.unwrap_or_else(|| shipped(key)).clone()
}

pub(super) fn values(text: &LegalText) -> [(&'static str, String); 2] {
    [("titulo", clean(&text.title)), ("texto", clean(&text.as_text()))]
}

pub(super) fn version_of_text(text: &LegalText) -> String {
    version(values(text).iter().map(|(_, value)| value.as_str()))
}

pub(super) fn recipients(privacy: &Privacy) -> Vec<(&'static str, String)> {
    Privacy::NAMES.map(|name| (name, privacy.text(name).to_owned())).into()
}

pub(super) async fn page(
    state: &WebState,
    signed: &Signed,
    status: StatusCode,
    returned: Returned,
) -> PanelResult {
    let (empresa, stored) = company(state, signed).await?;
    let settings = state.app.store.settings(empresa.id).await?;
    let identity = Identity::of(&empresa, &stored.brand);
    let text_of = |name: &'static str| {
        let is_typed = returned.typed.0.iter().any(|(sent, _)| sent == name);
        if is_typed { returned.typed.text(name) } else { typed(&identity, name) }
    };
    let shown = |word: &&'static str| {
        let key = LegalKey::parse(word).ok_or(Refusal::Internal)?;
        let now = current(&settings, key);
        let typed = returned.text.as_ref().filter(|text| text.key == key);
        let text = typed.unwrap_or(&now);
        let is_own = settings.legal.texts.iter().any(|text| text.key == key);
        Ok::<_, Refusal>(ShownText {
            word,
            title: text.title.clone(),
            text: text.as_text(),
            version: version_of_text(&now),
            own: is_own.then(|| now.version.clone()),
            printed: text.sample(&empresa, &stored.brand),
            is_open: typed.is_some(),
        })
    };
    let named = recipients(&settings.privacy);
    let page = Page {
        frame: frame(state, signed, "Textos").await?,
        tabs: Tabs { here: PATH },
        done: returned.done,
        shipped_version: SHIPPED.version().to_owned(),
        reviewed: day(SHIPPED.reviewed()),
        placeholders: PLACEHOLDERS.map(|word| format!("{{{word}}}")).join(", "),
        texts: LegalKey::WORDS.iter().map(shown).collect::<Result<_, _>>()?,
        conditions: text_of("condiciones"),
        shipped_conditions: DEFAULT_CONDITIONS.join("\n"),
        valid_days: text_of("diasValidez"),
        quote_version: version_of(&identity, &QUOTE_NAMES),
        policy: text_of("politica"),
        policy_version: version_of(&identity, &POLICY_NAMES),
        recipients: named
            .iter()
            .map(|(name, now)| {
                let is_typed = returned.typed.0.iter().any(|(sent, _)| sent == name);
                let who = if is_typed { returned.typed.text(name) } else { now.clone() };
                Recipient { name, label: purpose(name), who }
            })
            .collect(),
        recipients_version: version(named.iter().map(|(_, value)| value.as_str())),
        privacy_day: settings.privacy.version.clone(),
        form_address: format!("/f/{}/privacidad", empresa.slug),
        other: returned.other,
        form: returned.form,
    };
    Ok(private_page(status, &page))
}
