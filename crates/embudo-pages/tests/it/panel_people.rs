//! The administration of people, and its entries in the audit log.

use embudo_domain::role::{Membership, Role};
use embudo_testkit::{Engine, both_engines};

use crate::person::{Browser, PASSWORD, PanelPage, add, another_company, panel, user};
use crate::visitor::hidden;

both_engines!(
    a_person_is_invited_and_chooses_a_password,
    roles_are_changed_and_people_sent_away,
    the_last_administrator_stays,
    people_look_at_their_own_companies,
    the_log_tells_who_did_what_and_no_secret,
);

async fn a_person_is_invited_and_chooses_a_password(engine: Engine) {
    let scene = panel(engine).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let create = async |email: &str, password: &str| {
        let fields = [
            ("nombre", "Luis Pérez"),
            ("correo", email),
            ("rol-reformas-pena", "comercial"),
            ("clave", password),
        ];
        admin.post("/panel/usuarios", &fields).await
    };
    assert!(create("luis@ejemplo.es", "no es esta").await.panel(422).contains("Esa no es tu contraseña"));
    assert!(
        create("ana@ejemplo.es", PASSWORD).await.panel(422).contains("Ya hay una persona con este correo")
    );
    let page = create("luis@ejemplo.es", PASSWORD).await.panel(200);
    let start = page.find("/panel/recuperar?pase=").unwrap();
    let path = page[start..].split('"').next().unwrap();

    let luis = Browser::new(&scene);
    luis.sign_in("luis@ejemplo.es", "").await.panel(422);
    let page = luis.get(path).await.panel(200);
    assert!(page.contains("Hola, Luis Pérez"));
    let fields = [("pase", hidden(&page, "pase")), ("clave", PASSWORD.to_owned())];
    let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
    luis.post("/panel/recuperar/nueva", &fields).await.to("/panel/entrar?aviso=clave");
    luis.sign_in("luis@ejemplo.es", PASSWORD).await.to("/panel");
    assert!(luis.get("/panel/cuenta").await.panel(200).contains("comercial"));
    assert!(admin.get("/panel/usuarios").await.panel(200).contains("comercial en Reformas Peña"));
}

async fn roles_are_changed_and_people_sent_away(engine: Engine) {
    let scene = panel(engine).await;
    let other = another_company(&scene).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Lectura), None).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let browser = Browser::signed(&scene, "luis@ejemplo.es").await;
    let path = format!("/panel/usuarios/{}", luis.id);
    let done = format!("{path}?hecho");
    assert!(admin.get(&path).await.panel(200).contains("Luis") || luis.nombre == "Ana García");
    let fields = [("activo", "si"), ("rol-banos-sol", "gestor"), ("clave", PASSWORD)];
    admin.post(&path, &fields).await.to(&done);
    let moved = user(&scene, luis.id).await;
    assert_eq!(moved.memberships, vec![Membership { empresa: other.id, role: Role::Gestor }]);
    browser.get("/panel/usuarios").await.panel(403);
    let odd = [("activo", "si"), ("rol-banos-sol", "administrador"), ("clave", PASSWORD)];
    admin.post(&path, &odd).await.panel(400);
    admin.post(&path, &[("activo", "si"), ("administrador", "si"), ("clave", PASSWORD)]).await.to(&done);
    browser.get("/panel/usuarios").await.panel(200);
    admin.post(&path, &[("clave", PASSWORD)]).await.to(&done);
    assert_eq!(browser.get("/panel/cuenta").await.status.as_u16(), 303, "who is sent away is out at once");
    browser.sign_in("luis@ejemplo.es", PASSWORD).await.panel(422);
    admin.post(&format!("{path}/enlace"), &[("clave", PASSWORD)]).await.panel(404);
    admin.get("/panel/usuarios/no-es-nadie").await.panel(404);
    admin.get(&format!("/panel/usuarios/{}", crate::NOBODY)).await.panel(404);
}

