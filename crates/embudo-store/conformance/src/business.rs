//! What quotes are made from: price tables and brands of companies; secrets of the installation; consents of leads.

use std::sync::Arc;

use embudo_domain::Digest;
use embudo_domain::EmpresaId;
use embudo_domain::brand::Brand;
use embudo_domain::color::Color;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::empresa::Empresa;
use embudo_domain::job::Destination;
use embudo_domain::legal::{LegalKey, LegalText};
use embudo_domain::settings::{FormEnd, Settings};
use jiff::civil::{Date, date};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::access::entry;
use super::data::presupuesto::{TODAY, day};
use super::data::{ODD_TEXT, a_lead, empresa, extreme_instants, long_text, nobody, record, t};
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_store::audit::AuditFilter;
use embudo_store::edited::Edited;
use embudo_store::empresas::{
    AddTarifa, ChangeSlug, EditSettings, EmpresaPatch, StoredBrand, StoredTarifa, TarifaVersion,
    WithdrawTarifa, Withdrawal,
};
use embudo_store::{Store, StoreError};

async fn company(store: &Arc<dyn Store>, nombre: &str) -> EmpresaId {
    let new = empresa(nombre);
    store.create_empresa(new.clone(), t(0)).await.expect("created");
    new.id
}

fn tarifa(version: &str, since: Date) -> StoredTarifa {
    StoredTarifa { version: version.into(), since, text: format!("version = {version}"), creada_en: t(1) }
}

async fn load(store: &Arc<dyn Store>, empresa: EmpresaId, tarifa: &StoredTarifa) {
    store.save_tarifa(empresa, tarifa.clone()).await.expect("loaded");
}

/// Price tables read back word for word: the latest day first, and for one day the one that was loaded last.
pub async fn price_tables_read_back_latest_first(store: Arc<dyn Store>) {
    let empresa = company(&store, "Una").await;
    assert_eq!(store.tarifas(empresa).await.expect("a list"), vec![]);
    let old = StoredTarifa { text: long_text(1 << 20), ..tarifa("1", date(1999, 12, 31)) };
    let odd = StoredTarifa { text: ODD_TEXT.into(), ..tarifa(ODD_TEXT, day(0)) };
    let later = StoredTarifa { creada_en: t(9), ..tarifa("a", day(0)) };
    let same_hour = StoredTarifa { creada_en: t(9), text: String::new(), ..tarifa("A", day(0)) };
    let future = StoredTarifa { creada_en: extreme_instants()[0], ..tarifa("2", date(9999, 12, 31)) };
    for one in [&future, &later, &old, &odd, &same_hour] {
        load(&store, empresa, one).await;
    }
    let all = store.tarifas(empresa).await.expect("a list");
    let name = |t: &StoredTarifa| TarifaVersion {
        version: t.version.clone(),
        since: t.since,
        creada_en: t.creada_en,
    };
    let versions = store.tarifa_versions(empresa).await.expect("a list");
    assert_eq!(versions, all.iter().map(name).collect::<Vec<_>>());
    for one in &all {
        assert!(store.tarifa(empresa, one.version.clone()).await.expect("answered").as_ref() == Some(one));
    }
    assert_eq!(store.tarifa(empresa, "3".into()).await.expect("answered"), None);
    assert!(all == vec![future, same_hour, later, odd, old]);
}

/// Loading the same version with the same text and day again succeeds and changes nothing; with another text or day it
/// is refused.
pub async fn a_version_is_loaded_once(store: Arc<dyn Store>) {
    let empresa = company(&store, "Una").await;
    let one = tarifa("1", TODAY);
    load(&store, empresa, &one).await;
    load(&store, empresa, &StoredTarifa { creada_en: t(9), ..one.clone() }).await;
    let other_text = StoredTarifa { text: "otro".into(), ..one.clone() };
    let other_day = StoredTarifa { since: day(1), ..one.clone() };
    for another in [other_text, other_day] {
        assert_fails!(store.save_tarifa(empresa, another).await, TarifaTaken);
    }
    assert_eq!(store.tarifas(empresa).await.expect("a list"), vec![one]);
    let mut tasks = JoinSet::new();
    for n in 0..16 {
        let (store, new) = (Arc::clone(&store), StoredTarifa { text: n.to_string(), ..tarifa("2", TODAY) });
        tasks.spawn(async move { store.save_tarifa(empresa, new).await.is_ok() });
    }
    assert_eq!(tasks.join_all().await.into_iter().filter(|loaded| *loaded).count(), 1);
    assert_eq!(store.tarifas(empresa).await.expect("a list").len(), 2);
}

