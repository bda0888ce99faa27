//! The public form as a browser without JavaScript walks it: plain requests, redirects not followed, nothing remembered.

use embudo_domain::LeadId;
use embudo_domain::ficha::Ficha;
use embudo_testkit::{Contestado, Motor, Servidor, en_cada_motor, jpeg_de_pega};
use jiff::SignedDuration;
use reqwest::redirect::Policy;
use url::form_urlencoded::Serializer;

use crate::senales::Escena;

/// A browser at a test server, on a clock that stands still.
pub struct Navegante {
    pub escena: Escena,
    pub cliente: reqwest::Client,
}

pub const BUENOS: [(&str, &str); 4] = [
    ("nombre", "Ana García"),
    ("telefono", "612-34-56-78"),
    ("email", "ana@ejemplo.es"),
    ("provincia", "Madrid"),
];

impl Navegante {
    pub async fn en(motor: Motor) -> Self {
        Self::con(Escena::en(motor).await)
    }

    pub fn con(escena: Escena) -> Self {
        let cliente = reqwest::Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
        Self { escena, cliente }
    }

    pub fn s(&self) -> &Servidor {
        &self.escena.s
    }

    pub async fn get(&self, ruta: &str) -> Contestado {
        self.s().enviar(self.cliente.get(self.s().url(ruta))).await
    }

    pub async fn post(&self, ruta: &str, campos: &[(&str, &str)]) -> Contestado {
        self.s().enviar(self.peticion(ruta, campos)).await
    }

    pub fn peticion(&self, ruta: &str, campos: &[(&str, &str)]) -> reqwest::RequestBuilder {
        let cuerpo = Serializer::new(String::new()).extend_pairs(campos).finish();
        let peticion = self.cliente.post(self.s().url(ruta)).body(cuerpo);
        peticion.header("content-type", "application/x-www-form-urlencoded")
    }

    /// The page of contact data, its ticket, and a while in which a person types.
    pub async fn boleto(&self, consulta: &str) -> String {
        let pagina = self.get(&format!("/f/reformas-pena/contacto?{consulta}")).await.pagina(200);
        self.escena.reloj.adelantar(SignedDuration::from_secs(20));
        oculto(&pagina, "boleto")
    }

    /// A form sent as far as the lead; returns `/f/:slug/:pase`.
    pub async fn alta(&self) -> String {
        let boleto = self.boleto("tipo=bano&m2=5").await;
        let mut campos = BUENOS.to_vec();
        campos.extend([("boleto", boleto.as_str()), ("tipo", "bano"), ("m2", "5")]);
        let lugar = self.post("/f/reformas-pena/contacto", &campos).await.a();
        lugar.strip_suffix("/calidad").expect("the fourth step").to_owned()
    }

    /// The lead that a form's address opens.
    pub async fn ficha(&self, base: &str) -> Ficha {
        let id = self.lead(base);
        self.s().app.store.ficha(id).await.unwrap()
    }

    pub fn lead(&self, base: &str) -> LeadId {
        self.s().app.leer_pase_formulario(base.rsplit('/').next().unwrap()).unwrap()
    }
}

/// What tests ask of an answer that is a page.
pub trait Pagina {
    fn pagina(self, status: u16) -> String;
    fn a(self) -> String;
}

impl Pagina for Contestado {
    /// It must be a page with this status and every header that pages have; returns its text.
    #[track_caller]
    fn pagina(self, status: u16) -> String {
        assert_eq!(self.status.as_u16(), status, "{}", self.texto);
        assert_eq!(self.cabecera("content-type"), Some("text/html; charset=utf-8"));
        let csp = self.cabecera("content-security-policy").unwrap();
        assert!(csp.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{csp}");
        assert!(
            !csp.contains("unsafe") && csp.contains("frame-ancestors") && csp.contains("base-uri 'none'")
        );
        for (nombre, valor) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(self.cabecera(nombre), Some(valor));
        }
        assert!(matches!(self.cabecera("cache-control"), Some("no-store" | "no-cache")));
        assert_eq!(self.cabecera("set-cookie"), None);
        assert_eq!(self.cabecera("strict-transport-security"), None, "the test server speaks plain http");
        for prohibido in
            ["<style", " style=", " onclick", " onload", "javascript:", "<script>", "//fonts", "https://cdn"]
        {
            assert!(!self.texto.contains(prohibido), "{prohibido} in {}", self.texto);
        }
        assert_eq!(
            self.texto.matches("<script").count(),
            self.texto.matches("<script type=\"module\" src=\"/recursos/").count()
        );
        self.texto
    }

