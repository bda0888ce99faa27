//! Companies: exactly one is the default one, and no two share a slug.

use std::sync::Arc;

use embudo_domain::EmpresaId;
use embudo_domain::empresa::Empresa;

use super::data::{ODD_TEXT, create, empresa, long_text, new_lead, record, t};
use embudo_store::Store;
use embudo_store::empresas::EmpresaPatch;

async fn names(store: &Arc<dyn Store>) -> Vec<(String, bool)> {
    let all = store.list_empresas().await.expect("a list");
    all.into_iter().map(|e| (e.nombre, e.por_defecto)).collect()
}

fn list(of: &[(&str, bool)]) -> Vec<(String, bool)> {
    of.iter().map(|(nombre, por_defecto)| ((*nombre).to_owned(), *por_defecto)).collect()
}

/// A new database holds no company.
pub async fn a_new_store_has_none(store: Arc<dyn Store>) {
    assert_eq!(names(&store).await, vec![]);
}

pub async fn a_company_reads_back_as_created(store: Arc<dyn Store>) {
    let first = Empresa { por_defecto: true, ..empresa(ODD_TEXT) };
    let long = Empresa { slug: "a".repeat(64), ..empresa(&long_text(100_000)) };
    store.create_empresa(first.clone(), t(0)).await.expect("created");
    store.create_empresa(long.clone(), t(1)).await.expect("created");
    assert_eq!(store.list_empresas().await.expect("a list"), vec![first, long]);
}

/// The first company ever created becomes the default one, whatever its own flag says.
pub async fn the_first_one_becomes_the_default(store: Arc<dyn Store>) {
    store.create_empresa(empresa("Una"), t(0)).await.expect("created");
    store.create_empresa(empresa("Dos"), t(1)).await.expect("created");
    assert_eq!(names(&store).await, list(&[("Una", true), ("Dos", false)]));
}

/// A later company that is created as the default one replaces the former default.
pub async fn a_later_default_takes_over(store: Arc<dyn Store>) {
    store.create_empresa(empresa("Una"), t(0)).await.expect("created");
    store.create_empresa(Empresa { por_defecto: true, ..empresa("Dos") }, t(1)).await.expect("created");
    assert_eq!(names(&store).await, list(&[("Dos", true), ("Una", false)]));
}

/// The list has the default company first, then the others by name, in the order of their characters on every engine.
pub async fn they_are_listed_default_first_then_by_name(store: Arc<dyn Store>) {
    for nombre in ["m", "zeta", "Álamo", "alfa", "Zeta", "Beta 2", "Beta-1"] {
        store.create_empresa(empresa(nombre), t(0)).await.expect("created");
    }
    let expected_ones = ["m", "Beta 2", "Beta-1", "Zeta", "alfa", "zeta", "Álamo"];
    let parsed: Vec<String> = names(&store).await.into_iter().map(|(nombre, _)| nombre).collect();
    assert_eq!(parsed, expected_ones);
}

/// A slug that another company has is refused, and nothing is stored.
pub async fn a_taken_slug_is_refused(store: Arc<dyn Store>) {
    let one = empresa("Una");
    store.create_empresa(one.clone(), t(0)).await.expect("created");
    let another = Empresa { slug: one.slug.clone(), por_defecto: true, ..empresa("Otra") };
    assert_fails!(store.create_empresa(another, t(1)).await, SlugTaken);
    assert_eq!(names(&store).await, list(&[("Una", true)]));
}

/// The default company is made once; afterwards the call returns the one that is there.
pub async fn the_default_is_ensured_once(store: Arc<dyn Store>) {
    let one = empresa("Una");
    let done = store.ensure_default_empresa(one.clone(), t(0)).await.expect("ensured");
    assert_eq!(done, Empresa { por_defecto: true, ..one });
    let again = store.ensure_default_empresa(empresa("Otra"), t(1)).await.expect("ensured");
    assert_eq!(again, done);
    assert_eq!(store.list_empresas().await.expect("a list"), vec![done]);
}

/// Sixteen processes that start at once agree on one default company.
pub async fn racers_agree_on_one_default(store: Arc<dyn Store>) {
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..16 {
        let store = Arc::clone(&store);
        tasks.spawn(async move { store.ensure_default_empresa(empresa(&format!("n{n}")), t(0)).await });
    }
    let answers = tasks.join_all().await;
    let all = store.list_empresas().await.expect("a list");
    assert_eq!(all.len(), 1);
    for answer in answers {
        assert_eq!(answer.expect("ensured"), all[0]);
    }
}

