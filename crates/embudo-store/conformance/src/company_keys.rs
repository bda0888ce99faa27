//! API keys that are bound to one company: found by their digest while they are in force.

use std::net::IpAddr;
use std::sync::Arc;

use embudo_domain::audit::AuditEntry;
use embudo_domain::company_key::{CompanyKey, MAX_LIVE};
use embudo_domain::{CompanyKeyId, Digest, EmpresaId};
use embudo_store::Store;
use embudo_store::company_keys::{NewCompanyKey, RevokeCompanyKey};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::access::entry;
use super::data::{ODD_TEXT, empresa, t};

async fn company(store: &Arc<dyn Store>, nombre: &str) -> EmpresaId {
    let new = empresa(nombre);
    store.create_empresa(new.clone(), t(0)).await.expect("created");
    new.id
}

fn new_key(empresa: EmpresaId, nombre: &str, secs: i64) -> NewCompanyKey {
    let key = CompanyKey {
        id: CompanyKeyId(Uuid::new_v4()),
        empresa,
        nombre: nombre.into(),
        prefix: "emb_01234567".into(),
        creada_por: ODD_TEXT.into(),
        creada_en: t(secs),
        usada_en: None,
        usada_desde: None,
        revocada_en: None,
    };
    NewCompanyKey { digest: Digest::of(key.id.0.as_bytes()), audit: log_line(secs), key }
}

fn log_line(secs: i64) -> AuditEntry {
    entry(None, secs)
}

fn revoke(empresa: EmpresaId, id: CompanyKeyId, secs: i64) -> RevokeCompanyKey {
    RevokeCompanyKey { empresa, id, at: t(secs), audit: log_line(secs) }
}

async fn live(store: &Arc<dyn Store>) -> Vec<CompanyKeyId> {
    store.live_company_keys().await.expect("read").into_iter().map(|key| key.id).collect()
}

/// Keys read back whole, the newest first, separately for each company; those in force are listed with their digests.
pub async fn keys_read_back(store: Arc<dyn Store>) {
    let (one, other) = (company(&store, "Una").await, company(&store, "Otra").await);
    let keys = [new_key(one, "n8n", 1), new_key(one, ODD_TEXT, 2), new_key(other, "n8n", 3)];
    for new in &keys {
        assert!(store.create_company_key(new.clone()).await.expect("created"));
    }
    let [a, b, c] = keys;
    assert_eq!(store.company_keys(one).await.expect("read"), [b.key.clone(), a.key.clone()]);
    assert_eq!(store.company_keys(other).await.expect("read"), std::slice::from_ref(&c.key));
    let known = store.live_company_keys().await.expect("read");
    let seen: Vec<_> = known.iter().map(|k| (k.id, k.empresa, k.digest, k.usada_en)).collect();
    let expected = [&a, &b, &c].map(|n| (n.key.id, n.key.empresa, n.digest, None));
    assert_eq!(seen, expected);
    let nobody = EmpresaId(Uuid::new_v4());
    assert_fails!(store.create_company_key(new_key(nobody, "x", 1)).await, EmpresaNotFound);
    assert_eq!(store.company_keys(nobody).await.expect("read"), []);
    assert_eq!(store.audit_log(Default::default(), None, 10).await.expect("a log").len(), 3);
}

/// A revoked key is no longer in force and stays in its company's list; another company cannot revoke it.
pub async fn a_key_is_revoked_once_by_its_company(store: Arc<dyn Store>) {
    let (one, other) = (company(&store, "Una").await, company(&store, "Otra").await);
    let (a, b) = (new_key(one, "a", 1), new_key(one, "b", 2));
    for new in [&a, &b] {
        store.create_company_key(new.clone()).await.expect("created");
    }
    assert!(!store.revoke_company_key(revoke(other, a.key.id, 5)).await.expect("answered"));
    assert_eq!(live(&store).await, [a.key.id, b.key.id]);
    assert!(store.revoke_company_key(revoke(one, a.key.id, 6)).await.expect("answered"));
    assert!(!store.revoke_company_key(revoke(one, a.key.id, 7)).await.expect("answered"), "only once");
    assert_eq!(live(&store).await, [b.key.id]);
    let gone = CompanyKey { revocada_en: Some(t(6)), ..a.key };
    assert_eq!(store.company_keys(one).await.expect("read"), [b.key, gone]);
    assert_eq!(store.audit_log(Default::default(), None, 10).await.expect("a log").len(), 3);
}

/// The time of the last use only moves forward; the use of a key that does not exist is ignored.
pub async fn uses_of_a_key_move_forward(store: Arc<dyn Store>) {
    let one = company(&store, "Una").await;
    let new = new_key(one, "a", 1);
    store.create_company_key(new.clone()).await.expect("created");
    let address = |n: i64| IpAddr::from([192, 0, 2, u8::try_from(n).expect("small")]);
    for (secs, kept) in [(60, 60), (30, 60), (90, 90)] {
        store.touch_company_key(new.key.id, t(secs), Some(address(secs))).await.expect("written");
        let key = store.company_keys(one).await.expect("read").remove(0);
        assert_eq!((key.usada_en, key.usada_desde), (Some(t(kept)), Some(address(kept))));
    }
    assert_eq!(store.live_company_keys().await.expect("read")[0].usada_en, Some(t(90)));
    store.touch_company_key(CompanyKeyId(Uuid::new_v4()), t(1), None).await.expect("nothing to write");
}

/// The number of a company's keys in force is limited, also when many are made at once; revoking one makes room.
pub async fn racers_never_have_a_key_too_many(store: Arc<dyn Store>) {
    let (one, other) = (company(&store, "Una").await, company(&store, "Otra").await);
    let mut tasks = JoinSet::new();
    for n in 0..(MAX_LIVE + 8) {
        let (store, new) = (Arc::clone(&store), new_key(one, "k", n.into()));
        tasks.spawn(async move { store.create_company_key(new).await.expect("answered") });
    }
    let made = tasks.join_all().await.into_iter().filter(|made| *made).count();
    assert_eq!(made, MAX_LIVE as usize);
    assert!(store.create_company_key(new_key(other, "k", 1)).await.expect("answered"));
    let some = store.company_keys(one).await.expect("read")[0].id;
    assert!(store.revoke_company_key(revoke(one, some, 9)).await.expect("answered"));
    assert!(store.create_company_key(new_key(one, "k", 50)).await.expect("answered"));
    assert!(!store.create_company_key(new_key(one, "k", 51)).await.expect("answered"));
}
