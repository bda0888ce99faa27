//! A lead: how one is created, how its contact data is corrected.

use crate::EmpresaId;
use crate::consentimiento::Consentimiento;
use crate::contacto::{Email, Telefono};
use crate::cuerpo::{Cuerpo, Datos, exigir_alguno};
use crate::errores::Invalido;
use crate::esquema::{Campo, Tipo};
use crate::perfil::{self, Perfil};

/// A lead to be created (contract §3).
#[derive(Debug, Clone, PartialEq)]
pub struct NuevoLead {
    /// The client's name.
    pub nombre: String,
    /// The client's telephone.
    pub telefono: Telefono,
    /// The client's e-mail.
    pub email: Email,
    /// The client's province.
    pub provincia: Option<String>,
    /// The company; the default one when absent.
    pub empresa: Option<EmpresaId>,
    /// Fields of the profile known from the start.
    pub perfil: Perfil,
    /// Campaign and ad ids.
    pub utm: Vec<(String, String)>,
    /// Consents given.
    pub consentimientos: Vec<Consentimiento>,
}

const NOMBRE: Campo =
    Campo::requerido("nombre", Tipo::TextoNoVacio, "Nombre del cliente.", r#""Ana García""#);
const TELEFONO: Campo = Campo::requerido(
    "telefono",
    Tipo::Telefono,
    "Teléfono en cualquier forma usual; sin prefijo se entiende español.",
    r#""612 34 56 78""#,
);
const EMAIL: Campo = Campo::requerido("email", Tipo::Email, "Correo electrónico.", r#""ana@ejemplo.es""#);
const PROVINCIA: Campo = Campo::opcional("provincia", Tipo::Texto, "Provincia.", r#""Madrid""#);

const CAMPOS_NUEVO: [Campo; 7 + perfil::CAMPOS.len()] = {
    let mut todos = [NOMBRE; 7 + perfil::CAMPOS.len()];
    todos[1] = TELEFONO;
    todos[2] = EMAIL;
    todos[3] = PROVINCIA;
    todos[4] = Campo::opcional(
        "tenantId",
        Tipo::Id,
        "Empresa; por defecto, la empresa por defecto.",
        r#""0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b""#,
    );
    todos[5] = Campo::opcional(
        "utm",
        Tipo::MapaDeTextos,
        "Campaña e identificadores de anuncio.",
        r#"{"utm_source":"buscador","utm_campaign":"banos"}"#,
    );
    todos[6] = Campo::opcional(
        "consentimientos",
        Tipo::Consentimientos,
        "Consentimientos otorgados o denegados.",
        r#"[{"finalidad":"presupuesto","textoVersion":"2026-01"}]"#,
    );
    let mut n = 0;
    while n < perfil::CAMPOS.len() {
        todos[7 + n] = perfil::CAMPOS[n];
        n += 1;
    }
    todos
};

impl Cuerpo for NuevoLead {
    const CAMPOS: &'static [Campo] = &CAMPOS_NUEVO;

    fn armar(mut d: Datos) -> Self {
        Self {
            nombre: d.texto("nombre").expect("required"),
            telefono: d.telefono("telefono").expect("required"),
            email: d.email("email").expect("required"),
            provincia: d.texto("provincia"),
            empresa: d.id("tenantId").map(EmpresaId),
            utm: d.mapa("utm").unwrap_or_default(),
            consentimientos: d.consentimientos("consentimientos"),
            perfil: Perfil::armar(&mut d),
        }
    }
}

/// A correction of contact data (contract §3): only the fields sent are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContactoPatch {
    /// New name.
    pub nombre: Option<String>,
    /// New telephone.
    pub telefono: Option<Telefono>,
    /// New e-mail.
    pub email: Option<Email>,
    /// New province.
    pub provincia: Option<String>,
}

impl Cuerpo for ContactoPatch {
    const CAMPOS: &'static [Campo] = &[
        Campo { requerido: false, ..NOMBRE },
        Campo { requerido: false, ..TELEFONO },
        Campo { requerido: false, ..EMAIL },
        PROVINCIA,
    ];

    fn reglas(d: &Datos, mal: &mut Invalido) {
        exigir_alguno(d, mal);
    }

    fn armar(mut d: Datos) -> Self {
        Self {
            nombre: d.texto("nombre"),
            telefono: d.telefono("telefono"),
            email: d.email("email"),
            provincia: d.texto("provincia"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::errores::MAX_ERRORES;

    fn nuevo(resto: &str) -> Result<NuevoLead, Invalido> {
        let cuerpo = format!(r#"{{"nombre":"Ana","telefono":"612345678","email":"ana@ejemplo.es",{resto}}}"#);
        NuevoLead::read(cuerpo.as_bytes())
    }

    #[test]
    fn of_a_utm_sent_twice_the_last_one_counts() {
        let lead = nuevo(r#""utm":{"a":"1","b":"2","a":"3","c":"","a":"4"}"#).expect("right");
        let pares: Vec<_> = lead.utm.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(pares, [("b", "2"), ("c", ""), ("a", "4")]);
        assert!(nuevo(r#""utm":{"a":1,"a":"3"}"#).is_ok(), "what was replaced is not looked at");
        assert!(nuevo(r#""utm":{"a":"3","a":1}"#).is_err());
    }

    #[test]
    fn many_utm_cost_no_more_each_than_few() {
        let mut utm = String::from(r#""utm":{"#);
        for n in 0..200_000 {
            let _ = write!(utm, r#""k{n}":"","#);
        }
        utm.push_str(r#""fin":""}"#);
        let begun = Instant::now();
        assert_eq!(nuevo(&utm).expect("right").utm.len(), 200_001);
        // Looking through all keys for each one would take minutes.
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }

    #[test]
    fn more_wrong_consents_than_are_listed_are_refused_all_the_same() {
        let consentimientos = vec!["{}"; MAX_ERRORES + 1].join(",");
        let mal = nuevo(&format!(r#""consentimientos":[{consentimientos}]"#)).expect_err("all wrong");
        assert_eq!(mal.errores.len(), MAX_ERRORES);
    }
}
