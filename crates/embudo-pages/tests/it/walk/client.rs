//! The pages of clients: each kind of pass at every address that requires a pass.

use super::answers::{short, what};
use super::map::{Door, Route};
use super::passes::Pass;
use super::world::{Company, Things, World};
use crate::person::Browser;

/// Each of these addresses opens only with its own kind of pass, and only for objects of its own company. An address
/// without a pass answers everybody.
pub async fn opens_with_its_own_pass_only(world: &World, routes: &[Route]) {
    let (a, browser) = (&world.a, Browser::new(&world.scene));
    let things = &a.things[0];
    for route in routes.iter().filter(|route| !route.is_panel() && !route.is_api()) {
        let Door::Pass(own) = route.door else {
            let path = a.fill(route.path, things, "x");
            world.found.is_healthy(
                route,
                &what(route, &path, "anybody"),
                &knock(&browser, route, &path).await,
            );
            continue;
        };
        for (pass, text) in things.passes.iter().filter(|(pass, _)| **pass != own) {
            stays_shut(world, &browser, route, &format!("{pass:?}"), a, &a.fill(route.path, things, text))
                .await;
        }
        // The right kind of pass, but in an address of another company or for another company's object.
        let (passes, others) = (&things.passes, &world.b.things[0].passes);
        let path = world.b.fill(route.path, &world.b.things[0], &passes[&own]);
        if path != a.fill(route.path, things, &passes[&own]) {
            stays_shut(world, &browser, route, "a pass of another company", &world.b, &path).await;
        }
        if route.path.contains("{slug}") || own == Pass::Photo {
            let path = a.fill(route.path, things, &others[&own]);
            stays_shut(world, &browser, route, "a pass of another company", a, &path).await;
        }
    }
    let without_foto = Things { foto: crate::NOBODY.to_owned(), ..things.clone() };
    for route in routes {
        let Door::Pass(own) = route.door else { continue };
        // Deleting the photo would break the following requests.
        let things = if route.is_unsafe() { &without_foto } else { things };
        let path = a.fill(route.path, things, &things.passes[&own]);
        let what = what(route, &path, "the holder of the pass");
        let answer = knock(&browser, route, &path).await;
        world.found.is_healthy(route, &what, &answer);
        world.found.expect(!matches!(answer.status.as_u16(), 403 | 404 | 410), || {
            format!("{what}: {}", short(&answer))
        });
        world.found.shows_nothing_of(&world.b, &what, &path, &answer);
    }
}

async fn stays_shut(
    world: &World,
    browser: &Browser<'_>,
    route: &Route,
    with: &str,
    owner: &Company,
    path: &str,
) {
    let what = what(route, path, with);
    let answer = knock(browser, route, path).await;
    world.found.is_healthy(route, &what, &answer);
    world.found.expect(matches!(answer.status.as_u16(), 404 | 410), || format!("{what}: {}", short(&answer)));
    world.found.shows_nothing_of(owner, &what, path, &answer);
}

async fn knock(browser: &Browser<'_>, route: &Route, path: &str) -> embudo_testkit::Answered {
    match route.method {
        "get" => browser.get(path).await,
        "post" => browser.post(path, &[]).await,
        other => panic!("{}: say here how a {other} is sent", route.path),
    }
}
