//! `POST /api/leads`, `GET` and `PATCH /api/leads/:id` (contract §3).

use embudo_domain::EmpresaId;
use embudo_domain::empresa::Empresa;
use embudo_domain::notice::Topics;
use embudo_testkit::{Server, both_engines};
use reqwest::Method;
use serde_json::json;

use crate::NOBODY;
use crate::perfil::FIELDS;

both_engines!(
    a_lead_is_created_with_its_location,
    the_record_holds_everything_and_absent_fields_are_null,
    profile_fields_utm_and_consents_may_come_with_it,
    name_telephone_and_mail_are_required_and_checked,
    a_lead_goes_to_the_company_it_names,
    a_known_telephone_or_mail_is_flagged_and_never_refused,
    contact_data_can_be_corrected,
    what_decides_the_tax_can_be_set,
    a_personal_answer_is_never_cached,
);

async fn a_lead_is_created_with_its_location(s: Server) {
    let body = json!({ "nombre": "Ana", "telefono": "612345678", "email": "ana@ejemplo.es" });
    let r = s.post("/api/leads", &body).await;
    let location = r.header("location").unwrap().to_owned();
    let created = r.with(201);
    assert_eq!(created.as_object().unwrap().keys().collect::<Vec<_>>(), ["ok", "id"]);
    assert_eq!(location, format!("/api/leads/{}", created["id"].as_str().unwrap()));
    s.get(&location).await.with(200);
}

async fn the_record_holds_everything_and_absent_fields_are_null(s: Server) {
    let record = s.record(&s.lead().await).await;
    for field in FIELDS.into_iter().chain(["provincia", "calificacion"]) {
        assert!(record.as_object().unwrap().contains_key(field) && record[field].is_null(), "{field}");
    }
    for field in ["fotos", "notas", "conversacion", "intentos", "eventos", "presupuestos"] {
        assert_eq!(record[field], json!([]), "{field}");
    }
    assert_eq!(record["empresa"], json!({ "tenantId": s.empresa.id, "nombre": "Reformas Peña" }));
    assert_eq!(
        (&record["telefono"], &record["telefonoE164"]),
        (&json!("612 34 56 78"), &json!("+34612345678"))
    );
    assert!(record["creadoEn"].as_str().unwrap().ends_with('Z'));
}

async fn profile_fields_utm_and_consents_may_come_with_it(s: Server) {
    let lead = s.lead_with(json!({
        "provincia": "Madrid", "tipoReforma": "cocina", "m2Suelo": 12, "estadoWa": "sin_enviar",
        "utm": { "utm_source": "buscador", "gclid": "x" },
        "consentimientos": [{ "finalidad": "presupuesto", "textoVersion": "1" }, { "finalidad": "comercial", "canal": "email", "textoVersion": "1", "otorgado": false, "otorgadoEn": "2026-01-01T00:00:00Z" }],
    })).await;
    let record = s.record(&lead).await;
    assert_eq!(
        (&record["provincia"], &record["tipoReforma"], &record["m2Suelo"]),
        (&json!("Madrid"), &json!("cocina"), &json!(12))
    );
    assert_eq!(record["utm"], json!({ "gclid": "x", "utm_source": "buscador" }));
    assert_eq!(record["consentimientos"][0]["otorgado"], true);
    assert_eq!(record["consentimientos"][0]["otorgadoEn"], record["creadoEn"]);
    assert_eq!(record["consentimientos"][1]["otorgadoEn"], "2026-01-01T00:00:00Z");
}

async fn name_telephone_and_mail_are_required_and_checked(s: Server) {
    let r = s.post("/api/leads", &json!({ "provincia": 1 })).await;
    let fields: Vec<_> = r.errors().into_iter().map(|(field, _)| field).collect();
    assert_eq!(fields, ["/nombre", "/telefono", "/email", "/provincia"]);
    let bad = json!({
        "nombre": "", "telefono": "12", "email": "ana@", "tenantId": "x", "utm": { "a": 1 },
        "consentimientos": [{ "finalidad": "" }, 3],
    });
    let fields: Vec<_> =
        s.post("/api/leads", &bad).await.errors().into_iter().map(|(field, _)| field).collect();
    assert_eq!(
        fields,
        [
            "/nombre",
            "/telefono",
            "/email",
            "/tenantId",
            "/utm",
            "/consentimientos/0/finalidad",
            "/consentimientos/0/textoVersion",
            "/consentimientos/1"
        ]
    );
}

