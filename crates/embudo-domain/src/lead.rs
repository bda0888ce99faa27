//! A lead: how it is created, how its contact data is corrected, how it is stored.

use jiff::Timestamp;

use crate::body::{Body, Data, list_of, require_any};
use crate::calificacion::Nivel;
use crate::consentimiento::Consentimiento;
use crate::contact::{Email, Telefono};
use crate::empresa::Empresa;
use crate::errors::Invalid;
use crate::iva::answers::{Answer, Condiciones};
use crate::json::ListKind;
use crate::obra::{self, Obra, names_premises};
use crate::perfil::{self, Perfil};
use crate::provincia::Provincia;
use crate::schema::{Field, Kind};
use crate::search::fold;
use crate::watched_loop::WatchedLoop;
use crate::{EmpresaId, LeadId, words};

/// A lead to be created (contract §3).
#[derive(Debug, Clone, PartialEq)]
pub struct NewLead {
    /// The client's name.
    pub nombre: String,
    /// The client's telephone. The API requires one; in the panel a person must give a telephone or an e-mail.
    pub telefono: Telefono,
    pub email: Email,
    /// The client's province.
    pub provincia: Option<String>,
    /// The company; the default one when absent.
    pub empresa: Option<EmpresaId>,
    /// Fields of the profile known from the start.
    pub perfil: Perfil,
    /// What decides tax and price, as far as it is known from the start.
    pub obra: Obra,
    /// Campaign and ad ids.
    pub utm: Vec<(String, String)>,
    pub consentimientos: Vec<Consentimiento>,
}

