//! The panel, where the renovator lives: signed-in pages under `/panel`.
//!
//! A page is a line in the table below: its address, what it needs of who comes ([`Needs`]), what its address names ([`Of`]) and its
//! handler. The router is made from the table, and the gate before every handler checks what the line says, so that a handler is
//! never reached by who may not; the same table is walked by the tests. A handler takes [`Signed`] and makes its page with
//! [`PanelFrame`]; what belongs to a company it asks for with [`Signed::within`]. An entry of the rail shows once its page is in the table.

mod account;
mod audit_log;
mod cookies;
mod form_state;
mod frame;
mod gate;
mod inbox;
mod lead;
mod outbox;
mod people;
mod recovery;
mod second_factor;
mod set_up;
mod sign_in;
mod signed;
mod streams;
mod switches;
mod throttle;
mod words;

use axum::Router;
use axum::response::Response;
use axum::routing::MethodRouter;
use embudo_domain::role::Role;

use crate::WebState;
use crate::parts::{Refusal, Storefront, private_page};

pub(crate) use frame::{BareFrame, PanelFrame, Section};
pub(crate) use gate::Visit;
pub(crate) use signed::Signed;
pub(crate) use streams::Streams;
pub use throttle::LoginQuota;
pub(crate) use throttle::Throttle;

/// What a page needs of whoever comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: anybody may come.
    Nothing,
    /// Somebody who is signed in.
    Person,
    /// At least this role in the company that is looked at.
    Role(Role),
    /// At least this role in the company of what the address names; the handler asks with `Signed::within`.
    Within(Role),
}

/// What an address names, if anything. Whatever belongs to a company answers 404 to people of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    Nothing,
    /// A session of one's own.
    Session,
    /// A person.
    User,
    /// Something in the outbox of a company.
    Job,
    /// A lead, and what belongs to it.
    Lead,
    /// A photo of a lead: `{id}` and `{foto}`.
    Foto,
    /// A quote of a lead: `{id}` and `{numero}`.
    Quote,
}

/// A line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// `get` or `post`.
    pub method: &'static str,
    pub path: &'static str,
    pub needs: Needs,
    pub of: Of,
}

/// Writes the routes once: the router is made from them, and tests walk them.
macro_rules! routes {
    ($($method:ident $path:literal $needs:expr, $of:expr => $handler:path;)+) => {
        /// Every page of the panel.
        pub const ROUTES: &[Route] =
            &[$(Route { method: stringify!($method), path: $path, needs: $needs, of: $of }),+];

        fn table(state: &WebState) -> Router<WebState> {
            Router::new()$(.route($path, gate::guarded(state, $needs, MethodRouter::new().$method($handler))))+
        }
    };
}

const READER: Needs = Needs::Role(Role::Lectura);
/// To see something of a lead, and to do something with it.
const SEES: Needs = Needs::Within(Role::Lectura);
const WORKS: Needs = Needs::Within(Role::Comercial);
const ADMIN: Needs = Needs::Role(Role::Administrador);
const GESTOR: Needs = Needs::Role(Role::Gestor);

