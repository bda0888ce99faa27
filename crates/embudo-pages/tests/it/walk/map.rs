//! Who may do what at which address. The walk fails on a route that is missing in this map, and on a line of the map
//! without a route.

use std::collections::BTreeMap;

use embudo_domain::role::Role;

use super::passes::Pass;

/// The callers that an address accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// Everybody: the page is the same for all, or it checks the caller itself.
    Open,
    /// A signed-in person, for their own data. Another person's data answer 404.
    Person,
    /// A person with one of these roles in the current company; everybody else gets 403.
    Looking(&'static [Role]),
    /// The same roles, for an object of the current company; objects of another company answer 404.
    LookingAt(&'static [Role]),
    /// A person with one of these roles in the company of the object in the address. Other roles get 403; people of
    /// other companies get 404. The role `obra` only opens what the person takes part in; the work of colleagues
    /// answers 404.
    Within(&'static [Role]),
    /// The holders of this pass; any other pass gets 404.
    Pass(Pass),
    /// The server's API key or the company's own key; otherwise 401. Another company's key gets 404.
    Key,
    /// Only the server's API key; otherwise 401.
    ServerKey,
}

use Door::{Key, Looking, LookingAt, Open, Person, ServerKey, Within};
use Role::{Administrador, Comercial, Gestor, Lectura, Obra};

const EVERYBODY: &[Role] = &[Obra, Lectura, Comercial, Gestor, Administrador];
const GOERS: &[Role] = &[Obra, Comercial, Gestor, Administrador];
const READERS: &[Role] = &[Lectura, Comercial, Gestor, Administrador];
const WRITERS: &[Role] = &[Comercial, Gestor, Administrador];
const MANAGERS: &[Role] = &[Gestor, Administrador];
const ADMIN: &[Role] = &[Administrador];

/// The routes by their door: methods, then the address.
const MAP: &[(Door, &str)] = &[
    (
        Open,
        "get /
         get /f/{slug}
         get post /f/{slug}/metros
         get post /f/{slug}/contacto
         get /f/{slug}/rango
         get /f/{slug}/privacidad
         get /f/{slug}/gracias
         get /f/{slug}/marca.css
         get /f/{slug}/logo.png
         get /recursos/{version}/{nombre}
         get /healthz
         get /readyz
         get /openapi.json
         get /docs
         get /docs/problemas
         get /docs/guias
         get /docs/guias/{*guide}
         get /docs/docs.css
         get /docs/docs.js
         get /panel
         get post /panel/empezar
         get post /panel/entrar
         get post /panel/entrar/codigo
         post /panel/salir
         get post /panel/recuperar
         post /panel/recuperar/nueva
         post /panel/tema
         get /panel/manifest.webmanifest
         get /panel/sw.js",
    ),
    (
        Door::Pass(Pass::Form),
        "get /f/{slug}/{pase}
         get post /f/{slug}/{pase}/tipo
         get post /f/{slug}/{pase}/metros
         get post /f/{slug}/{pase}/contacto
         get post /f/{slug}/{pase}/calidad
         get post /f/{slug}/{pase}/vivienda
         get post /f/{slug}/{pase}/fotos
         post /f/{slug}/{pase}/fotos/subir
         get /f/{slug}/{pase}/fotos/{foto}
         post /f/{slug}/{pase}/fotos/{foto}/borrar
         get /f/{slug}/{pase}/resumen
         post /f/{slug}/{pase}/enviar
         post /f/{slug}/{pase}/mensajeria
         post /f/{slug}/{pase}/llamada
         get /f/{slug}/{pase}/gracias",
    ),
    (
        Door::Pass(Pass::Quote),
        "get /p/{pase}
         get /p/{pase}/pdf
         get /p/{pase}/fotos/{foto}
         post /p/{pase}/aceptar
         post /p/{pase}/rechazar
         post /p/{pase}/visita
         post /p/{pase}/dudas
         post /p/{pase}/datos",
    ),
    (
        Door::Pass(Pass::Visit),
        "get /v/{pase}
         post /v/{pase}/elegir
         post /v/{pase}/cancelar",
    ),
    (
        Door::Pass(Pass::Consents),
        "get post /r/{pase}
         get post /c/{pase}",
    ),
    (Door::Pass(Pass::Calendar), "get /calendario/{secreto}"),
    (Door::Pass(Pass::Photo), "get /fotos/{lead}/{foto}"),
    (
        Key,
        "get post /api/leads
         get patch /api/leads/{id}
         post /api/leads/{id}/ingesta
         post /api/leads/{id}/conversacion
         post /api/leads/{id}/perfil
         post /api/leads/{id}/calificacion
         post /api/leads/{id}/intento
         post /api/leads/{id}/mensajeria
         get /api/leads/{id}/eventos
         get delete /api/leads/{id}/fotos/{foto}
         get /api/leads/{id}/presupuestos
         get /api/leads/{id}/presupuestos/{fichero}
         get /api/leads/{id}/visita
         get /api/pendiente
         post /mcp",
    ),
    (ServerKey, "get /metrics"),
    (
        Person,
        "post /panel/cambiar
         get post /panel/cuenta
         post /panel/cuenta/clave
         post /panel/cuenta/sesiones
         post /panel/cuenta/sesiones/{id}
         post /panel/cuenta/agenda
         post /panel/cuenta/calendario
         post /panel/cuenta/avisos
         post /panel/cuenta/dispositivos
         post /panel/cuenta/dispositivos/quitar
         post /panel/cuenta/dispositivos/avisos
         get post /panel/cuenta/segundo-factor
         post /panel/cuenta/segundo-factor/codigos
         post /panel/cuenta/segundo-factor/quitar",
    ),
    (
        Looking(EVERYBODY),
        "get /panel/vivo
         get /panel/visitas",
    ),
    (
        Looking(READERS),
        "get post /panel/leads
         get /panel/presupuestos
         get /panel/resumen",
    ),
    (
        Looking(WRITERS),
        "get post /panel/leads/nuevo
         get /panel/visitas/nueva",
    ),
    (
        Looking(MANAGERS),
        "post /panel/leads/exportar
         post /panel/resumen/exportar
         get /panel/envios
         post /panel/envios/destinos
         get post /panel/visitas/ajustes
         get /panel/empresa
         get post /panel/empresa/presupuestos
         get post /panel/empresa/recordatorios
         get /panel/empresa/textos
         post /panel/empresa/textos/legal
         post /panel/empresa/textos/condiciones
         post /panel/empresa/textos/privacidad
         get post /panel/empresa/avisos
         get post /panel/empresa/datos
         get post /panel/empresa/marca
         post /panel/empresa/marca/logo
         get /panel/empresa/marca/muestra.pdf
         get /panel/empresa/marca/muestra.css
         get /panel/empresa/tarifa
         get /panel/empresa/tarifa/exportar
         get /panel/empresa/tarifa/comparar
         get post /panel/empresa/tarifa/editar
         get post /panel/empresa/tarifa/importar
         post /panel/empresa/tarifa/revisar
         get post /panel/empresa/tarifa/retirar
         get post /panel/empresa/formulario
         post /panel/empresa/formulario/direccion
         post /panel/empresa/formulario/preguntas
         get /panel/empresa/formulario/qr.svg
         get /panel/empresa/formulario/qr.png
         get post /panel/empresa/conexiones
         post /panel/empresa/conexiones/secreto
         post /panel/empresa/conexiones/muestra
         post /panel/empresa/conexiones/correo
         post /panel/empresa/conexiones/correo/prueba
         post /panel/empresa/conexiones/claves
         post /panel/empresa/conexiones/claves/revocar
         get post /panel/empresa/privacidad",
    ),
    (
        LookingAt(MANAGERS),
        "get /panel/envios/{id}
         post /panel/envios/{id}/reintentar
         post /panel/envios/{id}/descartar
         post /panel/envios/{id}/dar-por-enviado
         post /panel/envios/{id}/repetir",
    ),
    (
        Looking(ADMIN),
        "get /panel/empresa/privacidad/bloqueado
         get /panel/empresa/privacidad/bloqueado/respuesta
         get post /panel/usuarios
         get post /panel/usuarios/{id}
         post /panel/usuarios/{id}/enlace
         get /panel/registro
         get /panel/sistema",
    ),
    (
        Within(EVERYBODY),
        "get /panel/leads/{id}/fotos/{foto}
         get /panel/visitas/{id}",
    ),
    (
        Within(GOERS),
        "post /panel/visitas/{id}/medidas
         post /panel/visitas/{id}/fotos
         post /panel/visitas/{id}/notas",
    ),
    (
        Within(READERS),
        "get /panel/leads/{id}
         post /panel/leads/{id}/no-leido
         get /panel/leads/{id}/unir
         get /panel/leads/{id}/presupuestos/{numero}
         get /panel/presupuestos/{id}
         get /panel/presupuestos/{id}/pagina",
    ),
    (
        Within(WRITERS),
        "post /panel/leads/{id}/datos
         post /panel/leads/{id}/llamada
         post /panel/leads/{id}/mensajeria
         post /panel/leads/{id}/completo
         post /panel/leads/{id}/finalizar
         post /panel/leads/{id}/asignar
         post /panel/leads/{id}/accion
         post /panel/leads/{id}/obra
         post /panel/leads/{id}/archivar
         post /panel/leads/{id}/reabrir
         post /panel/leads/{id}/mensajes
         post /panel/leads/{id}/mensajes/{mensaje}/enviado
         post /panel/leads/{id}/atender
         post /panel/leads/{id}/notas
         post /panel/leads/{id}/unir
         post /panel/leads/{id}/separar
         post /panel/leads/{id}/fotos
         post /panel/leads/{id}/presupuestos
         get post /panel/leads/{id}/visitas
         post /panel/presupuestos/{id}
         get /panel/presupuestos/{id}/pdf
         get post /panel/presupuestos/{id}/recalcular
         get post /panel/presupuestos/{id}/descartar
         get post /panel/presupuestos/{id}/enviar
         post /panel/presupuestos/{id}/revocar
         post /panel/presupuestos/{id}/entregado
         get post /panel/presupuestos/{id}/aceptado
         post /panel/visitas/{id}/proponer
         post /panel/visitas/{id}/confirmar
         post /panel/visitas/{id}/datos
         post /panel/visitas/{id}/cancelar
         post /panel/visitas/{id}/resultado",
    ),
    (
        Within(MANAGERS),
        // The walk uses the note of another person. Removing one's own note requires less.
        "post /panel/leads/{id}/notas/{nota}/quitar
         get /panel/leads/{id}/persona
         post /panel/leads/{id}/persona/exportar
         post /panel/leads/{id}/persona/revocar
         post /panel/leads/{id}/persona/atendido
         post /panel/leads/{id}/persona/borrar",
    ),
];

/// A route of the server, and its door.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    pub method: &'static str,
    pub path: &'static str,
    pub door: Door,
}

impl Route {
    /// Whether the route may change something.
    pub fn is_unsafe(&self) -> bool {
        self.method != "get"
    }

    pub fn is_panel(&self) -> bool {
        self.path.starts_with("/panel")
    }

    /// Whether programs call the route. A browser cannot be made to call it with a person's rights.
    pub fn is_api(&self) -> bool {
        matches!(self.door, Key | ServerKey)
    }
}

/// Every route of the server, in the order of the router's tables.
pub fn routes() -> Vec<Route> {
    let lines = MAP.iter().flat_map(|(door, block)| block.lines().map(move |line| (*door, line)));
    let mut doors = BTreeMap::new();
    for (door, line) in lines {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let path = words.pop().expect("a line names its address");
        for method in words {
            let before = doors.insert((method, path), door);
            assert_eq!(before, None, "{method} {path} has two lines in walk/map.rs: keep the right one");
        }
    }
    let routes = embudo_testkit::routes().map(|(method, path)| match doors.remove(&(method, path)) {
        Some(door) => Route { method, path, door },
        None => panic!(
            "{method} {path} is served, and walk/map.rs does not say who may use it: add its line there"
        ),
    });
    let routes = routes.collect();
    let gone: Vec<_> = doors.keys().collect();
    assert!(gone.is_empty(), "{gone:?} are in walk/map.rs and are served no more: take their lines away");
    routes
}
