//! What the quote's template is given: texts that are ready to be read.

use askama::Template;
use embudo_domain::calculo::{Capitulo, Linea};
use embudo_domain::dinero::Cents;
use embudo_domain::presupuesto::{Documento, Presupuesto};

use super::pictures::{Album, Cuadro, Cuadros, Pareja};
use super::standing::Situacion;
use super::words;
use crate::parts::{Frame, Storefront};

/// Notes beyond so many characters are not shown, as in the PDF.
const NOTAS_MAXIMO: usize = 60_000;

/// The page.
#[derive(Template)]
#[template(path = "quote/page.html")]
pub(super) struct Pagina {
    pub frame: Frame,
    /// Its own address.
    pub base: String,
    pub numero: String,
    pub d: Textos,
    pub zonas: Vec<ZonaVista>,
    pub situacion: Situacion,
    pub hay_pdf: bool,
    /// A picture that is shown was generated.
    pub hay_ia: bool,
    /// What this request came to, where it came to nothing.
    pub envio: Envio,
}

/// What became of a form that was sent.
#[derive(Default)]
pub(super) struct Envio {
    /// The box was not ticked.
    pub sin_marcar: bool,
    /// What is wrong with the reason.
    pub motivo_mal: Option<&'static str>,
    /// The reason as written.
    pub motivo: String,
    /// Why an answer was not taken.
    pub negado: Option<&'static str>,
    /// The wish to talk was passed on.
    pub preguntado: bool,
}

/// The texts of the document.
pub(super) struct Textos {
    pub obra: String,
    pub m2: String,
    pub calidad: &'static str,
    pub lugar: Option<String>,
    pub cliente: String,
    pub telefono: String,
    pub email: String,
    pub emitido: String,
    pub hasta: String,
    pub base: String,
    pub impuesto: String,
    pub cuota: String,
    pub total: String,
    pub rango: Option<String>,
    pub rango_total: Option<String>,
    pub objetivo: Option<String>,
    pub por_que: String,
    pub norma: String,
    pub motivos: Vec<String>,
    pub supuestos: Vec<String>,
    pub no_incluye: Vec<String>,
    pub condiciones: Vec<String>,
    pub declaracion: Option<String>,
    pub empresa: String,
    /// Words and address.
    pub empresa_telefono: Option<(String, String)>,
    /// Words and address.
    pub empresa_correo: Option<(String, String)>,
}

/// One zone.
pub(super) struct ZonaVista {
    pub nombre: String,
    pub dibujo: &'static str,
    pub total: Option<String>,
    pub parejas: Vec<Pareja>,
    pub sueltos: Vec<Cuadro>,
    pub notas: Vec<String>,
    pub capitulos: Vec<CapituloVista>,
}

/// One chapter.
pub(super) struct CapituloVista {
    pub nombre: String,
    pub total: String,
    pub lineas: Vec<LineaVista>,
}

/// One line.
pub(super) struct LineaVista {
    pub concepto: String,
    pub detalle: Option<String>,
    pub cantidad: String,
    pub unidad: &'static str,
    pub precio: String,
    pub importe: String,
}

impl Pagina {
    /// The page of a quote at `base`.
    pub fn new(
        storefront: Storefront,
        base: String,
        p: &Presupuesto,
        album: &Album,
        situacion: Situacion,
        envio: Envio,
    ) -> Self {
        let numero = p.numero.to_string();
        let titulo = format!("Presupuesto {numero}");
        let zonas = zonas(&p.documento, album);
        Self {
            frame: Frame::new(storefront, titulo).con(&["presupuesto.css"], &["presupuesto.js"]),
            base,
            d: Textos::de(p),
            hay_ia: zonas.iter().any(|z| !z.parejas.is_empty() || z.sueltos.iter().any(|c| c.ia)),
            zonas,
            situacion,
            hay_pdf: p.pdf.is_some(),
            envio,
            numero,
        }
    }
}

