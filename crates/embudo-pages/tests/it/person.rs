//! A person with a browser in the panel: plain forms and the panel's cookies. Redirects are not followed.

use std::sync::Mutex;

use embudo_app::{Actor, Conflicts, NewPerson, NewVisita, Tell};
use embudo_domain::contact::Email;
use embudo_domain::empresa::Empresa;
use embudo_domain::role::{Membership, Role};
use embudo_domain::user::User;
use embudo_domain::{EmpresaId, LeadId, UserId};
use embudo_testkit::{Answered, Engine, Scene, Server};
use reqwest::Method;
use reqwest::redirect::Policy;
use url::form_urlencoded::Serializer;

use crate::visitor::with_files;

pub const PASSWORD: &str = "cuatro gatos verdes bailan";
pub const COOKIE: &str = "embudo-sesion";
pub const DEVICE_COOKIE: &str = "embudo-equipo";

/// A server with the administrator `ana@ejemplo.es`.
pub async fn panel(engine: Engine) -> Scene {
    let scene = Scene::at(engine).await;
    add(&scene, "ana@ejemplo.es", Some(Role::Administrador), None).await;
    scene
}

/// A person with the default password and this role in a company. Without `empresa` it is the default company.
pub async fn add(scene: &Scene, email: &str, role: Option<Role>, empresa: Option<EmpresaId>) -> User {
    let empresa = empresa.unwrap_or(scene.server.empresa.id);
    let is_admin = role == Some(Role::Administrador);
    let memberships = role.filter(|_| !is_admin).map(|role| Membership { empresa, role });
    let person = NewPerson {
        nombre: "Ana García".into(),
        email: Email::parse(email).unwrap(),
        is_admin,
        memberships: memberships.into_iter().collect(),
        password: Some(PASSWORD.into()),
    };
    scene.server.app.access().create_person(person, &Actor::command()).await.unwrap()
}

pub async fn another_company(scene: &Scene) -> Empresa {
    let empresa = Empresa {
        id: EmpresaId(uuid::Uuid::now_v7()),
        nombre: "Baños Sol".into(),
        slug: "banos-sol".into(),
        por_defecto: false,
        ..scene.server.empresa.clone()
    };
    scene.server.app.store.create_empresa(empresa.clone(), scene.server.app.now()).await.unwrap();
    empresa
}

/// A proposed visit of a lead.
pub async fn a_visita(scene: &Scene, lead: LeadId, people: Vec<UserId>) -> String {
    let app = &scene.server.app;
    let empresa = app.store.lead(lead).await.unwrap().empresa.id;
    let (address, notes) = (String::new(), String::new());
    let new = NewVisita { lead, empresa, minutes: 60, address, people, notes };
    let slot = app.now() + jiff::SignedDuration::from_hours(48);
    let visita = app.visits().prepare(new).propose(&[slot], app.now()).unwrap();
    let id = visita.id.to_string();
    app.visits().keep(None, visita, Conflicts::Heed, Tell::People, &Actor::command()).await.unwrap();
    id
}

pub async fn user(scene: &Scene, id: UserId) -> User {
    scene.server.app.store.user(id).await.unwrap().unwrap()
}

pub struct Browser<'s> {
    pub server: &'s Server,
    client: reqwest::Client,
    cookie: Mutex<Option<String>>,
    device: Mutex<Option<String>>,
}

impl<'s> Browser<'s> {
    pub fn new(scene: &'s Scene) -> Self {
        Self::at(&scene.server)
    }

    pub fn at(server: &'s Server) -> Self {
        let client = reqwest::Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
        Self { server, client, cookie: Mutex::new(None), device: Mutex::new(None) }
    }

    /// A browser in which this person is signed in.
    pub async fn signed(scene: &'s Scene, email: &str) -> Self {
        let browser = Self::new(scene);
        let answer = browser.sign_in(email, PASSWORD).await;
        assert_eq!(answer.status.as_u16(), 303, "{}", answer.text);
        browser
    }

    pub async fn sign_in(&self, email: &str, password: &str) -> Answered {
        self.post("/panel/entrar", &[("correo", email), ("clave", password)]).await
    }

    pub fn token(&self) -> Option<String> {
        self.cookie.lock().unwrap().clone()
    }

    pub fn set_token(&self, token: Option<String>) {
        *self.cookie.lock().unwrap() = token;
    }

    /// The identifier of the browser, if somebody has signed in there.
    pub fn device(&self) -> Option<String> {
        self.device.lock().unwrap().clone()
    }

