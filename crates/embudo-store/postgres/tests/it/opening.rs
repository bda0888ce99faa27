//! Migrations, and the plans of the statements.

use crate::common::Base;
use embudo_domain::columns::CellType;
use embudo_domain::etapa::Etapa;
use embudo_domain::figures::Level;
use embudo_domain::job::{JobKind, JobStanding, JobState};
use embudo_domain::timeline::MomentKind;
use embudo_domain::visita::SpanishTimeZone;
use embudo_domain::{
    AuditId, Digest, EmpresaId, FotoId, JobId, LeadId, NotaId, PresupuestoId, ReplyId, Timestamp, UserId,
    VisitaId,
};
use embudo_store::StoreError;
use embudo_store::audit::{AuditCursor, AuditFilter};
use embudo_store::columns::fill;
use embudo_store::counts::CountKey;
use embudo_store::inbox::{InboxFilter, InboxSort, Place};
use embudo_store::leads::{Cursor, EventCursor, LeadFilter};
use embudo_store::outbox_admin::{JobFilter, OutboxFilter};
use embudo_store::projected_lead::Part;
use embudo_store::queries::inbox::{Page, Way};
use embudo_store::queries::{self, Query, Value};
use embudo_store_postgres::{Options, PgStore};
use jiff::civil::date;
use tokio::task::JoinSet;
use tokio_postgres::SimpleQueryMessage;
use uuid::Uuid;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_processes_migrate_at_once() {
    let base = Base::empty().await;
    let mut tasks = JoinSet::new();
    for _ in 0..8 {
        let url = base.url.clone();
        tasks.spawn(async move { PgStore::connect(&url, Options { pool: 1, writers: 1 }).await.map(drop) });
    }
    while let Some(end) = tasks.join_next().await {
        end.expect("no panic").expect("connected");
    }
    let sql = "SELECT numero, nombre FROM migracion ORDER BY numero";
    let rows = base.client().await.query(sql, &[]).await.expect("read");
    let done: Vec<(i32, &str)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations")).expect("a folder");
    let mut files: Vec<String> =
        folder.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    files.sort();
    let names = done.iter().map(|(number, name)| format!("{number:04}_{name}.sql"));
    assert_eq!(names.collect::<Vec<_>>(), files, "every file, in order");
    let numbers: Vec<i32> = done.iter().map(|(number, _)| *number).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b) && numbers.last() == Some(&last(&base).await), "{numbers:?}");
}

/// The version that this program knows.
async fn last(base: &Base) -> i32 {
    PgStore::schema_version(&base.url).await.expect("read").1
}

#[tokio::test]
async fn a_migration_says_from_where_to_where() {
    let base = Base::empty().await;
    let last = last(&base).await;
    assert_eq!(PgStore::schema_version(&base.url).await.expect("read"), (0, last));
    let client = base.client().await;
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()";
    assert_eq!(client.query_one(tables, &[]).await.expect("read").get::<_, i64>(0), 0, "it only looked");
    assert_eq!(PgStore::migrate(&base.url).await.expect("migrated"), (0, last));
    assert_eq!(PgStore::migrate(&base.url).await.expect("migrated"), (last, last));
    assert_eq!(PgStore::schema_version(&base.url).await.expect("read"), (last, last));
}

/// A database with the last schema before the baseline equals the baseline: only its list of migrations is longer.
#[tokio::test]
async fn the_last_schema_before_the_baseline_is_taken_over() {
    let base = Base::new().await;
    let sql = "INSERT INTO migracion SELECT n, 'before', now() FROM generate_series(1, 20) n";
    base.client().await.batch_execute(sql).await.expect("as the programs before left it");
    let newest = last(&base).await;
    assert_eq!(PgStore::migrate(&base.url).await.expect("taken over"), (newest, newest));
    let store: std::sync::Arc<dyn embudo_store::Store> = std::sync::Arc::new(base.store().await);
    embudo_store_conformance::data::a_lead(&store).await;
}

#[tokio::test]
async fn leads_of_version_21_get_their_action() {
    let base = Base::empty().await;
    let client = base.client().await;
    client.batch_execute(include_str!("../../sql/migracion/create.sql")).await.expect("made");
    client.batch_execute(include_str!("../../migrations/0021_base.sql")).await.expect("made");
    let [new, known, visited] = [2, 3, 4].map(Uuid::from_u128);
    let company = Uuid::from_u128(1);
    let mut sql = format!(
        "INSERT INTO migracion VALUES (21, 'base', now());
        INSERT INTO proyeccion (nombre, hasta, visto, visto_en) VALUES ('turno', 0, 0, now());
        INSERT INTO empresa (id, nombre, slug, por_defecto, creado_en) VALUES ('{company}', 'Reformas', 'reformas', true, now());"
    );
    for (lead, at, action, due) in [
        (new, "now()", "NULL", "'9999-01-01T00:00:00Z'"),
        (known, "'2020-09-13T12:00:00Z'", "NULL", "'9999-01-01T00:00:00Z'"),
        (visited, "now()", "'visita'", "now() + interval '1 hour'"),
    ] {
        sql += &format!(
            "INSERT INTO lead (id, empresa_id, nombre, telefono, telefono_e164, email, email_normal, busqueda, creado_en, actualizado_en)
            VALUES ('{lead}', '{company}', 'Ana', '', '', '', '', '', {at}, {at});
            INSERT INTO lead_etapa (lead_id, empresa_id, etapa, desde) VALUES ('{lead}', '{company}', 'nuevo', {at});
            INSERT INTO lead_actividad (lead_id, empresa_id, actividad_en, accion, accion_en)
            VALUES ('{lead}', '{company}', {at}, {action}, {due});"
        );
    }
    client.batch_execute(&sql).await.expect("as the program before left it");
    let store = PgStore::connect(&base.url, Options::default()).await.expect("brought here");
    let store: std::sync::Arc<dyn embudo_store::Store> = std::sync::Arc::new(store);
    let leads = [new, known, visited].map(LeadId);
    embudo_store_conformance::data::inbox::leads_of_version_21_get_their_action(&store, leads).await;
}

