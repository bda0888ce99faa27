//! From text to a checked set of tax rules, with every mistake of the file.

use std::collections::BTreeSet;

use super::{Condicion, Impuestos, ReglaImpuesto, TextosCondicion};
use crate::datos::{DatosInvalidos, Lector, Tabla, es_clave};
use crate::decimal::Porcentaje;
use crate::provincia::Territorio;

pub(super) fn parse(texto: &str) -> Result<Impuestos, DatosInvalidos> {
    let (mut lector, mut raiz) = Lector::abrir(texto);
    let l = &mut lector;
    raiz.decimal(l, "formato", 0, 1..=1);
    let version = raiz.texto(l, "version");
    let revisado = raiz.fecha(l, "revisado");
    let textos: Vec<TextosCondicion> = {
        let tablas = raiz.tablas(l, "condicion");
        tablas.into_iter().filter_map(|t| textos(l, t)).collect()
    };
    for palabra in Condicion::PALABRAS {
        if textos.iter().filter(|t| t.condicion.as_str() == *palabra).count() != 1 {
            l.anotar(0, "condicion", format!("La condición «{palabra}» debe estar una vez."));
        }
    }
    let mut vistas = BTreeSet::new();
    let reglas: Vec<ReglaImpuesto> = {
        let tablas = raiz.tablas(l, "regla");
        tablas.into_iter().filter_map(|t| regla(l, t, &mut vistas)).collect()
    };
    for palabra in Territorio::PALABRAS {
        let general = |r: &ReglaImpuesto| {
            r.territorio.as_str() == *palabra && r.es_general() && r.vigente_hasta.is_none()
        };
        if !reglas.iter().any(general) {
            l.anotar(0, "regla", format!("Falta la regla general, sin condiciones ni fin, de «{palabra}»."));
        }
    }
    raiz.cerrar(l);
    let impuestos =
        version.zip(revisado).map(|(version, revisado)| Impuestos { version, revisado, textos, reglas });
    lector.cerrar(impuestos)
}

fn textos(l: &mut Lector<'_>, mut t: Tabla<'_>) -> Option<TextosCondicion> {
    let condicion = t.palabra(l, "clave", Condicion::parse, Condicion::PALABRAS);
    let supuesto = t.texto(l, "supuesto");
    let negada = t.texto(l, "negada");
    t.cerrar(l);
    Some(TextosCondicion { condicion: condicion?, supuesto: supuesto?, negada: negada? })
}

fn regla(l: &mut Lector<'_>, mut t: Tabla<'_>, vistas: &mut BTreeSet<String>) -> Option<ReglaImpuesto> {
    let clave = t.interpretar(l, "clave", "Debe tener solo minúsculas sin tilde, cifras y guiones.", |c| {
        es_clave(c).then(|| c.to_owned())
    });
    if clave.as_ref().is_some_and(|c| !vistas.insert(c.clone())) {
        t.mal(l, "clave", "La clave está repetida.");
    }
    let territorio = t.palabra(l, "territorio", Territorio::parse, Territorio::PALABRAS);
    let impuesto = t.texto(l, "impuesto");
    let porcentaje = t.decimal(l, "porcentaje", 2, 0..=10_000).map(Porcentaje);
    let vigente_desde = t.fecha(l, "vigente_desde");
    let vigente_hasta = t.tiene("vigente_hasta").then(|| t.fecha(l, "vigente_hasta")).flatten();
    if let (Some(desde), Some(hasta)) = (vigente_desde, vigente_hasta)
        && hasta < desde
    {
        t.mal(l, "vigente_hasta", "Termina antes de empezar.");
    }
    let norma = t.texto(l, "norma");
    let palabras = format!("Debe ser una de: {}.", Condicion::PALABRAS.join(", "));
    let condiciones = t.lista(l, "condiciones", &palabras, Condicion::parse);
    let materiales_maximo = t
        .tiene("materiales_maximo")
        .then(|| t.decimal(l, "materiales_maximo", 2, 0..=10_000))
        .flatten()
        .map(Porcentaje);
    let texto = t.texto(l, "texto");
    let declaracion = t.tiene("declaracion").then(|| t.texto(l, "declaracion")).flatten();
    let confirmar = t.booleano(l, "confirmar");
    t.cerrar(l);
    Some(ReglaImpuesto {
        clave: clave?,
        territorio: territorio?,
        impuesto: impuesto?,
        porcentaje: porcentaje?,
        vigente_desde: vigente_desde?,
        vigente_hasta,
        norma: norma?,
        condiciones: condiciones?,
        materiales_maximo,
        texto: texto?,
        declaracion,
        confirmar: confirmar?,
    })
}
