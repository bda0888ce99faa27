//! Figures follow what is written: each lead counts once, on its day, and everything can be counted anew.

use std::sync::Arc;

use embudo_domain::conversacion::Rol;
use embudo_domain::etapa::Etapa;
use embudo_domain::event::EventKind;
use embudo_domain::figures::{Level, OTHERS, Range, Share, Step, Sums, Wait};
use embudo_domain::iva::{Condiciones, Impuestos};
use embudo_domain::job::JobKind;
use embudo_domain::money::Cents;
use embudo_domain::perfil::{CanalOrigen, Perfil};
use embudo_domain::presupuesto::{Base, Draft, Presupuesto};
use embudo_domain::reply::ReplyChannel;
use embudo_domain::tarifa::Tarifa;
use embudo_domain::visita::{SpanishTimeZone, Visita, VisitaState};
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp, UserId, VisitaId};
use embudo_store::Store;
use embudo_store::drafts::{DraftReason, OpenDraft, SealDraft, SeenDraft};
use embudo_store::figures::MAX_WEEKS;
use embudo_store::leads::CreateLead;
use embudo_store::presupuestos::AnswerResult;
use embudo_store::touches::Touch;
use embudo_store::visits::{Claim, SaveVisita, VisitaChange};
use jiff::civil::{Date, date};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::access::entry;
use super::data::inbox::{anyone, audit_entry, other_company, project};
use super::data::outbox::{LENGTH, of, process};
use super::data::presupuesto::{TODAY, answer, complete, document, draft, job_of, says, send};
use super::data::{
    Random, a_lead, create, event, intento, new_lead, nobody, other_lead, perfil, record, record_event, t,
    turno,
};
use super::replies::new_reply;
use super::rights::erasure;

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

async fn company(store: &Arc<dyn Store>) -> EmpresaId {
    let all = store.list_empresas().await.expect("a list");
    all.into_iter().find(|empresa| empresa.por_defecto).expect("a default company").id
}

/// The sums of the default company's leads in a period, after everything is projected.
async fn sums(store: &Arc<dyn Store>, zone: SpanishTimeZone, level: Level, day: Date) -> Sums {
    project(store).await;
    let empresa = company(store).await;
    let mut found = store.sums(empresa, zone, level, day, day).await.expect("sums");
    assert!(found.len() <= 1 && found.iter().all(|(of, _)| *of == day));
    found.pop().map(|(_, sums)| sums).unwrap_or_default()
}

/// The sums on the day of the suite's clock.
async fn today(store: &Arc<dyn Store>) -> Sums {
    let day = sums(store, SpanishTimeZone::Madrid, Level::Day, TODAY).await;
    for (zone, level) in [
        (SpanishTimeZone::Canary, Level::Day),
        (SpanishTimeZone::Madrid, Level::Month),
        (SpanishTimeZone::Canary, Level::Month),
    ] {
        assert_eq!(sums(store, zone, level, level.of(TODAY)).await, day, "{zone} {level}");
    }
    day
}

fn came(when: Timestamp) -> CreateLead {
    CreateLead { at: when, ..new_lead("Ana") }
}

fn says_the_bot(lead: LeadId, when: Timestamp) -> embudo_store::lead_writes::AppendTurno {
    let mut command = turno(lead, "dígame", when);
    command.turno.rol = Rol::Assistant;
    command
}