#[tokio::test]
async fn an_older_database_is_refused_with_a_sentence() {
    let base = Base::empty().await;
    let sql =
        "CREATE TABLE migracion (numero integer PRIMARY KEY, nombre text NOT NULL, en timestamptz NOT NULL);
        INSERT INTO migracion SELECT n, 'before', now() FROM generate_series(1, 20) n";
    base.client().await.batch_execute(sql).await.expect("as an older program left it");
    let end = PgStore::connect(&base.url, Options::default()).await;
    let Err(StoreError::Internal(words)) = end else { panic!("{end:?}") };
    assert!(words.contains("version 20") && words.contains("first release"), "{words}");
}

/// If the role may not create the extension, everything else works, names are found by a scan, and `doctor` can report
/// it.
#[tokio::test]
async fn without_trigrams_names_are_found_all_the_same() {
    let base = Base::empty().await;
    let role = format!("role_{}", Uuid::new_v4().simple());
    let client = base.client().await;
    let grants = format!(
        "CREATE ROLE {role} LOGIN; GRANT CREATE ON SCHEMA public TO {role}; REVOKE CREATE ON DATABASE {} FROM PUBLIC",
        base.name
    );
    client.batch_execute(&grants).await.expect("a role of little right");
    let url = base.url.replacen("postgres@", &format!("{role}@"), 1);
    let store: std::sync::Arc<dyn embudo_store::Store> =
        std::sync::Arc::new(PgStore::connect(&url, Options::default()).await.expect("it starts"));
    let told = PgStore::trigrams(&url).await.expect("looked");
    assert!(matches!(told, embudo_store_postgres::Trigrams::Missing(_)), "{told:?}");
    let lead = embudo_store_conformance::data::a_lead(&store).await;
    embudo_store_conformance::data::inbox::project(&store).await;
    let viewer = embudo_store_conformance::data::inbox::anyone(&store).await;
    let found = embudo_store_conformance::data::inbox::found(&store, &viewer, "garcia").await;
    assert_eq!(found.hits.first().map(|hit| hit.row.summary.lead.id), Some(lead));
    drop(store);
    let leave = format!("DROP OWNED BY {role} CASCADE; DROP ROLE {role}");
    client.batch_execute(&leave).await.expect("nothing is left");
}

#[tokio::test]
async fn a_newer_database_is_refused() {
    let base = Base::new().await;
    let sql = "INSERT INTO migracion VALUES (9999, 'futura', now())";
    base.client().await.batch_execute(sql).await.expect("inserted");
    let end = PgStore::connect(&base.url, Options::default()).await;
    let Err(StoreError::Internal(words)) = end else { panic!("{end:?}") };
    assert!(words.contains("newer"), "{words}");
}