    /// It must send on to another page; returns where.
    #[track_caller]
    fn a(self) -> String {
        assert_eq!(self.status.as_u16(), 303, "{}", self.texto);
        assert_eq!(self.cabecera("cache-control"), Some("no-store"));
        self.cabecera("location").unwrap().to_owned()
    }
}

/// The value of a hidden field.
pub fn oculto(pagina: &str, nombre: &str) -> String {
    let inicio = format!("name=\"{nombre}\" value=\"");
    let desde =
        pagina.find(&inicio).unwrap_or_else(|| panic!("{nombre} is missing: {pagina}")) + inicio.len();
    pagina[desde..].split('"').next().unwrap().to_owned()
}

/// A form with files, as browsers send it.
pub fn con_archivos(partes: &[(&str, Option<&str>, &[u8])]) -> (String, Vec<u8>) {
    let mut cuerpo = Vec::new();
    for (nombre, archivo, bytes) in partes {
        let archivo =
            archivo.map(|a| format!("; filename=\"{a}\"\r\nContent-Type: image/jpeg")).unwrap_or_default();
        let cabeza =
            format!("--limite\r\nContent-Disposition: form-data; name=\"{nombre}\"{archivo}\r\n\r\n");
        cuerpo.extend_from_slice(cabeza.as_bytes());
        cuerpo.extend_from_slice(bytes);
        cuerpo.extend_from_slice(b"\r\n");
    }
    cuerpo.extend_from_slice(b"--limite--\r\n");
    ("multipart/form-data; boundary=limite".to_owned(), cuerpo)
}

async fn the_whole_path_without_javascript(motor: Motor) {
    let n = Navegante::en(motor).await;
    let inicio = n.get("/?utm_source=buscador&utm_campaign=ba%C3%B1os&gclid=abc&otra=x").await.pagina(200);
    assert!(inicio.contains("¿Qué quieres reformar?") && inicio.contains("value=\"integral\""));
    assert_eq!(oculto(&inicio, "utm_campaign"), "baños");
    assert!(!inicio.contains("otra"));

    let metros = n.get("/f/reformas-pena/metros?tipo=bano&utm_source=buscador&gclid=abc").await.pagina(200);
    assert!(metros.contains("¿Cuántos metros tiene tu baño?") && metros.contains("5 m²"));
    assert!(metros.contains("Precio orientativo") && metros.contains("IVA del 10"));
    assert_eq!(oculto(&metros, "gclid"), "abc");

    let consulta = "tipo=bano&m2=5%2C5&utm_source=buscador&gclid=abc";
    let boleto = n.boleto(consulta).await;
    let mut campos = BUENOS.to_vec();
    campos.extend([("boleto", boleto.as_str()), ("tipo", "bano"), ("m2", "5.5"), ("comercial", "si")]);
    campos.extend([("utm_source", "buscador"), ("gclid", "abc"), ("web", "")]);
    let calidad = n.post("/f/reformas-pena/contacto", &campos).await.a();
    let base = calidad.strip_suffix("/calidad").unwrap().to_owned();
    assert!(n.get(&calidad).await.pagina(200).contains("Funcional"));

    let elegidas = [
        ("calidad", "media"),
        ("estructural", "no"),
        ("urgencia", "baja"),
        ("presupuesto", "6.000 €"),
        ("gustos", "Madera clara\r\ny luz"),
    ];
    let fotos = n.post(&calidad, &elegidas).await.a();
    assert_eq!(fotos, format!("{base}/fotos"));
    assert!(n.get(&fotos).await.pagina(200).contains("enctype=\"multipart/form-data\""));

    let foto = jpeg_de_pega(1, 2_000);
    let (tipo, cuerpo) = con_archivos(&[
        ("foto-bano", Some("a.jpg"), &foto),
        ("foto-bano", Some(""), b""),
        ("nota-bano", None, "La ventana\r\nno se toca".as_bytes()),
        ("nota-cocina", None, b"  "),
    ]);
    let peticion = n.cliente.post(n.s().url(&fotos)).header("content-type", tipo).body(cuerpo);
    let resumen = n.s().enviar(peticion).await.a();
    let carta = n.get(&resumen).await.pagina(200);
    for parte in [
        "Hola, Ana:",
        "tu baño",
        "5,5 m²",
        "cuidada",
        "sin prisa",
        "6.000",
        "una foto y una nota",
        "ana@ejemplo.es",
        "612 34 56 78",
    ] {
        assert!(carta.contains(parte), "{parte} in {carta}");
    }

    let mensajeria = format!("{base}/mensajeria");
    for _ in 0..2 {
        assert_eq!(n.post(&mensajeria, &[]).await.a(), format!("{base}/gracias?por=mensajeria"));
    }
    let recibidas = n.escena.receptor.recibidas();
    assert_eq!(recibidas.len(), 1, "pressed twice, sent once");
    assert_eq!(recibidas[0].json()["telefono"], "+34612345678");
    assert!(
        n.get(&format!("{base}/gracias?por=mensajeria"))
            .await
            .pagina(200)
            .contains("Seguimos por mensajería")
    );
    n.escena.reloj.adelantar(SignedDuration::from_secs(61));
    n.post(&mensajeria, &[]).await.a();
    assert_eq!(n.escena.receptor.recibidas().len(), 2, "a minute later it is another wish");
    for _ in 0..2 {
        n.post(&format!("{base}/llamada"), &[]).await.a();
    }

    let ficha = n.ficha(&base).await;
    let (lead, perfil) = (&ficha.lead, &ficha.lead.perfil);
    assert_eq!((lead.telefono_e164.as_str(), lead.provincia.as_deref()), ("+34612345678", Some("Madrid")));
    assert_eq!(perfil.canal_origen.unwrap().as_str(), "formulario_web");
    assert_eq!((perfil.tipo_reforma.unwrap().as_str(), perfil.m2_suelo), ("bano", Some(5.5)));
    assert_eq!((perfil.estructural, perfil.presupuesto_target_cents), (Some(false), Some(600_000)));
    assert_eq!(perfil.taste_text.as_deref(), Some("Madera clara\ny luz"));
    let par = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(lead.utm, [par("gclid", "abc"), par("utm_source", "buscador")]);
    assert_eq!((ficha.fotos.len(), ficha.notas[0].texto.as_str()), (1, "La ventana\nno se toca"));
    let llamadas = ficha.eventos.iter().filter(|e| e.tipo.as_str() == "llamada").count();
    assert_eq!(llamadas, 1);
    let consentido: Vec<_> = ficha
        .consentimientos
        .iter()
        .map(|c| (c.finalidad.as_str(), c.canal.as_deref(), c.otorgado, c.texto_version.as_str()))
        .collect();
    const VERSION: &str = "formulario-2026-11";
    assert_eq!(
        consentido,
        [
            ("informacion_privacidad", None, true, VERSION),
            ("comercial", Some("email"), true, VERSION),
            ("contacto", Some("mensajeria"), true, VERSION),
            ("contacto", Some("llamada"), true, VERSION),
        ]
    );
}