routes! {
    get "/panel" Needs::Nothing, Of::Nothing => switches::home;
    get "/panel/empezar" Needs::Nothing, Of::Nothing => set_up::show;
    post "/panel/empezar" Needs::Nothing, Of::Nothing => set_up::start;
    get "/panel/entrar" Needs::Nothing, Of::Nothing => sign_in::show;
    post "/panel/entrar" Needs::Nothing, Of::Nothing => sign_in::enter;
    get "/panel/entrar/codigo" Needs::Nothing, Of::Nothing => sign_in::show_code;
    post "/panel/entrar/codigo" Needs::Nothing, Of::Nothing => sign_in::enter_code;
    post "/panel/salir" Needs::Nothing, Of::Nothing => sign_in::leave;
    get "/panel/recuperar" Needs::Nothing, Of::Nothing => recovery::show;
    post "/panel/recuperar" Needs::Nothing, Of::Nothing => recovery::ask;
    post "/panel/recuperar/nueva" Needs::Nothing, Of::Nothing => recovery::choose;
    post "/panel/tema" Needs::Nothing, Of::Nothing => switches::theme;
    post "/panel/cambiar" Needs::Person, Of::Nothing => switches::empresa;
    get "/panel/cuenta" Needs::Person, Of::Nothing => account::show;
    post "/panel/cuenta" Needs::Person, Of::Nothing => account::rename;
    post "/panel/cuenta/clave" Needs::Person, Of::Nothing => account::change_password;
    post "/panel/cuenta/sesiones" Needs::Person, Of::Nothing => account::end_others;
    post "/panel/cuenta/sesiones/{id}" Needs::Person, Of::Session => account::end_one;
    get "/panel/cuenta/segundo-factor" Needs::Person, Of::Nothing => second_factor::show;
    post "/panel/cuenta/segundo-factor" Needs::Person, Of::Nothing => second_factor::turn_on;
    post "/panel/cuenta/segundo-factor/codigos" Needs::Person, Of::Nothing => second_factor::renew;
    post "/panel/cuenta/segundo-factor/quitar" Needs::Person, Of::Nothing => second_factor::turn_off;
    get "/panel/leads" READER, Of::Nothing => inbox::show;
    post "/panel/leads" READER, Of::Nothing => inbox::act;
    post "/panel/leads/exportar" GESTOR, Of::Nothing => inbox::export;
    get "/panel/vivo" READER, Of::Nothing => inbox::stream;
    get "/panel/envios" GESTOR, Of::Nothing => outbox::list;
    post "/panel/envios/destinos" GESTOR, Of::Nothing => outbox::set_destination;
    get "/panel/envios/{id}" GESTOR, Of::Job => outbox::show;
    post "/panel/envios/{id}/reintentar" GESTOR, Of::Job => outbox::retry;
    post "/panel/envios/{id}/descartar" GESTOR, Of::Job => outbox::discard;
    post "/panel/envios/{id}/dar-por-enviado" GESTOR, Of::Job => outbox::take_as_sent;
    post "/panel/envios/{id}/repetir" GESTOR, Of::Job => outbox::repeat;
    get "/panel/leads/nuevo" Needs::Role(Role::Comercial), Of::Nothing => lead::create::show;
    post "/panel/leads/nuevo" Needs::Role(Role::Comercial), Of::Nothing => lead::create::create;
    get "/panel/leads/{id}" SEES, Of::Lead => lead::show::show;
    post "/panel/leads/{id}/datos" WORKS, Of::Lead => lead::edit::save;
    post "/panel/leads/{id}/llamada" WORKS, Of::Lead => lead::actions::call;
    post "/panel/leads/{id}/mensajeria" WORKS, Of::Lead => lead::actions::start_mensajeria;
    post "/panel/leads/{id}/completo" WORKS, Of::Lead => lead::actions::complete;
    post "/panel/leads/{id}/finalizar" WORKS, Of::Lead => lead::actions::finalize;
    post "/panel/leads/{id}/fotos" WORKS, Of::Lead => lead::upload::add;
    get "/panel/leads/{id}/fotos/{foto}" SEES, Of::Foto => lead::files::foto;
    get "/panel/leads/{id}/presupuestos/{numero}" SEES, Of::Quote => lead::files::pdf;
    get "/panel/usuarios" ADMIN, Of::Nothing => people::list;
    post "/panel/usuarios" ADMIN, Of::Nothing => people::create;
    get "/panel/usuarios/{id}" ADMIN, Of::User => people::show;
    post "/panel/usuarios/{id}" ADMIN, Of::User => people::change;
    post "/panel/usuarios/{id}/enlace" ADMIN, Of::User => people::invite;
    get "/panel/registro" ADMIN, Of::Nothing => audit_log::show;
}

pub(super) fn routes(state: &WebState) -> Router<WebState> {
    table(state)
}

/// What a handler of the panel answers.
pub(crate) type PanelResult = Result<Response, Refusal>;

/// Whether an address is the panel's.
pub(crate) fn holds(path: &str) -> bool {
    path == "/panel" || path.starts_with("/panel/")
}

/// A refusal as a page of the panel.
pub(crate) fn refuse(refusal: Refusal, storefront: Option<&Storefront>) -> Response {
    let (title, text, _) = match refusal {
        Refusal::TooMuch(_) => (
            "Demasiados intentos",
            "Hemos hecho una pausa por seguridad. Espera unos minutos y vuelve a probar.",
            None,
        ),
        Refusal::Unavailable => (
            "Ahora mismo no podemos",
            "Hay demasiado trabajo o la base de datos no responde. Vuelve a intentarlo dentro de unos segundos.",
            None,
        ),
        Refusal::Internal => {
            ("Algo ha fallado", "Ya está anotado en el servidor. Vuelve a intentarlo.", None)
        }
        other => other.words(),
    };
    let page = frame::RefusalPage { frame: BareFrame::new(storefront, title, None), text };
    refusal.with_wait(private_page(refusal.status(), &page))
}
