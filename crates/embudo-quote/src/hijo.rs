//! An operator's own template is compiled in a process of its own.
//!
//! The typesetter cannot be stopped and has no memory limit, so an endless or huge template is only harmless in a process that the
//! system bounds and that we can end. The child opens no file: template, data and pictures come through its standard input.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use bytes::Bytes;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use typst::syntax::Source;

use crate::encargo::Norma;
use crate::letras::Letras;
use crate::mundo::{Mundo, Salida, id};

/// What a template of an operator may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limites {
    /// Until when it must be done.
    pub tiempo: Duration,
    /// Bytes of address space, program included.
    pub memoria: u64,
    /// Bytes of PDF.
    pub pdf: u64,
}

impl Default for Limites {
    /// 10 seconds, 1 GiB, 32 MiB.
    fn default() -> Self {
        Self { tiempo: Duration::from_secs(10), memoria: 1 << 30, pdf: 32 << 20 }
    }
}

/// How to start the child: a program that calls [`hijo()`] with its standard input and output.
#[derive(Debug, Clone)]
pub struct Hijo {
    programa: PathBuf,
    argumentos: Vec<OsString>,
    limites: Limites,
}

/// What the child is asked, before the bytes of its files.
#[derive(Serialize, Deserialize)]
struct Pregunta {
    limites: Limites,
    identidad: String,
    dia: String,
    principal: String,
    archivos: Vec<(String, usize)>,
}

/// What it answers, before the bytes of the PDF.
#[derive(Serialize, Deserialize)]
enum Respuesta {
    Hecho { norma: Norma, avisos: Vec<String> },
    Fallo(Vec<String>),
}

/// Questions and answers are small: a longer one is nonsense.
const CABECERA: u32 = 1 << 20;

impl Hijo {
    /// A program and the arguments with which it becomes a child.
    pub fn new<A: Into<OsString>>(
        programa: impl Into<PathBuf>,
        argumentos: impl IntoIterator<Item = A>,
        limites: Limites,
    ) -> Self {
        let argumentos = argumentos.into_iter().map(Into::into).collect();
        Self { programa: programa.into(), argumentos, limites }
    }

    /// Compiles in a child; the error says why not, in Spanish.
    pub(crate) fn componer(
        &self,
        principal: &str,
        archivos: &[(String, &[u8])],
        identidad: &str,
        dia: Date,
    ) -> Result<Salida, String> {
        let pregunta = Pregunta {
            limites: self.limites,
            identidad: identidad.to_owned(),
            dia: dia.to_string(),
            principal: principal.to_owned(),
            archivos: archivos.iter().map(|(nombre, datos)| (nombre.clone(), datos.len())).collect(),
        };
        let mut hijo = self.arrancar().map_err(|e| format!("no se puede arrancar su proceso: {e}"))?;
        let leido = self.conversar(&mut hijo, &pregunta, archivos);
        // Also ends a child that has answered but goes on.
        let _ = hijo.kill();
        let fin = hijo.wait().map_err(|e| format!("su proceso se ha perdido: {e}"))?;
        let Some(leido) = leido else {
            return Err(format!("ha tardado más de {} s", self.limites.tiempo.as_secs_f32()));
        };
        if leido.len() as u64 > self.limites.pdf {
            return Err(format!("su PDF pasa de {} MiB", self.limites.pdf >> 20));
        }
        self.entender(&leido).unwrap_or_else(|| Err(self.muerte(fin)))
    }

    fn arrancar(&self) -> io::Result<Child> {
        Command::new(&self.programa)
            .args(&self.argumentos)
            .env_clear()
            .env("RAYON_NUM_THREADS", "1")
            // The allocator would claim a gibibyte of addresses at once, which is the whole limit.
            .env("MIMALLOC_ARENA_RESERVE", "65536")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
    }

    /// Asks and waits for the whole answer; `None` when time is over, and then the child has been ended.
    fn conversar(
        &self,
        hijo: &mut Child,
        pregunta: &Pregunta,
        archivos: &[(String, &[u8])],
    ) -> Option<Vec<u8>> {
        let mut entrada = hijo.stdin.take().expect("the child's input is a pipe");
        let salida = hijo.stdout.take().expect("the child's output is a pipe");
        let (avisar, aviso) = mpsc::channel();
        let tope = self.limites.pdf + 1;
        std::thread::scope(|hilos| {
            hilos.spawn(move || {
                // A child that dies while it is being asked says so by its end.
                let _ = escribir(&mut entrada, pregunta)
                    .and_then(|()| archivos.iter().try_for_each(|(_, datos)| entrada.write_all(datos)));
            });
            hilos.spawn(move || {
                let mut todo = Vec::new();
                let _ = salida.take(tope).read_to_end(&mut todo);
                let _ = avisar.send(todo);
            });
            let todo = aviso.recv_timeout(self.limites.tiempo).ok();
            // Ends both threads, whatever the child is doing.
            let _ = hijo.kill();
            todo
        })
    }

