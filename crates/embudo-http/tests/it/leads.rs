//! `POST /api/leads`, `GET` and `PATCH /api/leads/:id` (contract §3).

use embudo_domain::EmpresaId;
use embudo_domain::empresa::Empresa;
use embudo_testkit::{Server, both_engines};
use reqwest::Method;
use serde_json::json;

use crate::NADIE;

both_engines!(
    a_lead_is_created_with_its_location,
    the_record_holds_everything_and_absent_fields_are_null,
    profile_fields_utm_and_consents_may_come_with_it,
    name_telephone_and_mail_are_required_and_checked,
    a_lead_goes_to_the_company_it_names,
    a_known_telephone_or_mail_is_flagged_and_never_refused,
    contact_data_can_be_corrected,
    a_personal_answer_is_never_cached,
);

async fn a_lead_is_created_with_its_location(s: Server) {
    let cuerpo = json!({ "nombre": "Ana", "telefono": "612345678", "email": "ana@ejemplo.es" });
    let r = s.post("/api/leads", &cuerpo).await;
    let location = r.cabecera("location").unwrap().to_owned();
    let creado = r.con(201);
    assert_eq!(creado.as_object().unwrap().keys().collect::<Vec<_>>(), ["ok", "id"]);
    assert_eq!(location, format!("/api/leads/{}", creado["id"].as_str().unwrap()));
    s.get(&location).await.con(200);
}

async fn the_record_holds_everything_and_absent_fields_are_null(s: Server) {
    let ficha = s.ficha(&s.lead().await).await;
    for campo in [
        "provincia",
        "botStep",
        "estadoWa",
        "canalOrigen",
        "viable",
        "espacio",
        "rangoM2",
        "estilo",
        "presupuestoDeclarado",
        "fotosSolicitadasAt",
        "tipoReforma",
        "m2Suelo",
        "calidadGlobal",
        "urgencia",
        "presupuestoTarget",
        "tasteText",
        "estructural",
        "calificacion",
    ] {
        assert!(ficha.as_object().unwrap().contains_key(campo) && ficha[campo].is_null(), "{campo}");
    }
    for campo in ["fotos", "notas", "conversacion", "intentos", "eventos", "presupuestos"] {
        assert_eq!(ficha[campo], json!([]), "{campo}");
    }
    assert_eq!(ficha["empresa"], json!({ "tenantId": s.empresa.id, "nombre": "Reformas Peña" }));
    assert_eq!(
        (&ficha["telefono"], &ficha["telefonoE164"]),
        (&json!("612 34 56 78"), &json!("+34612345678"))
    );
    assert!(ficha["creadoEn"].as_str().unwrap().ends_with('Z'));
}

async fn profile_fields_utm_and_consents_may_come_with_it(s: Server) {
    let lead = s.lead_with(json!({
        "provincia": "Madrid", "tipoReforma": "cocina", "m2Suelo": 12, "estadoWa": "sin_enviar",
        "utm": { "utm_source": "buscador", "gclid": "x" },
        "consentimientos": [{ "finalidad": "presupuesto", "textoVersion": "1" }, { "finalidad": "comercial", "canal": "email", "textoVersion": "1", "otorgado": false, "otorgadoEn": "2026-01-01T00:00:00Z" }],
    })).await;
    let ficha = s.ficha(&lead).await;
    assert_eq!(
        (&ficha["provincia"], &ficha["tipoReforma"], &ficha["m2Suelo"]),
        (&json!("Madrid"), &json!("cocina"), &json!(12))
    );
    assert_eq!(ficha["utm"], json!({ "gclid": "x", "utm_source": "buscador" }));
    assert_eq!(ficha["consentimientos"][0]["otorgado"], true);
    assert_eq!(ficha["consentimientos"][0]["otorgadoEn"], ficha["creadoEn"]);
    assert_eq!(ficha["consentimientos"][1]["otorgadoEn"], "2026-01-01T00:00:00Z");
}