impl Textos {
    fn de(p: &Presupuesto) -> Self {
        let d = &p.documento;
        let (calculo, impuesto, empresa) = (&d.calculo, &d.impuesto, &d.empresa);
        let asunto = format!("Presupuesto {}", p.numero);
        let presente = |t: &Option<String>| t.clone().filter(|t| !t.trim().is_empty());
        let dicho = presente(&d.cliente.provincia);
        let supuestos = calculo.supuestos.iter().chain(&impuesto.supuestos);
        let con_enlace = |texto: Option<String>, enlace: &dyn Fn(&str) -> Option<String>| {
            texto.and_then(|t| enlace(&t).map(|e| (t, e)))
        };
        Self {
            obra: calculo.titulo.clone(),
            m2: calculo.m2.to_string(),
            calidad: words::calidad(calculo.calidad),
            lugar: calculo.provincia.map(|p| p.nombre().to_owned()).or(dicho),
            cliente: d.cliente.nombre.clone(),
            telefono: words::telefono(&d.cliente.telefono),
            email: d.cliente.email.clone(),
            emitido: words::dia(p.validez.emitido),
            hasta: words::dia(p.validez.hasta),
            base: impuesto.base.to_string(),
            impuesto: format!("{} ({})", impuesto.nombre, impuesto.porcentaje),
            cuota: impuesto.cuota.to_string(),
            total: impuesto.total.to_string(),
            rango: calculo.rango.map(|r| r.to_string()),
            rango_total: d.rango_total().map(|r| r.to_string()),
            objetivo: calculo.objetivo.filter(|o| o.0 > 0).map(Cents::corto),
            por_que: impuesto.texto.clone(),
            norma: impuesto.norma.clone(),
            motivos: impuesto.motivos.clone(),
            supuestos: supuestos.map(|s| s.texto.clone()).collect(),
            no_incluye: calculo.no_incluye.clone(),
            condiciones: d.condiciones.clone(),
            declaracion: impuesto.declaracion.clone().filter(|_| impuesto.declaracion_pendiente),
            empresa: empresa.nombre.clone(),
            empresa_telefono: con_enlace(presente(&empresa.telefono), &words::enlace_telefono),
            empresa_correo: con_enlace(presente(&empresa.email), &|e| words::enlace_correo(e, &asunto)),
        }
    }
}

/// What to show by zone; surcharges over several zones stand by themselves at the end, as in the PDF.
fn zonas(d: &Documento, album: &Album) -> Vec<ZonaVista> {
    let tipo = d.calculo.tipo;
    let (capitulos, ajustes) = d.capitulos();
    let todas = d.zonas();
    let con_precio = todas.iter().filter(|z| capitulos.iter().any(|c| c.zona == **z)).count();
    let mut caben = NOTAS_MAXIMO;
    let zona = |zona: &embudo_domain::Zona| {
        let nombre = words::zona(*zona, tipo);
        let suyos: Vec<&Capitulo> = capitulos.iter().filter(|c| c.zona == *zona).collect();
        let total = Cents::suma(suyos.iter().map(|c| c.total));
        let Cuadros { parejas, sueltos } = album.colgar(d.fotos.iter().filter(|f| f.zona == *zona), nombre);
        let notas = d.notas.iter().filter(|n| n.zona == *zona).map(|n| {
            let texto: String = n.texto.trim().chars().take(caben).collect();
            caben -= texto.chars().count();
            texto
        });
        ZonaVista {
            nombre: nombre.to_owned(),
            dibujo: zona.as_str(),
            total: total.filter(|_| con_precio > 1 && !suyos.is_empty()).map(|t| t.to_string()),
            parejas,
            sueltos,
            notas: notas.filter(|n| !n.is_empty()).collect(),
            capitulos: suyos.into_iter().map(CapituloVista::de).collect(),
        }
    };
    let hay_algo = |z: &ZonaVista| {
        let fotos = z.parejas.len() + z.sueltos.len();
        fotos + z.notas.len() + z.capitulos.len() > 0
    };
    let mut vistas: Vec<ZonaVista> = todas.iter().map(zona).filter(hay_algo).collect();
    vistas.extend(ajustes.map(|c| ZonaVista {
        nombre: c.nombre.clone(),
        dibujo: "otro",
        total: Some(c.total.to_string()),
        parejas: Vec::new(),
        sueltos: Vec::new(),
        notas: Vec::new(),
        capitulos: vec![CapituloVista::de(c)],
    }));
    vistas
}

impl CapituloVista {
    fn de(c: &Capitulo) -> Self {
        let linea = |l: &Linea| LineaVista {
            concepto: l.concepto.clone(),
            detalle: l.detalle.clone(),
            cantidad: l.cantidad.con_decimales(),
            unidad: l.unidad.simbolo(),
            precio: l.precio.to_string(),
            importe: l.importe.to_string(),
        };
        Self {
            nombre: c.nombre.clone(),
            total: c.total.to_string(),
            lineas: c.lineas.iter().map(linea).collect(),
        }
    }
}
