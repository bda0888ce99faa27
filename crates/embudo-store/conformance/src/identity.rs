//! The public data of a company, edited by people: nobody overwrites another person's change unseen, and every change
//! has an entry in the log.

use std::sync::Arc;

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::brand::Brand;
use embudo_domain::color::Color;
use embudo_domain::empresa::Empresa;
use embudo_domain::identity::Identity;
use embudo_domain::{Digest, EmpresaId};
use embudo_store::Store;
use embudo_store::audit::AuditFilter;
use embudo_store::edited::Edited;
use embudo_store::empresas::{ChangeLogo, EditEmpresa};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::access::entry;
use super::data::{ODD_TEXT, empresa, long_text, t};

async fn company(store: &Arc<dyn Store>, nombre: &str) -> Empresa {
    let new = empresa(nombre);
    store.create_empresa(new.clone(), t(0)).await.expect("created");
    new
}

async fn identity(store: &Arc<dyn Store>, id: EmpresaId) -> Identity {
    let all = store.list_empresas().await.expect("a list");
    let own = all.iter().find(|e| e.id == id).expect("the company");
    Identity::of(own, &store.brand(id).await.expect("a brand").brand)
}

async fn log(store: &Arc<dyn Store>) -> Vec<AuditEntry> {
    store.audit_log(AuditFilter::default(), None, 100).await.expect("a log")
}

fn edit(empresa: EmpresaId, seen: &Identity, change: impl FnOnce(&mut Identity)) -> EditEmpresa {
    let mut edited = seen.clone();
    change(&mut edited);
    let audit = AuditEntry { action: AuditAction::EmpresaChanged, empresa: Some(empresa), ..entry(None, 50) };
    EditEmpresa { empresa, seen: seen.clone(), edited, audit }
}

fn logo(empresa: EmpresaId, seen: Option<&[u8]>, new: Option<&[u8]>) -> ChangeLogo {
    let audit = AuditEntry { action: AuditAction::LogoChanged, empresa: Some(empresa), ..entry(None, 50) };
    ChangeLogo { empresa, seen: seen.map(Digest::of), logo: new.map(<[u8]>::to_vec), audit }
}

/// Name and brand change together or alone, the rest stays, and the log has the values before and after.
pub async fn what_a_company_says_is_edited_field_by_field(store: Arc<dyn Store>) {
    let (one, other) = (company(&store, "Una").await, company(&store, "Otra").await);
    store.save_logo(one.id, Some(vec![1])).await.expect("saved");
    let seen = identity(&store, one.id).await;
    let all = edit(one.id, &seen, |i| {
        i.nombre = "Reformas Peña".into();
        i.brand.nif = Some("B12345678".into());
        i.brand.color = Color([1, 2, 3]);
        i.brand.greeting = Some(ODD_TEXT.into());
        i.brand.policy = Some(long_text(50_000));
        i.brand.origins = vec!["https://www.ejemplo.es".into()];
    });
    assert_eq!(store.edit_empresa(all.clone()).await.expect("edited"), Edited::Saved);
    assert_eq!(identity(&store, one.id).await, all.edited);
    let kept = store.list_empresas().await.expect("a list").into_iter().find(|e| e.id == one.id);
    let expected = Empresa { nombre: "Reformas Peña".into(), por_defecto: true, ..one.clone() };
    assert_eq!(kept, Some(expected), "slug, notices and the default stay");
    assert_eq!(store.brand(one.id).await.expect("a brand").logo, Some(Digest::of(&[1])));
    assert_eq!(identity(&store, other.id).await, Identity { nombre: "Otra".into(), brand: Brand::default() });
    let told = log(&store).await.remove(0);
    assert_eq!((told.action, told.empresa), (AuditAction::EmpresaChanged, Some(one.id)));
    assert!(told.before.expect("before").starts_with("nombre: Una; nif: —; color: #1f5f5b"));
    assert!(told.after.expect("after").starts_with("nombre: Reformas Peña; nif: B12345678; color: #010203"));

    assert_eq!(store.edit_empresa(all.clone()).await.expect("the same again"), Edited::Same);
    let cleared = edit(one.id, &all.edited, |i| i.brand = Brand::default());
    let cleared = EditEmpresa { audit: entry(None, 51), ..cleared };
    assert_eq!(store.edit_empresa(cleared.clone()).await.expect("edited"), Edited::Saved);
    assert_eq!(identity(&store, one.id).await, cleared.edited);
    assert_eq!(log(&store).await.len(), 2);
}

