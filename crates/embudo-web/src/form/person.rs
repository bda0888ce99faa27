//! Who asks: what was typed in step 3, and what it means.
//!
//! Mistakes say how to mend them, and what looks like a slip is asked about. Nothing here knows whether the person is known already.

use embudo_domain::contacto::{Email, Telefono};
use embudo_domain::palabras;
use embudo_domain::provincia::Provincia;

use super::mistakes::{Duda, Errores};
use super::slips::meant_domain;
use crate::parts::Campos;

/// The longest name.
const MAX_NOMBRE: usize = 120;
/// How to leave an odd value as it is.
const INSISTE: &str = "Si está bien así, pulsa «Continuar» otra vez.";

/// The field that says that the person went back a step and comes again: nothing is sent yet.
pub(super) const VUELVE: &str = "vuelve";

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

    /// The same as hidden fields of the step before.
    pub fn campos(&self) -> Vec<(String, String)> {
        let comercial = if self.comercial { "si" } else { "" };
        let campos = [
            ("nombre", self.nombre.as_str()),
            ("telefono", &self.telefono),
            ("email", &self.email),
            ("provincia", &self.provincia),
            ("comercial", comercial),
            (VUELVE, "1"),
        ];
        campos.into_iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect()
    }

    /// What was meant, or what to look at again; `campos` may insist on what was asked about before.
    pub fn leer(&self, campos: &Campos) -> Result<Leido, Errores> {
        let mut errores = Errores::default();
        if self.nombre.is_empty() {
            errores.falta("nombre", "Dinos cómo te llamas.");
        } else if self.nombre.chars().count() > MAX_NOMBRE {
            errores.anotar("nombre", "Es demasiado largo: con nombre y apellidos nos basta.");
        }
        let telefono = self.leer_telefono(campos, &mut errores);
        let email = self.leer_email(campos, &mut errores);
        let provincia = Some(self.provincia.clone()).filter(|p| !p.is_empty());
        if provincia.as_deref().is_some_and(|p| Provincia::parse(p).is_none()) {
            errores.anotar("provincia", "Elige la provincia de la lista.");
        }
        match (telefono, email) {
            (Some(telefono), Some(email)) if !errores.hay() => {
                Ok(Leido { nombre: self.nombre.clone(), telefono, email, provincia })
            }
            _ => Err(errores),
        }
    }

    fn leer_telefono(&self, campos: &Campos, errores: &mut Errores) -> Option<Telefono> {
        if self.telefono.is_empty() {
            errores.falta("telefono", "Dinos un teléfono, fijo o móvil.");
            return None;
        }
        let Ok(telefono) = Telefono::parse(&self.telefono) else {
            let cifras = self.telefono.chars().filter(char::is_ascii_digit).count();
            let mensaje = match cifras {
                0..9 => format!("Faltan cifras: un teléfono español tiene 9 y has escrito {cifras}."),
                _ => "Revisa el número: uno español tiene 9 cifras; si es de otro país, empieza por + y su prefijo."
                    .to_owned(),
            };
            errores.anotar("telefono", mensaje);
            return None;
        };
        let nacional = telefono.e164.strip_prefix("+34");
        if nacional.is_some_and(|n| !n.starts_with(['6', '7', '8', '9'])) {
            let escrito = palabras::telefono(&telefono.e164);
            let mensaje = format!(
                "Los teléfonos españoles empiezan por 6, 7, 8 o 9. ¿Seguro que es el {escrito}? {INSISTE}"
            );
            errores.dudar(campos, "telefono", &telefono.e164, Duda { mensaje, sugerencia: None });
        }
        Some(telefono)
    }

    fn leer_email(&self, campos: &Campos, errores: &mut Errores) -> Option<Email> {
        if self.email.is_empty() {
            errores.falta("email", "Dinos un correo para contestarte por escrito.");
            return None;
        }
        let Ok(email) = Email::parse(&self.email) else {
            errores.anotar(
                "email",
                if self.email.contains('@') {
                    "Revisa el correo: debe ser como ana@ejemplo.es, sin espacios."
                } else {
                    "Falta la arroba: un correo es como ana@ejemplo.es."
                },
            );
            return None;
        };
        let partes = email.tecleado.rsplit_once('@');
        if let Some((local, meant)) = partes.and_then(|(l, dominio)| Some((l, meant_domain(dominio)?))) {
            let sugerencia = format!("{local}@{meant}");
            let mensaje = format!("¿Querías decir {sugerencia}? {INSISTE}");
            let duda = Duda { mensaje, sugerencia: Some(sugerencia) };
            errores.dudar(campos, "email", &email.normal, duda);
        }
        Some(email)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::leer_campos;

    fn ana() -> Tecleado {
        let [nombre, telefono, email] = ["Ana", "612 34 56 78", "ana@ejemplo.es"].map(str::to_owned);
        Tecleado { nombre, telefono, email, ..Tecleado::default() }
    }

    fn mal(tecleado: &Tecleado, campo: &str) -> String {
        let Err(errores) = tecleado.leer(&Campos::default()) else { panic!("{tecleado:?} was taken") };
        errores.de(campo).unwrap_or_else(|| panic!("{errores:?}")).mensaje.clone()
    }

    #[test]
    fn mistakes_say_how_to_mend_them() {
        let telefono = |t: &str| Tecleado { telefono: t.into(), ..ana() };
        let faltan = "Faltan cifras: un teléfono español tiene 9 y has escrito 8.";
        assert_eq!(mal(&telefono("61234567"), "telefono"), faltan);
        assert!(mal(&telefono("6123456789012345"), "telefono").starts_with("Revisa el número"));
        for bien in ["+34 612-34-56-78", "91 234 56 78", "+44 20 7946 0958"] {
            assert!(telefono(bien).leer(&Campos::default()).is_ok(), "{bien}");
        }
        let email = |e: &str| Tecleado { email: e.into(), ..ana() };
        assert!(mal(&email("ana"), "email").contains("arroba"));
        assert!(mal(&email("ana@ejemplo"), "email").starts_with("Revisa el correo"));
    }

    #[test]
    fn slips_are_asked_about_and_can_be_insisted_on() {
        let raro = Tecleado { telefono: "512 34 56 78".into(), email: "Ana@gmail.con".into(), ..ana() };
        assert!(mal(&raro, "telefono").contains("empiezan por 6, 7, 8 o 9"));
        assert!(mal(&raro, "email").starts_with("¿Querías decir Ana@gmail.com?"));
        let Err(errores) = raro.leer(&Campos::default()) else { panic!("asked about") };
        assert!(errores.solo_dudas());
        let seguro: Vec<_> = errores.preguntados.iter().map(|p| ("seguro".to_owned(), p.clone())).collect();
        assert!(raro.leer(&Campos(seguro.clone())).is_ok(), "insisted on");
        let otro = Tecleado { email: "eva@gmail.con".into(), ..raro };
        assert!(otro.leer(&Campos(seguro)).is_err(), "another slip is another question");
        assert!(otro.leer(&leer_campos(b"seguro=x")).is_err());
    }

    #[test]
    fn every_field_is_looked_at() {
        let Err(errores) = Tecleado::default().leer(&Campos::default()) else { panic!("nothing was typed") };
        let campos: Vec<_> = errores.lista.iter().map(|e| e.campo.as_ref()).collect();
        assert_eq!(campos, ["nombre", "telefono", "email"]);
        assert!(errores.es_primero("nombre"));
        assert_eq!(errores.resumen(), "Faltan 3 cosas:");
    }
}
