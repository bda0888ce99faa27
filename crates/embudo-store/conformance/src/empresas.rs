//! Companies: exactly one is the default one, and no two share a slug.

use std::sync::Arc;

use embudo_domain::EmpresaId;
use embudo_domain::empresa::Empresa;

use super::data::{TEXTO_RARO, crear, empresa, ficha, nuevo_lead, t, texto_largo};
use embudo_store::Store;
use embudo_store::command::EmpresaPatch;

async fn nombres(store: &Arc<dyn Store>) -> Vec<(String, bool)> {
    let todas = store.list_empresas().await.expect("a list");
    todas.into_iter().map(|e| (e.nombre, e.por_defecto)).collect()
}

fn lista(de: &[(&str, bool)]) -> Vec<(String, bool)> {
    de.iter().map(|(nombre, por_defecto)| ((*nombre).to_owned(), *por_defecto)).collect()
}

/// A new database holds no company.
pub async fn a_new_store_has_none(store: Arc<dyn Store>) {
    assert_eq!(nombres(&store).await, vec![]);
}

/// A company reads back as it was created.
pub async fn a_company_reads_back_as_created(store: Arc<dyn Store>) {
    let primera = Empresa { por_defecto: true, ..empresa(TEXTO_RARO) };
    let larga = Empresa { slug: "a".repeat(64), ..empresa(&texto_largo(100_000)) };
    store.create_empresa(primera.clone(), t(0)).await.expect("created");
    store.create_empresa(larga.clone(), t(1)).await.expect("created");
    assert_eq!(store.list_empresas().await.expect("a list"), vec![primera, larga]);
}

/// The first company ever created becomes the default one, whatever it says.
pub async fn the_first_one_becomes_the_default(store: Arc<dyn Store>) {
    store.create_empresa(empresa("Una"), t(0)).await.expect("created");
    store.create_empresa(empresa("Dos"), t(1)).await.expect("created");
    assert_eq!(nombres(&store).await, lista(&[("Una", true), ("Dos", false)]));
}

/// A later company that says it is the default one takes that place over.
pub async fn a_later_default_takes_over(store: Arc<dyn Store>) {
    store.create_empresa(empresa("Una"), t(0)).await.expect("created");
    store.create_empresa(Empresa { por_defecto: true, ..empresa("Dos") }, t(1)).await.expect("created");
    assert_eq!(nombres(&store).await, lista(&[("Dos", true), ("Una", false)]));
}

/// The list has the default company first, then the others by name, in the order of their characters on every engine.
pub async fn they_are_listed_default_first_then_by_name(store: Arc<dyn Store>) {
    for nombre in ["m", "zeta", "Álamo", "alfa", "Zeta", "Beta 2", "Beta-1"] {
        store.create_empresa(empresa(nombre), t(0)).await.expect("created");
    }
    let esperadas = ["m", "Beta 2", "Beta-1", "Zeta", "alfa", "zeta", "Álamo"];
    let leidas: Vec<String> = nombres(&store).await.into_iter().map(|(nombre, _)| nombre).collect();
    assert_eq!(leidas, esperadas);
}

/// A slug that another company has is refused, and nothing is stored.
pub async fn a_taken_slug_is_refused(store: Arc<dyn Store>) {
    let una = empresa("Una");
    store.create_empresa(una.clone(), t(0)).await.expect("created");
    let otra = Empresa { slug: una.slug.clone(), por_defecto: true, ..empresa("Otra") };
    assert_fails!(store.create_empresa(otra, t(1)).await, SlugTaken);
    assert_eq!(nombres(&store).await, lista(&[("Una", true)]));
}

/// The default company is made once; afterwards the call returns the one that is there.
pub async fn the_default_is_ensured_once(store: Arc<dyn Store>) {
    let una = empresa("Una");
    let hecha = store.ensure_default_empresa(una.clone(), t(0)).await.expect("ensured");
    assert_eq!(hecha, Empresa { por_defecto: true, ..una });
    let otra_vez = store.ensure_default_empresa(empresa("Otra"), t(1)).await.expect("ensured");
    assert_eq!(otra_vez, hecha);
    assert_eq!(store.list_empresas().await.expect("a list"), vec![hecha]);
}

/// Sixteen processes that start at once agree on one default company.
pub async fn racers_agree_on_one_default(store: Arc<dyn Store>) {
    let mut tareas = tokio::task::JoinSet::new();
    for n in 0..16 {
        let store = Arc::clone(&store);
        tareas.spawn(async move { store.ensure_default_empresa(empresa(&format!("n{n}")), t(0)).await });
    }
    let respuestas = tareas.join_all().await;
    let todas = store.list_empresas().await.expect("a list");
    assert_eq!(todas.len(), 1);
    for respuesta in respuestas {
        assert_eq!(respuesta.expect("ensured"), todas[0]);
    }
}