/// In Madrid the last Sunday of March has 23 hours, that of October 25; the Canaries are an hour behind.
pub async fn a_lead_counts_on_the_day_of_the_zone(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for moment in [
        "2027-03-27T22:59:59.999999Z",
        "2027-03-27T23:00:00Z",
        "2027-03-27T23:59:59.999999Z",
        "2027-03-28T00:00:00Z",
        "2027-03-28T21:59:59.999999Z",
        "2027-03-28T22:00:00Z",
        "2027-03-28T23:00:00Z",
        "2027-10-30T21:59:59Z",
        "2027-10-30T22:00:00Z",
        "2027-10-30T23:00:00Z",
        "2027-10-31T22:59:59Z",
        "2027-10-31T23:00:00Z",
        "2027-11-01T00:00:00Z",
    ] {
        create(&store, came(at(moment))).await;
    }
    let days = [
        (date(2027, 3, 27), 1, 3),
        (date(2027, 3, 28), 4, 3),
        (date(2027, 3, 29), 2, 1),
        (date(2027, 10, 30), 1, 2),
        (date(2027, 10, 31), 3, 3),
        (date(2027, 11, 1), 2, 1),
    ];
    for (day, madrid, canary) in days {
        for (zone, expected) in [(SpanishTimeZone::Madrid, madrid), (SpanishTimeZone::Canary, canary)] {
            assert_eq!(sums(&store, zone, Level::Day, day).await.leads(), expected, "{day} in {zone}");
        }
    }
    for (zone, march, october, november) in
        [(SpanishTimeZone::Madrid, 7, 4, 2), (SpanishTimeZone::Canary, 7, 5, 1)]
    {
        for (month, expected) in [(3, march), (10, october), (11, november)] {
            let month = date(2027, month, 1);
            assert_eq!(sums(&store, zone, Level::Month, month).await.leads(), expected, "{month} in {zone}");
        }
    }
    let empresa = company(&store).await;
    let listed =
        store.sums(empresa, SpanishTimeZone::Madrid, Level::Day, date(2027, 3, 28), date(2027, 10, 31)).await;
    let listed: Vec<Date> = listed.expect("sums").into_iter().map(|(day, _)| day).collect();
    assert_eq!(
        listed,
        [28, 29]
            .map(|d| date(2027, 3, d))
            .into_iter()
            .chain([30, 31].map(|d| date(2027, 10, d)))
            .collect::<Vec<_>>()
    );
}

pub async fn what_happens_to_a_lead_is_counted_once(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let mut new = came(t(0));
    new.perfil.canal_origen = Some(CanalOrigen::Anuncio);
    new.utm = vec![("utm_campaign".into(), " Baños\n2027 ".into()), ("utm_source".into(), "x".into())];
    let lead = create(&store, new).await;
    let before = today(&store).await;
    assert_eq!((before.leads(), before.etapa(Etapa::Nuevo)), (2, 2));
    assert!(Step::all().all(|step| before.step(step) == 0));
    store.append_turno(turno(lead, "hola", t(100))).await.expect("appended");
    assert_eq!(today(&store).await.step(Step::Spoke), 1);
    store.append_turno(says_the_bot(lead, t(160))).await.expect("appended");
    store.append_turno(says_the_bot(lead, t(500))).await.expect("appended");
    store.record_intento(intento(lead, 1, t(600))).await.expect("recorded");
    store.record_event(record_event(lead, event(EventKind::PerfilComplete, t(700)))).await.expect("recorded");
    let sums = today(&store).await;
    let steps = [
        Step::Contacted,
        Step::Spoke,
        Step::Profile,
        Step::Quoted,
        Step::Visited,
        Step::Accepted,
        Step::Lost,
    ];
    assert_eq!(steps.map(|step| sums.step(step)), [1, 1, 1, 0, 0, 0, 0]);
    assert_eq!((sums.etapa(Etapa::Nuevo), sums.etapa(Etapa::PerfilCompleto)), (1, 1));
    let (contact, reply) = (sums.wait(Wait::Contact), sums.wait(Wait::Answer));
    assert_eq!((contact.count, reply.count, sums.wait(Wait::Quote).count), (1, 1, 0));
    assert!(
        (150..170).contains(&contact.median) && (57..63).contains(&reply.median),
        "{contact:?} {reply:?}"
    );
    let share = |name: &str| Share { name: name.into(), leads: 1, accepted: 0 };
    assert_eq!(sums.canales(), [share(""), share("anuncio")]);
    assert_eq!(sums.campaigns(), [share(""), share("Baños 2027")]);
    // Reading the tail again reports the same turn again.
    store
        .project(vec![(lead, Touch::anew()), (lead, Touch::turn(Rol::Assistant, t(160)))])
        .await
        .expect("projected");
    assert_eq!(today(&store).await, sums);
}

