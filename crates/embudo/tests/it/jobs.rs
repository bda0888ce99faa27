//! `embudo jobs`, beside a running server.

use crate::hook::{Hook, await_state, jobs, perfil_completo};
use crate::place::Place;
use embudo_testkit::receiver::Manner;

embudo_testkit::both_engines!(blocking: dead_jobs_are_listed_shown_and_retried,
    jobs_are_discarded,
    many_dead_jobs_are_retried_at_once,
    wrong_ids_are_refused_before_anything_is_done,
);

fn dead_jobs_are_listed_shown_and_retried(place: &Place) {
    let gone = "ya no\n está aquí ".repeat(50);
    let gone = Manner::Responds { status: 410, headers: Vec::new(), body: gone.into_bytes() };
    let hook = Hook::new(gone);
    let server = hook.serve(place);
    let (lead, accepted) = perfil_completo(&server);
    assert_eq!(accepted, false);

    let all = jobs(place, &[]);
    assert_eq!(all.len(), 1, "{all:?}");
    let job = &all[0];
    assert_eq!(
        [&job["tipo"], &job["estado"], &job["lead"], &job["proximoEn"]],
        [&"perfil".into(), &"muerto".into(), &lead.as_str().into(), &serde_json::Value::Null]
    );
    assert_eq!(job["intentos"], 1);
    let id = job["id"].as_str().unwrap();
    for (filter, found) in [
        (&["--state", "muerto"][..], 1),
        (&["--state", "hecho"], 0),
        (&["--kind", "perfil", "--lead", &lead], 1),
        (&["--kind", "pdf"], 0),
        (&["--lead", "00000000-0000-4000-8000-000000000000"], 0),
        (&["--limit", "1"], 1),
    ] {
        assert_eq!(jobs(place, filter).len(), found, "{filter:?}");
    }
    let table = place.ok(&["jobs", "list"]);
    assert!(table.starts_with("ID ") && table.contains("  perfil  muerto  1 "), "{table}");
    let shown = place.ok(&["jobs", "show", id]);
    assert!(shown.contains("state     muerto\n") && shown.contains("deliveries (1)\n"), "{shown}");
    assert!(shown.contains("  failed  410 ") && shown.contains("ya no está aquí ya no"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() < 300), "answers are shortened: {shown}");
    let doctor = place.run(&["doctor"]);
    let told = String::from_utf8(doctor.stdout).unwrap();
    assert_eq!(doctor.status.code(), Some(1), "{told}");
    assert!(told.contains("✗ failed          jobs                         1 dead\n"), "{told}");
    assert!(told.contains("→ see embudo jobs list --state muerto"), "{told}");

    hook.receiver.always(Manner::Ok);
    assert!(place.ok(&["jobs", "retry", id]).starts_with("1 job due now"));
    let requests = hook.requests(2);
    assert_eq!(requests[1].header("webhook-id"), Some(id));
    let done = await_state(place, id, "hecho");
    assert_eq!(done["entregas"].as_array().unwrap().len(), 2);
    assert_eq!(done["carga"]["leadId"], lead.as_str(), "{done:#}");
    for command in ["retry", "discard"] {
        let refused = place.fails(&["jobs", command, id]);
        assert!(refused.contains(&format!("the job {id} is done")), "{refused}");
    }
    assert_eq!(place.ok(&["jobs", "retry", "--dead"]), "no job is dead\n");
    assert!(server.stop().0.success());
}

fn jobs_are_discarded(place: &Place) {
    let hook = Hook::new(Manner::state(410));
    let server = hook.serve(place);
    perfil_completo(&server);
    assert!(server.stop().0.success());
    let id = jobs(place, &[])[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(place.ok(&["jobs", "discard", &id]), "1 job discarded\n");
    assert_eq!(jobs(place, &["--state", "descartado"]).len(), 1);
    assert_eq!(place.ok(&["jobs", "retry", "--dead"]), "no job is dead\n");
    assert!(place.ok(&["jobs", "retry", &id]).starts_with("1 job due now"), "it can be had back");
    assert_eq!(jobs(place, &["--state", "pendiente"]).len(), 1);
}

fn many_dead_jobs_are_retried_at_once(place: &Place) {
    let hook = Hook::new(Manner::state(410));
    let server = hook.serve(place);
    for _ in 0..3 {
        perfil_completo(&server);
    }
    assert_eq!(jobs(place, &["--state", "muerto"]).len(), 3);
    hook.receiver.always(Manner::Ok);
    assert!(place.ok(&["jobs", "retry", "--dead"]).starts_with("3 jobs due now"));
    hook.requests(6);
    for job in jobs(place, &[]) {
        await_state(place, job["id"].as_str().unwrap(), "hecho");
    }
}

fn wrong_ids_are_refused_before_anything_is_done(place: &Place) {
    let hook = Hook::new(Manner::state(410));
    let server = hook.serve(place);
    perfil_completo(&server);
    let id = jobs(place, &[])[0]["id"].as_str().unwrap().to_owned();
    let unknown = "00000000-0000-4000-8000-000000000000";
    for bad in [unknown, "x"] {
        for args in [&["show", bad][..], &["retry", &id, bad], &["discard", &id, bad]] {
            let refused = place.fails(&[&["jobs"], args].concat());
            assert!(refused.contains(&format!("no job has the id «{bad}»")), "{refused}");
        }
    }
    assert_eq!(jobs(place, &["--state", "muerto"]).len(), 1, "the right id among them was left alone");
    assert!(place.fails(&["jobs", "list", "--lead", "x"]).contains("no lead has the id «x»"));
    for args in [&["retry"][..], &["discard"], &["retry", &id, "--dead"], &["list", "--state", "x"]] {
        assert_eq!(place.run(&[&["jobs"], args].concat()).status.code(), Some(2), "{args:?}");
    }
}
