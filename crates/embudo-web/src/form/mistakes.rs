//! What keeps a step from being left: what is missing, what is wrong, and what looks odd enough to ask about.
//!
//! An odd value is asked about once: sent again as it is, it is taken ([`Errores::dudar`]). The page carries what was asked
//! in hidden fields, so this works without JavaScript and keeps nothing on the server.

use std::borrow::Cow;

use axum::http::StatusCode;

use crate::parts::Campos;

/// The hidden field that says which odd values were asked about already.
const SEGURO: &str = "seguro";

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clase {
    Falta,
    Mal,
    Duda,
}

/// One thing to look at again.
#[derive(Debug, Clone)]
pub(crate) struct ErrorDeCampo {
    /// The field, by the id of its box.
    pub campo: Cow<'static, str>,
    /// What to do about it.
    pub mensaje: String,
    /// What was probably meant.
    pub sugerencia: Option<String>,
    clase: Clase,
}

impl ErrorDeCampo {
    /// Whether it may be left as it is.
    pub fn es_duda(&self) -> bool {
        self.clase == Clase::Duda
    }
}

/// Everything to look at again, in the order of the form.
#[derive(Debug, Clone, Default)]
pub(crate) struct Errores {
    /// The fields.
    pub lista: Vec<ErrorDeCampo>,
    /// What was asked about, for the page's hidden fields.
    pub preguntados: Vec<String>,
}

impl Errores {
    /// A field that was left empty.
    pub fn falta(&mut self, campo: impl Into<Cow<'static, str>>, mensaje: impl Into<String>) {
        self.poner(campo.into(), mensaje.into(), None, Clase::Falta);
    }

    /// A field whose value cannot be taken.
    pub fn anotar(&mut self, campo: impl Into<Cow<'static, str>>, mensaje: impl Into<String>) {
        self.poner(campo.into(), mensaje.into(), None, Clase::Mal);
    }

    /// A value that is probably a slip. It is asked about unless these fields already insist on it.
    pub fn dudar(&mut self, campos: &Campos, campo: &'static str, valor: &str, duda: Duda) {
        let pregunta = format!("{campo}={valor}");
        if !campos.0.iter().any(|(n, v)| n == SEGURO && *v == pregunta) {
            self.poner(campo.into(), duda.mensaje, duda.sugerencia, Clase::Duda);
        }
        self.preguntados.push(pregunta);
    }

    fn poner(&mut self, campo: Cow<'static, str>, mensaje: String, sugerencia: Option<String>, clase: Clase) {
        self.lista.push(ErrorDeCampo { campo, mensaje, sugerencia, clase });
    }

    pub fn hay(&self) -> bool {
        !self.lista.is_empty()
    }

    fn todos(&self, clase: Clase) -> bool {
        self.lista.iter().all(|e| e.clase == clase)
    }

    /// Whether there is nothing but questions.
    pub fn solo_dudas(&self) -> bool {
        self.todos(Clase::Duda)
    }

    /// What is said above the list.
    pub fn resumen(&self) -> String {
        let cuantas = match self.lista.len() {
            1 => "una cosa".to_owned(),
            n => format!("{n} cosas"),
        };
        match (self.todos(Clase::Falta), self.solo_dudas()) {
            (true, _) if self.lista.len() == 1 => format!("Falta {cuantas}:"),
            (true, _) => format!("Faltan {cuantas}:"),
            (_, true) => format!("Comprueba {cuantas} antes de seguir:"),
            _ => format!("Revisa {cuantas}:"),
        }
    }

    /// What is said about a field.
    pub fn de(&self, campo: &str) -> Option<&ErrorDeCampo> {
        self.lista.iter().find(|e| e.campo == campo)
    }

    /// Whether the field is the first of them, which gets the focus.
    pub fn es_primero(&self, campo: &str) -> bool {
        self.lista.first().is_some_and(|e| e.campo == campo)
    }

    /// 200, or 422 with something to look at again.
    pub fn status(&self) -> StatusCode {
        if self.hay() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK }
    }

    /// The page's title, which a screen reader says first.
    pub fn titulo(&self, titulo: &str) -> String {
        match (self.hay(), self.solo_dudas()) {
            (false, _) => titulo.to_owned(),
            (_, true) => format!("Comprueba: {titulo}"),
            _ => format!("Error: {titulo}"),
        }
    }
}

/// What is asked about an odd value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Duda {
    /// The question, and how to insist.
    pub mensaje: String,
    /// What was probably meant.
    pub sugerencia: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::leer_campos;

    #[test]
    fn missing_wrong_and_odd_are_told_apart() {
        let mut errores = Errores::default();
        errores.falta("nombre", "Dinos cómo te llamas.");
        assert_eq!(errores.resumen(), "Falta una cosa:");
        errores.falta("email", "Dinos un correo.");
        assert_eq!(errores.resumen(), "Faltan 2 cosas:");
        errores.anotar("telefono", "Faltan cifras.");
        assert_eq!(errores.resumen(), "Revisa 3 cosas:");
        assert_eq!(errores.titulo("Tú"), "Error: Tú");
    }

    #[test]
    fn an_odd_value_is_asked_about_once() {
        let duda = || Duda { mensaje: "¿Seguro?".into(), sugerencia: None };
        let mut errores = Errores::default();
        errores.dudar(&Campos::default(), "m2", "1000", duda());
        assert!(errores.hay() && errores.solo_dudas());
        assert_eq!(errores.resumen(), "Comprueba una cosa antes de seguir:");
        let [pregunta] = errores.preguntados.as_slice() else { panic!("one question") };
        let otra_vez = |texto: &str| leer_campos(format!("seguro={}", texto.replace('=', "%3D")).as_bytes());
        let mut insiste = Errores::default();
        insiste.dudar(&otra_vez(pregunta), "m2", "1000", duda());
        assert!(!insiste.hay());
        insiste.dudar(&otra_vez(pregunta), "m2", "1200", duda());
        assert!(insiste.hay(), "another value is another question");
    }
}
