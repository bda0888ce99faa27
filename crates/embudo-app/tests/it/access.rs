//! Sign-in and people, tested without the web pages.

use std::time::{Duration, Instant};

use embudo_app::{Access, AccessError, Actor, App, Attempt, Change, NewPerson, Origin, SignIn};
use embudo_domain::audit::AuditAction;
use embudo_domain::contact::Email;
use embudo_domain::user::User;
use embudo_testkit::{Setup, TestApp, both_engines};

both_engines!(
    an_unknown_person_costs_as_much_as_a_wrong_password,
    every_change_is_in_the_log_with_who_and_from_where,
    a_flood_of_passwords_is_refused_and_passes,
);

const PASSWORD: &str = "cuatro gatos verdes bailan";

async fn a_person(access: Access<'_>) -> User {
    let person = NewPerson {
        nombre: "Ana García".into(),
        email: Email::parse("ana@ejemplo.es").unwrap(),
        is_admin: true,
        memberships: Vec::new(),
        password: Some(PASSWORD.into()),
    };
    access.create_person(person, &Actor::command()).await.unwrap()
}

fn attempt(email: &str, password: &str) -> Attempt {
    Attempt { email: email.into(), password: password.into(), own_device: false, had: None }
}

/// The same application with password hashes of the real cost.
fn with_real_hashes(t: &TestApp) -> App {
    App::new(t.app.store.clone(), t.app.blobs.clone(), Setup::at(t.engine()).outbound)
}

async fn an_unknown_person_costs_as_much_as_a_wrong_password(t: TestApp) {
    let app = with_real_hashes(&t);
    let access = app.access();
    a_person(access).await;
    let least = async |email: &str| {
        let mut least = Duration::MAX;
        for _ in 0..5 {
            let start = Instant::now();
            let end = access.sign_in(&attempt(email, "no es esta"), &Origin::default()).await.unwrap();
            assert!(matches!(end, SignIn::Wrong));
            least = least.min(start.elapsed());
        }
        least
    };
    let (known, unknown) = (least("ana@ejemplo.es").await, least("nadie@ejemplo.es").await);
    // A sign-in that skips the hash would be hundreds of times faster.
    assert!(unknown * 20 > known && known * 20 > unknown, "{known:?} {unknown:?}");
}

async fn every_change_is_in_the_log_with_who_and_from_where(t: TestApp) {
    let access = t.app.access();
    let user = a_person(access).await;
    let origin = Origin { ip: Some("192.0.2.7".parse().unwrap()), agent: "Firefox/1 Linux".into() };
    let SignIn::Open(ticket) = access.sign_in(&attempt("ana@ejemplo.es", PASSWORD), &origin).await.unwrap()
    else {
        panic!("the password is right")
    };
    let open = access.open(&ticket.token).await.unwrap().unwrap();
    assert_eq!(open.session.agent, "Firefox en Linux");
    access.rename(&open, "Ana Núñez".into(), &origin).await.unwrap();
    let new = "tejado lluvia piano 37";
    assert!(access.change_password(&open, PASSWORD, new, &origin).await.unwrap());
    let change = Change { is_admin: true, is_active: true, memberships: Vec::new() };
    access.change_person(user.id, change, &Actor::command()).await.unwrap();
    access.sign_out(&ticket.token, &origin).await.unwrap();
    assert!(access.open(&ticket.token).await.unwrap().is_none());

    let log = t.app.store.audit_log(Default::default(), None, 100).await.unwrap();
    let told: Vec<_> = log.iter().rev().map(|e| (e.action, e.user.is_some(), e.ip.is_some())).collect();
    assert_eq!(
        told,
        [
            (AuditAction::UserCreated, false, false),
            (AuditAction::SignedIn, true, true),
            (AuditAction::NameChanged, true, true),
            (AuditAction::PasswordChanged, true, true),
            (AuditAction::SignedOut, true, true),
        ],
        "a change that changes nothing is none"
    );
    assert_eq!(log[2].before.as_deref(), Some("Ana García"));
    assert_eq!(log[2].after.as_deref(), Some("Ana Núñez"));
    let all = format!("{log:?}");
    assert!(!all.contains(PASSWORD) && !all.contains(new) && !all.contains("argon2"));
}

async fn a_flood_of_passwords_is_refused_and_passes(t: TestApp) {
    let app = with_real_hashes(&t);
    let access = app.access();
    a_person(access).await;
    let mut attempts = tokio::task::JoinSet::new();
    for _ in 0..60 {
        let app = app.clone();
        attempts.spawn(async move {
            app.access().sign_in(&attempt("ana@ejemplo.es", "no es esta"), &Origin::default()).await
        });
    }
    let (mut checked, mut refused) = (0, 0);
    while let Some(end) = attempts.join_next().await {
        match end.unwrap() {
            Ok(SignIn::Wrong) => checked += 1,
            Err(AccessError::Busy) => refused += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(checked >= 24 && refused > 0, "{checked} checked, {refused} refused");
    let after = access.sign_in(&attempt("ana@ejemplo.es", PASSWORD), &Origin::default()).await.unwrap();
    assert!(matches!(after, SignIn::Open(_)));
}
