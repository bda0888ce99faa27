//! Every query whose work grows with the data uses an index.

use embudo_domain::etapa::Etapa;
use embudo_domain::figures::Level;
use embudo_domain::job::{JobKind, JobStanding, JobState};
use embudo_domain::timeline::{MomentKind, TimelineCursor};
use embudo_domain::visita::SpanishTimeZone;
use embudo_domain::{
    AuditId, Digest, EmpresaId, JobId, LeadId, PresupuestoId, ProcessId, ReplyId, UserId, VisitaId,
};
use embudo_store::audit::{AuditCursor, AuditFilter};
use embudo_store::counts::CountKey;
use embudo_store::inbox::{InboxFilter, InboxSort, Place};
use embudo_store::leads::{Cursor, LeadFilter};
use embudo_store::outbox_admin::{JobFilter, OutboxFilter};
use embudo_store::projected_lead::Part;
use embudo_store::queries::inbox::{Page, Way};
use embudo_store::queries::search::Trigrams;
use embudo_store::queries::{
    Query, access, blob, count, desk, empresa, etapa, figures, inbox, job, lead, projection, quote,
    reminders, reply, search, timeline, visit,
};
use embudo_store::read::Stretch;
use embudo_store_conformance::data::t;
use jiff::civil::date;
use rusqlite::Connection;
use uuid::Uuid;

use super::Desk;

fn text<T>(query: &Query<T>) -> String {
    query.text().to_owned()
}