/// A contact attempt counts as the first contact, and after a client's message as the answer to it.
pub async fn an_attempt_counts_as_a_contact(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    project(&store).await;
    store.record_intento(intento(lead, 1, t(3_600))).await.expect("recorded");
    let sums = today(&store).await;
    assert_eq!((sums.wait(Wait::Contact).count, sums.wait(Wait::Answer).count), (1, 0));
    store.append_turno(turno(lead, "hola", t(4_000))).await.expect("appended");
    store.record_intento(intento(lead, 2, t(4_030))).await.expect("recorded");
    let sums = today(&store).await;
    assert_eq!((sums.wait(Wait::Contact).count, sums.wait(Wait::Answer).count), (1, 1));
    assert!((28..33).contains(&sums.wait(Wait::Answer).median));
}

/// A message by a person counts like one by a bot; a message that was not sent does not.
pub async fn a_reply_counts_as_a_contact(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let viewer = anyone(&store).await;
    store.append_turno(turno(lead, "hola", t(4_000))).await.expect("appended");
    let prepared = new_reply(&viewer, lead, ReplyChannel::WhatsApp, "Una", t(4_010));
    store.write_reply(&viewer, prepared).await.expect("written");
    let sums = today(&store).await;
    assert_eq!((sums.wait(Wait::Contact).count, sums.wait(Wait::Answer).count), (0, 0));
    let mail = new_reply(&viewer, lead, ReplyChannel::Mail, "Otra", t(4_030));
    store.write_reply(&viewer, mail).await.expect("written");
    let sums = today(&store).await;
    assert_eq!((sums.wait(Wait::Contact).count, sums.wait(Wait::Answer).count), (1, 1));
    assert!((28..33).contains(&sums.wait(Wait::Answer).median));
}

/// A channel that is learnt later moves the lead to that channel, even if it is reported several times.
pub async fn a_channel_told_later_counts(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    assert_eq!(today(&store).await.canales()[0].name, "");
    for canal in [CanalOrigen::Referido, CanalOrigen::Referido, CanalOrigen::Call] {
        let patch = Perfil { canal_origen: Some(canal), ..Perfil::default() };
        store.update_perfil(perfil(lead, patch, t(5))).await.expect("written");
        let channels = today(&store).await.canales();
        assert_eq!(channels, [Share { name: canal.as_str().into(), leads: 1, accepted: 0 }]);
    }
}

/// A quote that was made from a draft, in which the lines chosen by `with_cost` have costs.
async fn sealed(store: &Arc<dyn Store>, lead: LeadId, with_cost: fn(usize) -> bool) -> (Presupuesto, Cents) {
    let (brand, tarifa, impuestos) = (Default::default(), Tarifa::por_defecto(), Impuestos::por_defecto());
    let condiciones = Condiciones::default();
    let base = Base {
        brand: &brand,
        logo: None,
        tarifa: &tarifa,
        impuestos: &impuestos,
        condiciones,
        legal: None,
        day: TODAY,
        bounds: Default::default(),
    };
    let mut with_costs = Draft::of_lead(&record(store, lead).await.lead, base);
    let lines = with_costs
        .rooms
        .iter_mut()
        .flat_map(|room| &mut room.capitulos)
        .flat_map(|chapter| &mut chapter.lines);
    lines.enumerate().filter(|(n, _)| with_cost(*n)).for_each(|(_, line)| line.coste = Some(Cents(100)));
    let open = OpenDraft {
        id: PresupuestoId(Uuid::new_v4()),
        lead,
        reason: DraftReason::ByHand,
        json: serde_json::to_string(&with_costs).expect("JSON"),
        by: None,
        event: None,
        jobs: Vec::new(),
        at: t(3),
        audit: None,
    };
    let stored = store.open_draft(open).await.expect("opened").into_draft();
    let document = document(store, lead, "a mano").await;
    let margin = with_costs.margin(&document).expect("fits").margin;
    let mut quote = draft(lead, document, TODAY, t(6));
    quote.id = stored.id;
    let command = SealDraft {
        seen: SeenDraft { id: stored.id, lead, revision: stored.revision },
        quote,
        event: event(EventKind::Finalizar, t(6)),
        jobs: vec![of(JobKind::Presupuesto, process(), LENGTH)],
        audit: entry(None, 6),
    };
    store.seal_draft(command).await.expect("sealed");
    let p = store.presupuesto(stored.id).await.expect("it is there");
    complete(store, &p).await;
    (job_of(store, &p).await, margin)
}

