//! `/panel/empresa/textos`: the texts of quotes and of the privacy page. Each text is the shipped one until the company
//! writes its own, which is dated. Quotes that were already sent keep their text.

use std::sync::LazyLock;

use askama::Template;
use axum::extract::State;
use embudo_domain::brand::DEFAULT_CONDITIONS;
use embudo_domain::identity::Identity;
use embudo_domain::legal::{Legal, LegalKey, LegalText, OwnLegal, PLACEHOLDERS, paragraphs};
use embudo_domain::privacy::purpose;
use embudo_domain::settings::Settings;
use embudo_domain::words::day;
use http::Uri;

use super::edit::of_company;
use super::{Tabs, company, frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::form::{Field, Form, FormView, Group, Kind, Returned};
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{Refusal, private_page};

pub(super) const PATH: &str = "/panel/empresa/textos";

static SHIPPED: LazyLock<Legal> = LazyLock::new(Legal::por_defecto);

pub(super) const LEGAL: Form<LegalText> = Form {
    action: "/panel/empresa/textos/legal",
    button: "Guardar",
    groups: &[Group::new(
        "",
        "",
        &[
            Field::new(
                "titulo",
                "Título",
                Kind::Line("text"),
                |text: &LegalText, _| text.title.clone(),
                |text, _, typed| {
                    typed.clone_into(&mut text.title);
                    Ok(())
                },
            )
            .with(&[("maxlength", "120"), ("required", "")]),
            Field::new(
                "texto",
                "Texto",
                Kind::Long(8),
                |text: &LegalText, _| text.as_text(),
                |text, _, typed| {
                    text.paragraphs = paragraphs(typed);
                    Ok(())
                },
            )
            .hint("Una línea en blanco separa los párrafos: hasta 30, de 2.000 letras.")
            .with(&[("required", "")]),
        ],
    )],
    rules: |text, form| {
        let Err(invalid) = (OwnLegal { texts: vec![text.clone()] }).check() else { return };
        for wrong in invalid.errors {
            form.add(if wrong.field.ends_with("titulo") { "titulo" } else { "texto" }, wrong.mensaje);
        }
    },
};

pub(super) const CONDITIONS: Form<Identity> =
    Form::new(
        "/panel/empresa/textos/condiciones",
        "Guardar condiciones",
        &[Group::new(
            "",
            "",
            &[
                of_company("condiciones", "Condiciones, una por línea", Kind::Long(7))
                    .hint("Vacío: las de Embudo, que ves en gris. Hasta 30, de 500 letras."),
                of_company("diasValidez", "Días de validez", Kind::Line("number"))
                    .class("campo-corto")
                    .with(&[("inputmode", "numeric"), ("min", "1"), ("max", "365"), ("required", "")]),
            ],
        )],
    );

const PRIVACY_ACTION: &str = "/panel/empresa/textos/privacidad";

pub(super) const POLICY: Form<Identity> = Form::new(
    PRIVACY_ACTION,
    "Guardar privacidad",
    &[Group::new(
        "",
        "",
        &[of_company("politica", "Tu política de privacidad", Kind::Long(8))
            .hint("Vacío: el texto de Embudo, con tus datos. Una línea en blanco separa los párrafos.")
            .with(&[("maxlength", "20000")])],
    )],
);

/// The recipients of data. They are part of the form of the privacy policy.
pub(super) const RECIPIENTS: Form<Settings> = Form::new(
    PRIVACY_ACTION,
    "",
    &[Group::new(
        "",
        "par par-datos",
        &[
            recipient("renders"),
            recipient("mensajeria"),
            recipient("correo"),
            recipient("alojamiento"),
            recipient("otros"),
        ],
    )],
);

const fn recipient(name: &'static str) -> Field<Settings> {
    let read = |settings: &Settings, name: &'static str| settings.privacy.text(name).to_owned();
    Field::new(name, purpose(name), Kind::Line("text"), read, |settings, name, typed| {
        Ok(settings.privacy.write(name, typed)?)
    })
    .with(&[("maxlength", "200"), ("autocomplete", "off")])
}

#[derive(Template)]
#[template(path = "panel/empresa/texts.html")]
struct TextsPage {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    done: Option<&'static str>,
    shipped_version: String,
    reviewed: String,
    placeholders: String,
    texts: Vec<ShownText>,
    conditions: FormView,
    policy: FormView,
    recipients: FormView,
    privacy_day: Option<String>,
    form_address: String,
}

struct ShownText {
    word: &'static str,
    title: String,
    view: FormView,
    /// The date of the company's own text. `None` if the text is the shipped one.
    own: Option<String>,
    /// The text as it is printed.
    printed: Vec<String>,
    is_open: bool,
}

/// The result of a posted form.
#[derive(Default)]
pub(super) struct Back {
    pub returned: Returned,
    pub done: Option<&'static str>,
    /// The typed legal text, for the preview.
    pub text: Option<LegalText>,
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let done = match uri.query() {
        Some("hecho") => Some("Guardado. Vale para lo que se envíe desde ahora; lo enviado no cambia."),
        Some("hecho=volver") => Some("Hecho: vuelve a valer el texto de Embudo."),
        _ => None,
    };
    page(&state, &signed, Back { done, ..Back::default() }).await
}

pub(super) fn shipped(key: LegalKey) -> &'static LegalText {
    let found = SHIPPED.texts().iter().find(|text| text.key == key);
    found.expect("a test reads the shipped texts, and every one is there")
}