/// On each day the price table with the latest date of validity up to that day applies. Before the first date, the
/// company has no price table of its own.
pub async fn the_table_of_a_day_is_found(store: Arc<dyn Store>) {
    let empresa = company(&store, "Una").await;
    let current = async |d| store.current_tarifa(empresa, d).await.expect("answered").map(|t| t.version);
    assert_eq!(current(TODAY).await, None);
    for (version, since) in [("a", day(0)), ("b", day(10)), ("c", day(10)), ("d", date(2027, 1, 1))] {
        load(&store, empresa, &tarifa(version, since)).await;
    }
    for (when, version) in [(-1, None), (0, Some("a")), (9, Some("a")), (10, Some("c")), (400, Some("d"))] {
        assert_eq!(current(day(when)).await.as_deref(), version, "{when}");
    }
    let whole = store.current_tarifa(empresa, day(10)).await.expect("answered");
    assert_eq!(whole, Some(tarifa("c", day(10))));
}

fn adds(empresa: EmpresaId, seen: &[TarifaVersion], tarifa: StoredTarifa) -> AddTarifa {
    AddTarifa { empresa, seen: seen.to_vec(), tarifa, audit: line(empresa, AuditAction::TarifaAdded) }
}

fn line(empresa: EmpresaId, action: AuditAction) -> AuditEntry {
    AuditEntry { action, empresa: Some(empresa), ..entry(None, 50) }
}

async fn logged(store: &Arc<dyn Store>, action: AuditAction) -> usize {
    let all = store.audit_log(AuditFilter::default(), None, 100).await.expect("a list");
    all.iter().filter(|entry| entry.action == action).count()
}

/// A person's new table is loaded only if the list of tables is still the one that the person saw; loading a table that
/// is there already succeeds.
pub async fn a_next_table_is_added_by_who_saw_the_last(store: Arc<dyn Store>) {
    let empresa = company(&store, "Una").await;
    let (one, two) = (tarifa("1", TODAY), tarifa("2", day(9)));
    let add = async |seen: &[TarifaVersion], new: &StoredTarifa| {
        store.add_tarifa(adds(empresa, seen, new.clone())).await
    };
    assert_eq!(add(&[], &one).await.expect("answered"), Edited::Saved);
    let seen = store.tarifa_versions(empresa).await.expect("a list");
    assert_eq!(add(&[], &one).await.expect("answered"), Edited::Same);
    assert_eq!(add(&[], &two).await.expect("answered"), Edited::Stale);
    assert_fails!(add(&seen, &StoredTarifa { since: day(1), ..one.clone() }).await, TarifaTaken);
    assert_eq!(add(&seen, &two).await.expect("answered"), Edited::Saved);
    assert_eq!(store.tarifas(empresa).await.expect("a list"), vec![two, one]);
    let nobody = EmpresaId(Uuid::new_v4());
    assert_fails!(store.add_tarifa(adds(nobody, &[], tarifa("1", TODAY))).await, EmpresaNotFound);
    assert_eq!(logged(&store, AuditAction::TarifaAdded).await, 2);
}

/// Of several people who prepare a table from the same list, one loads it.
pub async fn racers_add_one_table(store: Arc<dyn Store>) {
    let empresa = company(&store, "Una").await;
    let mut tasks = JoinSet::new();
    for n in 0..8 {
        let (store, new) = (Arc::clone(&store), adds(empresa, &[], tarifa(&n.to_string(), TODAY)));
        tasks.spawn(async move { store.add_tarifa(new).await.expect("answered") });
    }
    let ends = tasks.join_all().await;
    assert_eq!(ends.iter().filter(|end| **end == Edited::Saved).count(), 1, "{ends:?}");
    assert_eq!(store.tarifas(empresa).await.expect("a list").len(), 1);
    assert_eq!(logged(&store, AuditAction::TarifaAdded).await, 1);
}

