//! A person of one company sends the ids of another company: in addresses, queries and fields.

use std::collections::{BTreeMap, BTreeSet};

use embudo_domain::role::Role;
use url::form_urlencoded::Serializer;
use uuid::Uuid;

use super::answers::{short, what};
use super::forms::forms;
use super::map::{Door, Route};
use super::world::{Company, Things, World, email};
use crate::person::{Browser, PASSWORD};

type Fields = Vec<(String, String)>;

/// The fields of the forms of every page, by the address to which the forms are posted.
pub struct Filled(BTreeMap<String, Vec<Fields>>);

impl Filled {
    /// Reads the forms of every page about these objects.
    pub async fn read(world: &World, routes: &[Route], browser: &Browser<'_>, things: &Things) -> Self {
        let mut filled: BTreeMap<String, Vec<Fields>> = BTreeMap::new();
        let pages = routes.iter().filter(|r| r.method == "get" && !r.is_api() && r.path != "/panel/vivo");
        for route in pages {
            let pass = match route.door {
                Door::Pass(own) => things.passes[&own].as_str(),
                _ => "x",
            };
            let query = match route.path {
                "/f/{slug}/contacto" => "?tipo=bano&m2=5".to_owned(),
                path if path.ends_with("/unir") => format!("?con={}", world.a.pressed),
                _ => String::new(),
            };
            let path = world.a.fill(route.path, things, pass);
            for form in forms(&browser.get(&format!("{path}{query}")).await.text) {
                let to = form.action.split(['?', '#']).next().filter(|to| !to.is_empty());
                filled.entry(to.unwrap_or(&path).to_owned()).or_default().extend(form.presses());
            }
        }
        Self(filled)
    }

    /// The fields of the forms that are posted to an address. If no page has such a form, one empty form.
    pub fn of(&self, path: &str) -> Vec<Fields> {
        self.0.get(path).cloned().unwrap_or_else(|| vec![Fields::new()])
    }
}

impl World {
    /// Every row that contains an id of the company or of one of its objects.
    pub async fn rows_of(&self, company: &Company) -> BTreeSet<String> {
        let people = company.people.values().map(|user| user.id.to_string());
        let marks: Vec<String> = company.marks().map(str::to_owned).chain(people).collect();
        let own = company.empresa.id.to_string();
        let is_own = |row: &String| row.contains(&own) || marks.iter().any(|mark| row.contains(mark));
        self.scene.server.rows().await.into_iter().filter(is_own).collect()
    }

    /// Records a violation for each row that was changed.
    pub fn is_unchanged(&self, before: &BTreeSet<String>, after: &BTreeSet<String>, who: &str) {
        for row in before.difference(after) {
            self.found.expect(false, || format!("{who} changed or removed: {row}"));
        }
        for row in after.difference(before) {
            self.found.expect(false, || format!("{who} wrote: {row}"));
        }
    }
}

/// The value that a field of this name gets: the id of the other company's object of that kind. `None` if the field
/// does not name an object.
fn foreign(name: &str, value: &str, of: &Company) -> Option<String> {
    let things = &of.things[1];
    let is_id = Uuid::try_parse(value).is_ok();
    Some(match name {
        "vez" => of.press.to_string(),
        "boleto" => of.ticket.clone(),
        "persona" | "asignado" | "de" => of.person(Role::Comercial).id.to_string(),
        "lead" | "con" | "principal" => things.lead.clone(),
        "empresa" => of.empresa.id.to_string(),
        "desde" if is_id || value == "ultimo" => things.quote.clone(),
        "clave" if is_id => of.key_id.clone(),
        "id" => things.quote.clone(),
        _ if is_id => things.lead.clone(),
        _ => return None,
    })
}

/// The fields that name an object, for addresses to which no page posts a form.
const NAMES: [&str; 9] = ["vez", "persona", "asignado", "de", "lead", "con", "principal", "empresa", "id"];

/// A form filled in with the other company's ids.
fn with_ids_of(of: &Company, form: &Fields) -> Fields {
    let id =
        |(name, value): &(String, String)| (name.clone(), foreign(name, value, of).unwrap_or(value.clone()));
    let mut fields: Fields = form.iter().map(id).collect();
    // A stranger with a ticket may also know the client's name.
    if form.iter().any(|(name, _)| name == "boleto") {
        fields.push(("nombre".to_owned(), of.client.clone()));
    }
    for name in NAMES {
        if !form.iter().any(|(known, _)| known == name) {
            fields.extend(foreign(name, "", of).map(|id| (name.to_owned(), id)));
        }
    }
    fields
}

/// A gestor of one company sends the other company's ids in every place that can contain an id. No response shows
/// anything of the other company, and none of its rows changes.
pub async fn ids_of_another_company_open_nothing(world: &World, routes: &[Route]) {
    let (a, b) = (&world.a, &world.b);
    let (own, others) = (&a.things[1], &b.things[1]);
    let mixed = Things { foto: others.foto.clone(), nota: others.nota.clone(), ..own.clone() };
    let browser = Browser::signed(&world.scene, &email(Role::Gestor, "a")).await;
    let filled = Filled::read(world, routes, &browser, own).await;
    let query = with_ids_of(b, &Fields::new());
    let before = world.rows_of(b).await;
    let has_forms = |route: &&Route| {
        !route.is_api() && (route.is_panel() || route.is_unsafe() || matches!(route.door, Door::Pass(_)))
    };
    for route in routes.iter().filter(has_forms).filter(|route| route.path != "/panel/vivo") {
        let pass = match route.door {
            Door::Pass(kind) => own.passes[&kind].as_str(),
            _ => "x",
        };
        let path = a.fill(route.path, own, pass);
        let theirs = b.fill(route.path, others, "x");
        // The other company's object in the address, either together with an own object or alone.
        let mut paths = BTreeSet::from([a.fill(route.path, &mixed, pass)]);
        if route.is_panel() {
            paths.insert(theirs.clone());
        }
        for at in &paths {
            let forms = if route.is_unsafe() { filled.of(&path) } else { vec![Fields::new()] };
            for form in forms {
                let fields = if route.is_unsafe() { with_ids_of(b, &form) } else { query.clone() };
                let sent: Vec<_> =
                    fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                let answer = match route.is_unsafe() {
                    true => browser.post(at, &sent).await,
                    false => {
                        let query = Serializer::new(String::new()).extend_pairs(&sent).finish();
                        browser.get(&format!("{at}{}{query}", if at.contains('?') { '&' } else { '?' })).await
                    }
                };
                let what = what(route, at, &format!("a person of another company with {sent:?}"));
                world.found.is_healthy(route, &what, &answer);
                world.found.shows_nothing_of(b, &what, &format!("{at} {sent:?}"), &answer);
                let is_theirs = *at == theirs && matches!(route.door, Door::Within(_) | Door::LookingAt(_));
                let is_missing = answer.status.as_u16() == 404;
                world.found.expect(!is_theirs || is_missing, || format!("{what}: {}", short(&answer)));
            }
        }
        if browser.token().is_none() || matches!(route.path, "/panel/salir" | "/panel/cuenta/sesiones") {
            browser.set_token(None);
            browser.sign_in(&email(Role::Gestor, "a"), PASSWORD).await;
        }
    }
    world.is_unchanged(&before, &world.rows_of(b).await, "a person of another company");
}
