//! The dice: which command comes next, and with what in it.
//!
//! Few people, few values: commands must meet on the same leads, keys, telephones and blobs to show anything.

use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::columns::{Cell, CellType};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::conversacion::{Rol, Turno};
use embudo_domain::evento::TipoEvento;
use embudo_domain::ficha::ImagenGuardada;
use embudo_domain::ingesta::Momento;
use embudo_domain::intento::{Canal, Intento, Resultado};
use embudo_domain::lead::ContactoPatch;
use embudo_domain::perfil::{CanalOrigen, EstadoWa, Perfil};
use embudo_domain::trabajo::TipoTrabajo;
use embudo_domain::{
    EmpresaId, FotoId, Huella, IntentoId, LeadId, NotaId, ProcesoId, Timestamp, Tipo, TrabajoId, TurnoId,
    Zona,
};

use super::outbox_steps::{PLAZOS, PasoCola};
use super::world::Mundo;
use crate::data::{
    Azar, MAX_ENTERO, TEXTO_RARO, clave, con_contacto, email, evento, instantes_extremos, micros, outcome,
    perfil_from, t, telefono,
};
use embudo_store::Idempotencia;
use embudo_store::command::{
    Answer, AppendTurno, ClearPerfil, CreateLead, FotoNueva, Ingest, NotaNueva, RecordEvento, RecordIntento,
    SetNota, UpdateContacto, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::query::{FiltroLeads, texto_busqueda};

/// One command.
#[derive(Debug, Clone)]
pub(crate) enum Paso {
    Crear(Box<CreateLead>),
    Contacto(UpdateContacto),
    Turno(AppendTurno),
    Perfil(UpdatePerfil),
    Calificacion(UpsertCalificacion),
    Intento(RecordIntento),
    Ingesta(Ingest),
    Evento(RecordEvento),
    Vaciar(ClearPerfil),
    Nota(SetNota),
    BorrarFoto(LeadId, FotoId),
    Marcar(LeadId, Huella, Timestamp),
    Barrido(LeadId, Huella),
    Cola(PasoCola),
}

impl Paso {
    /// The lead it is about.
    pub(crate) fn lead(&self) -> Option<LeadId> {
        Some(match self {
            Self::Crear(c) => c.id,
            Self::Contacto(c) => c.lead,
            Self::Turno(c) => c.lead,
            Self::Perfil(c) => c.lead,
            Self::Calificacion(c) => c.lead,
            Self::Intento(c) => c.lead,
            Self::Ingesta(c) => c.lead,
            Self::Evento(c) => c.lead,
            Self::Vaciar(c) => c.lead,
            Self::Nota(c) => c.lead,
            Self::BorrarFoto(lead, _) => *lead,
            Self::Marcar(..) | Self::Barrido(..) | Self::Cola(_) => return None,
        })
    }

    /// The key it carries.
    pub(crate) fn clave(&self) -> Option<&Idempotencia> {
        match self {
            Self::Crear(c) => c.idempotencia.as_ref(),
            Self::Turno(c) => c.idempotencia.as_ref(),
            Self::Perfil(c) => c.idempotencia.as_ref(),
            Self::Calificacion(c) => c.idempotencia.as_ref(),
            Self::Intento(c) => c.idempotencia.as_ref(),
            Self::Ingesta(c) => c.idempotencia.as_ref(),
            Self::Evento(c) => c.idempotencia.as_ref(),
            Self::Contacto(_)
            | Self::Vaciar(_)
            | Self::Nota(_)
            | Self::BorrarFoto(..)
            | Self::Marcar(..)
            | Self::Barrido(..)
            | Self::Cola(_) => None,
        }
    }
}

const TEXTOS: [&str; 8] = ["", "a", "García", "100%_\\", "  ", "Ñ", TEXTO_RARO, "{}"];
const NOMBRES: [&str; 5] = ["Ana García", "José 100%", "B_ruiz", "Ñandú", "ana"];
const CIFRAS: [&str; 3] = ["611000001", "611000002", "611000003"];
const CORREOS: [&str; 3] = ["ana@x.es", "Ana@X.es", "b_%@y.io"];
const NUMEROS: [f64; 6] = [0.1, 1.0, 2.5, 1e308, 5e-324, 9_007_199_254_740_993.0];
const ORDENES: [f64; 8] = [0.0, 1.0, -1.0, 2.5, 10.0, 0.1, -1e300, 7.0];
const ENTEROS: [i64; 4] = [1, 7, 4_294_967_297, MAX_ENTERO];

/// A seeded source of steps.
pub(crate) struct Sorteo {
    pub(super) azar: Azar,
    pub(super) procesos: [ProcesoId; 2],
    inexistente: LeadId,
}

impl Sorteo {
    pub(crate) fn new(semilla: u64) -> Self {
        let mut azar = Azar::new(semilla);
        let inexistente = LeadId(azar.uuid());
        let procesos = [ProcesoId(azar.uuid()), ProcesoId(azar.uuid())];
        Self { azar, procesos, inexistente }
    }

    /// The step number `n`. Times repeat, so that order must come from somewhere else.
    pub(crate) fn paso(&mut self, mundo: &Mundo, n: usize) -> Paso {
        let en = t(i64::try_from(n / 3).expect("few steps"));
        // What the outbox and the loop compare by time has a moment of its own.
        let unico = micros(en.as_microsecond() + i64::try_from(n).expect("few steps"));
        let leads: Vec<LeadId> = mundo.leads().collect();
        if leads.is_empty() || (leads.len() < 6 && self.azar.de_cada(6)) {
            return Paso::Crear(Box::new(self.crear(mundo, en)));
        }
        let lead = if self.azar.de_cada(15) { self.inexistente } else { self.azar.uno(&leads) };
        match self.azar.hasta(34) {
            0..=3 => Paso::Turno(self.turno(lead, en)),
            4..=7 => {
                let (perfil, idempotencia) = (self.perfil(), self.clave("perfil", lead, en));
                Paso::Perfil(UpdatePerfil { lead, perfil, en, idempotencia })
            }
            8..=9 => Paso::Calificacion(self.calificacion(lead, en)),
            10..=11 => Paso::Intento(self.intento(lead, en)),
            12..=14 => Paso::Ingesta(self.ingesta(mundo, lead, unico)),
            15 => {
                let evento = self.quiza(2, |_| evento(TipoEvento::Mensajeria, unico));
                let trabajos = vec![self.nuevo_trabajo()];
                let idempotencia = self.clave("evento", lead, en);
                Paso::Evento(RecordEvento { lead, evento, trabajos, en: unico, idempotencia })
            }
            16 => Paso::Contacto(UpdateContacto { lead, patch: self.contacto(), en }),
            17 => {
                let fotos = mundo.ficha(lead).map(|f| f.fotos).unwrap_or_default();
                let al_azar = FotoId(self.azar.uuid());
                let foto = if fotos.is_empty() { al_azar } else { self.azar.uno(&fotos).id };
                Paso::BorrarFoto(lead, foto)
            }
            // Whether an unknown lead or its marked blob is told first is left open, so only known leads are marked.
            18 => Paso::Marcar(self.azar.uno(&leads), self.huella(), en),
            19 => Paso::Barrido(lead, self.huella()),
            20 => {
                let todas = [Answer::M2Suelo, Answer::Estructural, Answer::Presupuesto, Answer::TasteText];
                let answers = todas.into_iter().filter(|_| self.azar.de_cada(2)).collect();
                Paso::Vaciar(ClearPerfil { lead, answers, en })
            }
            21 => {
                let zona = self.azar.uno(&[Zona::Cocina, Zona::Bano]);
                let (id, texto) = (NotaId::del_formulario(lead, zona), self.texto(2));
                Paso::Nota(SetNota { lead, id, zona, texto, en })
            }
            _ => Paso::Cola(self.cola(mundo, lead, unico)),
        }
    }

    /// A filter within the sequence's companies, and a size of page.
    pub(crate) fn filtro(&mut self, mundo: &Mundo) -> (FiltroLeads, u32) {
        let textos = ["ana", "100%", "_", "garcia", "\\", "nandu", "x.es", "", "1100"];
        let filtro = FiltroLeads {
            empresa: Some(self.azar.uno(&mundo.empresas).id),
            telefono_e164: self.quiza(6, |a| telefono(a.uno(&CIFRAS)).e164),
            email_normal: self.quiza(6, |a| email(a.uno(&CORREOS)).normal),
            tipo_reforma: self.quiza(6, palabra(Zona::PALABRAS, Zona::parse)),
            nivel: self.quiza(6, palabra(Nivel::PALABRAS, Nivel::parse)),
            canal_origen: self.quiza(6, palabra(CanalOrigen::PALABRAS, CanalOrigen::parse)),
            viable: self.quiza(6, |a| a.de_cada(2)),
            estado_wa: self.quiza(6, palabra(EstadoWa::PALABRAS, EstadoWa::parse)),
            texto: self.quiza(3, |a| a.uno(&textos).to_owned()),
            desde: self.quiza(6, |a| t(i64::try_from(a.hasta(17)).expect("small"))),
            hasta: self.quiza(6, |a| t(i64::try_from(a.hasta(17)).expect("small"))),
        };
        (filtro, u32::try_from(1 + self.azar.hasta(4)).expect("small"))
    }

    fn quiza<T>(&mut self, de_cada: usize, valor: impl FnOnce(&mut Azar) -> T) -> Option<T> {
        self.azar.de_cada(de_cada).then(|| valor(&mut self.azar))
    }

    fn texto(&mut self, de_cada: usize) -> Option<String> {
        self.quiza(de_cada, |a| a.uno(&TEXTOS).to_owned())
    }

    fn huella(&mut self) -> Huella {
        Huella::of(&[u8::try_from(self.azar.hasta(4)).expect("small")])
    }

    /// Few keys in few scopes, so that they meet; some expire within the sequence, some have only a provisional answer.
    fn clave(&mut self, que: &str, lead: LeadId, en: Timestamp) -> Option<Idempotencia> {
        // A lead that does not exist stores no key, so its scope says nothing.
        if !self.azar.de_cada(4) {
            return None;
        }
        let k = self.azar.uno(&["k", "K"]);
        let cuerpo = u8::from(self.azar.de_cada(3));
        let mut clave = clave(&format!("POST {lead} {que}"), k, cuerpo, en);
        clave.outcome = outcome(&self.azar.hasta(4).to_string());
        // A key counts the jobs it is told of, whatever the command makes.
        clave.trabajos = self.quiza(3, |a| TrabajoId(a.uuid())).into_iter().collect();
        if self.azar.de_cada(2) {
            clave.expira_en = t((en.as_second() - t(0).as_second()) + 3);
        }
        Some(clave)
    }

    fn crear(&mut self, mundo: &Mundo, en: Timestamp) -> CreateLead {
        let id = LeadId(self.azar.uuid());
        let (nombre, cifras, correo) =
            (self.azar.uno(&NOMBRES), self.azar.uno(&CIFRAS), self.azar.uno(&CORREOS));
        let conocida = self.azar.uno(&mundo.empresas).id;
        let ausente = self.quiza(10, |a| EmpresaId(a.uuid()));
        let provincia = self.texto(2);
        let finalidad = self.texto(2);
        let consentimientos = finalidad.into_iter().map(|finalidad| Consentimiento {
            finalidad,
            canal: None,
            texto_version: "1".into(),
            fuente: None,
            otorgado: true,
            otorgado_en: None,
        });
        CreateLead {
            empresa: Some(ausente.unwrap_or(conocida)),
            busqueda: texto_busqueda(nombre, correo, &telefono(cifras).e164, provincia.as_deref()),
            provincia,
            perfil: if self.azar.de_cada(2) { self.perfil() } else { Perfil::default() },
            utm: self.texto(2).into_iter().map(|v| ("utm".to_owned(), v)).collect(),
            consentimientos: consentimientos.collect(),
            trabajos: vec![self.nuevo_trabajo()],
            en,
            ..con_contacto(id, nombre, cifras, correo)
        }
    }

    fn contacto(&mut self) -> ContactoPatch {
        ContactoPatch {
            nombre: Some(self.azar.uno(&NOMBRES).to_owned()),
            telefono: self.quiza(2, |a| telefono(a.uno(&CIFRAS))),
            email: self.quiza(2, |a| email(a.uno(&CORREOS))),
            provincia: self.texto(2),
        }
    }

    fn turno(&mut self, lead: LeadId, en: Timestamp) -> AppendTurno {
        let turno = Turno {
            rol: palabra(Rol::PALABRAS, Rol::parse)(&mut self.azar),
            mensaje: self.azar.uno(&TEXTOS[1..]).to_owned(),
            media_type: self.texto(3),
            media_url: self.texto(3),
            transcripcion_audio: self.texto(3),
            estado_wa: self.quiza(3, palabra(EstadoWa::PALABRAS, EstadoWa::parse)),
            bot_step: self.texto(3),
        };
        let idempotencia = self.clave("conversacion", lead, en);
        AppendTurno { id: TurnoId(self.azar.uuid()), lead, turno, en, idempotencia }
    }

    /// At least one field, as at the door.
    fn perfil(&mut self) -> Perfil {
        let always = Perfil::COLUMNS[self.azar.hasta(Perfil::COLUMNS.len())].name;
        perfil_from(|column| {
            let azar = &mut self.azar;
            if column.name != always && !azar.de_cada(4) {
                return None;
            }
            Some(match (column.tipo, column.holds) {
                (Tipo::Uno(words), _) => Cell::Text(azar.uno(words)),
                (_, CellType::Text) => Cell::Text(azar.uno(&TEXTOS)),
                (_, CellType::Boolean) => Cell::Boolean(azar.de_cada(2)),
                (_, CellType::Number) => Cell::Number(azar.uno(&NUMEROS)),
                (_, CellType::Integer) => Cell::Integer(azar.uno(&ENTEROS)),
                (_, CellType::Instant) => Cell::Instant(azar.uno(&instantes_extremos())),
            })
        })
    }

    fn calificacion(&mut self, lead: LeadId, en: Timestamp) -> UpsertCalificacion {
        let calificacion = Calificacion {
            score: Some(i64::try_from(self.azar.hasta(101)).expect("small")),
            nivel: self.quiza(2, palabra(Nivel::PALABRAS, Nivel::parse)),
            criterios: self.quiza(2, |a| format!(r#"{{"b": 1.0,"a":{}}}"#, a.hasta(9))),
            notas_agente: self.texto(2),
        };
        UpsertCalificacion { lead, calificacion, en, idempotencia: self.clave("calificacion", lead, en) }
    }

    fn intento(&mut self, lead: LeadId, en: Timestamp) -> RecordIntento {
        let intento = Intento {
            canal: palabra(Canal::PALABRAS, Canal::parse)(&mut self.azar),
            numero_intento: self.azar.uno(&ENTEROS),
            resultado: self.quiza(2, palabra(Resultado::PALABRAS, Resultado::parse)),
            completado: self.azar.de_cada(2),
            duracion_seg: self.quiza(2, |a| a.uno(&ENTEROS)),
            notas: self.texto(2),
            metadata: self.quiza(2, |_| r#"{ "z":1e2 }"#.to_owned()),
        };
        let idempotencia = self.clave("intento", lead, en);
        RecordIntento { id: IntentoId(self.azar.uuid()), lead, intento, en, idempotencia }
    }

    fn ingesta(&mut self, mundo: &Mundo, lead: LeadId, en: Timestamp) -> Ingest {
        let fotos = (0..self.azar.hasta(4)).map(|_| self.foto()).collect();
        let mut notas: Vec<NotaNueva> = (0..self.azar.hasta(3)).map(|_| self.nota()).collect();
        // At least one item, as at the door.
        notas.push(self.nota());
        let finalizar = self.azar.de_cada(5);
        // A call with `finalizar` leaves its event.
        let eventos = finalizar.then(|| evento(TipoEvento::Finalizar, en)).into_iter().collect();
        let mut trabajos: Vec<_> = (0..self.azar.hasta(3)).map(|_| self.nuevo_trabajo()).collect();
        // Whether a `finalizar` of the call that makes a signal counts for that signal is left open, and so is a job that
        // another of its own call would replace.
        trabajos.retain(|t| !finalizar || t.tipo != TipoTrabajo::Perfil);
        trabajos.dedup_by_key(|t| t.tipo);
        let barridos = if self.azar.de_cada(2) { mundo.rastros(lead) } else { vec![] };
        let idempotencia = self.clave("ingesta", lead, en);
        Ingest {
            lead,
            fotos,
            notas,
            eventos,
            trabajos,
            finalizar,
            plazos: PLAZOS,
            barridos,
            en,
            idempotencia,
        }
    }

    fn nota(&mut self) -> NotaNueva {
        let texto = self.azar.uno(&TEXTOS[1..]).to_owned();
        let zona = self.quiza(2, palabra(Zona::PALABRAS, Zona::parse));
        NotaNueva { id: NotaId(self.azar.uuid()), texto, zona }
    }

    fn foto(&mut self) -> FotoNueva {
        let (prefijo, bytes, crudo) = ("data:image/png;base64,".to_owned(), self.huella(), self.huella());
        let imagen = match self.azar.hasta(4) {
            0 => ImagenGuardada::Canonica { prefijo, bytes },
            1 => ImagenGuardada::Informal { prefijo, bytes, crudo },
            2 => ImagenGuardada::Ilegible { prefijo, crudo },
            _ => ImagenGuardada::Url("https://ejemplo.es/ñ.jpg".into()),
        };
        FotoNueva {
            id: FotoId(self.azar.uuid()),
            imagen,
            zona: self.quiza(2, palabra(Zona::PALABRAS, Zona::parse)),
            momento: palabra(Momento::PALABRAS, Momento::parse)(&mut self.azar),
            orden: self.quiza(2, |a| a.uno(&ORDENES)),
        }
    }
}

/// One word of a list, read back into its value.
fn palabra<T>(palabras: &'static [&'static str], desde: fn(&str) -> Option<T>) -> impl Fn(&mut Azar) -> T {
    move |azar| desde(azar.uno(palabras)).expect("a word of the list")
}