async fn name_telephone_and_mail_are_required_and_checked(s: Server) {
    let r = s.post("/api/leads", &json!({ "provincia": 1 })).await;
    let campos: Vec<_> = r.errores().into_iter().map(|(campo, _)| campo).collect();
    assert_eq!(campos, ["/nombre", "/telefono", "/email", "/provincia"]);
    let malo = json!({
        "nombre": "", "telefono": "12", "email": "ana@", "tenantId": "x", "utm": { "a": 1 },
        "consentimientos": [{ "finalidad": "" }, 3],
    });
    let campos: Vec<_> =
        s.post("/api/leads", &malo).await.errores().into_iter().map(|(campo, _)| campo).collect();
    assert_eq!(
        campos,
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
    let otra = Empresa {
        id: EmpresaId(s.app.id()),
        nombre: "Obras Núñez".into(),
        slug: "obras-nunez".into(),
        por_defecto: false,
        email_avisos: None,
        avisos: true,
    };
    s.app.store.create_empresa(otra.clone(), s.app.ahora()).await.unwrap();
    let lead = s.lead_with(json!({ "tenantId": otra.id })).await;
    assert_eq!(s.ficha(&lead).await["empresa"]["nombre"], "Obras Núñez");
    let r = s
        .post(
            "/api/leads",
            &json!({ "nombre": "A", "telefono": "612345678", "email": "a@b.es", "tenantId": NADIE }),
        )
        .await;
    assert_eq!(r.errores(), [("/tenantId".to_owned(), "valor".to_owned())]);
}

async fn a_known_telephone_or_mail_is_flagged_and_never_refused(s: Server) {
    let primera = s.lead().await;
    assert_eq!(s.ficha(&primera).await["posibleDuplicado"], false);
    let por_telefono =
        s.lead_with(json!({ "email": "otra@ejemplo.es", "telefono": "+34 612-345-678" })).await;
    let por_correo = s.lead_with(json!({ "email": "ANA@Ejemplo.es", "telefono": "698765432" })).await;
    let ajena = s.lead_with(json!({ "email": "x@ejemplo.es", "telefono": "611111111" })).await;
    let ficha = s.ficha(&primera).await;
    assert_eq!(
        (&ficha["posibleDuplicado"], &ficha["duplicadoDe"]),
        (&json!(true), &json!([por_telefono, por_correo]))
    );
    assert_eq!(s.ficha(&por_correo).await["duplicadoDe"], json!([primera]));
    assert_eq!(s.ficha(&ajena).await["posibleDuplicado"], false);
}

async fn contact_data_can_be_corrected(s: Server) {
    let lead = s.lead().await;
    let ruta = format!("/api/leads/{lead}");
    let cambio = json!({ "telefono": "+44 20 7946 0958", "provincia": "Ávila" });
    s.enviar(s.peticion(Method::PATCH, &ruta).body(cambio.to_string())).await.con(200);
    let ficha = s.ficha(&lead).await;
    assert_eq!(
        (&ficha["nombre"], &ficha["telefonoE164"], &ficha["provincia"]),
        (&json!("Ana García"), &json!("+442079460958"), &json!("Ávila"))
    );
    s.enviar(s.peticion(Method::PATCH, &ruta).body("{}")).await.problema(422);
    s.enviar(s.peticion(Method::PATCH, &ruta).body(r#"{"email":"x","nombre":null}"#)).await.problema(422);
    s.enviar(s.peticion(Method::PATCH, &format!("/api/leads/{NADIE}")).body(cambio.to_string()))
        .await
        .problema(404);
}

async fn a_personal_answer_is_never_cached(s: Server) {
    let lead = s.lead().await;
    let r = s.get(&format!("/api/leads/{lead}")).await;
    assert_eq!(r.cabecera("cache-control"), Some("no-store"));
    assert_eq!(r.cabecera("content-type"), Some("application/json"));
}