async fn the_last_administrator_stays(engine: Engine) {
    let scene = panel(engine).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let ana = scene.server.app.store.user_by_email("ana@ejemplo.es".into()).await.unwrap().unwrap();
    let path = format!("/panel/usuarios/{}", ana.id);
    let page = admin.post(&path, &[("activo", "si"), ("clave", PASSWORD)]).await.panel(422);
    assert!(page.contains("Es la única persona que administra"), "{page}");
    add(&scene, "luis@ejemplo.es", Some(Role::Administrador), None).await;
    admin.post(&path, &[("activo", "si"), ("clave", PASSWORD)]).await.to("/panel/cuenta");
    admin.get("/panel/usuarios").await.panel(403);
}

async fn people_look_at_their_own_companies(engine: Engine) {
    let scene = panel(engine).await;
    let other = another_company(&scene).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let page = admin.get("/panel/cuenta").await.panel(200);
    assert!(
        page.contains("<title>Mi cuenta · Reformas Peña</title>") && page.contains("value=\"banos-sol\"")
    );
    admin.post("/panel/cambiar", &[("empresa", "banos-sol")]).await.to("/panel");
    assert!(admin.get("/panel/cuenta").await.panel(200).contains("<title>Mi cuenta · Baños Sol</title>"));

    add(&scene, "luis@ejemplo.es", Some(Role::Gestor), Some(other.id)).await;
    let luis = Browser::signed(&scene, "luis@ejemplo.es").await;
    let page = luis.get("/panel/cuenta").await.panel(200);
    assert!(page.contains("· Baños Sol</title>") && !page.contains("Reformas Peña"), "{page}");
    luis.post("/panel/cambiar", &[("empresa", "reformas-pena")]).await.panel(404);
    add(&scene, "nadie@ejemplo.es", None, None).await;
    let nobody = Browser::signed(&scene, "nadie@ejemplo.es").await;
    nobody.get("/panel").await.to("/panel/cuenta");
    assert!(nobody.get("/panel/cuenta").await.panel(200).contains("Aún no estás en ninguna"));
}

async fn the_log_tells_who_did_what_and_no_secret(engine: Engine) {
    let scene = panel(engine).await;
    let luis = add(&scene, "luis@ejemplo.es", Some(Role::Lectura), None).await;
    let admin = Browser::signed(&scene, "ana@ejemplo.es").await;
    let path = format!("/panel/usuarios/{}", luis.id);
    let fields = [("activo", "si"), ("rol-reformas-pena", "gestor"), ("clave", PASSWORD)];
    admin.post(&path, &fields).await.to(&format!("{path}?hecho"));
    admin.post(&format!("{path}/enlace"), &[("clave", PASSWORD)]).await.panel(200);
    let page = admin.get("/panel/registro").await.panel(200);
    for words in [
        "Cambió los permisos de una persona: luis@ejemplo.es",
        "<del>lectura en Reformas Peña</del>",
        "<ins>gestor en Reformas Peña</ins>",
        "Hizo un enlace",
        "embudo usuario",
        "127.0.0.1",
        "Entró",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    for n in 0..60 {
        admin
            .post("/panel/cuenta", &[("nombre", &format!("Ana {n}"))])
            .await
            .to("/panel/cuenta?hecho=nombre");
    }
    let first = admin.get("/panel/registro").await.panel(200);
    assert_eq!(first.matches("class=\"fila apunte\"").count(), 50);
    let start = first.find("/panel/registro?desde=").unwrap();
    let next = first[start..].split('"').next().unwrap();
    let second = admin.get(next).await.panel(200);
    assert!(second.contains("Hizo un enlace") && second.contains("Lo más nuevo"));
    let mine = admin.get(&format!("/panel/registro?persona={}", luis.id)).await.panel(200);
    assert!(mine.contains("Aquí no hay nada todavía"));
    let log = scene.server.app.store.audit_log(Default::default(), None, 1_000).await.unwrap();
    let text = format!("{log:?}");
    assert!(!text.contains(PASSWORD) && !text.contains("argon2") && !text.contains("pase="), "no secret");
}
