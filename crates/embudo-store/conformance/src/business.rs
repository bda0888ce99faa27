//! What quotes are made from: price tables and brands of companies; secrets of the house; consents of leads.

use std::sync::Arc;

use embudo_domain::EmpresaId;
use embudo_domain::Huella;
use embudo_domain::color::Color;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::empresa::Empresa;
use embudo_domain::marca::Marca;
use jiff::civil::{Date, date};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::presupuesto::{HOY, dia};
use super::data::{TEXTO_RARO, empresa, ficha, instantes_extremos, nadie, t, texto_largo, un_lead};
use embudo_store::Store;
use embudo_store::presupuestos::{MarcaGuardada, TarifaGuardada};

async fn casa(store: &Arc<dyn Store>, nombre: &str) -> EmpresaId {
    let nueva = empresa(nombre);
    store.create_empresa(nueva.clone(), t(0)).await.expect("created");
    nueva.id
}

fn tarifa(version: &str, desde: Date) -> TarifaGuardada {
    TarifaGuardada { version: version.into(), desde, texto: format!("version = {version}"), creada_en: t(1) }
}

async fn cargar(store: &Arc<dyn Store>, empresa: EmpresaId, tarifa: &TarifaGuardada) {
    store.save_tarifa(empresa, tarifa.clone()).await.expect("loaded");
}

/// Price tables read back word for word: the latest day first, of one day the latest loaded.
pub async fn price_tables_read_back_latest_first(store: Arc<dyn Store>) {
    let empresa = casa(&store, "Una").await;
    assert_eq!(store.tarifas(empresa).await.expect("a list"), vec![]);
    let vieja = TarifaGuardada { texto: texto_largo(1 << 20), ..tarifa("1", date(1999, 12, 31)) };
    let rara = TarifaGuardada { texto: TEXTO_RARO.into(), ..tarifa(TEXTO_RARO, dia(0)) };
    let mas_tarde = TarifaGuardada { creada_en: t(9), ..tarifa("a", dia(0)) };
    let misma_hora = TarifaGuardada { creada_en: t(9), texto: String::new(), ..tarifa("A", dia(0)) };
    let futura = TarifaGuardada { creada_en: instantes_extremos()[0], ..tarifa("2", date(9999, 12, 31)) };
    for una in [&futura, &mas_tarde, &vieja, &rara, &misma_hora] {
        cargar(&store, empresa, una).await;
    }
    let todas = store.tarifas(empresa).await.expect("a list");
    assert!(todas == vec![futura, misma_hora, mas_tarde, rara, vieja]);
}

/// The same version with the same text and day again is fine and changes nothing; with another it is refused.
pub async fn a_version_is_loaded_once(store: Arc<dyn Store>) {
    let empresa = casa(&store, "Una").await;
    let una = tarifa("1", HOY);
    cargar(&store, empresa, &una).await;
    cargar(&store, empresa, &TarifaGuardada { creada_en: t(9), ..una.clone() }).await;
    let otro_texto = TarifaGuardada { texto: "otro".into(), ..una.clone() };
    let otro_dia = TarifaGuardada { desde: dia(1), ..una.clone() };
    for otra in [otro_texto, otro_dia] {
        assert_fails!(store.save_tarifa(empresa, otra).await, TarifaTaken);
    }
    assert_eq!(store.tarifas(empresa).await.expect("a list"), vec![una]);
    let mut tareas = JoinSet::new();
    for n in 0..16 {
        let (store, nueva) =
            (Arc::clone(&store), TarifaGuardada { texto: n.to_string(), ..tarifa("2", HOY) });
        tareas.spawn(async move { store.save_tarifa(empresa, nueva).await.is_ok() });
    }
    assert_eq!(tareas.join_all().await.into_iter().filter(|cargada| *cargada).count(), 1);
    assert_eq!(store.tarifas(empresa).await.expect("a list").len(), 2);
}

