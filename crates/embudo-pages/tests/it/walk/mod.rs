//! Every route of the server, requested by every kind of caller: nobody, people of each role in this company and in
//! another, people who were removed, and holders of passes and keys. The requests also contain other companies' ids in
//! addresses and fields, and come from other sites.
//!
//! `map` says who may use which route. The routes come from the router's own tables, so a new route without a line in
//! the map fails here. `world` contains the data, `answers` the requirements for every response.

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

/// All parts use one server. Parts that must change nothing come first; people of the panel's own company, who change
/// data, come last.
async fn every_route_answers_as_the_map_says(engine: Engine) {
    let routes = map::routes();
    let world = world::World::new(engine).await;
    reading::a_look_changes_nothing(&world, &routes).await;
    origins::other_sites_change_nothing(&world, &routes).await;
    foreign::ids_of_another_company_open_nothing(&world, &routes).await;
    // A client may cancel a visit, after which the worker no longer takes part in it.
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

/// A route that is added to a router by hand is in no table, so the walk would miss it.
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
            // The separate listener for metrics has one address, which is also in the table of the API.
            let by_hand: Vec<_> = by_hand.filter(|line| !line.contains("system::metrics_open")).collect();
            assert!(by_hand.is_empty(), "{}: write it in a table of routes: {by_hand:?}", path.display());
        }
    }
}