const NOMBRE: Field = Field::required("nombre", Kind::NonEmptyText, "Nombre del cliente.", r#""Ana García""#);
const TELEFONO: Field = Field::required(
    "telefono",
    Kind::Telefono,
    "Teléfono en cualquier forma usual; sin prefijo se entiende español.",
    r#""612 34 56 78""#,
);
const EMAIL: Field = Field::required("email", Kind::Email, "Correo electrónico.", r#""ana@ejemplo.es""#);
const PROVINCIA: Field = Field::optional("provincia", Kind::Text, "Provincia.", r#""Madrid""#);

const NEW_FIELDS: [Field; 7 + perfil::FIELD_TABLE.len() + obra::FIELD_TABLE.len()] = joined(
    &[
        NOMBRE,
        TELEFONO,
        EMAIL,
        PROVINCIA,
        Field::optional(
            "tenantId",
            Kind::Id,
            "Empresa; por defecto, la empresa por defecto.",
            r#""0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b""#,
        ),
        Field::optional(
            "utm",
            Kind::TextMap,
            "Campaña e identificadores de anuncio.",
            r#"{"utm_source":"buscador","utm_campaign":"banos"}"#,
        ),
        Field::optional(
            "consentimientos",
            Kind::Consentimientos,
            "Consentimientos otorgados o denegados.",
            r#"[{"finalidad":"presupuesto","textoVersion":"2026-01"}]"#,
        ),
    ],
    &perfil::FIELD_TABLE,
);

const CONTACT_FIELDS: [Field; 4] = [
    Field { required: false, ..NOMBRE },
    Field { required: false, ..TELEFONO },
    Field { required: false, ..EMAIL },
    PROVINCIA,
];

const PATCH_FIELDS: [Field; 4 + obra::FIELD_TABLE.len()] = joined(&CONTACT_FIELDS, &[]);

/// Two lists of fields, followed by the fields that decide tax and price, as one array.
const fn joined<const N: usize>(first: &[Field], second: &[Field]) -> [Field; N] {
    let mut all = [NOMBRE; N];
    let mut n = 0;
    while n < N {
        all[n] = if n < first.len() {
            first[n]
        } else if n < first.len() + second.len() {
            second[n - first.len()]
        } else {
            obra::FIELD_TABLE[n - first.len() - second.len()]
        };
        n += 1;
    }
    all
}

impl Body for NewLead {
    const LISTS: &'static [ListKind] = &[list_of::<Consentimiento>("consentimientos")];

    const FIELD_TABLE: &'static [Field] = &NEW_FIELDS;

    fn assemble(mut d: Data) -> Self {
        Self {
            nombre: d.text("nombre").expect("required"),
            // The field table of each body decides whether a telephone and an e-mail are required.
            telefono: d.telefono("telefono").unwrap_or_default(),
            email: d.email("email").unwrap_or_default(),
            provincia: d.text("provincia"),
            empresa: d.id("tenantId").map(EmpresaId),
            utm: d.map("utm").unwrap_or_default(),
            consentimientos: d.list("consentimientos"),
            perfil: Perfil::assemble(&mut d),
            obra: Obra::assemble(&mut d),
        }
    }
}

/// A lead that a person enters in the panel: a telephone or an e-mail is enough.
#[derive(Debug, Clone, PartialEq)]
pub struct LeadByHand(pub NewLead);

const BY_HAND_FIELDS: [Field; NEW_FIELDS.len()] = {
    let mut all = NEW_FIELDS;
    (all[1].required, all[2].required) = (false, false);
    all
};

impl Body for LeadByHand {
    const LISTS: &'static [ListKind] = NewLead::LISTS;

    const FIELD_TABLE: &'static [Field] = &BY_HAND_FIELDS;

    fn rules(d: &Data, wrong: &mut Invalid) {
        let is_sent = |name: &str| d.sent().contains(&name);
        if !is_sent("telefono") && !is_sent("email") {
            wrong.note_down(
                "/telefono",
                "requerido",
                "Escribe un teléfono o un correo: con uno de los dos basta.",
            );
        }
    }

    fn assemble(d: Data) -> Self {
        Self(NewLead::assemble(d))
    }
}

/// Corrected contact data: only the fields that are present are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContactPatch {
    pub nombre: Option<String>,
    pub telefono: Option<Telefono>,
    pub email: Option<Email>,
    pub provincia: Option<String>,
}

impl ContactPatch {
    fn assemble(d: &mut Data) -> Self {
        Self {
            nombre: d.text("nombre"),
            telefono: d.telefono("telefono"),
            email: d.email("email"),
            provincia: d.text("provincia"),
        }
    }
}

/// What `PATCH /api/leads/:id` corrects: contact data, and what decides tax and price.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LeadPatch {
    pub contact: ContactPatch,
    pub obra: Obra,
}

impl Body for LeadPatch {
    const FIELD_TABLE: &'static [Field] = &PATCH_FIELDS;

    fn rules(d: &Data, wrong: &mut Invalid) {
        require_any(d, wrong);
    }

    fn assemble(mut d: Data) -> Self {
        Self { contact: ContactPatch::assemble(&mut d), obra: Obra::assemble(&mut d) }
    }
}

/// A lead's own row.
#[derive(Debug, Clone, PartialEq)]
pub struct Lead {
    pub id: LeadId,
    pub empresa: Empresa,
    /// The client's name.
    pub nombre: String,
    /// The telephone as typed; empty: none is known.
    pub telefono: String,
    /// The telephone as E.164; empty: none is known ([`Lead::e164`]).
    pub telefono_e164: String,
    /// The e-mail as typed; empty: none is known ([`Lead::mail`]).
    pub email: String,
    pub provincia: Option<String>,
    /// Every field of the profile.
    pub perfil: Perfil,
    /// What decides tax and price besides the profile. Like `utm` it is read with the whole record and with the lead's
    /// page, but not in lists.
    pub obra: Obra,
    /// Campaign and ad ids, sorted by name.
    pub utm: Vec<(String, String)>,
    pub creado_en: Timestamp,
    /// When one of its own fields last changed.
    pub actualizado_en: Timestamp,
    /// The lead's state between the profile signal and `finalizar`. `None`: nothing is watched.
    pub watched_loop: Option<WatchedLoop>,
}

impl Lead {
    /// The client's name, shortened for display: the stored name may have any length.
    pub fn name(&self) -> String {
        words::name(&self.nombre)
    }

    /// The telephone in E.164, where one is known. Without it nothing goes out by messaging.
    pub fn e164(&self) -> Option<&str> {
        Some(self.telefono_e164.as_str()).filter(|e164| !e164.is_empty())
    }

    /// The e-mail as typed, where one is known. Without it no mail goes out.
    pub fn mail(&self) -> Option<&str> {
        Some(self.email.as_str()).filter(|email| !email.is_empty())
    }

    /// Where the work is done, for a quote and a visit: street and number, with the province unless the street already
    /// names it.
    pub fn address_of_obra(&self) -> Option<String> {
        let street = self.obra.direccion.as_ref()?.as_str().trim();
        let provincia = self.provincia_of_obra().and_then(Provincia::parse).map(Provincia::nombre);
        let is_named = |provincia: &&str| fold(street).contains(&fold(provincia));
        Some(match provincia.filter(|provincia| !is_named(provincia)) {
            Some(provincia) => format!("{street}, {provincia}"),
            None => street.to_owned(),
        })
        .filter(|address| !address.is_empty())
    }

    /// The name with which the client is greeted; empty if the name contains nothing readable.
    pub fn first_name(&self) -> String {
        words::first_name(&self.nombre)
    }

    /// The province, shortened for display.
    pub fn place(&self) -> Option<String> {
        self.provincia.as_deref().map(words::name)
    }

    /// The province of the work: the one of its postal code, otherwise what the person wrote.
    pub fn provincia_of_obra(&self) -> Option<&str> {
        let by_code = self.obra.codigo_postal.as_ref().map(|code| Provincia::nombre(code.provincia()));
        by_code.or(self.provincia.as_deref())
    }

    /// The answers that decide the tax rate. Business premises that the lead names are not a dwelling, unless somebody
    /// said that they are.
    pub fn condiciones(&self) -> Condiciones {
        let said = self.obra.condiciones();
        let is_premises =
            said.vivienda == Answer::Unknown && self.perfil.espacio.as_deref().is_some_and(names_premises);
        if is_premises { Condiciones { vivienda: Answer::Denied, ..said } } else { said }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct LeadSummary {
    pub lead: Lead,
    /// Its level, if qualified.
    pub nivel: Option<Nivel>,
    /// Its score, if qualified.
    pub score: Option<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::MAX_ERRORS;

    fn new(rest: &str) -> Result<NewLead, Invalid> {
        let body = format!(r#"{{"nombre":"Ana","telefono":"612345678","email":"ana@ejemplo.es",{rest}}}"#);
        NewLead::read(body.as_bytes())
    }

    #[test]
    fn of_a_utm_sent_twice_the_last_one_counts() {
        let lead = new(r#""utm":{"a":"1","b":"2","a":"3","c":"","a":"4"}"#).expect("right");
        let pairs: Vec<_> = lead.utm.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(pairs, [("b", "2"), ("c", ""), ("a", "4")]);
        assert!(new(r#""utm":{"a":1,"a":"3"}"#).is_ok(), "what was replaced is not looked at");
        assert!(new(r#""utm":{"a":"3","a":1}"#).is_err());
    }

    /// The processor time that this thread has used; what else runs on the machine hardly counts.
    fn processor_time() -> u64 {
        // The kernel brings it up to date when the thread yields.
        std::thread::yield_now();
        let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux says it");
        stat.split(' ').next().and_then(|time| time.parse().ok()).expect("nanoseconds")
    }

    #[test]
    fn many_utm_cost_no_more_each_than_few() {
        let time_of_each = |count: u64| {
            let utm: Vec<String> = (0..count).map(|n| format!(r#""k{n}":"""#)).collect();
            let utm = format!(r#""utm":{{{}}}"#, utm.join(","));
            let begun = processor_time();
            assert_eq!(new(&utm).expect("right").utm.len() as u64, count);
            (processor_time() - begun) / count
        };
        let few = (0..3).map(|_| time_of_each(10_000)).max().expect("three").max(1);
        // A linear search through all keys for each key would cost sixteen times as much each.
        let many = time_of_each(160_000);
        assert!(many < few * 6, "{many} ns each of many, {few} ns each of few");
    }

    #[test]
    fn more_wrong_consents_than_are_listed_are_refused_all_the_same() {
        let consentimientos = vec!["{}"; MAX_ERRORS + 1].join(",");
        let wrong = new(&format!(r#""consentimientos":[{consentimientos}]"#)).expect_err("all wrong");
        assert_eq!(wrong.errors.len(), MAX_ERRORS);
    }
}
