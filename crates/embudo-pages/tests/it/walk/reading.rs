//! Requests every page with `GET`. Only four kinds of rows may be written: who saw which lead, what a person has read,
//! when a session was last used, and renditions of photos.

use std::collections::BTreeSet;

use embudo_domain::role::Role;

use super::foreign::Filled;
use super::map::Route;
use super::world::World;
use crate::person::{Browser, add};

/// The tables that a `GET` may write: the marks, and the renditions of photos, which are made when they are first
/// shown.
const MARKS: [&str; 4] = ["lead_visto", "lead_leido", "sesion", "rendicion"];

/// A person who may see everything opens every page, with a pass where one is required. No rows change except the
/// marks.
pub async fn a_look_changes_nothing(world: &World, routes: &[Route]) {
    add(&world.scene, "mirona@ejemplo.es", Some(Role::Administrador), None).await;
    let browser = Browser::signed(&world.scene, "mirona@ejemplo.es").await;
    // `embudo serve` creates this key before it opens the listener.
    world.scene.server.app.access().push_key().await.expect("a key");
    let before = rows(world).await;
    for things in &world.a.things {
        Filled::read(world, routes, &browser, things).await;
    }
    world.is_unchanged(&before, &rows(world).await, "a look");
}

async fn rows(world: &World) -> BTreeSet<String> {
    let is_mark = |row: &str| MARKS.iter().any(|table| row.split(' ').next() == Some(table));
    world.scene.server.rows().await.into_iter().filter(|row| !is_mark(row)).collect()
}
