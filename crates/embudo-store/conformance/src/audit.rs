//! The audit log: appended to, read newest first, page by page.

use std::sync::Arc;

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::{AuditId, EmpresaId, UserId};
use embudo_store::Store;
use embudo_store::audit::{AuditCursor, AuditFilter};
use uuid::Uuid;

use super::data::access::entry;
use super::data::{ODD_TEXT, long_text, t};

/// An entry reads back whole, with every kind of action.
pub async fn entries_read_back(store: Arc<dyn Store>) {
    let mut written = Vec::new();
    for (n, word) in AuditAction::WORDS.iter().enumerate() {
        let full = AuditEntry {
            action: AuditAction::parse(word).expect("its own word"),
            who: ODD_TEXT.to_owned(),
            empresa: Some(EmpresaId(Uuid::new_v4())),
            object: Some(ODD_TEXT.to_owned()),
            ip: Some("2001:db8::7".parse().expect("an address")),
            before: Some(long_text(50_000)),
            after: Some(String::new()),
            ..entry(Some(UserId(Uuid::new_v4())), n as i64)
        };
        store.record_audit(full.clone()).await.expect("written");
        written.insert(0, full);
    }
    let bare = entry(None, 1_000);
    store.record_audit(bare.clone()).await.expect("written");
    written.insert(0, bare);
    assert_eq!(store.audit_log(AuditFilter::default(), None, 1_000).await.expect("a log"), written);
}

/// An entry about an action that goes on gets the last state of `after`; everything else in it stays.
pub async fn an_entry_grows(store: Arc<dyn Store>) {
    let first = AuditEntry { before: Some("antes".into()), after: Some("uno".into()), ..entry(None, 1) };
    let other = AuditEntry { after: Some("otro".into()), ..entry(None, 2) };
    for entry in [&first, &other] {
        store.record_audit(entry.clone()).await.expect("written");
    }
    store.grow_audit(first.id, ODD_TEXT.to_owned()).await.expect("written");
    store.grow_audit(AuditId(Uuid::new_v4()), "nada".into()).await.expect("nothing to write");
    let grown = AuditEntry { after: Some(ODD_TEXT.into()), ..first };
    assert_eq!(store.audit_log(AuditFilter::default(), None, 10).await.expect("a log"), [other, grown]);
}

/// Pages cover everything once, even if many entries have the same moment, for all and for one person or company.
pub async fn audit_pages_cover_everything_once(store: Arc<dyn Store>) {
    let (user, empresa) = (UserId(Uuid::new_v4()), EmpresaId(Uuid::new_v4()));
    for n in 0..25 {
        let mut one = entry((n % 2 == 0).then_some(user), n / 10);
        one.empresa = (n % 5 == 0).then_some(empresa);
        store.record_audit(one).await.expect("written");
    }
    let filters = [
        (AuditFilter::default(), 25),
        (AuditFilter { user: Some(user), empresa: None }, 13),
        (AuditFilter { user: None, empresa: Some(empresa) }, 5),
        (AuditFilter { user: Some(user), empresa: Some(empresa) }, 3),
    ];
    for (filter, count) in filters {
        let (mut after, mut seen) = (None, Vec::new());
        loop {
            let page = store.audit_log(filter.clone(), after, 4).await.expect("a page");
            let Some(last) = page.last() else { break };
            after = Some(AuditCursor { at: last.at, id: last.id });
            seen.extend(page);
        }
        assert_eq!(seen.len(), count);
        assert!(seen.is_sorted_by_key(|e| std::cmp::Reverse((e.at, e.id))));
        assert!(seen.iter().all(|e| e.at <= t(3)));
    }
}