/// Of several versions the last one counts; a margin is known only where the cost of every line is known.
pub async fn quotes_count_with_what_was_accepted(store: Arc<dyn Store>) {
    let one = a_lead(&store).await;
    let first = send(&store, one, "uno").await;
    let total = first.document.impuesto.total;
    assert_eq!(today(&store).await.issued(), (1, total));
    let second = send(&store, one, "dos").await;
    assert_eq!(today(&store).await.issued(), (1, second.document.impuesto.total));
    let accepted = at("2026-12-01T09:00:00Z");
    assert_eq!(answer(&store, says(&second, true, accepted)).await, AnswerResult::Done);
    let day = today(&store).await;
    assert_eq!((day.step(Step::Quoted), day.step(Step::Accepted), day.accepted()), (1, 1, (0, Cents(0))));
    assert_eq!((day.canales()[0].accepted, day.campaigns()[0].accepted), (1, 1));
    assert_eq!((day.wait(Wait::Quote).count, day.wait(Wait::Decision).count), (1, 1));
    let december = sums(&store, SpanishTimeZone::Madrid, Level::Month, date(2026, 12, 1)).await;
    assert_eq!((december.leads(), december.accepted()), (0, (1, second.document.impuesto.total)));
    assert_eq!(december.margin(), (0, Cents(0), Cents(0)), "nobody knows its costs");

    let third = send(&store, one, "tres").await;
    assert_eq!(answer(&store, says(&third, true, accepted)).await, AnswerResult::Done);
    let december = sums(&store, SpanishTimeZone::Madrid, Level::Month, date(2026, 12, 1)).await;
    assert_eq!(december.accepted(), (1, third.document.impuesto.total), "the last one is in force");

    for (with_cost, known) in [((|n| n > 0) as fn(usize) -> bool, 0), (|_| true, 1)] {
        let lead = other_lead(&store).await;
        let (quote, margin) = sealed(&store, lead, with_cost).await;
        assert_eq!(answer(&store, says(&quote, true, accepted)).await, AnswerResult::Done);
        let december = sums(&store, SpanishTimeZone::Canary, Level::Day, date(2026, 12, 1)).await;
        let expected = (known, Cents(known * quote.document.pricing.base.0), Cents(known * margin.0));
        assert_eq!(december.margin(), expected);
    }
    // A version without a draft of its own was made from the lines of the version before it.
    let lead = other_lead(&store).await;
    sealed(&store, lead, |_| true).await;
    let later = send(&store, lead, "con más fotos").await;
    assert_eq!(answer(&store, says(&later, true, accepted)).await, AnswerResult::Done);
    let december = sums(&store, SpanishTimeZone::Madrid, Level::Day, date(2026, 12, 1)).await;
    assert_eq!((december.accepted().0, december.margin().0), (4, 2));
}

