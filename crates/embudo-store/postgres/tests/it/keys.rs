//! The keys that a PostgreSQL with several nodes needs (ADR 16), read from the catalogue, so that new tables are
//! checked too.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::Base;
use tokio_postgres::Client;

/// Tables that stay on one node: they belong to no lead, or their keys are the company's or the outbox's.
const ON_ONE_NODE: &[&str] = &[
    "agenda",
    "ajustes",
    "arriendo",
    "auditoria",
    "aviso_persona",
    "cifra",
    "clave_api",
    "conteo",
    "dispositivo",
    "empresa",
    "entrega",
    "idempotencia",
    "marca",
    "migracion",
    "pertenencia",
    "presupuesto",
    "presupuesto_entrega",
    "presupuesto_respuesta",
    "presupuesto_serie",
    "pausa",
    "proyeccion",
    "recuperacion",
    "secreto",
    "sesion",
    "slug_anterior",
    "tarifa",
    "totp",
    "totp_codigo",
    "trabajo",
    "usuario",
];

/// Tables that are distributed by lead.
const BY_LEAD: [&str; 31] = [
    "atencion",
    "blob_marca",
    "borrado",
    "borrador",
    "calificacion",
    "consentimiento",
    "estado_historia",
    "evento",
    "foto",
    "intento",
    "lead",
    "lead_actividad",
    "lead_busqueda",
    "lead_cifra",
    "lead_etapa",
    "lead_gestion",
    "lead_leido",
    "lead_obra",
    "lead_union",
    "lead_visto",
    "mensaje",
    "nota",
    "nota_interna",
    "pase_generacion",
    "presupuesto_bloqueado",
    "rendicion",
    "respuesta_bloqueada",
    "turno",
    "utm",
    "visita",
    "visita_persona",
];

async fn migrated() -> (Base, Client) {
    let base = Base::new().await;
    let client = base.client().await;
    (base, client)
}

/// The rows of a query with two columns of names.
async fn pairs(client: &Client, sql: &str) -> Vec<(String, String)> {
    let rows = client.query(sql, &[]).await.expect("read");
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

#[tokio::test]
async fn every_table_stays_on_one_node_or_is_spread_by_lead() {
    let (_base, client) = migrated().await;
    let sql = "SELECT table_name::text, column_name::text FROM information_schema.columns
               WHERE table_schema = current_schema()";
    let mut tables: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (table, column) in pairs(&client, sql).await {
        tables.entry(table).or_default().insert(column);
    }
    let named: BTreeSet<&str> = ON_ONE_NODE.iter().copied().chain(BY_LEAD).collect();
    assert_eq!(tables.keys().map(String::as_str).collect::<BTreeSet<_>>(), named);
    for table in BY_LEAD.into_iter().filter(|table| *table != "lead") {
        assert!(tables[table].contains("lead_id"), "{table} does not name its lead");
    }
}

#[tokio::test]
async fn the_lead_comes_first_in_every_key_of_what_belongs_to_it() {
    let (_base, client) = migrated().await;
    let sql = "SELECT t.relname::text, pg_get_indexdef(x.indexrelid, 1, true)
               FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid
               WHERE x.indisunique AND t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace";
    let keys = pairs(&client, sql).await;
    assert!(keys.len() > BY_LEAD.len());
    for (table, first) in keys.iter().filter(|(table, _)| BY_LEAD.contains(&table.as_str())) {
        let expected = if table == "lead" { "id" } else { "lead_id" };
        assert_eq!(first, expected, "{table}");
    }
}

#[tokio::test]
async fn nothing_points_at_a_lead_and_nothing_runs_in_the_database() {
    let (_base, client) = migrated().await;
    let sql = "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
               WHERE contype = 'f' AND connamespace = current_schema()::regnamespace";
    for (from, to) in pairs(&client, sql).await {
        assert!(to == "empresa" || to == "usuario", "{from} points at {to}");
        assert!(from == "lead" || ON_ONE_NODE.contains(&from.as_str()), "{from} points at {to}");
    }
    // Functions of an extension do not count.
    let sql =
        "SELECT proname::text, prosrc FROM pg_proc p WHERE pronamespace = current_schema()::regnamespace
               AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')";
    assert_eq!(pairs(&client, sql).await, []);
    let sql = "SELECT tgname::text, tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal";
    assert_eq!(pairs(&client, sql).await, []);
}