    /// `None` if it is no answer.
    fn entender(&self, mut leido: &[u8]) -> Option<Result<Salida, String>> {
        match leer::<Respuesta>(&mut leido).ok()? {
            Respuesta::Fallo(errores) => Some(Err(errores.join("; "))),
            Respuesta::Hecho { norma, avisos } => {
                let entero = leido.starts_with(b"%PDF-") && leido.trim_ascii_end().ends_with(b"%%EOF");
                entero.then(|| Ok(Salida { pdf: leido.to_vec(), norma, avisos }))
            }
        }
    }

    fn muerte(&self, fin: ExitStatus) -> String {
        let mib = self.limites.memoria >> 20;
        match fin.signal() {
            // An allocation that is refused aborts.
            Some(6) => format!("necesita más de {mib} MiB de memoria"),
            Some(9 | 24) => format!("ha tardado más de {} s", self.limites.tiempo.as_secs_f32()),
            _ => format!("su proceso ha terminado sin dar un PDF ({fin})"),
        }
    }
}

/// The child's whole life: reads a question, bounds its own process, compiles, answers.
///
/// For a hidden subcommand that does nothing else: the limits it sets hold for the whole process and cannot be lifted.
pub fn hijo(mut entrada: impl Read, mut salida: impl Write) -> io::Result<()> {
    let pregunta: Pregunta = leer(&mut entrada)?;
    acotar(&pregunta.limites)?;
    let mut archivos = Vec::with_capacity(pregunta.archivos.len());
    for (nombre, largo) in &pregunta.archivos {
        let mut datos = vec![0; *largo];
        entrada.read_exact(&mut datos)?;
        archivos.push((nombre.as_str(), Bytes::from(datos)));
    }
    match componer(&pregunta, archivos) {
        Ok(hecho) => {
            escribir(&mut salida, &Respuesta::Hecho { norma: hecho.norma, avisos: hecho.avisos })?;
            salida.write_all(&hecho.pdf)?;
        }
        Err(errores) => escribir(&mut salida, &Respuesta::Fallo(errores))?,
    }
    salida.flush()
}

fn acotar(limites: &Limites) -> io::Result<()> {
    use rlimit::{Resource, setrlimit};
    let segundos = limites.tiempo.as_secs() + 1;
    setrlimit(Resource::CPU, segundos, segundos)?;
    setrlimit(Resource::AS, limites.memoria, limites.memoria)?;
    setrlimit(Resource::CORE, 0, 0)?;
    // No file can be opened or grow: template and data are already on their way.
    setrlimit(Resource::FSIZE, 0, 0)?;
    setrlimit(Resource::NOFILE, 3, 3)
}

fn componer(pregunta: &Pregunta, archivos: Vec<(&str, Bytes)>) -> Result<Salida, Vec<String>> {
    let mal = |texto: &str| vec![texto.to_owned()];
    let dia: Date = pregunta.dia.parse().map_err(|_| mal("la fecha no se entiende"))?;
    let principal = archivos.iter().find(|(nombre, _)| *nombre == pregunta.principal);
    let (ruta, datos) = principal.ok_or_else(|| mal("falta el archivo principal"))?;
    let texto = std::str::from_utf8(datos).map_err(|_| mal("el archivo principal no es UTF-8"))?;
    let id = id(ruta).ok_or_else(|| mal("la ruta del archivo principal no vale"))?;
    let fuente = Source::new(id, texto.to_owned());
    let mut letras = Letras::cargar();
    for (nombre, datos) in &archivos {
        if nombre.ends_with(".ttf") || nombre.ends_with(".otf") {
            letras.agregar(typst::foundations::Bytes::new(datos.clone()));
        }
    }
    let mut mundo = Mundo::new(&letras, fuente, dia);
    for (nombre, datos) in archivos {
        mundo.agregar(nombre, typst::foundations::Bytes::new(datos));
    }
    mundo.componer(&pregunta.identidad)
}

fn escribir<T: Serialize>(a: &mut impl Write, que: &T) -> io::Result<()> {
    let json = serde_json::to_vec(que)?;
    let largo = u32::try_from(json.len()).map_err(io::Error::other)?;
    a.write_all(&largo.to_be_bytes())?;
    a.write_all(&json)
}

fn leer<T: for<'de> Deserialize<'de>>(de: &mut impl Read) -> io::Result<T> {
    let mut largo = [0; 4];
    de.read_exact(&mut largo)?;
    let largo = u32::from_be_bytes(largo);
    if largo > CABECERA {
        return Err(io::Error::other("not a message of ours"));
    }
    let mut json = Vec::new();
    de.take(u64::from(largo)).read_to_end(&mut json)?;
    Ok(serde_json::from_slice(&json)?)
}