pub async fn a_visit_counts_once_it_is_agreed(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let visita = Visita {
        id: VisitaId(Uuid::new_v4()),
        lead,
        empresa: company(&store).await,
        state: VisitaState::Propuesta,
        revision: 1,
        sequence: 0,
        slots: vec![t(10_000)],
        start: None,
        minutes: 60,
        address: String::new(),
        people: vec![UserId(Uuid::new_v4())],
        notes: String::new(),
        measurements: String::new(),
        creada_en: t(1),
        cambiada_en: t(1),
        cancelled: None,
    };
    let save = |visita: Visita, seen| {
        let when = visita.cambiada_en;
        store.save_visita(SaveVisita {
            visita,
            seen,
            claim: Claim::Anyway,
            event: None,
            jobs: vec![],
            audit: None,
            at: when,
        })
    };
    let VisitaChange::Saved(proposed) = save(visita, None).await.expect("saved") else { panic!("not saved") };
    assert_eq!(today(&store).await.step(Step::Visited), 0);
    let agreed = proposed.clone().pick(t(10_000), t(5)).expect("it is among the slots");
    let VisitaChange::Saved(agreed) = save(agreed, Some(proposed.revision)).await.expect("saved") else {
        panic!("not saved")
    };
    let sums = today(&store).await;
    assert_eq!((sums.step(Step::Visited), sums.etapa(Etapa::Visita)), (1, 1));
    store.pass_visits(lead, t(99_999)).await.expect("passed");
    let sums = today(&store).await;
    assert_eq!((sums.step(Step::Visited), sums.etapa(Etapa::Nuevo)), (1, 1), "it was agreed");
    let gone = agreed.clone().cancel(None, t(100_000)).expect("cancelled");
    save(gone, Some(agreed.revision)).await.expect("saved");
    assert_eq!(today(&store).await.step(Step::Visited), 1, "it was agreed once");
}

/// A lost lead counts on the day on which it was lost, until it is reopened.
pub async fn a_lost_lead_counts_with_its_reason(store: Arc<dyn Store>) {
    let (one, other) = (a_lead(&store).await, other_lead(&store).await);
    let viewer = anyone(&store).await;
    let lost_at = at("2026-12-31T23:30:00Z");
    store.archive(&viewer, vec![one], "Precio".into(), lost_at, audit_entry()).await.expect("archived");
    let p = send(&store, other, "x").await;
    answer(&store, says(&p, false, t(50))).await;
    let day = today(&store).await;
    assert_eq!((day.step(Step::Lost), day.etapa(Etapa::Perdido)), (2, 2));
    assert_eq!(day.lost(), [("Rechazó el presupuesto".to_owned(), 1)]);
    let of = async |zone, day| sums(&store, zone, Level::Day, day).await.lost();
    assert_eq!(of(SpanishTimeZone::Madrid, date(2027, 1, 1)).await, [("Precio".to_owned(), 1)]);
    assert_eq!(of(SpanishTimeZone::Canary, date(2026, 12, 31)).await, [("Precio".to_owned(), 1)]);
    store.reopen(&viewer, one, t(60), audit_entry()).await.expect("reopened");
    assert_eq!(of(SpanishTimeZone::Madrid, date(2027, 1, 1)).await, []);
    assert_eq!(today(&store).await.step(Step::Lost), 1);
}

pub async fn a_lead_that_another_stands_for_is_not_counted(store: Arc<dyn Store>) {
    let (one, main) = (a_lead(&store).await, other_lead(&store).await);
    let p = send(&store, one, "x").await;
    let viewer = anyone(&store).await;
    assert!(store.unite(&viewer, one, main, t(5), audit_entry()).await.expect("united"));
    let sums = today(&store).await;
    assert_eq!((sums.leads(), sums.step(Step::Quoted)), (1, 1), "how far it came, the other came");
    assert_eq!(sums.issued(), (1, p.document.impuesto.total), "its quote was issued all the same");
    answer(&store, says(&p, true, t(50))).await;
    let sums = today(&store).await;
    assert_eq!((sums.step(Step::Accepted), sums.canales()[0].accepted, sums.accepted().0), (1, 1, 1));
    store.append_turno(turno(one, "hola", t(60))).await.expect("appended");
    store.append_turno(says_the_bot(main, t(70))).await.expect("appended");
    let sums = today(&store).await;
    assert_eq!(
        (sums.step(Step::Spoke), sums.step(Step::Contacted), sums.wait(Wait::Contact).count),
        (1, 1, 1)
    );
    assert!(store.separate(&viewer, one, audit_entry()).await.expect("separated"));
    let sums = today(&store).await;
    assert_eq!((sums.leads(), sums.step(Step::Quoted), sums.step(Step::Accepted)), (2, 1, 1));
}

