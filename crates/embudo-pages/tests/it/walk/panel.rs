//! The panel: every kind of caller at every page.

use embudo_domain::role::Role;
use embudo_testkit::Answered;
use futures_util::future::join_all;
use jiff::SignedDuration;
use reqwest::Method;

use super::answers::{short, what};
use super::map::{Door, Route};
use super::passes::Pass;
use super::world::{Things, World, email};
use crate::person::{Browser, PASSWORD, add};

/// The caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Nobody,
    /// A person whose session has ended.
    Expired,
    /// Somebody with this pass instead of a session.
    Holder(Pass),
    /// A program with an API key.
    Program,
    /// A person with this role in the company that owns all objects of the walk.
    Own(Role),
    /// A person with this role in another company.
    Other(Role),
    /// A person who was removed from the company.
    SentAway,
    /// A person who never belonged to a company.
    Loose,
}

/// The expected response.
#[derive(Debug, PartialEq, Eq)]
enum Expected {
    /// A redirect to the sign-in page.
    SignIn,
    Forbidden,
    NotFound,
    /// The page itself, whatever it answers to an empty form.
    Page,
}

fn expected(route: &Route, who: Who, takes_part: bool) -> Expected {
    if route.door == Door::Open {
        return Expected::Page;
    }
    let role = match who {
        Who::Nobody | Who::Expired | Who::Holder(_) | Who::Program => return Expected::SignIn,
        Who::Own(role) | Who::Other(role) => Some(role),
        Who::SentAway | Who::Loose => None,
    };
    let is_own = matches!(who, Who::Own(_));
    match route.door {
        // The address contains the session of another person.
        Door::Person if route.path.contains('{') => Expected::NotFound,
        Door::Person => Expected::Page,
        Door::Within(_) if !is_own => Expected::NotFound,
        Door::Looking(roles) | Door::LookingAt(roles) | Door::Within(roles)
            if !role.is_some_and(|role| roles.contains(&role)) =>
        {
            Expected::Forbidden
        }
        Door::LookingAt(_) if !is_own => Expected::NotFound,
        Door::Within(_) if role == Some(Role::Obra) && !takes_part => Expected::NotFound,
        Door::Looking(_) | Door::LookingAt(_) | Door::Within(_) => Expected::Page,
        other => panic!("{other:?} is no door of the panel: {}", route.path),
    }
}

/// Forms that do not return to a page of their own when they are sent empty.
const LOST_WHEN_EMPTY: &[&str] = &[
    "/panel/cambiar",
    "/panel/cuenta/avisos",
    "/panel/cuenta/dispositivos/avisos",
    "/panel/cuenta/dispositivos/quitar",
];

fn seen(route: &Route, answer: &Answered) -> Expected {
    let place = answer.header("location").unwrap_or_default();
    match answer.status.as_u16() {
        _ if route.door == Door::Open => Expected::Page,
        303 if place.starts_with("/panel/entrar") && !place.contains("aviso=") => Expected::SignIn,
        403 => Expected::Forbidden,
        404 if !LOST_WHEN_EMPTY.contains(&route.path) => Expected::NotFound,
        _ => Expected::Page,
    }
}

/// A caller with a browser.
struct Visitor<'w> {
    who: Who,
    browser: Browser<'w>,
    /// The e-mail address with which they sign in again, if they can.
    email: Option<String>,
}

/// Every page of the panel answers each caller as the map says, and shows the company's data only to its own people.
pub async fn answers_as_the_map_says(world: &World, routes: &[Route]) {
    let routes: Vec<&Route> = routes.iter().filter(|route| route.is_panel()).collect();
    let scene = &world.scene;
    let expired = Browser::signed(scene, &email(Role::Gestor, "a")).await;
    scene.clock.advance(SignedDuration::from_mins(31));
    let anybody = |who| Visitor { who, browser: Browser::new(scene), email: None };
    let mut others = vec![anybody(Who::Nobody), anybody(Who::Program)];
    others.push(Visitor { who: Who::Expired, browser: expired, email: None });
    for (pass, text) in &world.a.things[0].passes {
        let holder = anybody(Who::Holder(*pass));
        holder.browser.set_token(Some(text.clone()));
        others.push(holder);
    }
    for (who, was) in [(Who::SentAway, Some(Role::Gestor)), (Who::Loose, None)] {
        let email = format!("{who:?}@ejemplo.es").to_lowercase();
        others.push(Visitor { who, browser: world.sent_away(&email, was).await, email: Some(email) });
    }
    for role in Role::IN_EMPRESA {
        others.push(signed(world, Who::Other(role), email(role, "b")).await);
    }
    let first = &world.a.things[0];
    join_all(others.iter().map(|visitor| walk(world, &routes, visitor, first))).await;

    for role in Role::IN_EMPRESA.into_iter().filter(|role| *role != Role::Obra) {
        walk(world, &routes, &signed(world, Who::Own(role), email(role, "a")).await, first).await;
    }
    add(scene, "duena@ejemplo.es", Some(Role::Administrador), None).await;
    let owner = signed(world, Who::Own(Role::Administrador), "duena@ejemplo.es".to_owned()).await;
    walk(world, &routes, &owner, first).await;
}