#[tokio::test]
async fn a_database_that_cannot_hold_every_text_is_refused() {
    let base = Base::new().await;
    let name = format!("embudo_{}", Uuid::new_v4().simple());
    let client = base.client().await;
    let create = format!("CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    client.batch_execute(&create).await.expect("created");
    let (server, _) = base.url.rsplit_once('/').expect("a URL with a database");
    let end = PgStore::connect(&format!("{server}/{name}"), Options::default()).await;
    client.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.expect("dropped");
    let Err(StoreError::Internal(words)) = end else { panic!("{end:?}") };
    assert!(words.contains("UTF8"), "{words}");
}

/// Some thousands of leads with turns, so that a plan over a whole table would show.
const MANY: &str = "
    INSERT INTO empresa VALUES ('00000000-0000-0000-0000-000000000001', 'a', 'a', true, now());
    INSERT INTO lead (id, empresa_id, nombre, telefono, telefono_e164, email, email_normal, busqueda, creado_en, actualizado_en)
    SELECT gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'n', 't', '+34' || n, 'e', 'e' || n, 'b',
        now() - n * interval '1 second', now()
    FROM generate_series(1, 5000) n;
    INSERT INTO turno (id, empresa_id, lead_id, rol, mensaje, creado_en)
    SELECT gen_random_uuid(), empresa_id, id, 'user', 'm', now() FROM lead, generate_series(1, 4);
    INSERT INTO estado_historia (empresa_id, lead_id, campo, valor, creado_en)
    SELECT empresa_id, id, 'bot_step', 'm', now() FROM lead;
    INSERT INTO nota (id, empresa_id, lead_id, texto, creado_en) SELECT gen_random_uuid(), empresa_id, id, 'm', now() FROM lead;
    INSERT INTO evento (id, empresa_id, lead_id, tipo, simulado, ok, creado_en)
    SELECT gen_random_uuid(), empresa_id, id, 'finalizar', true, true, now() FROM lead;
    INSERT INTO intento (id, empresa_id, lead_id, canal, numero_intento, completado, creado_en)
    SELECT gen_random_uuid(), empresa_id, id, 'llamada', 1, true, now() FROM lead;
    INSERT INTO foto (id, empresa_id, lead_id, zona, momento, orden, url, creado_en)
    SELECT gen_random_uuid(), empresa_id, id, 'bano', 'antes', 1, 'u', now() FROM lead;
    INSERT INTO calificacion (lead_id, empresa_id, creado_en, actualizado_en) SELECT id, empresa_id, now(), now() FROM lead;
    INSERT INTO utm (lead_id, empresa_id, nombre, valor) SELECT id, empresa_id, 'a', 'b' FROM lead;
    INSERT INTO consentimiento (lead_id, empresa_id, finalidad, texto_version, otorgado, otorgado_en, creado_en)
    SELECT id, empresa_id, 'a', 'b', true, now(), now() FROM lead;
    INSERT INTO blob_marca SELECT id, sha256('a'), now() FROM lead;
    INSERT INTO idempotencia SELECT 'POST /', n::text, '\\x00', 200, NULL, '{}', now(), now() + n * interval '1 second'
    FROM generate_series(1, 5000) n;
    ANALYZE";

/// Many jobs, most of them ended long ago, as after a month; most of the waiting ones wait for a retry.
const MANY_JOBS: &str = "
    INSERT INTO trabajo (id, empresa_id, lead_id, tipo, carga, estado, intentos, proximo_en, creado_en, terminado_en)
    SELECT gen_random_uuid(), empresa_id, id, (ARRAY['perfil', 'mensajeria', 'correo_empresa'])[1 + n % 3], '{}',
        CASE WHEN n % 50 = 0 THEN 'pendiente' WHEN n % 51 = 0 THEN 'muerto' ELSE 'hecho' END, n % 5, now(),
        now() - n * interval '1 minute', CASE WHEN n % 50 <> 0 THEN now() - n * interval '1 minute' END
    FROM (SELECT empresa_id, id, row_number() OVER () AS r FROM lead) l, generate_series(1, 4) g, LATERAL (SELECT r * 4 + g AS n) m;
    INSERT INTO entrega (trabajo_id, inicio, duracion_ms, ok) SELECT id, now(), 1, true FROM trabajo;
    UPDATE lead SET bucle_paso = 'esperando_renders', bucle_desde = now(), bucle_limite = creado_en, bucle_vencido = true;
    UPDATE blob_marca SET barrido = true;
    INSERT INTO presupuesto (id, empresa_id, lead_id, anio, orden, version, estado, contenido, total_cents, emitido, hasta, creado_en, documento)
    SELECT gen_random_uuid(), empresa_id, id, 2026, row_number() OVER (), 1, 'emitido', sha256('a'), 1, now(), now(), now(), '{}' FROM lead;
    INSERT INTO presupuesto_respuesta (empresa_id, lead_id, presupuesto_id, aceptado, texto_version, pdf_sha256, creado_en)
    SELECT empresa_id, lead_id, id, true, '1', sha256('a'), now() FROM presupuesto;
    INSERT INTO presupuesto_entrega (empresa_id, lead_id, presupuesto_id, canal, trabajo_id, simulada, en)
    SELECT empresa_id, lead_id, id, 'email', gen_random_uuid(), true, now() FROM presupuesto;
    INSERT INTO rendicion (lead_id, foto_id, empresa_id, motivo, creado_en) SELECT lead_id, id, empresa_id, 'm', now() FROM foto;
    INSERT INTO usuario (id, email, email_normal, nombre, administrador, activo, creado_en)
    SELECT gen_random_uuid(), n || '@e', n || '@e', 'n', false, true, now() FROM generate_series(1, 5000) n;
    INSERT INTO pertenencia SELECT u.id, e.id, 'lectura' FROM usuario u, (SELECT id FROM empresa LIMIT 1) e;
    INSERT INTO totp SELECT id, sha256('a'), 1 FROM usuario;
    INSERT INTO totp_codigo SELECT id, sha256('a') FROM usuario;
    INSERT INTO recuperacion (huella, usuario_id, invitacion, creada_en, expira_en) SELECT sha256(email::bytea), id, false, now(), creado_en + row_number() OVER () * interval '1 minute' FROM usuario;
    INSERT INTO sesion (id, huella, usuario_id, propio, a_medias, agente, creada_en, usada_en, expira_en)
    SELECT gen_random_uuid(), sha256(email::bytea), id, false, false, 'a', now(), now(), now() + row_number() OVER () * interval '1 minute' FROM usuario;
    INSERT INTO auditoria (id, en, usuario_id, quien, empresa_id, accion)
    SELECT gen_random_uuid(), now() - row_number() OVER () * interval '1 minute', id, 'q', gen_random_uuid(), 'a' FROM usuario;
    INSERT INTO lead_etapa (lead_id, empresa_id, etapa, desde) SELECT id, empresa_id, 'en_conversacion', now() FROM lead;
    INSERT INTO lead_gestion (lead_id, empresa_id, obra_inicio, obra_fin)
    SELECT id, empresa_id, date '2020-01-01' + n, date '2020-01-01' + n FROM (SELECT *, (row_number() OVER () % 4000)::int AS n FROM lead) l;
    INSERT INTO lead_obra (lead_id, banos) SELECT id, 1 FROM lead;
    INSERT INTO borrador (lead_id, id, empresa_id, motivo, revision, hoja, creado_en, guardado_en)
    SELECT id, id, empresa_id, 'revision', 1, '{}', now(), now() FROM lead;
    INSERT INTO lead_leido (lead_id, usuario_id, visto_en) SELECT id, empresa_id, now() FROM lead;
    INSERT INTO lead_union (lead_id, empresa_id, principal_id, unido_por, creado_en) SELECT id, empresa_id, id, id, now() FROM lead LIMIT 50;
    INSERT INTO lead_actividad (lead_id, empresa_id, actividad_en, etapa, accion_en, rango, vence_en, parte, orden_en)
    SELECT id, empresa_id, creado_en, 'en_conversacion', creado_en, CASE WHEN n % 4 < 2 THEN n % 100 END,
        CASE n % 4 WHEN 0 THEN creado_en WHEN 1 THEN now() + n * interval '1 minute' ELSE timestamptz '9999-01-01' END, n % 4, creado_en FROM (SELECT *, row_number() OVER () AS n FROM lead) l;
    INSERT INTO lead_cifra (lead_id, empresa_id, datos) SELECT id, empresa_id, '[]' FROM lead;
    INSERT INTO cifra (empresa_id, zona, nivel, dia, datos)
    SELECT e.id, 'Europe/Madrid', 'dia', date '2020-01-01' + n, '{}' FROM empresa e, generate_series(1, 4000) n;
    INSERT INTO lead_busqueda (lead_id, empresa_id, texto, creado_en) SELECT id, empresa_id, 'ana ' || id, creado_en FROM lead;
    INSERT INTO nota_interna (lead_id, id, empresa_id, autor_id, texto, creado_en) SELECT id, id, empresa_id, id, 'm', now() FROM lead;
    INSERT INTO mensaje (lead_id, id, empresa_id, canal, texto, autor_id, autor, creado_en) SELECT id, id, empresa_id, 'correo', 'm', id, 'a', now() FROM lead;
    INSERT INTO atencion (lead_id, empresa_id, usuario_id, desde, ultimo_en) SELECT id, empresa_id, id, now(), now() FROM lead;
    INSERT INTO visita (lead_id, id, empresa_id, estado, revision, secuencia, huecos, inicio, fin, minutos, direccion, personas, notas, medidas, vigente_hasta, creada_en, cambiada_en)
    SELECT id, id, empresa_id, 'confirmada', 1, 1, '[]', now() + row_number() OVER () * interval '1 hour', now() + row_number() OVER () * interval '1 hour', 60, 'd', '[]', '', '', creado_en, now(), creado_en FROM lead;
    INSERT INTO visita_persona (lead_id, visita_id, usuario_id, fin) SELECT id, id, id, creado_en FROM lead;
    INSERT INTO agenda (usuario_id, revision, calendario) SELECT id, 1, sha256(email::bytea) FROM usuario;
    INSERT INTO borrado (lead_id, empresa_id, motivo, quien, pedido_en, terminado_en) SELECT id, empresa_id, 'pedido', 'q', creado_en, now() FROM lead;
    INSERT INTO presupuesto_bloqueado (lead_id, id, empresa_id, anio, orden, version, contenido, total_cents, emitido, hasta, creado_en, documento, bloqueado_en, bloqueado_hasta)
    SELECT id, id, empresa_id, 2026, row_number() OVER (), 1, sha256('a'), 1, now(), now(), now(), '{}', now(), creado_en FROM lead;
    INSERT INTO lead_visto (lead_id, dia, usuario_id, primero_en) SELECT id, now(), id, now() FROM lead;
    INSERT INTO pase_generacion (lead_id, cosa_id, generacion, revocado_en) SELECT id, id, 1, now() FROM lead;
    INSERT INTO arriendo SELECT 'n' || n, gen_random_uuid(), now() FROM generate_series(1, 5000) n;
    INSERT INTO conteo SELECT 'entrar_red', gen_random_uuid(), n, 1, now() + n * interval '1 minute' FROM generate_series(1, 5000) n;
    VACUUM ANALYZE";

#[tokio::test]
async fn no_statement_reads_a_whole_table() {
    let base = Base::new().await;
    let client = base.client().await;
    // Like the connections of the pool.
    client.batch_execute("SET jit = off; SET join_collapse_limit = 4").await.expect("set");
    client.batch_execute(MANY).await.expect("filled");
    for sql in MANY_JOBS.split(';') {
        client.batch_execute(sql).await.expect("filled");
    }
    let id = "'00000000-0000-0000-0000-000000000002'";
    let many = &format!("ARRAY[{id}]")[..];
    let blobs = "ARRAY['\\x00'::bytea]";
    let update_perfil = fill(include_str!("../../sql/lead/update_perfil.sql"), type_name);
    let cases: [(&str, &[(&str, &str)]); _] = [
        (
            include_str!("../../../sql/presupuesto/supersede.sql"),
            &[("lead", id), ("estado", "'emitido'"), ("sustituido", "'sustituido'")],
        ),
        (include_str!("../../../sql/presupuesto/set_pdf.sql"), &[("id", id)]),
        (include_str!("../../../sql/presupuesto/set_estado.sql"), &[("id", id), ("estado", "'emitido'")]),
        (
            include_str!("../../../sql/presupuesto_entrega/insert.sql"),
            &[("presupuesto", id), ("trabajo", id), ("now", "now()")],
        ),
        (include_str!("../../../sql/rendicion/delete.sql"), &[("lead", id), ("foto", id)]),
        (include_str!("../../../sql/foto/delete.sql"), &[("lead", id), ("id", id)]),
        (include_str!("../../sql/foto/max_orden.sql"), &[("lead", id), ("huella", blobs)]),
        (include_str!("../../sql/lead/lock.sql"), &[("lead", id), ("lock", "1")]),
        (
            include_str!("../../sql/blob_marca/insert.sql"),
            &[("lead", id), ("huella", "'\\x00'"), ("now", "now()"), ("dead", "now()")],
        ),
        (
            include_str!("../../../sql/blob_marca/swept.sql"),
            &[("lead", id), ("huella", "'\\x00'"), ("vez", "1")],
        ),
        (include_str!("../../sql/blob_marca/forget.sql"), &[("lead", id)]),
        (include_str!("../../sql/blob_marca/purge.sql"), &[("before", "now()"), ("limit", "100")]),
        (include_str!("../../sql/bucle/set.sql"), &[("lead", many)]),
        (include_str!("../../sql/bucle/overdue.sql"), &[("now", "now()"), ("limit", "100")]),
        (
            include_str!("../../sql/trabajo/insert.sql"),
            &[("id", many), ("lead", many), ("empresa", many), ("s_id", many), ("s_lead", many)],
        ),
        (include_str!("../../sql/trabajo/held.sql"), &[("id", many), ("quien", many)]),
        (include_str!("../../sql/trabajo/finish.sql"), &[("id", many)]),
        (include_str!("../../sql/lead/lock_many.sql"), &[("lead", many)]),
        (include_str!("../../sql/bucle/lock_of_jobs.sql"), &[("id", many)]),
        (include_str!("../../sql/foto/list_many.sql"), &[("lead", many)]),
        (include_str!("../../sql/nota/list_many.sql"), &[("lead", many)]),
        (include_str!("../../sql/trabajo/renew.sql"), &[("id", many), ("quien", id), ("dura", "1")]),
        (include_str!("../../sql/trabajo/release.sql"), &[("quien", id)]),
        (include_str!("../../sql/trabajo/begin_send.sql"), &[("id", id), ("quien", id)]),
        (include_str!("../../sql/trabajo/next_due.sql"), &[("tipo", "ARRAY['perfil', 'mensajeria']")]),
        (
            include_str!("../../sql/trabajo/answer.sql"),
            &[("lead", id), ("tipo", "'perfil'"), ("now", "now()")],
        ),
        (include_str!("../../sql/trabajo/lock.sql"), &[("id", many)]),
        (
            include_str!("../../../sql/trabajo/retry.sql"),
            &[
                ("id", id),
                ("estado", "'pendiente'"),
                ("intentos", "0"),
                ("proximo_en", "now()"),
                ("en_duda", "false"),
            ],
        ),
        (include_str!("../../../sql/trabajo/discard.sql"), &[("id", id), ("now", "now()")]),
        (include_str!("../../../sql/trabajo/take_as_sent.sql"), &[("id", id), ("now", "now()")]),
        (include_str!("../../../sql/trabajo/link.sql"), &[("id", id), ("repite", id)]),
        (include_str!("../../sql/trabajo/hold.sql"), &[("id", many), ("quien", id), ("held", "now()")]),
        (
            include_str!("../../../sql/trabajo/let_go.sql"),
            &[("empresa", id), ("tipo", "'pdf'"), ("now", "now()"), ("held", "'9999-01-01'")],
        ),
        (
            include_str!("../../sql/trabajo/purge.sql"),
            &[("before", "(now() - interval '1 day')"), ("limit", "100")],
        ),
        (include_str!("../../../sql/conteo/purge.sql"), &[("now", "now()"), ("max", "100")]),
        (include_str!("../../../sql/sesion/purge.sql"), &[("now", "now()"), ("max", "100")]),
        (include_str!("../../../sql/recuperacion/purge.sql"), &[("now", "now()"), ("max", "100")]),
        (include_str!("../../../sql/sesion/delete_all.sql"), &[("usuario", id)]),
        (include_str!("../../../sql/sesion/touch.sql"), &[("id", id), ("now", "now()")]),
        (
            include_str!("../../sql/trabajo/claim.sql"),
            &[
                ("tipo", "ARRAY['perfil', 'pdf']"),
                ("cuantos", "ARRAY[10, 10]"),
                ("solo_primeros", "ARRAY[false, true]"),
                ("quien", id),
                ("dura", "1000"),
                ("now", "now()"),
                ("held", "now()"),
            ],
        ),
        (
            include_str!("../../../sql/idempotencia/complete.sql"),
            &[("ambito", "'POST /'"), ("clave", "'1'"), ("cuerpo", "'{}'")],
        ),
        (include_str!("../../sql/idempotencia/get.sql"), &[("ambito", "'POST /'"), ("clave", "'1'")]),
        (include_str!("../../sql/idempotencia/purge.sql"), &[("now", "now()"), ("limit", "100")]),
        (
            include_str!("../../sql/mensaje/confirm.sql"),
            &[
                ("id", id),
                ("lead", id),
                ("turno", id),
                ("canal", "'mensajeria'"),
                ("tipo", "'respuesta'"),
                ("now", "now()"),
            ],
        ),
        (
            include_str!("../../sql/turno/append.sql"),
            &[("id", many), ("lead", many), ("nuevo", "'nuevo'"), ("begun", "'en_conversacion'")],
        ),
        (
            include_str!("../../sql/turno/append_plain.sql"),
            &[("id", many), ("lead", many), ("nuevo", "'nuevo'"), ("begun", "'en_conversacion'")],
        ),
        (include_str!("../../sql/lead_etapa/raise.sql"), &[("lead", many), ("ascending", "ARRAY['nuevo']")]),
        (
            include_str!("../../../sql/lead_etapa/set.sql"),
            &[("lead", id), ("etapa", "'nuevo'"), ("now", "now()")],
        ),
        (
            include_str!("../../sql/lead_etapa/begin.sql"),
            &[("lead", many), ("nuevo", "'nuevo'"), ("begun", "'en_conversacion'")],
        ),
        (include_str!("../../sql/lead_etapa/ensure.sql"), &[("lead", many), ("etapa", "'nuevo'")]),
        (include_str!("../../sql/lead_actividad/lock_ids.sql"), &[("lead", many)]),
        (include_str!("../../sql/lead_actividad/lock.sql"), &[("lead", many)]),
        (include_str!("../../sql/lead_cifra/hold.sql"), &[("lead", many)]),
        (include_str!("../../sql/lead_cifra/lock.sql"), &[("lead", many)]),
        (include_str!("../../sql/lead_cifra/delete.sql"), &[("lead", many)]),
        (include_str!("../../sql/lead/lock_ids.sql"), &[("lead", many)]),
        (include_str!("../../../sql/lead_union/delete.sql"), &[("lead", id)]),
        (include_str!("../../../sql/nota_interna/delete.sql"), &[("lead", id), ("id", id)]),
        (&update_perfil, &[("lead", many)]),
        (include_str!("../../sql/calificacion/upsert.sql"), &[("lead", many)]),
        (include_str!("../../sql/intento/record.sql"), &[("id", many)]),
        (include_str!("../../sql/nota/record.sql"), &[("lead", many)]),
    ];
    for (sql, values) in cases {
        let sql = with_values(sql, values);
        let plan = explain(&client, &sql).await;
        assert!(!reads_a_whole_table(&plan), "{sql}\n{plan}");
        if sql.contains("SKIP LOCKED") && sql.contains("solo_primeros") {
            let uses = |index: &str| plan.contains(index);
            assert!(uses("trabajo_pendiente") && uses("trabajo_primero"), "{plan}");
        }
    }
    for sql in queries_of_both_engines() {
        let plan = explain(&client, &sql).await;
        assert!(!reads_a_whole_table(&plan), "{sql}\n{plan}");
    }
}

fn queries_of_both_engines() -> Vec<String> {
    let id = Uuid::from_u128(2);
    let (lead, company, job) = (LeadId(id), EmpresaId(id), JobId(id));
    let (now, person) = (Timestamp::now(), UserId(id));
    let all = InboxFilter::default();
    // A company that has most of the leads.
    let large = EmpresaId(Uuid::from_u128(1));
    let in_etapa = InboxFilter { etapa: Some(Etapa::EnConversacion), ..InboxFilter::default() };
    let inbox_of = |filter, sort, part, beyond, backward| {
        let (empresa, who, until, limit, way) = (large, person, None, 50, Way::Order);
        let page = Page { empresa, who, filter, sort, part, backward, beyond, until, limit, way };
        written_out(&queries::inbox::list(&page))
    };
    let inbox_list = |sort, part, beyond, backward| inbox_of(&all, sort, part, beyond, backward);
    let by_action = InboxSort::NextAction(now);
    let place = |part| Some(Place { part, rank: 5, at: now, lead });
    let leads = LeadFilter::default;
    let listed =
        |filter: LeadFilter, cursor| queries::lead::list(&filter, cursor, 50, queries::lead::Way::WHOLE);
    let jobs = JobFilter::default;
    let outbox = |standing| OutboxFilter { empresa: company, standing, kind: None };
    let audit = AuditFilter::default;
    vec![
        written_out(&queries::figures::facts(&[lead])),
        written_out(&queries::figures::quotes(&[lead])),
        written_out(&queries::figures::counted(&[lead])),
        written_out(&queries::figures::sums(
            company,
            SpanishTimeZone::Madrid,
            Level::Day,
            date(2027, 1, 1),
            date(2027, 3, 31),
        )),
        written_out(&queries::count::since(CountKey { kind: "entrar_red", subject: id, window: 1 })),
        written_out(&queries::lead::get(lead)),
        written_out(&queries::lead::obra(lead)),
        written_out(&queries::lead::utm(&[lead])),
        written_out(&queries::lead::duplicates(lead)),
        written_out(&queries::lead::fotos(lead)),
        written_out(&queries::lead::foto(lead, FotoId(id))),
        written_out(&queries::lead::notas(lead)),
        written_out(&queries::lead::turnos(lead)),
        written_out(&queries::reply::get(ReplyId(id))),
        written_out(&queries::reply::prepared(lead, 9)),
        written_out(&queries::reply::attention_of_person(lead)),
        written_out(&queries::reply::expired(now, 9)),
        written_out(&queries::lead::calificacion(lead)),
        written_out(&queries::lead::intentos(lead)),
        written_out(&queries::lead::events(lead, None, i64::MAX)),
        written_out(&queries::lead::events(lead, Some(EventCursor { creado_en: now, class: 1, n: 1 }), 50)),
        written_out(&queries::lead::consentimientos(lead)),
        written_out(&queries::lead::state_history(lead)),
        written_out(&queries::lead::exists(lead)),
        written_out(&listed(leads(), None)),
        written_out(&listed(leads(), Some(Cursor { creado_en: now, id: lead }))),
        written_out(&listed(LeadFilter { empresa: Some(company), ..leads() }, None)),
        written_out(&listed(LeadFilter { telefono_e164: Some("+341".into()), ..leads() }, None)),
        written_out(&listed(LeadFilter { email_normal: Some("e1".into()), ..leads() }, None)),
        written_out(&queries::etapa::standing(lead)),
        written_out(&queries::visit::get(VisitaId(id))),
        written_out(&queries::visit::of_lead(lead, VisitaId(id))),
        written_out(&queries::visit::all_of_lead(lead, 50)),
        written_out(&queries::visit::calendar(large, now, now, 50)),
        written_out(&queries::visit::works(large, date(2026, 1, 1), date(2026, 2, 1), 50)),
        written_out(&queries::desk::archived_by(&[large], UserId(id), now)),
        written_out(&queries::quote::amounts(&[large], &[lead; 20])),
        written_out(&queries::visit::proposed(large, 50)),
        written_out(&queries::visit::of_person(person, now, 50)),
        written_out(&queries::visit::busy(&[person], now, now)),
        written_out(&queries::visit::passed(Timestamp::UNIX_EPOCH, 50)),
        written_out(&queries::visit::agendas(&[person])),
        written_out(&queries::visit::feed(Digest::of(b"a"))),
        written_out(&queries::desk::get(&[lead])),
        written_out(&queries::desk::nota(lead, NotaId(id))),
        written_out(&queries::desk::assign(&[lead], Some(person))),
        written_out(&queries::desk::archive(&[lead], person, "a", now)),
        written_out(&queries::desk::set_etapa(&[lead], Etapa::Perdido, now)),
        written_out(&queries::desk::mark_read(&[lead], person, now)),
        written_out(&queries::rights::wrote(&[lead], now)),
        written_out(&queries::lead::empresa(lead)),
        written_out(&queries::lead::contact(lead)),
        written_out(&queries::lead::watched_loop(lead)),
        written_out(&queries::blob::mark(lead, Digest([0; 32]))),
        written_out(&queries::quote::lead(PresupuestoId(id))),
        written_out(&queries::job::lead_of_held(job, embudo_domain::ProcessId(id))),
        written_out(&queries::job::newer(lead, JobKind::Perfil, job, "n")),
        written_out(&queries::timeline::page(lead, MomentKind::NotaInterna, None, 50)),
        written_out(&queries::projection::projected(&[lead])),
        written_out(&queries::projection::facts(&[lead])),
        written_out(&queries::projection::owners(&[lead])),
        written_out(&queries::projection::principals(&[lead])),
        written_out(&queries::projection::united(&[lead])),
        written_out(&queries::projection::leads_after(Some(lead), 50)),
        inbox_list(by_action, Part::Due, None, false),
        inbox_list(by_action, Part::Due, place(Part::Due), false),
        inbox_list(by_action, Part::Later, place(Part::Later), true),
        inbox_list(by_action, Part::Waiting, place(Part::Waiting), false),
        inbox_list(by_action, Part::Nothing, None, true),
        inbox_of(&in_etapa, by_action, Part::Due, None, false),
        inbox_of(&in_etapa, by_action, Part::Waiting, None, false),
        inbox_list(InboxSort::Activity, Part::Nothing, place(Part::Nothing), false),
        inbox_list(InboxSort::Activity, Part::Nothing, place(Part::Nothing), true),
        inbox_list(InboxSort::Created, Part::Nothing, None, false),
        written_out(&queries::visit::upcoming(large, now, now, 50)),
        written_out(&queries::inbox::rows(&[company], person, &[lead])),
        written_out(&queries::inbox::by_telefono(&[company], "+341", 50)),
        written_out(&queries::inbox::by_email(&[company], "e1", 50)),
        written_out(&queries::inbox::has_etapa(company, Etapa::Nuevo, 10)),
        written_out(&queries::search::newest(company, Some((now, lead)), 50)),
        written_out(&queries::quote::get(PresupuestoId(id))),
        written_out(&queries::quote::list(lead)),
        written_out(&queries::quote::last(lead)),
        written_out(&queries::quote::summaries(lead)),
        written_out(&queries::quote::deliveries(lead)),
        written_out(&queries::quote::renditions(lead)),
        written_out(&queries::blob::in_use(lead, Digest([0; 32]))),
        written_out(&queries::blob::marks(lead)),
        written_out(&queries::blob::marked()),
        written_out(&queries::access::user(UserId(id))),
        written_out(&queries::access::user_by_email("1@e")),
        written_out(&queries::access::memberships_of(UserId(id))),
        written_out(&queries::access::credentials(UserId(id))),
        written_out(&queries::access::reset_user(Digest([0; 32]), now)),
        written_out(&queries::access::session(Digest([0; 32]))),
        written_out(&queries::access::sessions_of(UserId(id))),
        written_out(&queries::access::audit_log(&audit(), None, 50)),
        written_out(&queries::access::audit_log(
            &audit(),
            Some(AuditCursor { at: now, id: AuditId(id) }),
            50,
        )),
        written_out(&queries::access::audit_log(
            &AuditFilter { user: Some(UserId(id)), ..audit() },
            None,
            50,
        )),
        written_out(&queries::access::audit_log(
            &AuditFilter { empresa: Some(company), ..audit() },
            None,
            50,
        )),
        written_out(&queries::job::get(job)),
        written_out(&queries::job::several(&[job])),
        written_out(&queries::job::count()),
        written_out(&queries::job::one_listed(job, now)),
        written_out(&queries::job::count_outbox(company, now)),
        written_out(&queries::job::count_stopped(company)),
        written_out(&queries::job::list_outbox(&outbox(None), now, None, 50)),
        written_out(&queries::job::list_outbox(
            &outbox(Some(JobStanding::Failing)),
            now,
            Some((now, job)),
            50,
        )),
        written_out(&queries::job::list_outbox(
            &outbox(Some(JobStanding::Parked)),
            now,
            Some((now, job)),
            50,
        )),
        written_out(&queries::job::list(&jobs(), None, 50)),
        written_out(&queries::job::list(&jobs(), Some((now, job)), 50)),
        written_out(&queries::job::list(&JobFilter { lead: Some(lead), ..jobs() }, None, 50)),
        written_out(&queries::job::list(
            &JobFilter { state: Some(JobState::Dead), ..jobs() },
            Some((now, job)),
            50,
        )),
    ]
}

fn type_name(holds: CellType) -> &'static str {
    match holds {
        CellType::Text => "text",
        CellType::Boolean => "boolean",
        CellType::Number => "double precision",
        CellType::Integer => "bigint",
        CellType::Instant => "timestamptz",
    }
}