/// A table can be withdrawn until it is in force; a table that is or was in force stays, and so do those of other
/// companies.
pub async fn a_table_is_withdrawn_before_it_begins(store: Arc<dyn Store>) {
    let (empresa, another) = (company(&store, "Una").await, company(&store, "Otra").await);
    for of in [empresa, another] {
        for (version, since) in [("ayer", day(-1)), ("hoy", TODAY), ("luego", day(1))] {
            load(&store, of, &tarifa(version, since)).await;
        }
    }
    let withdraw = async |version: &str, today| {
        let audit = line(empresa, AuditAction::TarifaWithdrawn);
        let command = WithdrawTarifa { empresa, version: version.into(), today, audit };
        store.withdraw_tarifa(command).await.expect("answered")
    };
    for (version, today, end) in [
        ("ayer", TODAY, Withdrawal::Begun),
        ("hoy", TODAY, Withdrawal::Begun),
        ("luego", day(1), Withdrawal::Begun),
        ("nunca", TODAY, Withdrawal::Missing),
        ("luego", TODAY, Withdrawal::Done),
        ("luego", TODAY, Withdrawal::Missing),
    ] {
        assert_eq!(withdraw(version, today).await, end, "{version}");
    }
    assert_eq!(store.tarifas(empresa).await.expect("a list").len(), 2);
    assert_eq!(store.tarifas(another).await.expect("a list").len(), 3);
    assert_eq!(logged(&store, AuditAction::TarifaWithdrawn).await, 1);
}

pub async fn how_a_company_works_is_kept(store: Arc<dyn Store>) {
    let empresa = company(&store, "Una").await;
    assert_eq!(store.settings(empresa).await.expect("read"), Settings::default());
    for form_end in [Some(FormEnd::Quote), None] {
        let settings = Settings { review: form_end.is_some(), form_end, ..Settings::default() };
        store.save_settings(empresa, settings.clone()).await.expect("saved");
        assert_eq!(store.settings(empresa).await.expect("read"), settings);
    }
    let nobody = EmpresaId(Uuid::new_v4());
    assert_eq!(store.settings(nobody).await.expect("read"), Settings::default());
    let lost = store.save_settings(nobody, Settings::default()).await;
    assert!(matches!(lost, Err(StoreError::EmpresaNotFound)));
}

fn edit_settings(empresa: EmpresaId, seen: &Settings, edited: &Settings) -> EditSettings {
    EditSettings { empresa, seen: seen.clone(), edited: edited.clone(), audit: entry(None, 5) }
}

/// A change that is based on old settings writes nothing; the same change again succeeds; the log has an entry for what
/// was written.
pub async fn how_a_company_works_is_changed_by_who_saw_it(store: Arc<dyn Store>) {
    let empresa = company(&store, "Una").await;
    let [none, one, other] = [None, Some(FormEnd::Quote), Some(FormEnd::Draft)]
        .map(|form_end| Settings { form_end, ..Settings::default() });
    let steps = [
        (&none, &one, Edited::Saved),
        (&none, &other, Edited::Stale),
        (&none, &one, Edited::Same),
        (&one, &other, Edited::Saved),
        (&one, &none, Edited::Stale),
    ];
    for (seen, edited, end) in steps {
        let done = store.edit_settings(edit_settings(empresa, seen, edited)).await.expect("answered");
        assert_eq!(done, end);
    }
    assert_eq!(store.settings(empresa).await.expect("read"), other);
    assert_eq!(store.audit_log(Default::default(), None, 10).await.expect("a log").len(), 2);
    let nobody = EmpresaId(Uuid::new_v4());
    assert_fails!(store.edit_settings(edit_settings(nobody, &none, &one)).await, EmpresaNotFound);
    assert_eq!(store.settings(nobody).await.expect("read"), none);
}