/// A change writes the fields sent, keeps the others, and returns the company.
pub async fn a_change_keeps_what_it_leaves_out(store: Arc<dyn Store>) {
    let one = empresa("Una");
    store.create_empresa(one.clone(), t(0)).await.expect("created");
    let expected = Empresa { nombre: "Uno, S.L.".into(), por_defecto: true, ..one.clone() };
    let patch = EmpresaPatch { nombre: Some("Uno, S.L.".into()), ..Default::default() };
    assert_eq!(store.update_empresa(one.id, patch).await.expect("changed"), expected);
    let expected = Empresa { slug: "uno".into(), ..expected };
    let patch = EmpresaPatch { slug: Some("uno".into()), ..Default::default() };
    assert_eq!(store.update_empresa(one.id, patch).await.expect("changed"), expected);
    let nothing = store.update_empresa(one.id, EmpresaPatch::default()).await.expect("changed");
    assert_eq!(nothing, expected);
    assert_eq!(store.list_empresas().await.expect("a list"), vec![expected]);
}

/// A change can hand the default place over; a change that does not ask for it never takes it away.
pub async fn a_change_can_move_the_default(store: Arc<dyn Store>) {
    let (one, two) = (empresa("Una"), empresa("Dos"));
    store.create_empresa(one.clone(), t(0)).await.expect("created");
    store.create_empresa(two.clone(), t(0)).await.expect("created");
    let patch = EmpresaPatch { por_defecto: true, ..Default::default() };
    for _ in 0..2 {
        assert!(store.update_empresa(two.id, patch.clone()).await.expect("changed").por_defecto);
        assert_eq!(names(&store).await, list(&[("Dos", true), ("Una", false)]));
    }
    let lead = create(&store, new_lead("Ana")).await;
    assert_eq!(record(&store, lead).await.lead.empresa.id, two.id);
}

/// A change to a slug that another company has is refused as a whole; its own slug is no conflict.
pub async fn a_change_to_a_taken_slug_is_refused(store: Arc<dyn Store>) {
    let (one, two) = (empresa("Una"), empresa("Dos"));
    store.create_empresa(one.clone(), t(0)).await.expect("created");
    store.create_empresa(two.clone(), t(0)).await.expect("created");
    let patch = |slug: &str| EmpresaPatch {
        nombre: Some("Tres".into()),
        slug: Some(slug.to_owned()),
        por_defecto: true,
        ..Default::default()
    };
    assert_fails!(store.update_empresa(two.id, patch(&one.slug)).await, SlugTaken);
    assert_eq!(names(&store).await, list(&[("Una", true), ("Dos", false)]));
    store.update_empresa(two.id, patch(&two.slug)).await.expect("its own slug");
    assert_eq!(names(&store).await, list(&[("Tres", true), ("Una", false)]));
}

/// The address for notices and whether they are wanted read back and can be changed separately; an empty address
/// removes it.
pub async fn notices_are_kept_and_changed(store: Arc<dyn Store>) {
    let one = Empresa { email_avisos: Some(ODD_TEXT.into()), notices: false, ..empresa("Una") };
    store.create_empresa(one.clone(), t(0)).await.expect("created");
    let mut expected = Empresa { por_defecto: true, ..one.clone() };
    assert_eq!(store.list_empresas().await.expect("a list"), vec![expected.clone()]);
    let of = |email: Option<&str>, notices| EmpresaPatch {
        email_avisos: email.map(str::to_owned),
        notices,
        ..Default::default()
    };
    for (patch, email, notices) in [
        (of(None, Some(true)), Some(ODD_TEXT), true),
        (of(Some("a@x.es"), None), Some("a@x.es"), true),
        (of(None, None), Some("a@x.es"), true),
        (of(Some(""), None), None, true),
        (of(Some(""), Some(false)), None, false),
        (of(Some("b@x.es"), Some(true)), Some("b@x.es"), true),
    ] {
        (expected.email_avisos, expected.notices) = (email.map(str::to_owned), notices);
        assert_eq!(store.update_empresa(one.id, patch).await.expect("changed"), expected);
        assert_eq!(store.list_empresas().await.expect("a list"), vec![expected.clone()]);
    }
    let lead = create(&store, new_lead("Ana")).await;
    assert_eq!(record(&store, lead).await.lead.empresa, expected);
    let ensured = store.ensure_default_empresa(empresa("Otra"), t(1)).await.expect("ensured");
    assert_eq!(ensured, expected);
}

/// A company that does not exist cannot be changed, and no default is lost by trying.
pub async fn an_unknown_company_cannot_be_changed(store: Arc<dyn Store>) {
    store.create_empresa(empresa("Una"), t(0)).await.expect("created");
    let patch = EmpresaPatch { por_defecto: true, ..Default::default() };
    assert_fails!(store.update_empresa(EmpresaId(uuid::Uuid::new_v4()), patch).await, EmpresaNotFound);
    assert_eq!(names(&store).await, list(&[("Una", true)]));
}

/// The store answers that it can be written to.
pub async fn ping_answers(store: Arc<dyn Store>) {
    store.ping().await.expect("the store is up");
    store.create_empresa(empresa("Una"), t(0)).await.expect("created");
    store.ping().await.expect("the store is still up");
    assert_eq!(names(&store).await, list(&[("Una", true)]));
}

/// The database knows how large it is.
pub async fn the_database_has_a_size(store: Arc<dyn Store>) {
    assert!(store.database_bytes().await.expect("measured") > 0);
}