/// A field that another person changed since is not overwritten; if one field of an edit is stale, nothing of the edit
/// is written.
pub async fn a_stale_edit_of_a_company_writes_nothing(store: Arc<dyn Store>) {
    let one = company(&store, "Una").await;
    let seen = identity(&store, one.id).await;
    let brand = Brand { nif: Some("A".into()), ..Brand::default() };
    store.save_brand(one.id, brand.clone()).await.expect("saved");
    let stale = edit(one.id, &seen, |i| {
        i.nombre = "Dos".into();
        i.brand.nif = Some("B".into());
    });
    assert_eq!(store.edit_empresa(stale).await.expect("an answer"), Edited::Stale);
    assert_eq!(identity(&store, one.id).await, Identity { nombre: "Una".into(), brand: brand.clone() });
    assert_eq!(log(&store).await, []);
    let beside = edit(one.id, &seen, |i| i.nombre = "Dos".into());
    assert_eq!(store.edit_empresa(beside).await.expect("edited"), Edited::Saved);
    assert_eq!(identity(&store, one.id).await, Identity { nombre: "Dos".into(), brand });
}

/// A logo replaces only the logo that its sender saw.
pub async fn a_logo_is_changed_by_who_saw_the_last(store: Arc<dyn Store>) {
    let id = company(&store, "Una").await.id;
    let now = async || store.logo(id).await.expect("answered");
    let brand = Brand { nif: Some("A".into()), ..Brand::default() };
    store.save_brand(id, brand.clone()).await.expect("saved");
    let change = async |seen, new| store.change_logo(logo(id, seen, new)).await.expect("an answer");
    assert_eq!(change(None, None).await, Edited::Same);
    assert_eq!(change(None, Some(b"uno")).await, Edited::Saved);
    assert_eq!(change(None, Some(b"dos")).await, Edited::Stale);
    assert_eq!(change(None, Some(b"uno")).await, Edited::Same);
    assert_eq!(now().await, Some(b"uno".to_vec()));
    assert_eq!(change(Some(b"uno"), Some(b"dos")).await, Edited::Saved);
    assert_eq!(change(Some(b"uno"), None).await, Edited::Stale);
    assert_eq!(now().await, Some(b"dos".to_vec()));
    assert_eq!(change(Some(b"dos"), None).await, Edited::Saved);
    assert_eq!((now().await, store.brand(id).await.expect("a brand").brand), (None, brand));
    let told = log(&store).await;
    assert_eq!(told.len(), 3);
    assert!(told.iter().all(|e| e.action == AuditAction::LogoChanged && e.before != e.after));
    assert!(told.iter().any(|e| e.after.as_deref() == Some("sin logo")));
}

/// Of several people who saw the same logo, one wins.
pub async fn racers_change_a_logo_once(store: Arc<dyn Store>) {
    let id = company(&store, "Una").await.id;
    let mut tasks = JoinSet::new();
    for n in 0..8_u8 {
        let store = Arc::clone(&store);
        tasks.spawn(async move { store.change_logo(logo(id, None, Some(&[n]))).await.expect("an answer") });
    }
    let all = tasks.join_all().await;
    assert_eq!(all.iter().filter(|end| **end == Edited::Saved).count(), 1, "{all:?}");
    assert_eq!(log(&store).await.len(), 1);
}

/// A company that does not exist has no data to edit.
pub async fn an_unknown_company_says_nothing(store: Arc<dyn Store>) {
    let (known, none) = (company(&store, "Una").await, EmpresaId(Uuid::new_v4()));
    let seen = identity(&store, known.id).await;
    let command = edit(none, &seen, |i| i.nombre = "Dos".into());
    assert_fails!(store.edit_empresa(command).await, EmpresaNotFound);
    assert_fails!(store.change_logo(logo(none, None, Some(&[1]))).await, EmpresaNotFound);
    assert_fails!(store.change_logo(logo(none, None, None)).await, EmpresaNotFound);
    assert_eq!(log(&store).await, []);
}