/// Of several changes based on the same settings, one is written.
pub async fn racers_change_how_a_company_works_once(store: Arc<dyn Store>) {
    let empresa = company(&store, "Una").await;
    let mut tasks = JoinSet::new();
    for n in 0..16_u8 {
        let mut edited = Settings::default();
        let title = n.to_string();
        let (key, paragraphs, version) = (LegalKey::Pago, vec!["x".to_owned()], "1".to_owned());
        let with_amounts = None;
        edited.legal.texts.push(LegalText { key, title, paragraphs, version, with_amounts });
        let (store, command) = (Arc::clone(&store), edit_settings(empresa, &Settings::default(), &edited));
        tasks.spawn(async move { store.edit_settings(command).await.expect("answered") });
    }
    let ends = tasks.join_all().await;
    assert_eq!(ends.iter().filter(|end| **end == Edited::Saved).count(), 1, "{ends:?}");
    assert!(ends.iter().all(|end| matches!(end, Edited::Saved | Edited::Stale)));
}

/// Which signals companies receive themselves is known, also after they changed it.
pub async fn own_receivers_are_known(store: Arc<dyn Store>) {
    let (one, other) = (company(&store, "Una").await, company(&store, "Otra").await);
    let set = async |empresa, own: &[Destination]| {
        let mut settings = Settings::default();
        for to in own {
            settings.connections.set(*to, Some("https://a.es/x".into()));
        }
        let seen = store.settings(empresa).await.expect("read");
        store.edit_settings(edit_settings(empresa, &seen, &settings)).await.expect("saved");
        store.own_receivers().await.expect("read").into_iter().collect::<Vec<_>>()
    };
    use Destination::{Events, Mensajeria, Pdf, Perfil};
    assert_eq!(store.own_receivers().await.expect("read").len(), 0);
    assert_eq!(set(one, &[Pdf, Perfil]).await, [Perfil, Pdf]);
    assert_eq!(set(other, &[Perfil, Mensajeria]).await, [Perfil, Mensajeria, Pdf]);
    assert_eq!(set(one, &[Events]).await, [Perfil, Mensajeria, Events]);
    assert_eq!(set(one, &[]).await, [Perfil, Mensajeria]);
    assert_eq!(set(other, &[]).await, []);
}

/// A brand and its logo are written separately; without them there is the default brand and no logo.
pub async fn a_brand_and_its_logo_are_kept_apart(store: Arc<dyn Store>) {
    let empresa = company(&store, "Una").await;
    let job_of = async || {
        (store.brand(empresa).await.expect("answered"), store.logo(empresa).await.expect("answered"))
    };
    assert_eq!(job_of().await, (StoredBrand::default(), None));
    let (one, other) = (b"\x89PNG\0\xff".to_vec(), long_text(1 << 20).into_bytes());
    store.save_logo(empresa, Some(one.clone())).await.expect("saved");
    let with_logo = StoredBrand { logo: Some(Digest::of(&one)), ..Default::default() };
    assert_eq!(job_of().await, (with_logo, Some(one.clone())));
    let brand = Brand {
        color: Color([1, 2, 255]),
        nif: Some("B12345678".into()),
        greeting: Some(ODD_TEXT.into()),
        policy: Some(long_text(100_000)),
        condiciones: vec![ODD_TEXT.into(), String::new()],
        valid_days: 0,
        origins: vec!["https://www.ejemplo.es".into()],
        ..Brand::default()
    };
    store.save_brand(empresa, brand.clone()).await.expect("saved");
    let stored = StoredBrand { brand: brand.clone(), logo: Some(Digest::of(&one)) };
    assert_eq!(job_of().await, (stored, Some(one)));
    store.save_logo(empresa, Some(other.clone())).await.expect("saved");
    assert_eq!(job_of().await.1, Some(other));
    for _ in 0..2 {
        store.save_logo(empresa, None).await.expect("removed");
        assert_eq!(job_of().await, (StoredBrand { brand: brand.clone(), logo: None }, None));
    }
    store.save_brand(empresa, Brand::default()).await.expect("saved");
    assert_eq!(job_of().await, (StoredBrand::default(), None));
}