    pub fn set_device(&self, device: Option<String>) {
        *self.device.lock().unwrap() = device;
    }

    pub async fn get(&self, path: &str) -> Answered {
        self.send(self.request(Method::GET, path)).await
    }

    /// A request, to be completed by the caller.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, self.server.url(path))
    }

    /// A request for a page, to be completed by the caller.
    pub fn ask(&self, path: &str) -> reqwest::RequestBuilder {
        self.client.get(self.server.url(path))
    }

    /// Sends a form like a browser does from one of our pages.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answered {
        self.send(self.form(path, fields).header("sec-fetch-site", "same-origin")).await
    }

    pub fn form(&self, path: &str, fields: &[(&str, &str)]) -> reqwest::RequestBuilder {
        let body = Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self.client.post(self.server.url(path)).body(body);
        request.header("content-type", "application/x-www-form-urlencoded")
    }

    /// Sends a form with files like a browser does from one of our pages.
    pub async fn post_files(&self, path: &str, parts: &[(&str, Option<&str>, &[u8])]) -> Answered {
        let (kind, body) = with_files(parts);
        let request = self.client.post(self.server.url(path)).header("content-type", kind).body(body);
        self.send(request.header("sec-fetch-site", "same-origin")).await
    }

    /// A response whose body may never end.
    pub async fn open(&self, path: &str) -> reqwest::Response {
        let request = self.client.get(self.server.url(path));
        let cookie = self.token().map(|token| format!("{COOKIE}={token}")).unwrap_or_default();
        request.header("cookie", cookie).send().await.unwrap()
    }

    pub async fn send(&self, mut request: reqwest::RequestBuilder) -> Answered {
        let kept = [(COOKIE, self.token()), (DEVICE_COOKIE, self.device())];
        let kept: Vec<_> = kept.iter().filter_map(|(n, v)| Some(format!("{n}={}", v.as_ref()?))).collect();
        if !kept.is_empty() {
            request = request.header("cookie", format!("otra=1; {}", kept.join("; ")));
        }
        let answer = self.server.send(request).await;
        for cookie in answer.headers.get_all("set-cookie") {
            let (pair, attributes) = cookie.to_str().unwrap().split_once(';').unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            let value = Some(value.to_owned()).filter(|v| !v.is_empty());
            match name {
                COOKIE => self.set_token(value),
                DEVICE_COOKIE => self.set_device(value),
                _ => continue,
            }
            assert!(attributes.contains("HttpOnly") && attributes.contains("SameSite=Lax"), "{attributes}");
        }
        answer
    }
}

/// Assertions about responses of the panel.
pub trait PanelPage {
    fn panel(self, status: u16) -> String;
    fn to(self, place: &str);
}

impl PanelPage for Answered {
    /// Asserts that the response is a page with this status and the panel's headers. Returns its text.
    #[track_caller]
    fn panel(self, status: u16) -> String {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"),
            ("cache-control", "no-store"),
            ("x-robots-tag", "noindex"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(self.header(name), Some(value), "{name}");
        }
        let csp = self.header("content-security-policy").unwrap();
        assert!(csp.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{csp}");
        assert!(csp.ends_with("frame-ancestors 'none'") && !csp.contains("unsafe"), "{csp}");
        for forbidden in ["<style", " style=", " onclick", " onload", "javascript:", "<script>"] {
            assert!(!self.text.contains(forbidden), "{forbidden} in {}", self.text);
        }
        let mut ids: Vec<&str> =
            self.text.split(" id=\"").skip(1).filter_map(|id| id.split('"').next()).collect();
        ids.sort_unstable();
        let twice = ids.windows(2).find(|pair| pair[0] == pair[1]);
        assert!(twice.is_none(), "{twice:?} in {}", self.text);
        // A refusal is explained at the top, with links to the fields that must be corrected.
        let is_refusal = status == 422;
        assert!(!is_refusal || self.text.contains("resumen-errores"), "{}", self.text);
        let summary = self.text.split("resumen-errores").nth(1).and_then(|rest| rest.split("</ul>").next());
        for link in summary.unwrap_or_default().split("href=\"#").skip(1) {
            let id = link.split('"').next().unwrap();
            assert!(self.text.contains(&format!("id=\"{id}\"")), "{id} in {}", self.text);
        }
        self.text
    }

    /// Asserts that the response redirects to this address.
    #[track_caller]
    fn to(self, place: &str) {
        assert_eq!(self.status.as_u16(), 303, "{}", self.text);
        assert_eq!(self.header("location"), Some(place));
        assert_eq!(self.header("cache-control"), Some("no-store"));
    }
}
