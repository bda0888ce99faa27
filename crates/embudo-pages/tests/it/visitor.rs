//! A browser without JavaScript in the public form. It sends plain requests, does not follow redirects and remembers
//! nothing.

use embudo_domain::LeadId;
use embudo_domain::record::LeadRecord;
use embudo_testkit::{Answered, Engine, Server};
use jiff::SignedDuration;
use reqwest::redirect::Policy;
use url::form_urlencoded::Serializer;

use embudo_testkit::Scene;

/// A browser of a test server, whose clock does not move by itself.
pub struct Visitor {
    pub scene: Scene,
    pub cliente: reqwest::Client,
}

pub const GOOD: [(&str, &str); 4] = [
    ("nombre", "Ana García"),
    ("telefono", "612-34-56-78"),
    ("email", "ana@ejemplo.es"),
    ("provincia", "Madrid"),
];

impl Visitor {
    pub async fn at(engine: Engine) -> Self {
        Self::with(Scene::at(engine).await)
    }

    pub fn with(scene: Scene) -> Self {
        let cliente = reqwest::Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
        Self { scene, cliente }
    }

    pub fn server(&self) -> &Server {
        &self.scene.server
    }

    pub async fn get(&self, path: &str) -> Answered {
        self.server().send(self.cliente.get(self.server().url(path))).await
    }

    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answered {
        self.server().send(self.request(path, fields)).await
    }

    pub fn request(&self, path: &str, fields: &[(&str, &str)]) -> reqwest::RequestBuilder {
        let body = Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self.cliente.post(self.server().url(path)).body(body);
        request.header("content-type", "application/x-www-form-urlencoded")
    }

    /// Loads the page of contact data, and lets the time pass that a person needs to type.
    pub async fn contact(&self, query: &str) -> ContactPage {
        let page = self.get(&format!("/f/reformas-pena/contacto?{query}")).await.page(200);
        self.scene.clock.advance(SignedDuration::from_secs(20));
        ContactPage::of(&page)
    }

    /// The ticket of such a page, as the address contains it.
    pub async fn ticket(&self, query: &str) -> String {
        self.contact(query).await.ticket
    }

    /// Sends the form up to the step that creates the lead. Returns `/f/:slug/:pase`.
    pub async fn signup(&self) -> String {
        let contact = self.contact("tipo=bano&m2=5").await;
        let mut fields = GOOD.to_vec();
        fields.extend(contact.fields());
        fields.extend([("tipo", "bano"), ("m2", "5")]);
        let place = self.post("/f/reformas-pena/contacto", &fields).await.redirect();
        place.strip_suffix("/calidad").expect("the fourth step").to_owned()
    }

    /// The lead of a form's address.
    pub async fn record(&self, base: &str) -> LeadRecord {
        let id = self.lead(base);
        self.server().app.store.record(id).await.unwrap()
    }

    pub fn lead(&self, base: &str) -> LeadId {
        self.server().app.form_passes().read_form(base.rsplit('/').next().unwrap()).unwrap()
    }
}

/// The hidden values that a page of contact data sends in addition to what a person types.
pub struct ContactPage {
    pub ticket: String,
    pub secret: String,
}

impl ContactPage {
    pub fn of(page: &str) -> Self {
        Self { ticket: hidden(page, "boleto"), secret: hidden(page, "secreto") }
    }

    pub fn fields(&self) -> [(&str, &str); 2] {
        [("boleto", &self.ticket), ("secreto", &self.secret)]
    }
}

/// Assertions about responses that are pages.
pub trait Page {
    fn page(self, status: u16) -> String;
    fn redirect(self) -> String;
}

impl Page for Answered {
    /// Asserts that the response is a page with this status and all headers of pages. Returns its text.
    #[track_caller]
    fn page(self, status: u16) -> String {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        assert_eq!(self.header("content-type"), Some("text/html; charset=utf-8"));
        let csp = self.header("content-security-policy").unwrap();
        assert!(csp.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{csp}");
        assert!(
            !csp.contains("unsafe") && csp.contains("frame-ancestors") && csp.contains("base-uri 'none'")
        );
        for (nombre, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(self.header(nombre), Some(value));
        }
        assert!(matches!(self.header("cache-control"), Some("no-store" | "no-cache" | "private, no-cache")));
        assert_eq!(self.header("set-cookie"), None);
        assert_eq!(self.header("strict-transport-security"), None, "the test server speaks plain http");
        for forbidden in
            ["<style", " style=", " onclick", " onload", "javascript:", "<script>", "//fonts", "https://cdn"]
        {
            assert!(!self.text.contains(forbidden), "{forbidden} in {}", self.text);
        }
        assert_eq!(
            self.text.matches("<script").count(),
            self.text.matches("<script type=\"module\" src=\"/recursos/").count()
        );
        self.text
    }

    /// Asserts that the response redirects to another page. Returns its address.
    #[track_caller]
    fn redirect(self) -> String {
        assert_eq!(self.status.as_u16(), 303, "{}", self.text);
        assert_eq!(self.header("cache-control"), Some("no-store"));
        self.header("location").unwrap().to_owned()
    }
}

/// The value of a hidden field.
pub fn hidden(page: &str, nombre: &str) -> String {
    let start = format!("name=\"{nombre}\" value=\"");
    let since = page.find(&start).unwrap_or_else(|| panic!("{nombre} is missing: {page}")) + start.len();
    page[since..].split('"').next().unwrap().to_owned()
}

/// The body of a form with files, as browsers send it.
pub fn with_files(parts: &[(&str, Option<&str>, &[u8])]) -> (String, Vec<u8>) {
    let mut body = Vec::new();
    for (nombre, file, bytes) in parts {
        let file =
            file.map(|a| format!("; filename=\"{a}\"\r\nContent-Type: image/jpeg")).unwrap_or_default();
        let head = format!("--limite\r\nContent-Disposition: form-data; name=\"{nombre}\"{file}\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--limite--\r\n");
    ("multipart/form-data; boundary=limite".to_owned(), body)
}