/// Brands and tables of one company are not visible for another; an unknown company has none and cannot be given any.
pub async fn brands_and_tables_are_per_company(store: Arc<dyn Store>) {
    let (one, another, none) =
        (company(&store, "Una").await, company(&store, "Otra").await, EmpresaId(Uuid::new_v4()));
    let brand = Brand { nif: Some("A".into()), ..Brand::default() };
    load(&store, one, &tarifa("1", TODAY)).await;
    store.save_brand(one, brand.clone()).await.expect("saved");
    store.save_logo(one, Some(vec![1])).await.expect("saved");
    assert_fails!(store.save_tarifa(none, tarifa("1", TODAY)).await, EmpresaNotFound);
    assert_fails!(store.save_brand(none, brand).await, EmpresaNotFound);
    assert_fails!(store.save_logo(none, Some(vec![1])).await, EmpresaNotFound);
    assert_fails!(store.save_logo(none, None).await, EmpresaNotFound);
    for without in [another, none] {
        assert_eq!(store.tarifas(without).await.expect("a list"), vec![]);
        assert_eq!(store.current_tarifa(without, TODAY).await.expect("answered"), None);
        assert_eq!(store.brand(without).await.expect("answered"), StoredBrand::default());
        assert_eq!(store.logo(without).await.expect("answered"), None);
    }
    load(&store, another, &StoredTarifa { text: "suya".into(), ..tarifa("1", TODAY) }).await;
    assert_eq!(store.tarifas(one).await.expect("a list"), vec![tarifa("1", TODAY)]);
}

/// A company is found by its exact slug; without a slug the default company is found.
pub async fn a_company_is_found_by_its_slug(store: Arc<dyn Store>) {
    assert_eq!(store.empresa_by_slug(None).await.expect("answered"), None);
    let one = Empresa { slug: "reformas-pena".into(), ..empresa("Reformas Peña") };
    let another = Empresa { slug: "otra".into(), email_avisos: Some("a@b.es".into()), ..empresa("Otra") };
    for new in [&one, &another] {
        store.create_empresa(new.clone(), t(0)).await.expect("created");
    }
    let one = Empresa { por_defecto: true, ..one };
    let cases = [
        (None, Some(one.clone())),
        (Some("reformas-pena"), Some(one)),
        (Some("otra"), Some(another)),
        (Some("Otra"), None),
        (Some(""), None),
        (Some(ODD_TEXT), None),
    ];
    for (slug, expected) in cases {
        assert_eq!(
            store.empresa_by_slug(slug.map(Into::into)).await.expect("answered"),
            expected,
            "{slug:?}"
        );
    }
}

