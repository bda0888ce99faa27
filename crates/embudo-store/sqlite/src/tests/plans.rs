//! Every query that grows with the data walks an index.

use embudo_domain::{EmpresaId, LeadId};
use embudo_store::conformance::datos::t;
use embudo_store::query::{Cursor, FiltroLeads};
use rusqlite::Connection;
use uuid::Uuid;

use super::Mesa;
use crate::query::leads::page;

fn plan(c: &Connection, sql: &str) -> String {
    let mut statement = c.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("it parses");
    // Explaining needs no values for the parameters.
    let steps = statement.raw_query().mapped(|row| row.get::<_, String>(3));
    steps.map(|s| s.expect("text")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn lists_use_the_index_that_fits() {
    let mesa = Mesa::nueva().await;
    let cursor = Some(Cursor { creado_en: t(0), id: LeadId(Uuid::nil()) });
    let empresa = || Some(EmpresaId(Uuid::nil()));
    let todo = FiltroLeads::default;
    let cases = [
        (
            FiltroLeads { empresa: empresa(), ..todo() },
            None,
            "USING INDEX lead_empresa_creado (empresa_id=?)",
            true,
        ),
        (
            FiltroLeads { empresa: empresa(), ..todo() },
            cursor,
            "USING INDEX lead_empresa_creado (empresa_id=? AND (creado_en,id)<(?,?))",
            true,
        ),
        (
            FiltroLeads { empresa: empresa(), texto: Some("ana".into()), viable: Some(true), ..todo() },
            cursor,
            "USING INDEX lead_empresa_creado",
            true,
        ),
        (todo(), None, "USING INDEX lead_creado", true),
        (todo(), cursor, "USING INDEX lead_creado ((creado_en,id)<(?,?))", true),
        (
            FiltroLeads { desde: Some(t(0)), hasta: Some(t(1)), ..todo() },
            None,
            "USING INDEX lead_creado (creado_en>? AND creado_en<?)",
            true,
        ),
        (
            FiltroLeads { telefono_e164: Some("+34".into()), ..todo() },
            None,
            "USING INDEX lead_telefono",
            false,
        ),
        (
            FiltroLeads { empresa: empresa(), telefono_e164: Some("+34".into()), ..todo() },
            cursor,
            "USING INDEX lead_telefono (telefono_e164=? AND empresa_id=?)",
            false,
        ),
        (FiltroLeads { email_normal: Some("a@b".into()), ..todo() }, cursor, "USING INDEX lead_email", false),
    ];
    let check = mesa.on_writer(move |c| {
        for (filtro, cursor, index, in_order) in cases {
            let (sql, _) = page(filtro, cursor, 50);
            let plan = plan(c, &sql);
            assert!(plan.contains(index), "{sql}\n{plan}");
            assert_eq!(!plan.contains("TEMP B-TREE"), in_order, "{plan}");
        }
        Ok(())
    });
    check.await.expect("every plan is right");
}

#[tokio::test]
async fn what_belongs_to_a_lead_is_found_by_its_index_in_order() {
    let mesa = Mesa::nueva().await;
    let cases = [
        (include_str!("../../sql/turno/list.sql"), "USING INDEX turno_lead"),
        (include_str!("../../sql/nota/list.sql"), "USING INDEX nota_lead"),
        (include_str!("../../sql/intento/list.sql"), "USING INDEX intento_lead"),
        (include_str!("../../sql/evento/list.sql"), "USING INDEX evento_lead"),
        (include_str!("../../sql/consentimiento/list.sql"), "USING INDEX consentimiento_lead"),
        (include_str!("../../sql/estado_historia/list.sql"), "USING INDEX estado_historia_lead"),
        (include_str!("../../sql/foto/list.sql"), "USING INDEX foto_lead"),
        (include_str!("../../sql/foto/max_orden.sql"), "USING COVERING INDEX foto_lead"),
        (include_str!("../../sql/utm/list.sql"), "USING PRIMARY KEY"),
        (include_str!("../../sql/calificacion/get.sql"), "USING PRIMARY KEY"),
        (include_str!("../../sql/idempotencia/get.sql"), "USING PRIMARY KEY"),
        (include_str!("../../sql/idempotencia/purge.sql"), "idempotencia_expira"),
        (include_str!("../../sql/turno/append.sql"), "sqlite_autoindex_lead_1"),
    ];
    let check = mesa.on_writer(move |c| {
        for (sql, index) in cases {
            let plan = plan(c, sql);
            assert!(plan.contains(index) && !plan.contains("SCAN"), "{sql}\n{plan}");
            assert!(!plan.contains("ORDER BY"), "{sql}\n{plan}");
        }
        let plan = plan(c, include_str!("../../sql/lead/duplicates.sql"));
        assert!(plan.contains("lead_telefono") && plan.contains("lead_email"), "{plan}");
        Ok(())
    });
    check.await.expect("every plan is right");
}