async fn a_form_goes_on_where_it_was_left(motor: Motor) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    assert_eq!(n.get(&base).await.a(), format!("{base}/calidad"));
    n.post(&format!("{base}/calidad"), &[("calidad", "premium"), ("presupuesto", "12 mil")]).await.a();
    assert_eq!(n.get(&base).await.a(), format!("{base}/fotos"));
    let otra_vez = n.get(&format!("{base}/calidad")).await.pagina(200);
    assert!(otra_vez.contains("value=\"premium\" checked") && otra_vez.contains("value=\"12 mil\""));
    let contacto = n.get(&format!("{base}/contacto")).await.pagina(200);
    assert!(contacto.contains("value=\"612-34-56-78\"") && contacto.contains("<option selected>Madrid"));
    assert!(!contacto.contains("boleto"));
    let corregidos = [("nombre", "Ana G."), ("telefono", "+34 600 11 22 33"), ("email", "ana@otro.es")];
    n.post(&format!("{base}/contacto"), &corregidos).await.a();
    assert_eq!(n.post(&format!("{base}/tipo"), &[("tipo", "cocina")]).await.a(), format!("{base}/metros"));
    n.post(&format!("{base}/metros"), &[("m2", "11"), ("talla", "")]).await.a();
    let ficha = n.ficha(&base).await;
    assert_eq!(ficha.lead.telefono_e164, "+34600112233");
    assert_eq!(ficha.lead.provincia.as_deref(), Some("Madrid"), "what is left out stays");
    assert_eq!(ficha.lead.perfil.m2_suelo, Some(11.0));
    assert!(n.get(&format!("{base}/resumen")).await.pagina(200).contains("tu cocina"));
}

