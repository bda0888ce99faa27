//! The panel, where the renovator lives: signed-in pages under `/panel`.
//!
//! A page is a line in the table below: its address, what it needs of who comes ([`Needs`]), what its address names ([`Of`]) and its
//! handler. The router is made from the table, and the gate before every handler checks what the line says, so that a handler is
//! never reached by who may not; the same table is walked by the tests. A handler takes [`Signed`] and makes its page with
//! [`PanelFrame`]; what belongs to a company it asks for with [`Signed::within`]. An entry of the rail shows once its page is in the table.

mod account;
mod agenda;
mod agenda_view;
mod audit_log;
mod cookies;
mod devices;
mod devices_view;
mod empresa;
mod form_state;
mod frame;
mod gate;
mod inbox;
mod kit;
mod lead;
mod notices;
mod outbox;
mod people;
mod quotes;
mod recovery;
mod second_factor;
mod set_up;
mod sign_in;
mod signed;

mod streams;
mod summary;
mod switches;
mod throttle;
mod visits;
mod words;

use axum::Router;
use axum::response::Response;
use axum::routing::MethodRouter;
use embudo_domain::role::Role;

use crate::WebState;
use crate::parts::{Refusal, Storefront, private_page};

pub(crate) use cookies::token;
pub(crate) use frame::{BareFrame, PanelFrame, Section};
pub(crate) use gate::Caller;
pub(crate) use signed::{Signed, empresa_of, works_at};
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
    /// A draft, or the quote that it became.
    Draft,
    Visita,
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
/// To look after what is kept of a person.
const KEEPS: Needs = Needs::Within(Role::Gestor);
const SELLER: Needs = Needs::Role(Role::Comercial);
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
    post "/panel/cuenta/agenda" Needs::Person, Of::Nothing => agenda::save;
    post "/panel/cuenta/calendario" Needs::Person, Of::Nothing => agenda::renew;
    post "/panel/cuenta/avisos" Needs::Person, Of::Nothing => notices::choose;
    post "/panel/cuenta/dispositivos" Needs::Person, Of::Nothing => devices::switch_on;
    post "/panel/cuenta/dispositivos/quitar" Needs::Person, Of::Nothing => devices::switch_off;
    post "/panel/cuenta/dispositivos/avisos" Needs::Person, Of::Nothing => devices::choose;
    get "/panel/manifest.webmanifest" Needs::Nothing, Of::Nothing => devices::manifest;
    get "/panel/sw.js" Needs::Nothing, Of::Nothing => devices::worker;
    get "/panel/cuenta/segundo-factor" Needs::Person, Of::Nothing => second_factor::show;
    post "/panel/cuenta/segundo-factor" Needs::Person, Of::Nothing => second_factor::turn_on;
    post "/panel/cuenta/segundo-factor/codigos" Needs::Person, Of::Nothing => second_factor::renew;
    post "/panel/cuenta/segundo-factor/quitar" Needs::Person, Of::Nothing => second_factor::turn_off;
    get "/panel/leads" READER, Of::Nothing => inbox::show;
    post "/panel/leads" READER, Of::Nothing => inbox::act;
    post "/panel/leads/exportar" GESTOR, Of::Nothing => inbox::export;
    get "/panel/vivo" READER, Of::Nothing => inbox::stream;
    get "/panel/resumen" GESTOR, Of::Nothing => summary::show;
    post "/panel/resumen/exportar" GESTOR, Of::Nothing => summary::export;
    get "/panel/envios" GESTOR, Of::Nothing => outbox::list;
    post "/panel/envios/destinos" GESTOR, Of::Nothing => outbox::set_destination;
    get "/panel/envios/{id}" GESTOR, Of::Job => outbox::show;
    post "/panel/envios/{id}/reintentar" GESTOR, Of::Job => outbox::retry;
    post "/panel/envios/{id}/descartar" GESTOR, Of::Job => outbox::discard;
    post "/panel/envios/{id}/dar-por-enviado" GESTOR, Of::Job => outbox::take_as_sent;
    post "/panel/envios/{id}/repetir" GESTOR, Of::Job => outbox::repeat;
    get "/panel/leads/nuevo" SELLER, Of::Nothing => lead::create::show;
    post "/panel/leads/nuevo" SELLER, Of::Nothing => lead::create::create;
    get "/panel/leads/{id}" SEES, Of::Lead => lead::show::show;
    post "/panel/leads/{id}/datos" WORKS, Of::Lead => lead::edit::save;
    post "/panel/leads/{id}/llamada" WORKS, Of::Lead => lead::actions::call;
    post "/panel/leads/{id}/mensajeria" WORKS, Of::Lead => lead::actions::start_mensajeria;
    post "/panel/leads/{id}/completo" WORKS, Of::Lead => lead::actions::complete;
    post "/panel/leads/{id}/finalizar" WORKS, Of::Lead => lead::actions::finalize;
    post "/panel/leads/{id}/asignar" WORKS, Of::Lead => lead::desk::assign;
    post "/panel/leads/{id}/accion" WORKS, Of::Lead => lead::desk::plan;
    post "/panel/leads/{id}/obra" WORKS, Of::Lead => lead::progress::set;
    post "/panel/leads/{id}/archivar" WORKS, Of::Lead => lead::desk::archive;
    post "/panel/leads/{id}/reabrir" WORKS, Of::Lead => lead::desk::reopen;
    post "/panel/leads/{id}/no-leido" SEES, Of::Lead => lead::desk::mark_unread;
    post "/panel/leads/{id}/mensajes" WORKS, Of::Lead => lead::reply::send;
    post "/panel/leads/{id}/mensajes/{mensaje}/enviado" WORKS, Of::Lead => lead::reply::set_sent;
    post "/panel/leads/{id}/atender" WORKS, Of::Lead => lead::reply::take_over;
    post "/panel/leads/{id}/notas" WORKS, Of::Lead => lead::notas::add;
    post "/panel/leads/{id}/notas/{nota}/quitar" WORKS, Of::Lead => lead::notas::remove;
    get "/panel/leads/{id}/unir" SEES, Of::Lead => lead::unite::show;
    post "/panel/leads/{id}/unir" WORKS, Of::Lead => lead::unite::unite;
    post "/panel/leads/{id}/separar" WORKS, Of::Lead => lead::unite::separate;
    get "/panel/leads/{id}/persona" KEEPS, Of::Lead => lead::persona::show;
    post "/panel/leads/{id}/persona/exportar" KEEPS, Of::Lead => lead::persona::export;
    post "/panel/leads/{id}/persona/revocar" KEEPS, Of::Lead => lead::persona::revoke;
    post "/panel/leads/{id}/persona/atendido" KEEPS, Of::Lead => lead::persona::grant;
    post "/panel/leads/{id}/persona/borrar" KEEPS, Of::Lead => lead::persona::erase;
    post "/panel/leads/{id}/fotos" WORKS, Of::Lead => lead::upload::add;
    get "/panel/leads/{id}/fotos/{foto}" SEES, Of::Foto => lead::files::foto;
    get "/panel/leads/{id}/presupuestos/{numero}" SEES, Of::Quote => lead::files::pdf;
    post "/panel/leads/{id}/presupuestos" WORKS, Of::Lead => quotes::actions::begin;
    get "/panel/presupuestos" SELLER, Of::Nothing => quotes::list::show;
    get "/panel/presupuestos/{id}" WORKS, Of::Draft => quotes::editor::show;
    post "/panel/presupuestos/{id}" WORKS, Of::Draft => quotes::editor::save;
    get "/panel/presupuestos/{id}/pagina" SEES, Of::Draft => quotes::preview::page;
    get "/panel/presupuestos/{id}/pdf" WORKS, Of::Draft => quotes::preview::pdf;
    get "/panel/presupuestos/{id}/recalcular" WORKS, Of::Draft => quotes::actions::ask_recalculate;
    post "/panel/presupuestos/{id}/recalcular" WORKS, Of::Draft => quotes::actions::recalculate;
    get "/panel/presupuestos/{id}/descartar" WORKS, Of::Draft => quotes::actions::ask_discard;
    post "/panel/presupuestos/{id}/descartar" WORKS, Of::Draft => quotes::actions::discard;
    get "/panel/presupuestos/{id}/enviar" WORKS, Of::Draft => quotes::send::show;
    post "/panel/presupuestos/{id}/enviar" WORKS, Of::Draft => quotes::send::send;
    post "/panel/presupuestos/{id}/revocar" WORKS, Of::Draft => quotes::actions::revoke;
    post "/panel/presupuestos/{id}/entregado" WORKS, Of::Draft => quotes::actions::hand_over;
    get "/panel/presupuestos/{id}/aceptado" WORKS, Of::Draft => quotes::by_phone::show;
    post "/panel/presupuestos/{id}/aceptado" WORKS, Of::Draft => quotes::by_phone::accept;
    get "/panel/leads/{id}/visitas" WORKS, Of::Lead => visits::create::show;
    post "/panel/leads/{id}/visitas" WORKS, Of::Lead => visits::create::create;
    get "/panel/visitas" SELLER, Of::Nothing => visits::calendar::show;
    get "/panel/visitas/nueva" SELLER, Of::Nothing => visits::choose::show;
    get "/panel/visitas/ajustes" GESTOR, Of::Nothing => visits::settings::show;
    post "/panel/visitas/ajustes" GESTOR, Of::Nothing => visits::settings::save;
    get "/panel/visitas/{id}" WORKS, Of::Visita => visits::show::show;
    post "/panel/visitas/{id}/proponer" WORKS, Of::Visita => visits::actions::propose;
    post "/panel/visitas/{id}/confirmar" WORKS, Of::Visita => visits::actions::agree;
    post "/panel/visitas/{id}/datos" WORKS, Of::Visita => visits::actions::change;
    post "/panel/visitas/{id}/cancelar" WORKS, Of::Visita => visits::actions::cancel;
    post "/panel/visitas/{id}/resultado" WORKS, Of::Visita => visits::actions::end;
    post "/panel/visitas/{id}/medidas" WORKS, Of::Visita => visits::measure::save;
    get "/panel/empresa/presupuestos" GESTOR, Of::Nothing => empresa::quotes::show;
    post "/panel/empresa/presupuestos" GESTOR, Of::Nothing => empresa::quotes::save;
    get "/panel/empresa/recordatorios" GESTOR, Of::Nothing => empresa::reminders::show;
    post "/panel/empresa/recordatorios" GESTOR, Of::Nothing => empresa::reminders::save;
    get "/panel/empresa/textos" GESTOR, Of::Nothing => empresa::texts::show;
    post "/panel/empresa/textos/legal" GESTOR, Of::Nothing => empresa::texts_save::save_legal;
    post "/panel/empresa/textos/condiciones" GESTOR, Of::Nothing => empresa::texts_save::save_conditions;
    post "/panel/empresa/textos/privacidad" GESTOR, Of::Nothing => empresa::texts_save::save_privacy;
    get "/panel/empresa/avisos" GESTOR, Of::Nothing => notices::show;
    post "/panel/empresa/avisos" GESTOR, Of::Nothing => notices::set;
    get "/panel/empresa" GESTOR, Of::Nothing => empresa::checklist::show;
    get "/panel/empresa/datos" GESTOR, Of::Nothing => empresa::data::show;
    post "/panel/empresa/datos" GESTOR, Of::Nothing => empresa::data::save;
    get "/panel/empresa/marca" GESTOR, Of::Nothing => empresa::brand::show;
    post "/panel/empresa/marca" GESTOR, Of::Nothing => empresa::brand::save;
    post "/panel/empresa/marca/logo" GESTOR, Of::Nothing => empresa::logo::save;
    get "/panel/empresa/marca/muestra.pdf" GESTOR, Of::Nothing => empresa::brand::sample_pdf;
    get "/panel/empresa/marca/muestra.css" GESTOR, Of::Nothing => empresa::brand::sample_css;
    get "/panel/empresa/tarifa" GESTOR, Of::Nothing => empresa::tarifa::show::show;
    get "/panel/empresa/tarifa/exportar" GESTOR, Of::Nothing => empresa::tarifa::show::export;
    get "/panel/empresa/tarifa/comparar" GESTOR, Of::Nothing => empresa::tarifa::compare::show;
    get "/panel/empresa/tarifa/editar" GESTOR, Of::Nothing => empresa::tarifa::editor::show;
    post "/panel/empresa/tarifa/editar" GESTOR, Of::Nothing => empresa::tarifa::editor::collect;
    get "/panel/empresa/tarifa/importar" GESTOR, Of::Nothing => empresa::tarifa::import::show;
    post "/panel/empresa/tarifa/importar" GESTOR, Of::Nothing => empresa::tarifa::import::read;
    post "/panel/empresa/tarifa/revisar" GESTOR, Of::Nothing => empresa::tarifa::review_save::act;
    get "/panel/empresa/tarifa/retirar" GESTOR, Of::Nothing => empresa::tarifa::withdraw::ask;
    post "/panel/empresa/tarifa/retirar" GESTOR, Of::Nothing => empresa::tarifa::withdraw::withdraw;
    get "/panel/empresa/formulario" GESTOR, Of::Nothing => empresa::form::show;
    post "/panel/empresa/formulario" GESTOR, Of::Nothing => empresa::form::save;
    post "/panel/empresa/formulario/direccion" GESTOR, Of::Nothing => empresa::form::save_address;
    post "/panel/empresa/formulario/preguntas" GESTOR, Of::Nothing => empresa::form::save_questions;
    get "/panel/empresa/formulario/qr.svg" GESTOR, Of::Nothing => empresa::form::qr_svg;
    get "/panel/empresa/formulario/qr.png" GESTOR, Of::Nothing => empresa::form::qr_png;
    get "/panel/empresa/conexiones" GESTOR, Of::Nothing => empresa::connections::show;
    post "/panel/empresa/conexiones" GESTOR, Of::Nothing => empresa::connections_save::save_receivers;
    post "/panel/empresa/conexiones/secreto" GESTOR, Of::Nothing => empresa::connections_save::renew_secret;
    post "/panel/empresa/conexiones/muestra" GESTOR, Of::Nothing => empresa::samples::signal;
    post "/panel/empresa/conexiones/correo" GESTOR, Of::Nothing => empresa::connections_save::save_sender;
    post "/panel/empresa/conexiones/correo/prueba" GESTOR, Of::Nothing => empresa::samples::mail;
    post "/panel/empresa/conexiones/claves" GESTOR, Of::Nothing => empresa::connections_save::create_key;
    post "/panel/empresa/conexiones/claves/revocar" GESTOR, Of::Nothing => empresa::connections_save::revoke_key;
    get "/panel/empresa/privacidad" GESTOR, Of::Nothing => empresa::privacy::show;
    post "/panel/empresa/privacidad" GESTOR, Of::Nothing => empresa::privacy::save;
    get "/panel/empresa/privacidad/bloqueado" ADMIN, Of::Nothing => empresa::blocked::pdf;
    get "/panel/empresa/privacidad/bloqueado/respuesta" ADMIN, Of::Nothing => empresa::blocked::answer;
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
        other => other.page_texts(),
    };
    let page = frame::RefusalPage { frame: BareFrame::new(storefront, title, None), text };
    refusal.with_wait(private_page(refusal.status(), &page))
}
