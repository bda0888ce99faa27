//! The panel in which people of a company work: signed-in pages under `/panel`.
//!
//! Every page is a line in the table below: its address, what the person must be allowed to do ([`Needs`]), the type of
//! object in its address ([`Of`]) and its handler. The router is made from the table, and the checks of `gate` run
//! before every handler. With [`Needs::May`] the gate checks the permission in the current company. With
//! [`Needs::Within`] the handler must do it by [`Signed::within`], because only the object tells the company. The tests
//! walk the same table, as every kind of visitor. A handler takes [`Signed`] and makes its page with [`PanelFrame`].

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
mod system;
mod throttle;
mod visits;
mod words;

use axum::Router;
use axum::response::Response;
use axum::routing::MethodRouter;
use embudo_domain::role::{Permission, Role};

use crate::WebState;
use crate::parts::{Refusal, Storefront, handler, private_page};

pub(crate) use cookies::token;
pub(crate) use frame::{BareFrame, PanelFrame, Section};
pub(crate) use gate::Caller;
pub(crate) use signed::{Signed, empresa_of, works_at};
pub(crate) use streams::Streams;
pub use throttle::LoginQuota;
pub(crate) use throttle::Throttle;

/// The permission that a page requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// None: everybody may open the page.
    Nothing,
    /// The person must be signed in.
    Person,
    /// The person must have this permission in the current company.
    May(Permission),
    /// The person must have this permission in the company of the object in the address. The handler checks it with
    /// `Signed::within`.
    Within(Permission),
}

impl Needs {
    /// Whether a role in a company is sufficient. Never true if the line names no permission.
    fn holds(self, role: Role) -> bool {
        match self {
            Self::Nothing | Self::Person => false,
            Self::May(permission) | Self::Within(permission) => role.may(permission),
        }
    }
}

/// The type of object in an address, if any. Objects of a company answer 404 to people of other companies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    Nothing,
    /// A session of the signed-in person.
    Session,
    /// A person.
    User,
    /// A job in the outbox of a company.
    Job,
    /// A lead, or something that belongs to it.
    Lead,
    /// A photo of a lead: `{id}` and `{foto}`.
    Foto,
    /// A quote of a lead: `{id}` and `{numero}`.
    Quote,
    /// A draft, or the quote that was made from it.
    Draft,
    Visita,
}

/// A line of the table of routes.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// `get` or `post`.
    pub method: &'static str,
    pub path: &'static str,
    pub needs: Needs,
    pub of: Of,
}

/// Declares the routes once. The router is made from them, and tests walk them.
macro_rules! routes {
    ($($method:ident $path:literal $needs:expr, $of:expr => $handler:path;)+) => {
        /// Every page of the panel.
        pub const ROUTES: &[Route] =
            &[$(Route { method: stringify!($method), path: $path, needs: $needs, of: $of }),+];

        pub(super) fn routes(state: &WebState) -> Router<WebState> {
            Router::new()$(.route($path, gate::guarded(state, $needs, MethodRouter::new().$method(handler!($handler)))))+
        }
    };
}