async fn what_is_wrong_is_said_beside_it_and_nothing_typed_is_lost(motor: Motor) {
    let n = Navegante::en(motor).await;
    let boleto = n.boleto("tipo=salon&utm_source=x").await;
    let campos = [
        ("boleto", boleto.as_str()),
        ("tipo", "salon"),
        ("utm_source", "x"),
        ("nombre", "Ana <b>"),
        ("telefono", "6123"),
        ("email", "ana@"),
        ("provincia", "Burgos"),
        ("comercial", "si"),
    ];
    let pagina = n.post("/f/reformas-pena/contacto", &campos).await.pagina(422);
    assert!(pagina.contains("<title>Error: "));
    assert!(pagina.contains("role=\"alert\"") && pagina.contains("href=\"#telefono\""));
    assert!(pagina.contains("Faltan cifras: un teléfono español tiene 9 y has escrito 4."));
    assert!(pagina.contains("id=\"email-error\"") && !pagina.contains("id=\"nombre-error\""));
    let telefono = pagina.split("id=\"telefono\"").nth(1).unwrap().split('>').next().unwrap();
    assert!(telefono.contains("value=\"6123\"") && telefono.contains("aria-invalid=\"true\""), "{telefono}");
    assert!(telefono.contains("autofocus") && telefono.contains("telefono-error"), "{telefono}");
    assert_eq!(pagina.matches("autofocus").count(), 1);
    assert!(pagina.contains("&#60;b&#62;") && !pagina.contains("<b>"));
    assert!(pagina.contains("<option selected>Burgos") && pagina.contains("value=\"si\" checked"));
    assert_eq!((oculto(&pagina, "boleto"), oculto(&pagina, "utm_source")), (boleto, "x".to_owned()));

    assert!(n.get("/f/reformas-pena/metros").await.pagina(422).contains("Elige una de las opciones"));
    let metros = n.get("/f/reformas-pena/contacto?tipo=salon&m2=muchos").await.pagina(422);
    assert!(metros.contains("value=\"muchos\"") && metros.contains("con números"));
    let base = n.alta().await;
    let calidad = n
        .post(&format!("{base}/calidad"), &[("presupuesto", "bastante"), ("gustos", "luz")])
        .await
        .pagina(422);
    assert!(calidad.contains("value=\"bastante\"") && calidad.contains(">luz</textarea>"));
    assert!(n.post(&format!("{base}/metros"), &[("m2", "x")]).await.pagina(422).contains("value=\"x\""));
}

async fn sending_twice_is_one_lead_with_the_later_data(motor: Motor) {
    let n = Navegante::en(motor).await;
    let boleto = n.boleto("tipo=bano").await;
    let mut campos = BUENOS.to_vec();
    campos.extend([("boleto", boleto.as_str()), ("tipo", "bano")]);
    let uno = n.post("/f/reformas-pena/contacto", &campos).await.a();
    campos[2] = ("email", "ana.garcia@ejemplo.es");
    let dos = n.post("/f/reformas-pena/contacto", &campos).await.a();
    let base = |lugar: &str| lugar.strip_suffix("/calidad").unwrap().to_owned();
    assert_eq!(n.lead(&base(&uno)), n.lead(&base(&dos)));
    assert_eq!(n.ficha(&base(&uno)).await.lead.email, "ana.garcia@ejemplo.es");
    let todos = n.s().app.store.list_leads(Default::default(), None, 10).await.unwrap();
    assert_eq!(todos.len(), 1);
    // Somebody who is known already is told the same as somebody who is not.
    assert!(n.alta().await.starts_with("/f/reformas-pena/"));
}

async fn consents_are_withdrawn_as_easily_as_given(motor: Motor) {
    let n = Navegante::en(motor).await;
    let base = n.alta().await;
    n.post(&format!("{base}/mensajeria"), &[]).await.a();
    let gracias = n.get(&format!("{base}/gracias")).await.pagina(200);
    let permisos = gracias.split("href=\"/c/").nth(1).unwrap().split('"').next().unwrap();
    let permisos = format!("/c/{permisos}");
    let pagina = n.get(&permisos).await.pagina(200);
    assert!(pagina.contains("por mensajería") && !pagina.contains("ofertas"));
    let hecho = n.post(&permisos, &[("que", "contacto-mensajeria")]).await.a();
    assert!(n.get(&hecho).await.pagina(200).contains("queda anotado"));
    n.post(&permisos, &[("que", "todo")]).await.a();
    let ficha = n.ficha(&base).await;
    let ultimo = ficha.consentimientos.last().unwrap();
    assert_eq!((ultimo.canal.as_deref(), ultimo.otorgado), (Some("mensajeria"), false));
    assert_eq!(ficha.consentimientos.len(), 4, "withdrawing what is withdrawn writes nothing");
    n.get(&base.replace("/f/reformas-pena", "/c")).await.pagina(404);
}

en_cada_motor!(
    the_whole_path_without_javascript,
    a_form_goes_on_where_it_was_left,
    what_is_wrong_is_said_beside_it_and_nothing_typed_is_lost,
    sending_twice_is_one_lead_with_the_later_data,
    consents_are_withdrawn_as_easily_as_given,
);
