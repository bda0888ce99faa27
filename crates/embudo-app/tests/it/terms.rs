//! A company's own retention periods: which leads they erase, and which not.

use embudo_app::{Actor, Reach};
use embudo_domain::rights::{ErasureReason, Retention};
use embudo_domain::settings::Settings;
use embudo_testkit::{Engine, OnEngine as _, both_engines};
use serde_json::json;

use crate::inbox::says;
use crate::stage::{DAY, Stage};

both_engines!(
    nobody_is_erased_by_a_term_before_the_start_is_caught_up_with,
    who_wrote_before_the_process_died_is_kept,
);

/// Leads that came to nothing are erased after a year.
async fn forget_after_a_year(o: &Stage) {
    let retention = Retention { quiet_months: Some(12), ..Retention::default() };
    o.app.store.save_settings(o.empresa.id, Settings { retention, ..Settings::default() }).await.unwrap();
}

async fn nobody_is_erased_by_a_term_before_the_start_is_caught_up_with(o: Stage) {
    forget_after_a_year(&o).await;
    let lead = o.new_lead().await;
    o.app.housekeeping().project_touched().await.unwrap();
    o.clock.advance(DAY * 400);
    assert_eq!(o.app.housekeeping().look_after_rights().await.unwrap(), 0);
    assert!(o.app.store.lead_empresa(lead).await.unwrap().is_some());
    o.app.housekeeping().catch_up_at_start().await.unwrap();
    assert_eq!(o.app.housekeeping().look_after_rights().await.unwrap(), 1);
    assert!(o.app.store.lead_empresa(lead).await.unwrap().is_none());
    let erasures = o.app.store.erasures_of(o.empresa.id, 9).await.unwrap();
    assert!(erasures.iter().all(|erasure| erasure.ended_at.is_some()), "{erasures:?}");
}

/// The client's message was never projected.
async fn who_wrote_before_the_process_died_is_kept(o: Stage) {
    forget_after_a_year(&o).await;
    let (lead, silent) = (o.new_lead().await, o.new_lead().await);
    o.app.housekeeping().project_touched().await.unwrap();
    o.clock.advance(DAY * 380);
    says(&o, lead, "¿Siguen ahí?").await;
    drop(o.app.store.touches().take());
    o.clock.advance(DAY * 32);
    assert_eq!(o.app.rights().keep_terms().await.unwrap(), 1);
    assert!(o.app.store.lead_empresa(lead).await.unwrap().is_some());
    assert!(o.app.store.lead_empresa(silent).await.unwrap().is_none(), "who said nothing goes");
}

/// PostgreSQL stores sample values for its query planner. These are removed for erased leads too, after a retention
/// period and after a request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_sample_of_who_is_erased_is_kept() {
    let o = Stage::on(Engine::Postgres).await;
    let is_sampled = "SELECT FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'lead' \
                      AND (most_common_vals::text LIKE '%cantarela%' OR histogram_bounds::text LIKE '%cantarela%')";
    let known = async |wanted: bool| {
        let not = if wanted { "NOT" } else { "" };
        let look = format!(
            "DO $$ BEGIN IF {not} EXISTS ({is_sampled}) THEN RAISE EXCEPTION 'wanted: {wanted}'; END IF; END $$"
        );
        o.sql(&look).await;
    };
    o.new_lead().await;
    let named = async |n: i32| o.new_lead_with(json!({ "nombre": format!("cantarela {n}") })).await;
    let (one, other) = (named(1).await, named(2).await);
    o.sql("ANALYZE").await;
    known(true).await;
    for lead in [one, other] {
        o.app.rights().erase(lead, Reach::Alone, ErasureReason::Asked, &Actor::command()).await.unwrap();
    }
    known(false).await;

    forget_after_a_year(&o).await;
    let (one, other) = (named(3).await, named(4).await);
    o.app.housekeeping().project_touched().await.unwrap();
    o.sql("ANALYZE").await;
    known(true).await;
    o.clock.advance(DAY * 400);
    assert_eq!(o.app.rights().keep_terms().await.unwrap(), 3, "{one} {other}");
    known(false).await;
}

/// A client writes after their lead was found to be inactive, while another lead is still being erased.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_writes_at_the_last_moment_is_kept() {
    let o = Stage::on(Engine::Postgres).await;
    forget_after_a_year(&o).await;
    let first = o.new_lead().await;
    o.clock.advance(DAY);
    let second = o.new_lead().await;
    o.app.housekeeping().project_touched().await.unwrap();
    o.clock.advance(DAY * 400);
    let until = |what: &str| {
        format!(
            "FOR n IN 1..3000 LOOP PERFORM pg_stat_clear_snapshot(); EXIT WHEN EXISTS ({what}); PERFORM pg_sleep(0.01); END LOOP"
        )
    };
    let session = |waits: &str| {
        let of_others = "datname = current_database() AND pid <> pg_backend_pid()";
        format!(
            "DO $$ BEGIN {}; END $$",
            until(&format!("SELECT FROM pg_stat_activity WHERE {of_others} AND {waits}"))
        )
    };
    let written = until(&format!("SELECT FROM turno WHERE lead_id = '{second}'"));
    let hold = format!("DO $$ BEGIN PERFORM FROM lead WHERE id = '{first}' FOR UPDATE; {written}; END $$");
    let terms = async {
        o.sql(&session("wait_event = 'PgSleep'")).await;
        o.app.rights().keep_terms().await.unwrap()
    };
    let writes = async {
        o.sql(&session("wait_event_type = 'Lock'")).await;
        says(&o, second, "¿Siguen ahí?").await;
    };
    let ((), erased, ()) = tokio::join!(o.sql(&hold), terms, writes);
    assert_eq!(erased, 1);
    assert!(o.app.store.lead_empresa(first).await.unwrap().is_none());
    assert!(o.app.store.lead_empresa(second).await.unwrap().is_some(), "who wrote is kept");
}
