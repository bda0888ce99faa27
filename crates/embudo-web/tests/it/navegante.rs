//! A browser without JavaScript at the public form: plain requests, redirects not followed, nothing remembered.

use embudo_domain::LeadId;
use embudo_domain::ficha::Ficha;
use embudo_testkit::{Answered, Engine, Server};
use jiff::SignedDuration;
use reqwest::redirect::Policy;
use url::form_urlencoded::Serializer;

use embudo_testkit::Scene;

/// A browser at a test server, on a clock that stands still.
pub struct Navegante {
    pub escena: Scene,
    pub cliente: reqwest::Client,
}

pub const BUENOS: [(&str, &str); 4] = [
    ("nombre", "Ana García"),
    ("telefono", "612-34-56-78"),
    ("email", "ana@ejemplo.es"),
    ("provincia", "Madrid"),
];

impl Navegante {
    pub async fn en(motor: Engine) -> Self {
        Self::con(Scene::en(motor).await)
    }

    pub fn con(escena: Scene) -> Self {
        let cliente = reqwest::Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
        Self { escena, cliente }
    }

    pub fn s(&self) -> &Server {
        &self.escena.s
    }

    pub async fn get(&self, ruta: &str) -> Answered {
        self.s().enviar(self.cliente.get(self.s().url(ruta))).await
    }

    pub async fn post(&self, ruta: &str, campos: &[(&str, &str)]) -> Answered {
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
        self.escena.reloj.advance(SignedDuration::from_secs(20));
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
        self.s().app.form_passes().read_form(base.rsplit('/').next().unwrap()).unwrap()
    }
}

/// What tests ask of an answer that is a page.
pub trait Pagina {
    fn pagina(self, status: u16) -> String;
    fn a(self) -> String;
}

impl Pagina for Answered {
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