/// On a day the latest table that has begun holds; before the first one, none of the company's.
pub async fn the_table_of_a_day_is_found(store: Arc<dyn Store>) {
    let empresa = casa(&store, "Una").await;
    let vigente = async |d| store.tarifa_vigente(empresa, d).await.expect("answered").map(|t| t.version);
    assert_eq!(vigente(HOY).await, None);
    for (version, desde) in [("a", dia(0)), ("b", dia(10)), ("c", dia(10)), ("d", date(2027, 1, 1))] {
        cargar(&store, empresa, &tarifa(version, desde)).await;
    }
    for (cuando, version) in [(-1, None), (0, Some("a")), (9, Some("a")), (10, Some("c")), (400, Some("d"))] {
        assert_eq!(vigente(dia(cuando)).await.as_deref(), version, "{cuando}");
    }
    let entera = store.tarifa_vigente(empresa, dia(10)).await.expect("answered");
    assert_eq!(entera, Some(tarifa("c", dia(10))));
}

/// A brand and its logo are written each for itself; without them there is the default one and none.
pub async fn a_brand_and_its_logo_are_kept_apart(store: Arc<dyn Store>) {
    let empresa = casa(&store, "Una").await;
    let leer = async || {
        (store.marca(empresa).await.expect("answered"), store.logo(empresa).await.expect("answered"))
    };
    assert_eq!(leer().await, (MarcaGuardada::default(), None));
    let (uno, otro) = (b"\x89PNG\0\xff".to_vec(), texto_largo(1 << 20).into_bytes());
    store.save_logo(empresa, Some(uno.clone())).await.expect("saved");
    let con_logo = MarcaGuardada { logo: Some(Huella::of(&uno)), ..Default::default() };
    assert_eq!(leer().await, (con_logo, Some(uno.clone())));
    let marca = Marca {
        color: Color([1, 2, 255]),
        nif: Some("B12345678".into()),
        saludo: Some(TEXTO_RARO.into()),
        politica: Some(texto_largo(100_000)),
        condiciones: vec![TEXTO_RARO.into(), String::new()],
        dias_validez: 0,
        origenes: vec!["https://www.ejemplo.es".into()],
        ..Marca::default()
    };
    store.save_marca(empresa, marca.clone()).await.expect("saved");
    let guardada = MarcaGuardada { marca: marca.clone(), logo: Some(Huella::of(&uno)) };
    assert_eq!(leer().await, (guardada, Some(uno)));
    store.save_logo(empresa, Some(otro.clone())).await.expect("saved");
    assert_eq!(leer().await.1, Some(otro));
    for _ in 0..2 {
        store.save_logo(empresa, None).await.expect("removed");
        assert_eq!(leer().await, (MarcaGuardada { marca: marca.clone(), logo: None }, None));
    }
    store.save_marca(empresa, Marca::default()).await.expect("saved");
    assert_eq!(leer().await, (MarcaGuardada::default(), None));
}

/// What one company has, another has not; an unknown one has nothing and can be given nothing.
pub async fn brands_and_tables_are_per_company(store: Arc<dyn Store>) {
    let (una, otra, ninguna) =
        (casa(&store, "Una").await, casa(&store, "Otra").await, EmpresaId(Uuid::new_v4()));
    let marca = Marca { nif: Some("A".into()), ..Marca::default() };
    cargar(&store, una, &tarifa("1", HOY)).await;
    store.save_marca(una, marca.clone()).await.expect("saved");
    store.save_logo(una, Some(vec![1])).await.expect("saved");
    assert_fails!(store.save_tarifa(ninguna, tarifa("1", HOY)).await, EmpresaNotFound);
    assert_fails!(store.save_marca(ninguna, marca).await, EmpresaNotFound);
    assert_fails!(store.save_logo(ninguna, Some(vec![1])).await, EmpresaNotFound);
    assert_fails!(store.save_logo(ninguna, None).await, EmpresaNotFound);
    for sin in [otra, ninguna] {
        assert_eq!(store.tarifas(sin).await.expect("a list"), vec![]);
        assert_eq!(store.tarifa_vigente(sin, HOY).await.expect("answered"), None);
        assert_eq!(store.marca(sin).await.expect("answered"), MarcaGuardada::default());
        assert_eq!(store.logo(sin).await.expect("answered"), None);
    }
    cargar(&store, otra, &TarifaGuardada { texto: "suya".into(), ..tarifa("1", HOY) }).await;
    assert_eq!(store.tarifas(una).await.expect("a list"), vec![tarifa("1", HOY)]);
}

