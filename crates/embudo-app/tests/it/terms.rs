//! A company's own terms: who is erased by them, and when not.

use embudo_domain::rights::Retention;
use embudo_domain::settings::Settings;
use embudo_testkit::both_engines;

use crate::inbox::says;
use crate::stage::{DAY, Stage};

both_engines!(
    nobody_is_erased_by_a_term_before_the_start_is_caught_up_with,
    who_wrote_before_the_process_died_is_kept,
);

/// Leads that came to nothing go after a year.
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

/// Nothing of what they wrote was projected.
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
