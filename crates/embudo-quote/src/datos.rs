//! From a quote to what the template reads: plain texts, already worded, formatted and cleaned.
//!
//! This is the interface for operators' own templates (`/embudo/datos.json`): fields are added, never renamed.

mod zonas;

use embudo_domain::dinero::Cents;
use embudo_domain::ingesta::Momento;
use embudo_domain::presupuesto::{Documento, FotoImpresa};
use jiff::civil::Date;
use serde::Serialize;

use crate::encargo::Encargo;
use crate::fotos::{self, Lista};
use crate::letras::Letras;
use crate::texto::Limpieza;
use embudo_domain::palabras;
use zonas::{ZonaImpresa, zonas};

#[derive(Serialize)]
pub(crate) struct Datos {
    numero: String,
    version: u32,
    titulo: String,
    descripcion: String,
    palabras_clave: Vec<String>,
    emitido: Dia,
    hasta: Dia,
    dias: u16,
    colores: Colores,
    empresa: Empresa,
    logo: bool,
    qr: bool,
    pagina_url: Option<String>,
    cliente: Cliente,
    obra: Obra,
    precio: Precio,
    zonas: Vec<ZonaImpresa>,
    impuesto: Motivos,
    supuestos: Vec<String>,
    no_incluye: Vec<String>,
    condiciones: Vec<String>,
    declaracion: Option<String>,
    hay_ia: bool,
}

#[derive(Serialize)]
struct Dia {
    anio: i16,
    mes: i8,
    dia: i8,
    texto: String,
}

#[derive(Serialize)]
struct Colores {
    marca: String,
    fuerte: String,
    suave: String,
    sobre: String,
}

#[derive(Serialize)]
struct Empresa {
    nombre: String,
    legal: Vec<String>,
    contacto: Vec<String>,
}

#[derive(Serialize)]
struct Cliente {
    nombre: String,
    telefono: String,
    email: String,
    lugar: Option<String>,
}

#[derive(Serialize)]
struct Obra {
    titulo: String,
    m2: String,
    calidad: &'static str,
    capitulos: usize,
    lineas: usize,
}

#[derive(Serialize)]
struct Precio {
    base: String,
    impuesto: String,
    cuota: String,
    total: String,
    rango: Option<String>,
    rango_total: Option<String>,
    objetivo: Option<String>,
}

#[derive(Serialize)]
struct Motivos {
    texto: String,
    norma: String,
    motivos: Vec<String>,
}