/// A query with its values in place of its parameters.
fn written_out<T>(query: &Query<T>) -> String {
    let literal = |value: &Value| match value {
        Value::Null(_) => "NULL".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Text(text) => format!("'{text}'"),
        Value::Bytes(_) => "'\\x00'::bytea".to_owned(),
        Value::Id(id) => format!("'{id}'::uuid"),
        Value::Instant(instant) => format!("'{instant}'::timestamptz"),
        Value::Day(day) => format!("'{day}'::date"),
    };
    let values: Vec<_> = query.values().iter().map(|(name, value)| (&**name, literal(value))).collect();
    let values: Vec<_> = values.iter().map(|(name, literal)| (*name, &**literal)).collect();
    with_values(query.text(), &values)
}

/// A statement with values in place of its parameters, NULL for parameters without a value.
fn with_values(sql: &str, values: &[(&str, &str)]) -> String {
    let unknown = values.iter().find(|(name, _)| !sql.contains(&format!(":{name}")));
    assert_eq!(unknown, None, "{sql}");
    let filled = |part: &str| {
        let mut pieces = part.split(':');
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let end = piece.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(piece.len());
            let value = values.iter().find(|(name, _)| *name == &piece[..end]);
            text += value.map_or("NULL", |(_, value)| value);
            text += &piece[end..];
        }
        text
    };
    // The casts (`::`) are left as they are.
    sql.split("::").map(filled).collect::<Vec<_>>().join("::")
}

async fn explain(client: &tokio_postgres::Client, sql: &str) -> String {
    let rows =
        client.simple_query(&format!("EXPLAIN {sql}")).await.unwrap_or_else(|e| panic!("{e:?}\n{sql}"));
    let line = |row: &SimpleQueryMessage| match row {
        SimpleQueryMessage::Row(row) => row.get(0).map(|line| format!("{line}\n")),
        _ => None,
    };
    rows.iter().filter_map(line).collect()
}

/// Whether a plan scans a whole table. Tables that always have few rows do not count.
fn reads_a_whole_table(plan: &str) -> bool {
    let few = ["on empresa", "on pausa", "on lead_union"];
    plan.lines().any(|line| line.contains("Seq Scan") && !few.iter().any(|table| line.contains(table)))
}
