//! Every route that is served, and everybody who may knock there: nobody, people of each role in this company and in
//! another, people who were sent away, holders of passes and of keys; with other companies' ids in addresses and in
//! fields, and from other sites.
//!
//! `map` says who may use which route, and the routes come from the router's own tables: one that is added without a
//! line in the map fails here. `world` is what is walked through, `answers` what every answer must be.

mod answers;
mod api;
mod client;
mod foreign;
mod forms;
mod map;
mod origins;
mod panel;
mod passes;
mod reading;
mod world;

use embudo_testkit::{Engine, both_engines};

both_engines!(every_route_answers_as_the_map_says);

/// One server for all of it. What must change nothing goes first; the panel's own people, who change things, go last.
async fn every_route_answers_as_the_map_says(engine: Engine) {
    let routes = map::routes();
    let world = world::World::new(engine).await;
    reading::a_look_changes_nothing(&world, &routes).await;
    origins::other_sites_change_nothing(&world, &routes).await;
    foreign::ids_of_another_company_open_nothing(&world, &routes).await;
    // A client may cancel a visit, and a worker sees what they take part in no more.
    panel::a_worker_sees_their_own(&world, &routes).await;
    client::opens_with_its_own_pass_only(&world, &routes).await;
    api::opens_with_a_key_only(&world, &routes).await;
    panel::answers_as_the_map_says(&world, &routes).await;
    world.found.none();
}

#[test]
fn every_route_has_a_line_in_the_map() {
    map::routes();
}

/// An address that is added to a router by hand is in no table, and nothing would walk to it.
#[test]
fn routes_stand_in_tables() {
    let web = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let http = concat!(env!("CARGO_MANIFEST_DIR"), "/../embudo-api/src");
    let mut folders: Vec<std::path::PathBuf> = vec![web.into(), http.into()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let by_hand =
                text.lines().filter(|line| line.contains(".route(") && !line.contains(".route($path,"));
            // The metrics' own bind serves one address, which is in the table of the API too.
            let by_hand: Vec<_> = by_hand.filter(|line| !line.contains("system::metrics_open")).collect();
            assert!(by_hand.is_empty(), "{}: write it in a table of routes: {by_hand:?}", path.display());
        }
    }
}