/// A company keeps the former slugs of its form: they lead to it, no other company can take them, and it may take one
/// back.
pub async fn a_former_slug_stays_the_companys(store: Arc<dyn Store>) {
    let one = Empresa { slug: "una".into(), ..empresa("Una") };
    let other = Empresa { slug: "otra".into(), ..empresa("Otra") };
    for new in [&one, &other] {
        store.create_empresa(new.clone(), t(0)).await.expect("created");
    }
    let change = |seen: &str, slug: &str| ChangeSlug {
        empresa: one.id,
        seen: seen.into(),
        slug: slug.into(),
        audit: AuditEntry { empresa: Some(one.id), ..entry(None, 50) },
    };
    let found = async |slug: &str| {
        let now = store.empresa_by_slug(Some(slug.into())).await.expect("answered");
        let former = store.empresa_by_former_slug(slug.into()).await.expect("answered");
        (now.map(|e| e.id), former.map(|e| e.id))
    };
    assert_eq!(found("una").await, (Some(one.id), None));
    assert_eq!(store.change_slug(change("una", "una")).await.expect("answered"), Edited::Same);
    assert_eq!(store.change_slug(change("vieja", "nueva")).await.expect("answered"), Edited::Stale);
    assert_fails!(store.change_slug(change("una", "otra")).await, SlugTaken);
    let nobody = ChangeSlug { empresa: EmpresaId(Uuid::new_v4()), ..change("una", "nueva") };
    assert_fails!(store.change_slug(nobody).await, EmpresaNotFound);
    assert_eq!(store.audit_log(AuditFilter::default(), None, 9).await.expect("a log").len(), 0);

    assert_eq!(store.change_slug(change("una", "nueva")).await.expect("changed"), Edited::Saved);
    assert_eq!(found("nueva").await, (Some(one.id), None));
    assert_eq!(found("una").await, (None, Some(one.id)));
    let told = store.audit_log(AuditFilter::default(), None, 9).await.expect("a log").remove(0);
    assert_eq!((told.before.as_deref(), told.after.as_deref()), (Some("/f/una"), Some("/f/nueva")));

    // No other company can take it, neither when it is created nor later.
    let late = Empresa { slug: "una".into(), ..empresa("Tarde") };
    assert_fails!(store.create_empresa(late, t(1)).await, SlugTaken);
    let patch = |slug: &str| EmpresaPatch { slug: Some(slug.into()), ..EmpresaPatch::default() };
    assert_fails!(store.update_empresa(other.id, patch("una")).await, SlugTaken);
    assert_fails!(store.update_empresa(other.id, patch("nueva")).await, SlugTaken);

    // A change by command keeps former slugs like a change by a person; the company takes one back.
    store.update_empresa(one.id, patch("tercera")).await.expect("changed");
    assert_eq!((found("una").await.1, found("nueva").await.1), (Some(one.id), Some(one.id)));
    assert_eq!(store.change_slug(change("tercera", "una")).await.expect("changed"), Edited::Saved);
    assert_eq!(found("una").await, (Some(one.id), None));
    assert_eq!(found("tercera").await, (None, Some(one.id)));
    store.update_empresa(one.id, patch("una")).await.expect("the same is no change");
    assert_eq!(found("una").await, (Some(one.id), None));
}

/// The first proposed value of a secret is kept; racers agree on one value.
pub async fn a_secret_is_kept_once(store: Arc<dyn Store>) {
    for (nombre, proposed, remains) in [("a", 1, 1), ("a", 2, 1), ("A", 3, 3), ("", 4, 4), ("a", 5, 1)] {
        let secret = store.ensure_secret(nombre.into(), [proposed; 32]).await.expect("kept");
        assert_eq!(secret, [remains; 32]);
    }
    let mut tasks = JoinSet::new();
    for n in 0..16 {
        let store = Arc::clone(&store);
        tasks.spawn(async move { store.ensure_secret("carrera".into(), [n; 32]).await.expect("kept") });
    }
    let mut all = tasks.join_all().await;
    all.dedup();
    assert_eq!(all.len(), 1);
}

/// Consents and their withdrawal are appended in order; a consent without a moment was given at that of the call.
pub async fn consents_are_appended(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let one = Consentimiento {
        purpose: "comercial".into(),
        channel: Some(ODD_TEXT.into()),
        texto_version: "1".into(),
        source: Some(ODD_TEXT.into()),
        granted: true,
        otorgado_en: None,
    };
    let withdrawn = Consentimiento {
        granted: false,
        channel: None,
        source: None,
        otorgado_en: Some(t(-9)),
        ..one.clone()
    };
    let before = record(&store, lead).await;
    store.record_consentimientos(lead, vec![], t(1)).await.expect("nothing to record");
    store.record_consentimientos(lead, vec![one.clone()], t(2)).await.expect("recorded");
    store.record_consentimientos(lead, vec![withdrawn.clone(), one.clone()], t(3)).await.expect("recorded");
    let after = record(&store, lead).await;
    let granted_at = |at| Consentimiento { otorgado_en: Some(at), ..one.clone() };
    assert_eq!(after.consentimientos, vec![granted_at(t(2)), withdrawn, granted_at(t(3))]);
    assert_eq!(after.lead, before.lead);
    for new_ones in [vec![], vec![one]] {
        assert_fails!(store.record_consentimientos(nobody(), new_ones, t(4)).await, LeadNotFound);
    }
}