use Needs::{May, Within};
use Permission::{
    Administer, GoOnVisits, KeepData, PlanVisits, RunCompany, RunOutbox, SeeFigures, SeeLeads, SeeOwnVisits,
    SeeQuotes, WorkLeads, WriteQuotes,
};

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
    get "/panel/leads" May(SeeLeads), Of::Nothing => inbox::show;
    post "/panel/leads" May(SeeLeads), Of::Nothing => inbox::act;
    post "/panel/leads/exportar" May(KeepData), Of::Nothing => inbox::export;
    get "/panel/vivo" May(SeeOwnVisits), Of::Nothing => inbox::stream;
    get "/panel/resumen" May(SeeFigures), Of::Nothing => summary::show;
    post "/panel/resumen/exportar" May(KeepData), Of::Nothing => summary::export;
    get "/panel/envios" May(RunOutbox), Of::Nothing => outbox::list;
    post "/panel/envios/destinos" May(RunOutbox), Of::Nothing => outbox::set_destination;
    get "/panel/envios/{id}" May(RunOutbox), Of::Job => outbox::show;
    post "/panel/envios/{id}/reintentar" May(RunOutbox), Of::Job => outbox::retry;
    post "/panel/envios/{id}/descartar" May(RunOutbox), Of::Job => outbox::discard;
    post "/panel/envios/{id}/dar-por-enviado" May(RunOutbox), Of::Job => outbox::take_as_sent;
    post "/panel/envios/{id}/repetir" May(RunOutbox), Of::Job => outbox::repeat;
    get "/panel/leads/nuevo" May(WorkLeads), Of::Nothing => lead::create::show;
    post "/panel/leads/nuevo" May(WorkLeads), Of::Nothing => lead::create::create;
    get "/panel/leads/{id}" Within(SeeLeads), Of::Lead => lead::show::show;
    post "/panel/leads/{id}/datos" Within(WorkLeads), Of::Lead => lead::edit::save;
    post "/panel/leads/{id}/llamada" Within(WorkLeads), Of::Lead => lead::actions::call;
    post "/panel/leads/{id}/mensajeria" Within(WorkLeads), Of::Lead => lead::actions::start_mensajeria;
    post "/panel/leads/{id}/completo" Within(WorkLeads), Of::Lead => lead::actions::complete;
    post "/panel/leads/{id}/finalizar" Within(WorkLeads), Of::Lead => lead::actions::finalize;
    post "/panel/leads/{id}/asignar" Within(WorkLeads), Of::Lead => lead::desk::assign;
    post "/panel/leads/{id}/accion" Within(WorkLeads), Of::Lead => lead::desk::plan;
    post "/panel/leads/{id}/obra" Within(WorkLeads), Of::Lead => lead::progress::set;
    post "/panel/leads/{id}/archivar" Within(WorkLeads), Of::Lead => lead::desk::archive;
    post "/panel/leads/{id}/reabrir" Within(WorkLeads), Of::Lead => lead::desk::reopen;
    post "/panel/leads/{id}/no-leido" Within(SeeLeads), Of::Lead => lead::desk::mark_unread;
    post "/panel/leads/{id}/mensajes" Within(WorkLeads), Of::Lead => lead::reply::send;
    post "/panel/leads/{id}/mensajes/{mensaje}/enviado" Within(WorkLeads), Of::Lead => lead::reply::set_sent;
    post "/panel/leads/{id}/atender" Within(WorkLeads), Of::Lead => lead::reply::take_over;
    post "/panel/leads/{id}/notas" Within(WorkLeads), Of::Lead => lead::notas::add;
    post "/panel/leads/{id}/notas/{nota}/quitar" Within(WorkLeads), Of::Lead => lead::notas::remove;
    get "/panel/leads/{id}/unir" Within(SeeLeads), Of::Lead => lead::unite::show;
    post "/panel/leads/{id}/unir" Within(WorkLeads), Of::Lead => lead::unite::unite;
    post "/panel/leads/{id}/separar" Within(WorkLeads), Of::Lead => lead::unite::separate;
    get "/panel/leads/{id}/persona" Within(KeepData), Of::Lead => lead::persona::show;
    post "/panel/leads/{id}/persona/exportar" Within(KeepData), Of::Lead => lead::persona::export;
    post "/panel/leads/{id}/persona/revocar" Within(KeepData), Of::Lead => lead::persona::revoke;
    post "/panel/leads/{id}/persona/atendido" Within(KeepData), Of::Lead => lead::persona::grant;
    post "/panel/leads/{id}/persona/borrar" Within(KeepData), Of::Lead => lead::persona::erase;
    post "/panel/leads/{id}/fotos" Within(WorkLeads), Of::Lead => lead::upload::add;
    get "/panel/leads/{id}/fotos/{foto}" Within(SeeOwnVisits), Of::Foto => lead::files::foto;
    get "/panel/leads/{id}/presupuestos/{numero}" Within(SeeQuotes), Of::Quote => lead::files::pdf;
    post "/panel/leads/{id}/presupuestos" Within(WriteQuotes), Of::Lead => quotes::actions::begin;
    get "/panel/presupuestos" May(SeeQuotes), Of::Nothing => quotes::list::show;
    get "/panel/presupuestos/{id}" Within(SeeQuotes), Of::Draft => quotes::editor::show;
    post "/panel/presupuestos/{id}" Within(WriteQuotes), Of::Draft => quotes::editor::save;
    get "/panel/presupuestos/{id}/pagina" Within(SeeQuotes), Of::Draft => quotes::preview::page;
    get "/panel/presupuestos/{id}/pdf" Within(WriteQuotes), Of::Draft => quotes::preview::pdf;
    get "/panel/presupuestos/{id}/recalcular" Within(WriteQuotes), Of::Draft => quotes::actions::ask_recalculate;
    post "/panel/presupuestos/{id}/recalcular" Within(WriteQuotes), Of::Draft => quotes::actions::recalculate;
    get "/panel/presupuestos/{id}/descartar" Within(WriteQuotes), Of::Draft => quotes::actions::ask_discard;
    post "/panel/presupuestos/{id}/descartar" Within(WriteQuotes), Of::Draft => quotes::actions::discard;
    get "/panel/presupuestos/{id}/enviar" Within(WriteQuotes), Of::Draft => quotes::send::show;
    post "/panel/presupuestos/{id}/enviar" Within(WriteQuotes), Of::Draft => quotes::send::send;
    post "/panel/presupuestos/{id}/revocar" Within(WriteQuotes), Of::Draft => quotes::actions::revoke;
    post "/panel/presupuestos/{id}/entregado" Within(WriteQuotes), Of::Draft => quotes::actions::hand_over;
    get "/panel/presupuestos/{id}/aceptado" Within(WriteQuotes), Of::Draft => quotes::by_phone::show;
    post "/panel/presupuestos/{id}/aceptado" Within(WriteQuotes), Of::Draft => quotes::by_phone::accept;
    get "/panel/leads/{id}/visitas" Within(PlanVisits), Of::Lead => visits::create::show;
    post "/panel/leads/{id}/visitas" Within(PlanVisits), Of::Lead => visits::create::create;
    get "/panel/visitas" May(SeeOwnVisits), Of::Nothing => visits::calendar::show;
    get "/panel/visitas/nueva" May(PlanVisits), Of::Nothing => visits::choose::show;
    get "/panel/visitas/ajustes" May(RunCompany), Of::Nothing => visits::settings::show;
    post "/panel/visitas/ajustes" May(RunCompany), Of::Nothing => visits::settings::save;
    get "/panel/visitas/{id}" Within(SeeOwnVisits), Of::Visita => visits::show::show;
    post "/panel/visitas/{id}/proponer" Within(PlanVisits), Of::Visita => visits::actions::propose;
    post "/panel/visitas/{id}/confirmar" Within(PlanVisits), Of::Visita => visits::actions::agree;
    post "/panel/visitas/{id}/datos" Within(PlanVisits), Of::Visita => visits::actions::change;
    post "/panel/visitas/{id}/cancelar" Within(PlanVisits), Of::Visita => visits::actions::cancel;
    post "/panel/visitas/{id}/resultado" Within(PlanVisits), Of::Visita => visits::actions::end;
    post "/panel/visitas/{id}/medidas" Within(GoOnVisits), Of::Visita => visits::measure::save;
    post "/panel/visitas/{id}/fotos" Within(GoOnVisits), Of::Visita => visits::on_site::add_fotos;
    post "/panel/visitas/{id}/notas" Within(GoOnVisits), Of::Visita => visits::on_site::add_nota;
    get "/panel/empresa/presupuestos" May(RunCompany), Of::Nothing => empresa::quotes::show;
    post "/panel/empresa/presupuestos" May(RunCompany), Of::Nothing => empresa::quotes::save;
    get "/panel/empresa/recordatorios" May(RunCompany), Of::Nothing => empresa::reminders::show;
    post "/panel/empresa/recordatorios" May(RunCompany), Of::Nothing => empresa::reminders::save;
    get "/panel/empresa/textos" May(RunCompany), Of::Nothing => empresa::texts::show;
    post "/panel/empresa/textos/legal" May(RunCompany), Of::Nothing => empresa::texts_save::save_legal;
    post "/panel/empresa/textos/condiciones" May(RunCompany), Of::Nothing => empresa::texts_save::save_conditions;
    post "/panel/empresa/textos/privacidad" May(RunCompany), Of::Nothing => empresa::texts_save::save_privacy;
    get "/panel/empresa/avisos" May(RunCompany), Of::Nothing => notices::show;
    post "/panel/empresa/avisos" May(RunCompany), Of::Nothing => notices::set;
    get "/panel/empresa" May(RunCompany), Of::Nothing => empresa::checklist::show;
    get "/panel/empresa/datos" May(RunCompany), Of::Nothing => empresa::data::show;
    post "/panel/empresa/datos" May(RunCompany), Of::Nothing => empresa::data::save;
    get "/panel/empresa/marca" May(RunCompany), Of::Nothing => empresa::brand::show;
    post "/panel/empresa/marca" May(RunCompany), Of::Nothing => empresa::brand::save;
    post "/panel/empresa/marca/logo" May(RunCompany), Of::Nothing => empresa::logo::save;
    get "/panel/empresa/marca/muestra.pdf" May(RunCompany), Of::Nothing => empresa::brand::sample_pdf;
    get "/panel/empresa/marca/muestra.css" May(RunCompany), Of::Nothing => empresa::brand::sample_css;
    get "/panel/empresa/tarifa" May(RunCompany), Of::Nothing => empresa::tarifa::show::show;
    get "/panel/empresa/tarifa/exportar" May(RunCompany), Of::Nothing => empresa::tarifa::show::export;
    get "/panel/empresa/tarifa/comparar" May(RunCompany), Of::Nothing => empresa::tarifa::compare::show;
    get "/panel/empresa/tarifa/editar" May(RunCompany), Of::Nothing => empresa::tarifa::editor::show;
    post "/panel/empresa/tarifa/editar" May(RunCompany), Of::Nothing => empresa::tarifa::editor::collect;
    get "/panel/empresa/tarifa/importar" May(RunCompany), Of::Nothing => empresa::tarifa::import::show;
    post "/panel/empresa/tarifa/importar" May(RunCompany), Of::Nothing => empresa::tarifa::import::read;
    post "/panel/empresa/tarifa/revisar" May(RunCompany), Of::Nothing => empresa::tarifa::review_save::act;
    get "/panel/empresa/tarifa/retirar" May(RunCompany), Of::Nothing => empresa::tarifa::withdraw::ask;
    post "/panel/empresa/tarifa/retirar" May(RunCompany), Of::Nothing => empresa::tarifa::withdraw::withdraw;
    get "/panel/empresa/formulario" May(RunCompany), Of::Nothing => empresa::form::show;
    post "/panel/empresa/formulario" May(RunCompany), Of::Nothing => empresa::form::save;
    post "/panel/empresa/formulario/direccion" May(RunCompany), Of::Nothing => empresa::form::save_address;
    post "/panel/empresa/formulario/preguntas" May(RunCompany), Of::Nothing => empresa::form::save_questions;
    get "/panel/empresa/formulario/qr.svg" May(RunCompany), Of::Nothing => empresa::form::qr_svg;
    get "/panel/empresa/formulario/qr.png" May(RunCompany), Of::Nothing => empresa::form::qr_png;
    get "/panel/empresa/conexiones" May(RunCompany), Of::Nothing => empresa::connections::show;
    post "/panel/empresa/conexiones" May(RunCompany), Of::Nothing => empresa::connections_save::save_receivers;
    post "/panel/empresa/conexiones/secreto" May(RunCompany), Of::Nothing => empresa::connections_save::renew_secret;
    post "/panel/empresa/conexiones/muestra" May(RunCompany), Of::Nothing => empresa::samples::signal;
    post "/panel/empresa/conexiones/correo" May(RunCompany), Of::Nothing => empresa::connections_save::save_sender;
    post "/panel/empresa/conexiones/correo/prueba" May(RunCompany), Of::Nothing => empresa::samples::mail;
    post "/panel/empresa/conexiones/claves" May(RunCompany), Of::Nothing => empresa::connections_save::create_key;
    post "/panel/empresa/conexiones/claves/revocar" May(RunCompany), Of::Nothing => empresa::connections_save::revoke_key;
    get "/panel/empresa/privacidad" May(RunCompany), Of::Nothing => empresa::privacy::show;
    post "/panel/empresa/privacidad" May(RunCompany), Of::Nothing => empresa::privacy::save;
    get "/panel/empresa/privacidad/bloqueado" May(Administer), Of::Nothing => empresa::blocked::pdf;
    get "/panel/empresa/privacidad/bloqueado/respuesta" May(Administer), Of::Nothing => empresa::blocked::answer;
    get "/panel/usuarios" May(Administer), Of::Nothing => people::list;
    post "/panel/usuarios" May(Administer), Of::Nothing => people::create;
    get "/panel/usuarios/{id}" May(Administer), Of::User => people::show;
    post "/panel/usuarios/{id}" May(Administer), Of::User => people::change;
    post "/panel/usuarios/{id}/enlace" May(Administer), Of::User => people::invite;
    get "/panel/registro" May(Administer), Of::Nothing => audit_log::show;
    get "/panel/sistema" May(Administer), Of::Nothing => system::show;
}

/// The result of the panel's handlers.
pub(crate) type PanelResult = Result<Response, Refusal>;

/// Whether an address belongs to the panel.
pub(crate) fn holds(path: &str) -> bool {
    path == "/panel" || path.starts_with("/panel/")
}

/// Renders a refusal as a page of the panel.
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
