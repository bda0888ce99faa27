//! Looking at every page: nothing is written but who saw what, what somebody has read, and when a session was last
//! used.

use std::collections::BTreeSet;

use embudo_domain::role::Role;

use super::foreign::Filled;
use super::map::Route;
use super::world::World;
use crate::person::{Browser, add};

/// Tables that a look may write: the marks, and the copies of photos that are made when they are first shown.
const MARKS: [&str; 4] = ["lead_visto", "lead_leido", "sesion", "rendicion"];

/// Somebody who may see everything opens every page, with a pass where one is wanted; no row changes but the marks.
pub async fn a_look_changes_nothing(world: &World, routes: &[Route]) {
    add(&world.scene, "mirona@ejemplo.es", Some(Role::Administrador), None).await;
    let browser = Browser::signed(&world.scene, "mirona@ejemplo.es").await;
    // `embudo serve` makes it before it opens.
    world.scene.s.app.access().push_key().await.expect("a key");
    let before = rows(world).await;
    for things in &world.a.things {
        Filled::read(world, routes, &browser, things).await;
    }
    world.is_unchanged(&before, &rows(world).await, "a look");
}

async fn rows(world: &World) -> BTreeSet<String> {
    let is_mark = |row: &str| MARKS.iter().any(|table| row.split(' ').next() == Some(table));
    world.scene.s.rows().await.into_iter().filter(|row| !is_mark(row)).collect()
}