async fn a_lead_goes_to_the_company_it_names(s: Server) {
    let another = Empresa {
        id: EmpresaId(s.app.id()),
        nombre: "Obras Núñez".into(),
        slug: "obras-nunez".into(),
        por_defecto: false,
        email_avisos: None,
        notices: true,
        topics: Topics::ALL,
        personal_topics: Topics::NONE,
    };
    s.app.store.create_empresa(another.clone(), s.app.now()).await.unwrap();
    let lead = s.lead_with(json!({ "tenantId": another.id })).await;
    assert_eq!(s.record(&lead).await["empresa"]["nombre"], "Obras Núñez");
    let r = s
        .post(
            "/api/leads",
            &json!({ "nombre": "A", "telefono": "612345678", "email": "a@b.es", "tenantId": NOBODY }),
        )
        .await;
    assert_eq!(r.errors(), [("/tenantId".to_owned(), "valor".to_owned())]);
}

async fn a_known_telephone_or_mail_is_flagged_and_never_refused(s: Server) {
    let first = s.lead().await;
    assert_eq!(s.record(&first).await["posibleDuplicado"], false);
    let by_phone = s.lead_with(json!({ "email": "otra@ejemplo.es", "telefono": "+34 612-345-678" })).await;
    let by_mail = s.lead_with(json!({ "email": "ANA@Ejemplo.es", "telefono": "698765432" })).await;
    let foreign = s.lead_with(json!({ "email": "x@ejemplo.es", "telefono": "611111111" })).await;
    let record = s.record(&first).await;
    assert_eq!(
        (&record["posibleDuplicado"], &record["duplicadoDe"]),
        (&json!(true), &json!([by_phone, by_mail]))
    );
    assert_eq!(s.record(&by_mail).await["duplicadoDe"], json!([first]));
    assert_eq!(s.record(&foreign).await["posibleDuplicado"], false);
}

async fn contact_data_can_be_corrected(s: Server) {
    let lead = s.lead().await;
    let path = format!("/api/leads/{lead}");
    let change = json!({ "telefono": "+44 20 7946 0958", "provincia": "Ávila" });
    s.send(s.request(Method::PATCH, &path).body(change.to_string())).await.with(200);
    let record = s.record(&lead).await;
    assert_eq!(
        (&record["nombre"], &record["telefonoE164"], &record["provincia"]),
        (&json!("Ana García"), &json!("+442079460958"), &json!("Ávila"))
    );
    s.send(s.request(Method::PATCH, &path).body("{}")).await.problem(422);
    s.send(s.request(Method::PATCH, &path).body(r#"{"email":"x","nombre":null}"#)).await.problem(422);
    s.send(s.request(Method::PATCH, &format!("/api/leads/{NOBODY}")).body(change.to_string()))
        .await
        .problem(404);
}

async fn what_decides_the_tax_can_be_set(s: Server) {
    let lead = s.lead_with(json!({ "codigoPostal": "46001" })).await;
    let path = format!("/api/leads/{lead}");
    let change = json!({ "esVivienda": false, "contratante": "empresa", "planta": -1, "nombre": "Ana G." });
    s.send(s.request(Method::PATCH, &path).body(change.to_string())).await.with(200);
    s.send(s.request(Method::PATCH, &path).body(r#"{"ascensor":true}"#)).await.with(200);
    let record = s.record(&lead).await;
    let expected = json!({
        "esVivienda": false, "contratante": "empresa", "dosAnos": null, "banos": null, "planta": -1, "ascensor": true,
        "codigoPostal": "46001", "m2Estimado": null, "direccion": null,
    });
    assert_eq!((&record["obra"], &record["nombre"]), (&expected, &json!("Ana G.")));
    let wrong = [
        (r#"{"esVivienda":null}"#, "/esVivienda", "nulo"),
        (r#"{"esVivienda":"si"}"#, "/esVivienda", "tipo"),
        (r#"{"contratante":"vecino"}"#, "/contratante", "valor"),
        (r#"{"banos":100}"#, "/banos", "rango"),
        (r#"{"planta":1.5}"#, "/planta", "tipo"),
        (r#"{"codigoPostal":"99001"}"#, "/codigoPostal", "formato"),
        (r#"{"codigoPostal":28013}"#, "/codigoPostal", "tipo"),
    ];
    for (body, campo, codigo) in wrong {
        let problem = s.send(s.request(Method::PATCH, &path).body(body)).await.problem(422);
        assert_eq!(
            (&problem["errores"][0]["campo"], &problem["errores"][0]["codigo"]),
            (&json!(campo), &json!(codigo))
        );
    }
    assert_eq!(s.record(&lead).await["obra"], expected);
    // The profile's endpoint does not know the fields of the obra.
    let perfil = format!("/api/leads/{lead}/perfil");
    s.send(s.request(Method::POST, &perfil).body(r#"{"esVivienda":true}"#)).await.problem(422);
}

async fn a_personal_answer_is_never_cached(s: Server) {
    let lead = s.lead().await;
    let r = s.get(&format!("/api/leads/{lead}")).await;
    assert_eq!(r.header("cache-control"), Some("no-store"));
    assert_eq!(r.header("content-type"), Some("application/json"));
}
