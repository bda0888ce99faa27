//! Who asks: what was typed in step 3, and what it means.
//!
//! Mistakes say how to mend them. Nothing here knows whether the person is known already.

use embudo_domain::contacto::{Email, Telefono};
use embudo_domain::provincia::Provincia;

use super::vista::Errores;
use crate::web::piezas::Campos;

/// The longest name.
const MAX_NOMBRE: usize = 120;

/// What the person typed, right or wrong.
#[derive(Debug, Clone, Default)]
pub(super) struct Tecleado {
    pub nombre: String,
    pub telefono: String,
    pub email: String,
    pub provincia: String,
    pub comercial: bool,
}

/// What they meant.
pub(super) struct Leido {
    pub nombre: String,
    pub telefono: Telefono,
    pub email: Email,
    pub provincia: Option<String>,
}

impl Tecleado {
    pub fn de(campos: &Campos) -> Self {
        Self {
            nombre: campos.texto("nombre"),
            telefono: campos.texto("telefono"),
            email: campos.texto("email"),
            provincia: campos.texto("provincia"),
            comercial: campos.tiene("comercial"),
        }
    }

    pub fn leer(&self) -> Result<Leido, Errores> {
        let mut errores = Errores::default();
        if self.nombre.is_empty() {
            errores.anotar("nombre", "Dinos cómo te llamas.");
        } else if self.nombre.chars().count() > MAX_NOMBRE {
            errores.anotar("nombre", "Es demasiado largo: con nombre y apellidos nos basta.");
        }
        let telefono = leer_telefono(&self.telefono).map_err(|m| errores.anotar("telefono", m));
        let email = leer_email(&self.email).map_err(|m| errores.anotar("email", m));
        let provincia = Some(self.provincia.clone()).filter(|p| !p.is_empty());
        if provincia.as_deref().is_some_and(|p| Provincia::leer(p).is_none()) {
            errores.anotar("provincia", "Elige la provincia de la lista.");
        }
        match (telefono, email) {
            (Ok(telefono), Ok(email)) if !errores.hay() => {
                Ok(Leido { nombre: self.nombre.clone(), telefono, email, provincia })
            }
            _ => Err(errores),
        }
    }
}

fn leer_telefono(texto: &str) -> Result<Telefono, String> {
    if texto.is_empty() {
        return Err("Dinos un teléfono, fijo o móvil.".to_owned());
    }
    let cifras = texto.chars().filter(char::is_ascii_digit).count();
    Telefono::leer(texto).map_err(|_| match cifras {
        0..9 => format!("Faltan cifras: un teléfono español tiene 9 y has escrito {cifras}."),
        _ => "Revisa el número: uno español tiene 9 cifras; si es de otro país, empieza por + y su prefijo."
            .to_owned(),
    })
}

fn leer_email(texto: &str) -> Result<Email, String> {
    if texto.is_empty() {
        return Err("Dinos un correo: ahí te llegará el presupuesto.".to_owned());
    }
    Email::leer(texto).map_err(|_| {
        if texto.contains('@') {
            "Revisa el correo: debe ser como ana@ejemplo.es, sin espacios.".to_owned()
        } else {
            "Falta la arroba: un correo es como ana@ejemplo.es.".to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_say_how_to_mend_them() {
        let mal = |telefono: &str| leer_telefono(telefono).expect_err("wrong");
        assert_eq!(mal("61234567"), "Faltan cifras: un teléfono español tiene 9 y has escrito 8.");
        assert!(mal("6123456789012345").starts_with("Revisa el número"));
        assert!(leer_telefono("+34 612-34-56-78").is_ok() && leer_telefono("91 234 56 78").is_ok());
        assert!(leer_email("ana").expect_err("wrong").contains("arroba"));
        assert!(leer_email("ana@ejemplo").expect_err("wrong").starts_with("Revisa el correo"));
    }

    #[test]
    fn every_field_is_looked_at() {
        let Err(errores) = Tecleado::default().leer() else { panic!("nothing was typed") };
        let campos: Vec<_> = errores.0.iter().map(|(c, _)| *c).collect();
        assert_eq!(campos, ["nombre", "telefono", "email"]);
        assert!(errores.es_primero("nombre"));
    }
}