/// The text in force.
pub(super) fn current(settings: &Settings, key: LegalKey) -> LegalText {
    let own = settings.legal.texts.iter().find(|text| text.key == key);
    own.unwrap_or_else(|| shipped(key)).clone()
}

pub(super) async fn page(state: &WebState, signed: &Signed, back: Back) -> PanelResult {
    let (empresa, stored) = company(state, signed).await?;
    let settings = state.app.store.settings(empresa.id).await?;
    let identity = Identity::of(&empresa, &stored.brand);
    let Back { returned, done, text: typed } = back;
    let shown = |word: &&'static str| {
        let key = LegalKey::parse(word).ok_or(Refusal::Internal)?;
        let now = current(&settings, key);
        let typed = typed.as_ref().filter(|text| text.key == key);
        let text = typed.unwrap_or(&now);
        let none = Returned::default();
        let mut view = LEGAL.view(&now, if typed.is_some() { &returned } else { &none });
        for input in view.inputs() {
            input.id = format!("{word}-{}", input.name);
        }
        let is_own = settings.legal.texts.iter().any(|text| text.key == key);
        Ok::<_, Refusal>(ShownText {
            word,
            title: text.title.clone(),
            view,
            own: is_own.then(|| now.version.clone()),
            printed: text.sample(&empresa, &stored.brand),
            is_open: typed.is_some(),
        })
    };
    let mut conditions = CONDITIONS.view(&identity, &returned);
    conditions.adorn("condiciones", |input| {
        input.id("c-condiciones").with("placeholder", DEFAULT_CONDITIONS.join("\n"))
    });
    let page = TextsPage {
        frame: frame(state, signed, "Textos").await?,
        tabs: Tabs { here: PATH },
        done,
        shipped_version: SHIPPED.version().to_owned(),
        reviewed: day(SHIPPED.reviewed()),
        placeholders: PLACEHOLDERS.map(|word| format!("{{{word}}}")).join(", "),
        texts: LegalKey::WORDS.iter().map(shown).collect::<Result<_, _>>()?,
        conditions,
        policy: POLICY.view(&identity, &returned),
        recipients: RECIPIENTS.view(&settings, &returned),
        privacy_day: settings.privacy.version.clone(),
        form_address: format!("/f/{}/privacidad", empresa.slug),
        form: returned.form,
    };
    Ok(private_page(returned.status, &page))
}