pub async fn an_erased_lead_counts_no_longer(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let one = today(&store).await;
    let second = other_lead(&store).await;
    assert_ne!(today(&store).await, one);
    store.erase_lead(erasure(second, t(200))).await.expect("erased");
    store.project(vec![(second, Touch::anew())]).await.expect("projected");
    assert_eq!(today(&store).await, one);
    store.project(vec![(second, Touch::anew())]).await.expect("projected");
    assert_eq!(today(&store).await, one, "taken back once");
}

pub async fn companies_are_counted_apart(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let (other, _) = other_company(&store).await;
    for _ in 0..3 {
        create(&store, CreateLead { empresa: Some(other.id), ..new_lead("Bea") }).await;
    }
    assert_eq!(today(&store).await.leads(), 1);
    let theirs = store
        .sums(other.id, SpanishTimeZone::Madrid, Level::Month, date(2026, 11, 1), date(2026, 11, 1))
        .await;
    assert_eq!(theirs.expect("sums")[0].1.leads(), 3);
    let nobodys = store.sums(
        EmpresaId(Uuid::new_v4()),
        SpanishTimeZone::Madrid,
        Level::Month,
        date(2020, 1, 1),
        date(2030, 1, 1),
    );
    assert_eq!(nobodys.await.expect("sums"), []);
}

/// Projected again from what was written, in any order, the figures are the same. Unknown leads are not counted.
pub async fn everything_can_be_counted_anew(store: Arc<dyn Store>) {
    let mut random = Random::new(17);
    let mut leads = vec![a_lead(&store).await];
    for n in 0..30_u32 {
        let mut new = came(t(i64::from(n) * 3_000));
        new.perfil.canal_origen =
            CanalOrigen::parse(CanalOrigen::WORDS[n as usize % 5]).filter(|_| n % 3 > 0);
        new.utm = vec![("utm_campaign".into(), format!("c{}", random.until(90)))];
        let lead = create(&store, new).await;
        leads.push(lead);
        for step in 0..random.until(4) {
            let when = t(i64::from(n) * 3_000 + 10 * i64::try_from(step).expect("few"));
            match random.until(4) {
                0 => drop(store.append_turno(turno(lead, "hola", when)).await.expect("appended")),
                1 => drop(store.append_turno(says_the_bot(lead, when)).await.expect("appended")),
                2 => drop(store.record_intento(intento(lead, 1, when)).await.expect("recorded")),
                _ => drop(send(&store, lead, "x").await),
            }
            if random.until(2) == 0 {
                project(&store).await;
            }
        }
    }
    project(&store).await;
    let empresa = company(&store).await;
    let all = async |zone, level| {
        store.sums(empresa, zone, level, date(2026, 1, 1), date(2027, 12, 31)).await.expect("sums")
    };
    for (zone, level) in
        SpanishTimeZone::ALL.into_iter().flat_map(|zone| Level::ALL.map(|level| (zone, level)))
    {
        let kept = all(zone, level).await;
        let whole = kept.iter().fold(Sums::default(), |sum, (_, one)| sum.with(one));
        assert_eq!(whole.leads(), 31);
        assert_eq!(Etapa::all().map(|etapa| whole.etapa(etapa)).sum::<i64>(), 31, "the funnel has all leads");
        assert_eq!(whole.canales().iter().map(|share| share.leads).sum::<i64>(), 31);
        assert_eq!(whole.campaigns().iter().map(|share| share.leads).sum::<i64>(), 31);
        assert!(whole.campaigns().iter().all(|share| share.name != OTHERS));
    }
    let before = all(SpanishTimeZone::Madrid, Level::Day).await;
    store.clear_figures().await.expect("forgotten");
    assert_eq!(all(SpanishTimeZone::Madrid, Level::Day).await, []);
    leads.reverse();
    leads.push(nobody());
    for some in leads.chunks(7) {
        store.project(some.iter().map(|lead| (*lead, Touch::anew())).collect()).await.expect("projected");
    }
    assert_eq!(all(SpanishTimeZone::Madrid, Level::Day).await, before);
}

