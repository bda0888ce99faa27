//! `GET /api/leads` (contract §3).

use embudo_testkit::{Server, both_engines};
use serde_json::{Value, json};

async fn ids(s: &Server, query: &str) -> Vec<String> {
    let r = s.get(&format!("/api/leads{query}")).await.with(200);
    r["leads"].as_array().unwrap().iter().map(|l| l["id"].as_str().unwrap().to_owned()).collect()
}

both_engines!(
    leads_come_newest_first_in_pages_that_cover_all,
    each_filter_narrows,
    dates_are_half_open,
    rows_carry_the_qualification,
    a_bad_filter_is_named,
);

async fn leads_come_newest_first_in_pages_that_cover_all(s: Server) {
    let mut created = Vec::new();
    for _ in 0..7 {
        created.push(s.lead().await);
    }
    created.reverse();
    let (mut seen, mut path, mut pages) = (Vec::new(), "/api/leads?limite=3".to_owned(), 0);
    loop {
        let r = s.get(&path).await.with(200);
        seen.extend(r["leads"].as_array().unwrap().iter().map(|l| l["id"].as_str().unwrap().to_owned()));
        pages += 1;
        let Some(cursor) = r["siguiente"].as_str() else { break };
        path = format!("/api/leads?limite=3&cursor={cursor}");
    }
    assert_eq!((seen, pages), (created, 3));
}

async fn each_filter_narrows(s: Server) {
    let ana = s.lead_with(json!({ "tipoReforma": "bano", "viable": true, "canalOrigen": "anuncio", "estadoWa": "leido", "provincia": "Ávila" })).await;
    let eva = s.lead_with(json!({ "nombre": "Eva 100%_x", "telefono": "698765432", "email": "Eva@Ejemplo.es", "viable": false })).await;
    s.post(&format!("/api/leads/{ana}/calificacion"), &json!({ "nivel": "A", "score": 90 })).await.with(200);
    for (query, expected) in [
        ("?telefono=612345678", &ana),
        ("?telefono=%2B34%20612%2034%2056%2078", &ana),
        ("?email=EVA@ejemplo.es", &eva),
        ("?tipoReforma=bano", &ana),
        ("?nivel=A", &ana),
        ("?canalOrigen=anuncio", &ana),
        ("?viable=true", &ana),
        ("?viable=false", &eva),
        ("?estadoWa=leido", &ana),
        ("?texto=GARCIA", &ana),
        ("?texto=avila", &ana),
        ("?texto=100%25_", &eva),
        ("?texto=eva&viable=false&otro=1&nivel=", &eva),
    ] {
        assert_eq!(ids(&s, query).await, std::slice::from_ref(expected), "{query}");
    }
    for empty in ["?texto=%25", "?texto=nadie", "?nivel=D", "?viable=true&email=eva@ejemplo.es"] {
        let expected: &[String] = if empty == "?texto=%25" { std::slice::from_ref(&eva) } else { &[] };
        assert_eq!(ids(&s, empty).await, expected, "{empty}");
    }
    assert_eq!(ids(&s, &format!("?tenantId={}", s.empresa.id)).await.len(), 2);
    assert_eq!(ids(&s, "?tenantId=0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b").await.len(), 0);
}

async fn dates_are_half_open(s: Server) {
    let lead = s.lead().await;
    let created = s.record(&lead).await["creadoEn"].as_str().unwrap().to_owned();
    assert_eq!(ids(&s, &format!("?desde={created}")).await.len(), 1);
    assert_eq!(ids(&s, &format!("?hasta={created}")).await.len(), 0);
    assert_eq!(ids(&s, "?desde=2000-01-01T00:00:00Z&hasta=2999-01-01T00:00:00Z").await.len(), 1);
}

async fn rows_carry_the_qualification(s: Server) {
    let lead = s.lead().await;
    s.post(&format!("/api/leads/{lead}/calificacion"), &json!({ "nivel": "C", "score": 0 })).await.with(200);
    let row: Value = s.get("/api/leads").await.with(200)["leads"][0].clone();
    assert_eq!(
        (&row["nivel"], &row["score"], &row["nombre"]),
        (&json!("C"), &json!(0), &json!("Ana García"))
    );
}

async fn a_bad_filter_is_named(s: Server) {
    for (query, field) in [
        ("telefono=12", "telefono"),
        ("email=x", "email"),
        ("tipoReforma=garaje", "tipoReforma"),
        ("viable=si", "viable"),
        ("desde=ayer", "desde"),
        ("cursor=x", "cursor"),
        ("limite=0", "limite"),
        ("limite=201", "limite"),
        ("tenantId=x", "tenantId"),
        ("texto=a%00b", "texto"),
        ("cursor=99999999999999999999_0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b", "cursor"),
    ] {
        let errors = s.get(&format!("/api/leads?{query}")).await.errors();
        assert_eq!(errors.iter().map(|(c, _)| c.as_str()).collect::<Vec<_>>(), [field], "{query}");
    }
    s.get("/api/leads?texto=%FF%FE").await.with(200);
    s.get("/api/leads?%FF=%").await.with(200);
}
