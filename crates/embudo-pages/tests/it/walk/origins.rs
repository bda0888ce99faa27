//! Forms that another site sends with a person's browser.

use embudo_domain::role::Role;

use super::answers::{short, what};
use super::map::{Door, Route};
use super::world::World;
use crate::person::{Browser, add};

/// The header of a current browser, and that of an older one, for a form of another site.
const FOREIGN: [(&str, &str); 2] = [("sec-fetch-site", "cross-site"), ("origin", "https://malo.example")];

/// The only form that other senders may send: mail programs stop reminders with one click (RFC 8058). The form does
/// nothing else.
const FROM_ANYWHERE: &str = "/r/{pase}";

/// A form of another site is refused for every signed-in person and every pass, and changes no row.
pub async fn other_sites_change_nothing(world: &World, routes: &[Route]) {
    let things = &world.a.things[0];
    add(&world.scene, "jefa@ejemplo.es", Some(Role::Administrador), None).await;
    let browser = Browser::signed(&world.scene, "jefa@ejemplo.es").await;
    let filled = super::foreign::Filled::read(world, routes, &browser, things).await;
    let before = world.scene.server.rows().await;
    let token = browser.token();
    let guarded = routes.iter().filter(|route| !route.is_api() && route.path != FROM_ANYWHERE);
    for route in guarded.filter(|route| route.is_unsafe()) {
        let pass = match route.door {
            Door::Pass(own) => things.passes[&own].as_str(),
            _ => "x",
        };
        let path = world.a.fill(route.path, things, pass);
        for (name, value) in FOREIGN {
            for fields in filled.of(&path) {
                let fields: Vec<_> =
                    fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                let answer = browser.send(browser.form(&path, &fields).header(name, value)).await;
                let what = what(route, &path, &format!("a form from another site ({name}: {value})"));
                world.found.is_healthy(route, &what, &answer);
                world.found.expect(answer.status.as_u16() == 403, || format!("{what}: {}", short(&answer)));
                world
                    .found
                    .expect(browser.token() == token, || format!("{what}: it changes who is signed in"));
                browser.set_token(token.clone());
            }
        }
    }
    world.is_unchanged(&before, &world.scene.server.rows().await, "a form of another site");
}