/// The walk for a worker on site, with the lead that they take part in and with another lead.
pub async fn a_worker_sees_their_own(world: &World, routes: &[Route]) {
    let routes: Vec<&Route> = routes.iter().filter(|route| route.is_panel()).collect();
    for things in &world.a.things {
        let worker = signed(world, Who::Own(Role::Obra), email(Role::Obra, "a")).await;
        walk(world, &routes, &worker, things).await;
    }
}

async fn signed(world: &World, who: Who, email: String) -> Visitor<'_> {
    Visitor { who, browser: Browser::signed(&world.scene, &email).await, email: Some(email) }
}

/// The caller requests every page of the panel, with the ids of these objects in the addresses.
async fn walk(world: &World, routes: &[&Route], visitor: &Visitor<'_>, things: &Things) {
    let Visitor { who, browser, email } = visitor;
    let mut token = browser.token();
    for route in routes {
        let path = world.a.fill(route.path, things, "x");
        let what = what(route, &path, &format!("{who:?}"));
        let answer = knock(world, route, &path, visitor).await;
        world.found.is_healthy(route, &what, &answer);
        let takes_part = things.visita == world.a.things[0].visita;
        let (seen, expected) = (seen(route, &answer), expected(route, *who, takes_part));
        world
            .found
            .expect(seen == expected, || format!("{what}: {expected:?} is expected: {}", short(&answer)));
        if !matches!(who, Who::Own(_)) {
            world.found.shows_nothing_of(&world.a, &what, &path, &answer);
        }
        if *who == Who::Own(Role::Obra) {
            shows_only_the_site(world, &what, &path, &answer);
        }
        // Signing out ends the session of the walk, so the person signs in again.
        let is_out = matches!(route.path, "/panel/salir" | "/panel/cuenta/sesiones");
        if let Some(email) = email
            && (is_out || browser.token() != token)
        {
            browser.set_token(None);
            assert_eq!(browser.sign_in(email, PASSWORD).await.status.as_u16(), 303, "{what}");
            token = browser.token();
        } else if email.is_none() {
            browser.set_token(token.clone());
        }
    }
}

/// A worker on site sees no price, nothing of the office, and nothing of leads other than their own.
fn shows_only_the_site(world: &World, what: &str, sent: &str, answer: &Answered) {
    let [own, other] = &world.a.things[..] else { panic!("two leads with everything") };
    let office =
        [&own.quote, &own.draft, &own.job, &own.nota, &own.numero, &world.a.pressed, &world.a.client];
    let others =
        [&other.lead, &other.foto, &other.visita, &other.quote, &other.draft, &other.job, &other.nota];
    let secret = format!("Nota interna {}", own.lead);
    let marks = office.into_iter().chain(others).map(String::as_str).chain(["€", secret.as_str()]);
    let place = answer.header("location").unwrap_or_default();
    for mark in marks.filter(|mark| !sent.contains(*mark)) {
        let is_shown = answer.text.contains(mark) || place.contains(mark);
        world.found.expect(!is_shown, || format!("{what}: it shows «{mark}» to a worker on site"));
    }
}

async fn knock(world: &World, route: &Route, path: &str, visitor: &Visitor<'_>) -> Answered {
    let browser = &visitor.browser;
    match route.method {
        // The stream does not end by itself.
        "get" if route.path == "/panel/vivo" => {
            let answer = browser.open(path).await;
            Answered { status: answer.status(), headers: answer.headers().clone(), text: String::new() }
        }
        "get" if visitor.who == Who::Program => {
            browser.send(browser.request(Method::GET, path).bearer_auth(&world.a.key)).await
        }
        "get" => browser.get(path).await,
        "post" if visitor.who == Who::Program => {
            let request = browser.form(path, &[]).header("sec-fetch-site", "same-origin");
            browser.send(request.bearer_auth(&world.a.key)).await
        }
        "post" => browser.post(path, &[]).await,
        other => panic!("{what}: say here how a {other} is sent", what = route.path),
    }
}