/// Composes the data, and says what could not be printed as it is.
pub(crate) fn componer(
    encargo: &Encargo,
    listas: &[Lista],
    logo: bool,
    qr: bool,
    letras: &Letras,
) -> (Datos, Vec<String>) {
    let l = &mut Limpieza::new(letras);
    let mut avisos = Vec::new();
    let d = &encargo.documento;
    let numero = encargo.numero.to_string();
    let obra = l.linea(&d.calculo.titulo);
    let nombre = l.linea(&d.empresa.nombre);
    let cliente = l.linea(&d.cliente.nombre);
    let es_ia =
        |(f, l): (&FotoImpresa, &Lista)| f.momento == Momento::Despues && matches!(l, Lista::Imagen { .. });
    let hay_ia = d.fotos.iter().zip(listas).any(es_ia);
    let mut palabras_clave = vec!["presupuesto".to_owned(), obra.to_lowercase()];
    let mut descripcion = format!("{obra} para {cliente}. Total: {}.", d.impuesto.total);
    if hay_ia {
        palabras_clave.push("Imagen generada por IA".to_owned());
        descripcion.push_str(" Las imágenes «después» están generadas por IA.");
    }
    if d.fotos.len() > fotos::MAXIMO {
        avisos.push(format!("Se imprimen {} de {} fotos.", fotos::MAXIMO, d.fotos.len()));
    }
    let zonas = zonas(d, listas, l, &mut avisos);
    let supuestos =
        d.calculo.supuestos.iter().chain(&d.impuesto.supuestos).map(|s| l.frase(&s.texto)).collect();
    let paleta = d.empresa.color.paleta();
    let mut varias = |textos: &[String]| textos.iter().map(|t| l.frase(t)).collect::<Vec<_>>();
    let (no_incluye, condiciones) = (varias(&d.calculo.no_incluye), varias(&d.condiciones));
    let motivos = varias(&d.impuesto.motivos);
    let pendiente = d.impuesto.declaracion.as_ref().filter(|_| d.impuesto.declaracion_pendiente);
    let datos = Datos {
        titulo: format!("Presupuesto {numero}: {}", minuscula(&obra)),
        descripcion,
        palabras_clave,
        version: encargo.version,
        emitido: Dia::de(encargo.validez.emitido),
        hasta: Dia::de(encargo.validez.hasta),
        dias: d.dias_validez,
        colores: Colores {
            marca: paleta.marca.to_string(),
            fuerte: paleta.fuerte.to_string(),
            suave: paleta.suave.to_string(),
            sobre: paleta.sobre.to_string(),
        },
        empresa: empresa(d, nombre, l),
        logo,
        qr,
        pagina_url: encargo.pagina_url.clone(),
        cliente: Cliente {
            nombre: cliente,
            telefono: l.linea(&palabras::telefono(&d.cliente.telefono)),
            email: l.linea(&d.cliente.email),
            lugar: lugar(d, l),
        },
        obra: Obra {
            titulo: obra,
            m2: d.calculo.m2.to_string(),
            calidad: palabras::calidad(d.calculo.calidad),
            capitulos: d.calculo.capitulos.len(),
            lineas: d.calculo.capitulos.iter().map(|c| c.lineas.len()).sum(),
        },
        precio: Precio {
            base: d.impuesto.base.to_string(),
            impuesto: format!("{} ({})", l.linea(&d.impuesto.nombre), d.impuesto.porcentaje),
            cuota: d.impuesto.cuota.to_string(),
            total: d.impuesto.total.to_string(),
            rango: d.calculo.rango.map(|r| r.to_string()),
            rango_total: d.rango_total().map(|r| r.to_string()),
            objetivo: d.calculo.objetivo.filter(|o| o.0 > 0).map(Cents::corto),
        },
        zonas,
        impuesto: Motivos { texto: l.frase(&d.impuesto.texto), norma: l.linea(&d.impuesto.norma), motivos },
        supuestos,
        no_incluye,
        condiciones,
        declaracion: pendiente.map(|t| l.frase(t)),
        hay_ia,
        numero,
    };
    if l.sustituidos > 0 {
        avisos.push(format!(
            "{} caracteres que no tienen signo en las letras del documento salen como «□».",
            l.sustituidos
        ));
    }
    (datos, avisos)
}

fn empresa(d: &Documento, nombre: String, l: &mut Limpieza<'_>) -> Empresa {
    let e = &d.empresa;
    let mut presentes = |campos: &[Option<String>]| -> Vec<String> {
        let hay = campos.iter().flatten().filter(|t| !t.trim().is_empty());
        hay.map(|t| l.linea(t)).collect()
    };
    let nif = e.nif.as_ref().map(|n| format!("NIF {n}"));
    let mut legal = presentes(&[e.razon_social.clone(), nif, e.direccion.clone()]);
    if e.razon_social.is_none() {
        legal.insert(0, nombre.clone());
    }
    Empresa { nombre, legal, contacto: presentes(&[e.telefono.clone(), e.email.clone(), e.web.clone()]) }
}

/// The province by its proper name where it was recognised, else as told.
fn lugar(d: &Documento, l: &mut Limpieza<'_>) -> Option<String> {
    let dicho = d.cliente.provincia.as_deref().map(str::trim).filter(|p| !p.is_empty());
    d.calculo.provincia.map(|p| p.nombre().to_owned()).or_else(|| dicho.map(|p| l.linea(p)))
}

/// «reforma de baño», for the middle of a sentence.
fn minuscula(texto: &str) -> String {
    let mut letras = texto.chars();
    letras.next().map_or_else(String::new, |c| c.to_lowercase().chain(letras).collect())
}

impl Dia {
    fn de(dia: Date) -> Self {
        Self { anio: dia.year(), mes: dia.month(), dia: dia.day(), texto: palabras::dia(dia) }
    }
}