/// A change writes the fields sent, keeps the others, and returns the company.
pub async fn a_change_keeps_what_it_leaves_out(store: Arc<dyn Store>) {
    let una = empresa("Una");
    store.create_empresa(una.clone(), t(0)).await.expect("created");
    let esperada = Empresa { nombre: "Uno, S.L.".into(), por_defecto: true, ..una.clone() };
    let patch = EmpresaPatch { nombre: Some("Uno, S.L.".into()), ..Default::default() };
    assert_eq!(store.update_empresa(una.id, patch).await.expect("changed"), esperada);
    let esperada = Empresa { slug: "uno".into(), ..esperada };
    let patch = EmpresaPatch { slug: Some("uno".into()), ..Default::default() };
    assert_eq!(store.update_empresa(una.id, patch).await.expect("changed"), esperada);
    let nada = store.update_empresa(una.id, EmpresaPatch::default()).await.expect("changed");
    assert_eq!(nada, esperada);
    assert_eq!(store.list_empresas().await.expect("a list"), vec![esperada]);
}

/// A change can hand the default place over; a change that does not ask for it never takes it away.
pub async fn a_change_can_move_the_default(store: Arc<dyn Store>) {
    let (una, dos) = (empresa("Una"), empresa("Dos"));
    store.create_empresa(una.clone(), t(0)).await.expect("created");
    store.create_empresa(dos.clone(), t(0)).await.expect("created");
    let patch = EmpresaPatch { por_defecto: true, ..Default::default() };
    for _ in 0..2 {
        assert!(store.update_empresa(dos.id, patch.clone()).await.expect("changed").por_defecto);
        assert_eq!(nombres(&store).await, lista(&[("Dos", true), ("Una", false)]));
    }
    let lead = crear(&store, nuevo_lead("Ana")).await;
    assert_eq!(ficha(&store, lead).await.lead.empresa.id, dos.id);
}

/// A change to a slug that another company has is refused as a whole; its own slug is no conflict.
pub async fn a_change_to_a_taken_slug_is_refused(store: Arc<dyn Store>) {
    let (una, dos) = (empresa("Una"), empresa("Dos"));
    store.create_empresa(una.clone(), t(0)).await.expect("created");
    store.create_empresa(dos.clone(), t(0)).await.expect("created");
    let patch = |slug: &str| EmpresaPatch {
        nombre: Some("Tres".into()),
        slug: Some(slug.to_owned()),
        por_defecto: true,
        ..Default::default()
    };
    assert_fails!(store.update_empresa(dos.id, patch(&una.slug)).await, SlugTaken);
    assert_eq!(nombres(&store).await, lista(&[("Una", true), ("Dos", false)]));
    store.update_empresa(dos.id, patch(&dos.slug)).await.expect("its own slug");
    assert_eq!(nombres(&store).await, lista(&[("Tres", true), ("Una", false)]));
}

/// The address for notices and the wish for them read back, change alone, and an empty address removes it.
pub async fn notices_are_kept_and_changed(store: Arc<dyn Store>) {
    let una = Empresa { email_avisos: Some(TEXTO_RARO.into()), avisos: false, ..empresa("Una") };
    store.create_empresa(una.clone(), t(0)).await.expect("created");
    let mut esperada = Empresa { por_defecto: true, ..una.clone() };
    assert_eq!(store.list_empresas().await.expect("a list"), vec![esperada.clone()]);
    let de = |email: Option<&str>, avisos| EmpresaPatch {
        email_avisos: email.map(str::to_owned),
        avisos,
        ..Default::default()
    };
    for (patch, email, avisos) in [
        (de(None, Some(true)), Some(TEXTO_RARO), true),
        (de(Some("a@x.es"), None), Some("a@x.es"), true),
        (de(None, None), Some("a@x.es"), true),
        (de(Some(""), None), None, true),
        (de(Some(""), Some(false)), None, false),
        (de(Some("b@x.es"), Some(true)), Some("b@x.es"), true),
    ] {
        (esperada.email_avisos, esperada.avisos) = (email.map(str::to_owned), avisos);
        assert_eq!(store.update_empresa(una.id, patch).await.expect("changed"), esperada);
        assert_eq!(store.list_empresas().await.expect("a list"), vec![esperada.clone()]);
    }
    let lead = crear(&store, nuevo_lead("Ana")).await;
    assert_eq!(ficha(&store, lead).await.lead.empresa, esperada);
    let asegurada = store.ensure_default_empresa(empresa("Otra"), t(1)).await.expect("ensured");
    assert_eq!(asegurada, esperada);
}

/// A company that does not exist cannot be changed, and no default is lost by trying.
pub async fn an_unknown_company_cannot_be_changed(store: Arc<dyn Store>) {
    store.create_empresa(empresa("Una"), t(0)).await.expect("created");
    let patch = EmpresaPatch { por_defecto: true, ..Default::default() };
    assert_fails!(store.update_empresa(EmpresaId(uuid::Uuid::new_v4()), patch).await, EmpresaNotFound);
    assert_eq!(nombres(&store).await, lista(&[("Una", true)]));
}

/// The store answers that it can be written to.
pub async fn ping_answers(store: Arc<dyn Store>) {
    store.ping().await.expect("the store is up");
    store.create_empresa(empresa("Una"), t(0)).await.expect("created");
    store.ping().await.expect("the store is still up");
    assert_eq!(nombres(&store).await, lista(&[("Una", true)]));
}