/// From the 15th of February to the 1st of April: March is whole, and no lead is left out or counted twice.
pub async fn a_summary_adds_up_months_and_days(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for (moment, how_many) in [
        ("2027-02-14T22:59:59Z", 1),
        ("2027-02-14T23:00:00Z", 2),
        ("2027-03-01T12:00:00Z", 3),
        ("2027-03-28T01:30:00Z", 4),
        ("2027-03-31T21:59:59Z", 5),
        ("2027-04-01T21:59:59Z", 6),
        ("2027-04-01T22:00:00Z", 7),
    ] {
        for _ in 0..how_many {
            create(&store, came(at(moment))).await;
        }
    }
    project(&store).await;
    let empresa = company(&store).await;
    let range = Range { from: date(2027, 2, 15), to: date(2027, 4, 1) };
    for (zone, leads, by_month, last_week) in
        [(SpanishTimeZone::Madrid, 20, [2, 12, 6], 11), (SpanishTimeZone::Canary, 25, [0, 12, 13], 18)]
    {
        let summary = store.summary(empresa, zone, range).await.expect("a summary");
        assert_eq!(
            summary.months.iter().map(|(_, sums)| sums.leads()).collect::<Vec<_>>(),
            by_month,
            "{zone}"
        );
        assert_eq!((summary.whole.leads(), summary.range, summary.zone), (leads, range, zone));
        let weeks = &summary.weeks;
        assert_eq!((weeks.len(), weeks[0].0.from, weeks[6].0.from), (7, range.from, date(2027, 3, 29)));
        assert_eq!(weeks[6].1.leads(), last_week, "{zone}");
        assert_eq!(weeks.iter().map(|(_, sums)| sums.leads()).sum::<i64>(), leads, "{zone}");
    }
    let long = Range { from: date(2026, 1, 1), to: date(2027, 12, 31) };
    let summary = store.summary(empresa, SpanishTimeZone::Madrid, long).await.expect("a summary");
    assert_eq!((summary.whole.leads(), summary.months.len(), summary.weeks.len()), (29, 24, MAX_WEEKS));
    let empty = Range { from: date(2030, 1, 1), to: date(2030, 1, 1) };
    let summary = store.summary(empresa, SpanishTimeZone::Canary, empty).await.expect("a summary");
    assert!(summary.whole.is_empty() && summary.months.len() == 1 && summary.weeks.len() == 1);
}

/// Several processes read the tail, and any of them may come first.
pub async fn of_many_who_project_a_lead_one_counts_it(store: Arc<dyn Store>) {
    let mut leads = vec![a_lead(&store).await];
    for _ in 0..19 {
        leads.push(other_lead(&store).await);
    }
    let mut racers = JoinSet::new();
    for n in 0..8 {
        let store = Arc::clone(&store);
        let mut leads = leads.clone();
        leads.rotate_left(n);
        racers.spawn(async move {
            for some in leads.chunks(3) {
                let touches = some.iter().map(|lead| (*lead, Touch::anew())).collect();
                store.project(touches).await.expect("projected");
            }
        });
    }
    racers.join_all().await;
    assert_eq!(today(&store).await.leads(), 20);
}
