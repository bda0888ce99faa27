//! The page drawn from a document, without a server.

use askama::Template as _;
use embudo_domain::calculo::{DatosReforma, calcular};
use embudo_domain::empresa::Empresa;
use embudo_domain::ingesta::Momento;
use embudo_domain::iva::{Condiciones, Impuestos};
use embudo_domain::marca::Marca;
use embudo_domain::perfil::Calidad;
use embudo_domain::presupuesto::{
    Cliente, Documento, Emisor, EstadoPresupuesto, FotoImpresa, NotaImpresa, NumeroPresupuesto, PdfGuardado,
    Presupuesto, RespuestaCliente, Validez,
};
use embudo_domain::tarifa::Tarifa;
use embudo_domain::{EmpresaId, FotoId, Huella, LeadId, PresupuestoId, Timestamp, Zona};
use jiff::civil::{Date, date};
use uuid::Uuid;

use super::pictures::Album;
use super::standing::Situacion;
use super::view::{Envio, Pagina};
use crate::parts::Storefront;

const HOY: Date = date(2026, 11, 15);
const MALO: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>";

fn documento(texto: &str) -> Documento {
    let datos = DatosReforma {
        tipo: Some(Zona::Bano),
        m2_suelo: Some(5.0),
        calidad: Some(Calidad::Media),
        provincia: Some("Madrid".into()),
        ..DatosReforma::default()
    };
    let calculo = calcular(&datos, &Tarifa::por_defecto());
    let impuesto = Impuestos::por_defecto().aplicar(&calculo, Condiciones::default(), HOY);
    let foto = |n: u128, momento| FotoImpresa { id: FotoId(Uuid::from_u128(n)), zona: Zona::Bano, momento };
    Documento {
        cliente: Cliente {
            nombre: texto.into(),
            telefono: "+34612345678".into(),
            email: texto.into(),
            provincia: Some(texto.into()),
        },
        empresa: Emisor {
            nombre: texto.into(),
            razon_social: None,
            nif: None,
            direccion: None,
            telefono: Some("91 123 45 67".into()),
            email: Some("hola@ejemplo.es".into()),
            web: None,
            color: Marca::default().color,
            logo: None,
        },
        calculo,
        impuesto,
        dias_validez: 30,
        notas: vec![NotaImpresa { zona: Zona::Bano, texto: texto.into() }],
        fotos: vec![foto(1, Momento::Antes), foto(2, Momento::Despues)],
        condiciones: vec![texto.into()],
    }
}

fn presupuesto(documento: Documento, estado: EstadoPresupuesto) -> Presupuesto {
    let nadie = Uuid::nil();
    let pdf = PdfGuardado { huella: Huella::of(b"%PDF"), sha256: [0xab; 32], bytes: 4 };
    let contestado = matches!(estado, EstadoPresupuesto::Aceptado | EstadoPresupuesto::Rechazado);
    let motivo = documento.notas[0].texto.clone();
    let respuesta = contestado.then(|| RespuestaCliente {
        aceptado: estado == EstadoPresupuesto::Aceptado,
        motivo: (estado == EstadoPresupuesto::Rechazado).then_some(motivo),
        ip: None,
        texto_version: "2026-11".into(),
        pdf_sha256: pdf.sha256,
        en: Timestamp::UNIX_EPOCH,
    });
    Presupuesto {
        id: PresupuestoId(nadie),
        lead: LeadId(nadie),
        empresa: EmpresaId(nadie),
        numero: NumeroPresupuesto::new(2026, 1).expect("a number"),
        version: 1,
        estado,
        contenido: documento.huella(),
        documento,
        validez: Validez::new(HOY, 30),
        pdf: (estado != EstadoPresupuesto::Borrador).then_some(pdf),
        creado_en: Timestamp::UNIX_EPOCH,
        emitido_en: None,
        respuesta,
    }
}

fn dibujar(texto: &str, estado: EstadoPresupuesto, hoy: Date) -> String {
    let empresa = Empresa {
        id: EmpresaId(Uuid::nil()),
        nombre: texto.into(),
        slug: "reformas".into(),
        por_defecto: true,
        email_avisos: None,
        avisos: true,
    };
    let storefront = Storefront { empresa, marca: Marca::default(), logo: None };
    let p = presupuesto(documento(texto), estado);
    let actual = (estado == EstadoPresupuesto::Sustituido).then(|| ("2026-0002".into(), "/p/otro".into()));
    let album = Album::new("/p/pase", Vec::new(), false);
    let situacion = Situacion::de(&p, hoy, actual);
    Pagina::new(storefront, "/p/pase".into(), &p, &album, situacion, Envio::default())
        .render()
        .expect("it renders")
}

const ESTADOS: [EstadoPresupuesto; 5] = [
    EstadoPresupuesto::Borrador,
    EstadoPresupuesto::Emitido,
    EstadoPresupuesto::Aceptado,
    EstadoPresupuesto::Rechazado,
    EstadoPresupuesto::Sustituido,
];

#[test]
fn hostile_texts_stay_texts_and_nothing_is_inline() {
    for estado in ESTADOS {
        let html = dibujar(MALO, estado, HOY).to_lowercase();
        assert!(!html.contains("<script>") && !html.contains("<img src=x"), "{estado}");
        assert!(!html.contains("<style") && !html.contains(" style="), "{estado}");
        for manejador in [" onclick=", " onerror=", " onload=", "javascript:"] {
            assert!(!html.replace("src=x onerror=", "").contains(manejador), "{estado}: {manejador}");
        }
        assert_eq!(html.matches("<script").count(), 1, "only the module of ours");
    }
}

#[test]
fn every_state_offers_what_it_allows() {
    let ofrece = |estado, hoy| {
        let html = dibujar("Ana", estado, hoy);
        (
            html.contains("/aceptar\""),
            html.contains("/rechazar\""),
            html.contains("Pedir un presupuesto nuevo"),
        )
    };
    let tarde = date(2027, 1, 1);
    assert_eq!(ofrece(EstadoPresupuesto::Borrador, HOY), (false, false, false));
    assert_eq!(ofrece(EstadoPresupuesto::Emitido, HOY), (true, true, false));
    assert_eq!(ofrece(EstadoPresupuesto::Emitido, tarde), (false, false, true));
    assert_eq!(ofrece(EstadoPresupuesto::Rechazado, HOY), (true, false, false));
    assert_eq!(ofrece(EstadoPresupuesto::Aceptado, tarde), (false, false, false));
    assert_eq!(ofrece(EstadoPresupuesto::Sustituido, HOY), (false, false, false));
    assert!(dibujar("Ana", EstadoPresupuesto::Sustituido, HOY).contains("href=\"/p/otro\""));
}

#[test]
fn generated_pictures_are_labelled() {
    let html = dibujar("Ana", EstadoPresupuesto::Emitido, HOY);
    assert_eq!(html.matches("Imagen generada por IA").count(), 1);
    assert!(html.contains("/p/pase/fotos/00000000-0000-0000-0000-000000000002"));
}
