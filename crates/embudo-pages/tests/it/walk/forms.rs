//! Reads the forms of a page like a browser, so that the walk sends what a person could send.

use std::collections::BTreeMap;

use uuid::Uuid;

/// A form of a page that is sent with `POST`.
#[derive(Debug, Clone, Default)]
pub struct Form {
    /// The address to which it is sent. Empty if that is its own page.
    pub action: String,
    pub fields: Vec<(String, String)>,
    /// The buttons with a value. One of them is pressed.
    buttons: Vec<(String, String)>,
}

impl Form {
    /// The fields that are sent with each of its buttons.
    pub fn presses(&self) -> Vec<Vec<(String, String)>> {
        let with = |button: Option<&(String, String)>| self.fields.iter().chain(button).cloned().collect();
        match self.buttons.as_slice() {
            [] => vec![with(None)],
            buttons => buttons.iter().map(|button| with(Some(button))).collect(),
        }
    }
}

/// The values for fields that a page leaves empty.
const TYPED: &[(&str, &str)] = &[
    ("nombre", "Persona Nueva"),
    ("telefono", "633000000"),
    ("email", "nueva@correo.es"),
    ("cuando", "2026-11-20T10:00"),
    ("otra", "2026-11-20T12:00"),
    ("minutos", "60"),
    ("texto", "Llamar"),
    ("nota", "Una nota"),
    ("motivo", "Precio"),
];

/// Every `POST` form of a page.
pub fn forms(html: &str) -> Vec<Form> {
    let (mut all, mut by_id) = (Vec::<Form>::new(), BTreeMap::new());
    let (mut open, mut list) = (None, None::<(String, Option<usize>)>);
    for tag in html.split('<').skip(1) {
        let (tag, text) = tag.split_once('>').unwrap_or((tag, ""));
        let name = tag.split([' ', '/']).find(|word| !word.is_empty()).unwrap_or_default();
        let value = || attribute(tag, "value").unwrap_or_default();
        match (name, tag.starts_with('/')) {
            ("form", true) => open = None,
            ("select", true) => list = None,
            (_, true) => {}
            ("form", _) if attribute(tag, "method").as_deref() == Some("post") => {
                open = Some(all.len());
                by_id.extend(attribute(tag, "id").map(|id| (id, all.len())));
                let action = attribute(tag, "action").unwrap_or_default();
                all.push(Form { action, ..Form::default() });
                if is_on(tag, "data-editor") {
                    // The autosave that the editor's module sends.
                    all[open.expect("it is open")].buttons.push(("accion".to_owned(), "auto".to_owned()));
                }
            }
            _ => {
                let of = attribute(tag, "form").and_then(|id| by_id.get(&id).copied()).or(open);
                let (Some(form), name_of) = (of.map(|n| &mut all[n]), attribute(tag, "name")) else {
                    continue;
                };
                match (name, name_of) {
                    ("button", Some(field)) => form.buttons.push((field, value())),
                    ("input", Some(field)) if is_sent(tag, &value()) => {
                        let typed = TYPED.iter().find(|(name, _)| *name == field).map(|(_, typed)| *typed);
                        let sent =
                            if value().is_empty() { typed.unwrap_or_default().to_owned() } else { value() };
                        form.fields.push((field, sent));
                    }
                    ("textarea", Some(field)) => {
                        let typed = TYPED.iter().find(|(name, _)| *name == field && text.is_empty());
                        form.fields.push((field, plain(typed.map_or(text, |(_, typed)| typed))));
                    }
                    ("select", Some(field)) => list = Some((field, None)),
                    ("option", _) => {
                        let Some((field, sent)) = &mut list else { continue };
                        let value = attribute(tag, "value").unwrap_or_else(|| plain(text));
                        match sent {
                            // The first option counts. A selected option replaces it, and an empty one is replaced
                            // by the next.
                            None => {
                                *sent = Some(form.fields.len());
                                form.fields.push((field.clone(), value));
                            }
                            Some(n) if is_on(tag, "selected") || form.fields[*n].1.is_empty() => {
                                form.fields[*n].1 = value;
                            }
                            Some(_) => {}
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    all
}

/// A box that is not ticked is not sent, unless its value is an id: such a box counts as ticked here.
fn is_sent(tag: &str, value: &str) -> bool {
    match attribute(tag, "type").as_deref() {
        Some("checkbox" | "radio") => is_on(tag, "checked") || Uuid::try_parse(value).is_ok(),
        Some("file") => false,
        _ => true,
    }
}

fn is_on(tag: &str, word: &str) -> bool {
    tag.split([' ', '/']).any(|one| one == word)
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = format!(" {name}=\"");
    let since = tag.find(&start)? + start.len();
    Some(plain(tag[since..].split('"').next()?))
}

fn plain(text: &str) -> String {
    text.replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#60;", "<")
        .replace("&#62;", ">")
        .replace("&#38;", "&")
}