fn plan(c: &Connection, sql: &str) -> String {
    let mut statement = c.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("it parses");
    // EXPLAIN needs no values for the parameters.
    let steps = statement.raw_query().mapped(|row| row.get::<_, String>(3));
    steps.map(|s| s.expect("text")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn lists_use_the_index_that_fits() {
    let desk = Desk::new().await;
    let cursor = Some(Cursor { creado_en: t(0), id: LeadId(Uuid::nil()) });
    let empresa = || Some(EmpresaId(Uuid::nil()));
    let all = LeadFilter::default;
    let cases = [
        (
            LeadFilter { empresa: empresa(), ..all() },
            None,
            "USING INDEX lead_empresa_creado (empresa_id=?)",
            true,
        ),
        (
            LeadFilter { empresa: empresa(), ..all() },
            cursor,
            "USING INDEX lead_empresa_creado (empresa_id=? AND (creado_en,id)<(?,?))",
            true,
        ),
        (
            LeadFilter { empresa: empresa(), text: Some("ana".into()), viable: Some(true), ..all() },
            cursor,
            "USING INDEX lead_empresa_creado",
            true,
        ),
        (all(), None, "USING INDEX lead_creado", true),
        (all(), cursor, "USING INDEX lead_creado ((creado_en,id)<(?,?))", true),
        (
            LeadFilter { since: Some(t(0)), until: Some(t(1)), ..all() },
            None,
            "USING INDEX lead_creado (creado_en>? AND creado_en<?)",
            true,
        ),
        (LeadFilter { telefono_e164: Some("+34".into()), ..all() }, None, "USING INDEX lead_telefono", false),
        (
            LeadFilter { empresa: empresa(), telefono_e164: Some("+34".into()), ..all() },
            cursor,
            "USING INDEX lead_telefono (telefono_e164=? AND empresa_id=?)",
            false,
        ),
        (LeadFilter { email_normal: Some("a@b".into()), ..all() }, cursor, "USING INDEX lead_email", false),
    ];
    let check = desk.on_writer(move |c| {
        for (filter, cursor, index, in_order) in cases {
            let sql = text(&lead::list(&filter, cursor, 50, lead::Way::WHOLE));
            let plan = plan(c, &sql);
            assert!(plan.contains(index), "{sql}\n{plan}");
            assert_eq!(!plan.contains("TEMP B-TREE"), in_order, "{plan}");
        }
        Ok(())
    });
    check.await.expect("every plan is right");
}

/// A list reads its newest leads in order and finds the others by an index; this checks the second way.
#[tokio::test]
async fn leads_with_a_rare_text_are_found_by_an_index() {
    let desk = Desk::new().await;
    let filter = LeadFilter {
        empresa: Some(EmpresaId(Uuid::nil())),
        text: Some("ana gil".into()),
        viable: Some(true),
        since: Some(t(0)),
        ..LeadFilter::default()
    };
    let cursor = Some(Cursor { creado_en: t(0), id: LeadId(Uuid::nil()) });
    let check = desk.on_writer(move |c| {
        let found = plan(c, &text(&lead::list(&filter, cursor, 50, lead::Way::Index(Trigrams::Fts5))));
        assert!(found.contains("SCAN f VIRTUAL TABLE INDEX"), "{found}");
        assert!(found.contains("SEARCH lead USING INDEX sqlite_autoindex_lead_1 (id=?)"), "{found}");
        let further = plan(c, &text(&lead::further(&filter, cursor, 2_000)));
        assert!(further.contains("USING COVERING INDEX lead_empresa_creado"), "{further}");
        Ok(())
    });
    check.await.expect("every plan is right");
}

#[tokio::test]
async fn what_both_engines_read_alike_is_found_by_its_index_in_order() {
    let desk = Desk::new().await;
    let (nobody, none) = (LeadId(Uuid::nil()), EmpresaId(Uuid::nil()));
    let stretch = Stretch { since: t(0), until: t(1), reminded_before: t(0) };
    let cases = [
        (text(&lead::turnos(nobody)), "USING INDEX turno_lead"),
        (text(&lead::notas(nobody)), "USING INDEX nota_lead"),
        (text(&reply::get(ReplyId(Uuid::nil()))), "USING INDEX mensaje_id"),
        (text(&reply::expired(t(0), 9)), "USING INDEX mensaje_caduca"),
        (text(&lead::intentos(nobody)), "USING INDEX intento_lead"),
        (text(&lead::consentimientos(nobody)), "USING INDEX consentimiento_lead"),
        (text(&lead::state_history(nobody)), "USING INDEX estado_historia_lead"),
        (text(&lead::fotos(nobody)), "USING INDEX foto_lead"),
        (text(&quote::get(PresupuestoId(Uuid::nil()))), "sqlite_autoindex_presupuesto_1"),
        (text(&quote::last(nobody)), "sqlite_autoindex_presupuesto_3 (lead_id=?)"),
        (text(&quote::list(nobody)), "sqlite_autoindex_presupuesto_3 (lead_id=?)"),
        (text(&quote::summaries(nobody)), "sqlite_autoindex_presupuesto_3 (lead_id=?)"),
        (text(&quote::amounts(&[none], &[nobody; 50])), "sqlite_autoindex_presupuesto_3 (lead_id=?)"),
        (text(&empresa::tarifa(none, "1")), "sqlite_autoindex_tarifa_1"),
        (text(&empresa::tarifas(none)), "USING INDEX tarifa_desde (empresa_id=?)"),
        (text(&empresa::tarifa_versions(none)), "USING INDEX tarifa_desde (empresa_id=?)"),
        (
            text(&empresa::tarifa_in_force(none, date(2026, 1, 1))),
            "USING INDEX tarifa_desde (empresa_id=? AND desde<?)",
        ),
        (text(&quote::renditions(nobody)), "USING PRIMARY KEY (lead_id=?)"),
        (text(&blob::in_use(nobody, Digest([0; 32]))), "sqlite_autoindex_presupuesto_3 (lead_id=?)"),
        (text(&lead::utm(&[nobody])), "USING PRIMARY KEY"),
        (text(&lead::calificacion(nobody)), "USING PRIMARY KEY"),
        (text(&job::get(JobId(Uuid::nil()))), "USING INDEX entrega_trabajo"),
        (text(&blob::marks(nobody)), "sqlite_autoindex_blob_marca_1"),
        (text(&blob::marked()), "blob_marca_creado (barrido=?)"),
        (text(&lead::get(nobody)), "sqlite_autoindex_lead_1"),
        (
            text(&reminders::unanswered(none, stretch, date(2026, 1, 1), None, 1)),
            "USING INDEX presupuesto_emitido (empresa_id=? AND estado=? AND emitido_en>? AND emitido_en<?)",
        ),
        (
            text(&reminders::quiet(none, stretch, None, 1)),
            "USING INDEX lead_empresa_creado (empresa_id=? AND creado_en>? AND creado_en<?)",
        ),
        (text(&reminders::done("a", "b", t(0))), "USING PRIMARY KEY (ambito=? AND clave=?)"),
        (text(&lead::contact(nobody)), "sqlite_autoindex_lead_1"),
        (text(&lead::watched_loop(nobody)), "sqlite_autoindex_lead_1"),
        (text(&blob::mark(nobody, Digest([0; 32]))), "sqlite_autoindex_blob_marca_1"),
        (text(&quote::lead(PresupuestoId(Uuid::nil()))), "sqlite_autoindex_presupuesto_1"),
        (text(&job::lead_of_held(JobId(Uuid::nil()), ProcessId(Uuid::nil()))), "sqlite_autoindex_trabajo_1"),
        (
            text(&job::newer(nobody, JobKind::Perfil, JobId(Uuid::nil()), "rowid")),
            "trabajo_lead (lead_id=? AND tipo=? AND rowid>?)",
        ),
        (text(&desk::assign(&[nobody], None)), "sqlite_autoindex_lead_1"),
        (text(&desk::set_etapa(&[nobody], Etapa::Perdido, t(0))), "lead_etapa USING PRIMARY KEY"),
    ];
    let check = desk.on_writer(move |c| {
        for (sql, index) in cases {
            let plan = plan(c, &sql).replace("SCAN CONSTANT ROW", "");
            assert!(plan.contains(index) && !plan.contains("SCAN"), "{sql}\n{plan}");
            assert!(!plan.contains("ORDER BY"), "{sql}\n{plan}");
        }
        let plan = plan(c, lead::duplicates(nobody).text());
        assert!(plan.contains("lead_telefono") && plan.contains("lead_email"), "{plan}");
        assert!(plan.contains("(id>? AND id<?)") && !plan.contains("SCAN lead"), "{plan}");
        Ok(())
    });
    check.await.expect("every plan is right");
}

#[tokio::test]
async fn statements_of_commands_find_their_rows_by_an_index() {
    let desk = Desk::new().await;
    let cases = [
        (include_str!("../../sql/foto/max_orden.sql"), "USING COVERING INDEX foto_lead"),
        (
            include_str!("../../../sql/presupuesto/supersede.sql"),
            "sqlite_autoindex_presupuesto_3 (lead_id=?)",
        ),
        (include_str!("../../sql/idempotencia/get.sql"), "USING PRIMARY KEY"),
        (include_str!("../../sql/idempotencia/purge.sql"), "idempotencia_expira"),
        (include_str!("../../sql/turno/append.sql"), "lead_etapa USING PRIMARY KEY"),
        (include_str!("../../sql/turno/first.sql"), "lead_etapa USING PRIMARY KEY"),
        (
            include_str!("../../sql/trabajo/supersede.sql"),
            "USING INDEX trabajo_espera (lead_id=? AND tipo=?)",
        ),
        (include_str!("../../sql/trabajo/answer.sql"), "USING INDEX trabajo_espera (lead_id=? AND tipo=?)"),
        (include_str!("../../sql/entrega/first_of_run.sql"), "USING INDEX entrega_trabajo"),
        (include_str!("../../sql/trabajo/newer.sql"), "trabajo_lead (lead_id=? AND tipo=? AND rowid>?)"),
        (include_str!("../../sql/trabajo/renew.sql"), "sqlite_autoindex_trabajo_1"),
        (include_str!("../../sql/trabajo/held.sql"), "sqlite_autoindex_trabajo_1"),
        (include_str!("../../sql/trabajo/begin_send.sql"), "sqlite_autoindex_trabajo_1"),
        (include_str!("../../sql/trabajo/finish.sql"), "sqlite_autoindex_trabajo_1"),
        (include_str!("../../sql/trabajo/release.sql"), "USING INDEX trabajo_arrendado"),
        (include_str!("../../sql/trabajo/hold_own.sql"), "sqlite_autoindex_trabajo_1"),
        (include_str!("../../../sql/trabajo/take_as_sent.sql"), "sqlite_autoindex_trabajo_1"),
        (include_str!("../../../sql/trabajo/let_go.sql"), "trabajo_libre (tipo=? AND proximo_en>?)"),
        (include_str!("../../sql/trabajo/next_free.sql"), "trabajo_libre (tipo=?)"),
        (include_str!("../../sql/trabajo/next_lapse.sql"), "trabajo_arrendado (arrendado_hasta>?)"),
        (include_str!("../../sql/trabajo/next_lapsed.sql"), "trabajo_arrendado (arrendado_hasta<?)"),
        (include_str!("../../sql/trabajo/purge.sql"), "trabajo_creado (creado_en<?)"),
        (include_str!("../../sql/bucle/overdue.sql"), "USING INDEX lead_bucle (bucle_limite<?)"),
        (include_str!("../../sql/entrega/delete.sql"), "entrega_trabajo"),
        (include_str!("../../../sql/bucle/put.sql"), "sqlite_autoindex_lead_1"),
        (include_str!("../../sql/bucle/since.sql"), "evento_finalizar (lead_id=? AND creado_en>?)"),
        (include_str!("../../../sql/idempotencia/complete.sql"), "USING PRIMARY KEY"),
        (include_str!("../../../sql/blob_marca/mark.sql"), "sqlite_autoindex_blob_marca_1"),
        (include_str!("../../sql/blob_marca/purge.sql"), "blob_marca_creado (barrido=? AND creado_en<?)"),
    ];
    let check = desk.on_writer(move |c| {
        for (sql, index) in cases {
            let plan = plan(c, sql).replace("SCAN CONSTANT ROW", "");
            assert!(plan.contains(index) && !plan.contains("SCAN"), "{sql}\n{plan}");
            assert!(!plan.contains("ORDER BY"), "{sql}\n{plan}");
        }
        Ok(())
    });
    check.await.expect("every plan is right");
}

#[tokio::test]
async fn events_are_found_by_the_lead_in_both_tables() {
    let desk = Desk::new().await;
    let check = desk.on_writer(|c| {
        let plan = plan(c, lead::events(LeadId(Uuid::nil()), None, 50).text());
        assert!(plan.contains("USING INDEX evento_lead (lead_id=?)"), "{plan}");
        assert!(plan.contains("USING INDEX estado_historia_lead (lead_id=?)"), "{plan}");
        Ok(())
    });
    check.await.expect("the plan is right");
}

#[tokio::test]
async fn visits_are_found_by_an_index() {
    let desk = Desk::new().await;
    let (user, empresa) = (UserId(Uuid::nil()), EmpresaId(Uuid::nil()));
    let cases = [
        (text(&visit::get(VisitaId(Uuid::nil()))), "visita_id (id=?)"),
        (text(&visit::of_lead(LeadId(Uuid::nil()), VisitaId(Uuid::nil()))), "(lead_id=? AND id=?)"),
        (text(&visit::all_of_lead(LeadId(Uuid::nil()), 9)), "(lead_id=?)"),
        (
            text(&visit::calendar(empresa, t(0), t(9), 9)),
            "visita_calendario (empresa_id=? AND inicio>? AND inicio<?)",
        ),
        (
            text(&visit::upcoming(empresa, t(0), t(9), 9)),
            "visita_calendario (empresa_id=? AND inicio>? AND inicio<?)",
        ),
        (text(&visit::proposed(empresa, 9)), "visita_estado (empresa_id=? AND estado=?)"),
        (text(&visit::of_person(user, t(0), 9)), "visita_persona_usuario (usuario_id=? AND fin>?)"),
        (text(&visit::busy(&[user], t(0), t(9))), "visita_persona_usuario (usuario_id=? AND fin>?)"),
        (text(&visit::passed(t(0), 9)), "visita_vigente (vigente_hasta<?)"),
        (
            text(&visit::works(empresa, date(2026, 1, 1), date(2026, 2, 1), 9)),
            "lead_gestion_obra (empresa_id=? AND obra_inicio>? AND obra_inicio<?)",
        ),
        (
            text(&desk::archived_by(&[empresa], user, t(0))),
            "lead_gestion_archivado (archivado_por=? AND archivado_en=?)",
        ),
        (text(&visit::feed(Digest([0; 32]))), "agenda_calendario (calendario=?)"),
    ];
    let check = desk.on_writer(move |c| {
        for (sql, index) in cases {
            let plan = plan(c, &sql);
            assert!(plan.contains(index) && !plan.contains("SCAN"), "{sql}\n{plan}");
        }
        Ok(())
    });
    check.await.expect("every plan is right");
}

#[tokio::test]
async fn figures_are_found_by_an_index() {
    let desk = Desk::new().await;
    let (lead, empresa, day) = (LeadId(Uuid::nil()), EmpresaId(Uuid::nil()), date(2027, 3, 28));
    let cases = [
        (
            text(&figures::sums(empresa, SpanishTimeZone::Madrid, Level::Day, day, day)),
            "(empresa_id=? AND zona=? AND nivel=? AND dia>? AND dia<?)",
        ),
        (text(&figures::counted(&[lead])), "USING PRIMARY KEY (lead_id=?)"),
        (text(&figures::quotes(&[lead])), "sqlite_autoindex_presupuesto_3 (lead_id=?)"),
        (text(&figures::facts(&[lead])), "turno_lead (lead_id=?)"),
        (
            include_str!("../../sql/cifra/get.sql").to_owned(),
            "(empresa_id=? AND zona=? AND nivel=? AND dia=?)",
        ),
    ];
    let check = desk.on_writer(move |c| {
        for (sql, index) in cases {
            // The time of the client's first message is a single row.
            let plan = plan(c, &sql).replace("SCAN p\n", "");
            assert!(plan.contains(index) && !plan.contains("SCAN"), "{sql}\n{plan}");
            assert!(!plan.contains("ORDER BY"), "{sql}\n{plan}");
        }
        Ok(())
    });
    check.await.expect("every plan is right");
}

#[tokio::test]
async fn people_and_what_they_did_are_found_by_an_index() {
    let desk = Desk::new().await;
    let (user, digest) = (UserId(Uuid::nil()), Digest([0; 32]));
    let after = Some(AuditCursor { at: t(0), id: AuditId(Uuid::nil()) });
    let of_user = AuditFilter { user: Some(user), empresa: None };
    let of_empresa = AuditFilter { user: None, empresa: Some(EmpresaId(Uuid::nil())) };
    let cases = [
        (text(&access::user(user)), "sqlite_autoindex_usuario_1"),
        (text(&access::user_by_email("a@b")), "sqlite_autoindex_usuario_2"),
        (text(&access::memberships_of(user)), "USING PRIMARY KEY"),
        (text(&access::credentials(user)), "sqlite_autoindex_usuario_1"),
        (text(&access::reset_user(digest, t(0))), "USING PRIMARY KEY"),
        (text(&access::session(digest)), "sqlite_autoindex_sesion_2"),
        (
            text(&count::since(CountKey { kind: "entrar_red", subject: Uuid::nil(), window: 1 })),
            "USING PRIMARY KEY (tipo=? AND sujeto=? AND ventana>?)",
        ),
        (text(&access::sessions_of(user)), "sesion_usuario (usuario_id=?)"),
        (text(&access::audit_log(&AuditFilter::default(), None, 50)), "USING INDEX auditoria_en"),
        (text(&access::audit_log(&AuditFilter::default(), after, 50)), "auditoria_en ((en,id)<(?,?))"),
        (text(&access::audit_log(&of_user, after, 50)), "auditoria_usuario (usuario_id=? AND (en,id)<(?,?))"),
        (text(&access::audit_log(&of_empresa, None, 50)), "auditoria_empresa (empresa_id=?)"),
        (include_str!("../../../sql/conteo/purge.sql").to_owned(), "conteo_expira (expira_en<?)"),
        (include_str!("../../../sql/sesion/purge.sql").to_owned(), "sesion_expira (expira_en<?)"),
        (include_str!("../../../sql/recuperacion/purge.sql").to_owned(), "recuperacion_expira (expira_en<?)"),
        (include_str!("../../../sql/sesion/delete_all.sql").to_owned(), "sesion_usuario (usuario_id=?)"),
    ];
    let check = desk.on_writer(move |c| {
        for (sql, index) in cases {
            let plan = plan(c, &sql);
            assert!(plan.contains(index), "{sql}\n{plan}");
        }
        Ok(())
    });
    check.await.expect("every plan is right");
}

#[tokio::test]
async fn a_claim_seeks_what_is_due_and_what_ran_out() {
    let desk = Desk::new().await;
    let cases = [
        (include_str!("../../sql/trabajo/claim.sql"), "trabajo_libre (tipo=? AND proximo_en<?)"),
        (include_str!("../../sql/trabajo/claim_first.sql"), "trabajo_primero (tipo=? AND proximo_en<?)"),
    ];
    let check = desk.on_writer(move |c| {
        for (sql, index) in cases {
            let plan = plan(c, sql);
            assert!(plan.contains(index), "{plan}");
            assert!(plan.contains("trabajo_arrendado (arrendado_hasta<?)"), "{plan}");
            assert!(!plan.contains("SCAN trabajo"), "{plan}");
            // Only the two short lists are merged in memory; neither is the result of sorting all waiting leads.
            assert_eq!(plan.matches("TEMP B-TREE").count(), 1, "{plan}");
        }
        Ok(())
    });
    check.await.expect("every plan is right");
}

#[tokio::test]
async fn lists_of_jobs_use_the_index_that_fits() {
    let desk = Desk::new().await;
    let after = Some((t(0), JobId(Uuid::nil())));
    let all = JobFilter::default;
    let dead = || JobFilter { state: Some(JobState::Dead), ..all() };
    let own = JobFilter { lead: Some(desk.lead), ..dead() };
    let cases = [
        (all(), None, "USING INDEX trabajo_creado", true),
        (all(), after, "USING INDEX trabajo_creado ((creado_en,id)<(?,?))", true),
        (JobFilter { state: Some(JobState::Done), ..all() }, None, "trabajo_creado", true),
        (dead(), None, "USING INDEX trabajo_parado (estado=?)", true),
        (dead(), after, "trabajo_parado (estado=? AND (creado_en,id)<(?,?))", true),
        (own, after, "USING INDEX trabajo_lead (lead_id=?)", false),
    ];
    let check = desk.on_writer(move |c| {
        for (filter, after, index, in_order) in cases {
            let sql = text(&job::list(&filter, after, 50));
            let plan = plan(c, &sql);
            assert!(plan.contains(index), "{sql}\n{plan}");
            assert_eq!(!plan.contains("TEMP B-TREE"), in_order, "{plan}");
        }
        Ok(())
    });
    check.await.expect("every plan is right");
}

#[tokio::test]
async fn the_inbox_is_read_in_its_order() {
    let desk = Desk::new().await;
    let (empresa, who, lead) = (EmpresaId(Uuid::nil()), UserId(Uuid::nil()), LeadId(Uuid::nil()));
    let place = |part| Some(Place { part, rank: 0, at: t(0), lead });
    let by_action = InboxSort::NextAction(t(0));
    let all = InboxFilter::default();
    let in_etapa = InboxFilter { etapa: Some(Etapa::Perdido), ..all.clone() };
    // The order, the part, the position and direction, and the index with its search terms.
    let cases = [
        (by_action, Part::Due, None, false, "lead_actividad_vence (empresa_id=? AND rango>?)"),
        (
            by_action,
            Part::Due,
            place(Part::Due),
            false,
            "lead_actividad_vence (empresa_id=? AND (rango,vence_en,lead_id)>(?,?,?))",
        ),
        (
            by_action,
            Part::Due,
            place(Part::Due),
            true,
            "lead_actividad_vence (empresa_id=? AND (rango,vence_en,lead_id)<(?,?,?))",
        ),
        (
            by_action,
            Part::Later,
            None,
            false,
            "lead_actividad_orden (empresa_id=? AND parte=? AND orden_en>?)",
        ),
        (
            by_action,
            Part::Waiting,
            place(Part::Waiting),
            false,
            "lead_actividad_orden (empresa_id=? AND parte=? AND (orden_en,lead_id)<(?,?))",
        ),
        (by_action, Part::Nothing, None, true, "lead_actividad_orden (empresa_id=? AND parte=?)"),
        (
            InboxSort::Activity,
            Part::Nothing,
            place(Part::Nothing),
            false,
            "lead_actividad_reciente (empresa_id=? AND (actividad_en,lead_id)<(?,?))",
        ),
        (InboxSort::Created, Part::Nothing, None, false, "lead_empresa_creado (empresa_id=?)"),
    ];
    let check = desk.on_writer(move |c| {
        for (sort, part, beyond, backward, index) in cases {
            let (until, limit, way) = (None, 50, Way::Order);
            let page = Page { empresa, who, filter: &all, sort, part, backward, beyond, until, limit, way };
            let mut pages = vec![(page, index.to_owned())];
            if sort == by_action {
                let index = index.replace("_vence (", "_etapa_vence (").replace("_orden (", "_etapa_orden (");
                let index = index.replace("empresa_id=?", "empresa_id=? AND etapa=?");
                pages.push((Page { filter: &in_etapa, ..page }, index));
            }
            for (page, index) in pages {
                for sql in [text(&inbox::list(&page)), text(&inbox::further(&page, 100))] {
                    let plan = plan(c, &sql);
                    assert!(plan.contains(&index) && !plan.contains("SCAN"), "{index}\n{sql}\n{plan}");
                    assert!(!plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
                }
            }
        }
        for (sql, index) in [
            (text(&inbox::count(empresa, who, &all, Etapa::Nuevo, 100)), "lead_etapa_tablero"),
            (text(&inbox::has_etapa(empresa, Etapa::Nuevo, 100)), "lead_etapa_tablero"),
            (text(&inbox::has_assigned(empresa, who, 100)), "lead_gestion_asignado"),
            (text(&etapa::standing(lead)), "sqlite_autoindex_presupuesto_3 (lead_id=?)"),
            (text(&projection::facts(&[lead])), "turno_lead (lead_id=?)"),
            (text(&search::newest(empresa, None, 100)), "lead_busqueda_creado (empresa_id=?)"),
        ] {
            let plan = plan(c, &sql).replace("SCAN CONSTANT ROW", "").replace("SCAN counted", "");
            assert!(plan.contains(index) && !plan.contains("SCAN"), "{sql}\n{plan}");
        }
        Ok(())
    });
    check.await.expect("every plan is right");
}

#[tokio::test]
async fn a_companys_outbox_uses_the_index_that_fits() {
    let desk = Desk::new().await;
    let after = Some((t(0), JobId(Uuid::nil())));
    let filter = |standing| OutboxFilter { empresa: EmpresaId(Uuid::nil()), standing, kind: None };
    let cases = [
        (filter(None), "trabajo_empresa (empresa_id=? AND (creado_en,id)<(?,?))", true),
        (filter(Some(JobStanding::Done)), "trabajo_empresa (empresa_id=? AND (creado_en,id)<(?,?))", true),
        (
            filter(Some(JobStanding::Dead)),
            "trabajo_parado_empresa (empresa_id=? AND estado=? AND (creado_en,id)<(?,?))",
            true,
        ),
        (filter(Some(JobStanding::Waiting)), "USING INDEX trabajo_espera", false),
    ];
    let check = desk.on_writer(move |c| {
        for (filter, index, in_order) in cases {
            let sql = text(&job::list_outbox(&filter, t(0), after, 50));
            let plan = plan(c, &sql);
            assert!(plan.contains(index), "{sql}\n{plan}");
            assert_eq!(!plan.contains("TEMP B-TREE"), in_order, "{plan}");
        }
        let stopped = plan(c, job::count_stopped(EmpresaId(Uuid::nil())).text());
        assert!(
            stopped.contains("COVERING INDEX trabajo_parado_empresa")
                || stopped.contains("INDEX trabajo_parado_empresa"),
            "{stopped}"
        );
        Ok(())
    });
    check.await.expect("every plan is right");
}

#[tokio::test]
async fn a_line_of_time_reads_what_belongs_to_its_lead() {
    let desk = Desk::new().await;
    let lead = desk.lead;
    let before = TimelineCursor { at: t(0), kind: MomentKind::Intento, lead, skip: 1 };
    let check = desk.on_writer(move |c| {
        for kind in MomentKind::all() {
            for before in [None, Some(before)] {
                let sql = text(&timeline::page(lead, kind, before, 50));
                let plan = plan(c, &sql).replace("SCAN grupo", "").replace("SCAN (subquery-1)", "");
                assert!(plan.contains("lead_id=?") && !plan.contains("SCAN"), "{sql}\n{plan}");
            }
        }
        let plan = plan(c, lead::last_written(lead).text());
        assert!(plan.contains("turno_lead") && !plan.contains("TEMP B-TREE"), "{plan}");
        let plan = self::plan(c, timeline::deliveries(&[JobId(Uuid::nil())]).text());
        assert!(plan.contains("entrega_trabajo"), "{plan}");
        Ok(())
    });
    check.await.expect("every plan is right");
}