/// A company is found by its slug alone, exactly; without one it is the default company.
pub async fn a_company_is_found_by_its_slug(store: Arc<dyn Store>) {
    assert_eq!(store.empresa_by_slug(None).await.expect("answered"), None);
    let una = Empresa { slug: "reformas-pena".into(), ..empresa("Reformas Peña") };
    let otra = Empresa { slug: "otra".into(), email_avisos: Some("a@b.es".into()), ..empresa("Otra") };
    for nueva in [&una, &otra] {
        store.create_empresa(nueva.clone(), t(0)).await.expect("created");
    }
    let una = Empresa { por_defecto: true, ..una };
    let casos = [
        (None, Some(una.clone())),
        (Some("reformas-pena"), Some(una)),
        (Some("otra"), Some(otra)),
        (Some("Otra"), None),
        (Some(""), None),
        (Some(TEXTO_RARO), None),
    ];
    for (slug, esperada) in casos {
        assert_eq!(
            store.empresa_by_slug(slug.map(Into::into)).await.expect("answered"),
            esperada,
            "{slug:?}"
        );
    }
}

/// The first proposal of a name is kept; racers agree on one.
pub async fn a_secret_is_kept_once(store: Arc<dyn Store>) {
    for (nombre, propuesto, queda) in [("a", 1, 1), ("a", 2, 1), ("A", 3, 3), ("", 4, 4), ("a", 5, 1)] {
        let secreto = store.ensure_secreto(nombre.into(), [propuesto; 32]).await.expect("kept");
        assert_eq!(secreto, [queda; 32]);
    }
    let mut tareas = JoinSet::new();
    for n in 0..16 {
        let store = Arc::clone(&store);
        tareas.spawn(async move { store.ensure_secreto("carrera".into(), [n; 32]).await.expect("kept") });
    }
    let mut todos = tareas.join_all().await;
    todos.dedup();
    assert_eq!(todos.len(), 1);
}

/// Consents and their withdrawal are appended in order; one without a moment was given at that of the call.
pub async fn consents_are_appended(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let uno = Consentimiento {
        finalidad: "comercial".into(),
        canal: Some(TEXTO_RARO.into()),
        texto_version: "1".into(),
        fuente: Some(TEXTO_RARO.into()),
        otorgado: true,
        otorgado_en: None,
    };
    let retirado = Consentimiento {
        otorgado: false,
        canal: None,
        fuente: None,
        otorgado_en: Some(t(-9)),
        ..uno.clone()
    };
    let antes = ficha(&store, lead).await;
    store.record_consentimientos(lead, vec![], t(1)).await.expect("nothing to record");
    store.record_consentimientos(lead, vec![uno.clone()], t(2)).await.expect("recorded");
    store.record_consentimientos(lead, vec![retirado.clone(), uno.clone()], t(3)).await.expect("recorded");
    let despues = ficha(&store, lead).await;
    let a_las = |en| Consentimiento { otorgado_en: Some(en), ..uno.clone() };
    assert_eq!(despues.consentimientos, vec![a_las(t(2)), retirado, a_las(t(3))]);
    assert_eq!(despues.lead, antes.lead);
    for nuevos in [vec![], vec![uno]] {
        assert_fails!(store.record_consentimientos(nadie(), nuevos, t(4)).await, LeadNotFound);
    }
}
