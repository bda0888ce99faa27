//! Quotes ready to be drafted, completed and answered, on the suite's fixed clock.

use std::sync::Arc;

use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::ficha::Nota;
use embudo_domain::iva::Impuestos;
use embudo_domain::marca::Marca;
use embudo_domain::presupuesto::{
    Base, Documento, EstadoPresupuesto, PdfGuardado, Presupuesto, RespuestaCliente, Validez,
};
use embudo_domain::tarifa::Tarifa;
use embudo_domain::trabajo::TipoTrabajo;
use embudo_domain::{Huella, LeadId, NotaId, PresupuestoId, Timestamp};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use uuid::Uuid;

use super::outbox::{LARGO, de, fin, hacer, proceso};
use super::{evento, ficha, t};
use embudo_store::Store;
use embudo_store::cola::Resultado;
use embudo_store::presupuestos::{AnswerPresupuesto, CompletePresupuesto, Contestacion, DraftPresupuesto};

/// The day on which the suite's quotes are issued.
pub const HOY: Date = date(2026, 11, 14);

/// So many days after [`HOY`].
pub fn dia(mas: i32) -> Date {
    HOY.saturating_add(mas.days())
}

/// What a quote for this lead says, with one note.
pub async fn documento(store: &Arc<dyn Store>, lead: LeadId, nota: &str) -> Documento {
    let base = Base {
        marca: &Marca::default(),
        logo: None,
        tarifa: &Tarifa::por_defecto(),
        impuestos: &Impuestos::por_defecto(),
        dia: HOY,
    };
    let nota = Nota { id: NotaId(Uuid::nil()), texto: nota.to_owned(), zona: None, creada_en: t(0) };
    Documento::componer(&ficha(store, lead).await.lead, &[nota], &[], base)
}

/// A draft that holds for thirty days.
pub fn borrador(lead: LeadId, documento: Documento, emitido: Date, en: Timestamp) -> DraftPresupuesto {
    let validez = Validez::new(emitido, 30);
    DraftPresupuesto { id: PresupuestoId(Uuid::new_v4()), lead, documento, validez, en }
}

/// Drafts a quote with this note, today.
pub async fn redactar(store: &Arc<dyn Store>, lead: LeadId, nota: &str) -> Presupuesto {
    redactar_el(store, lead, nota, HOY).await
}

/// Drafts a quote with this note on a day.
pub async fn redactar_el(store: &Arc<dyn Store>, lead: LeadId, nota: &str, emitido: Date) -> Presupuesto {
    let documento = documento(store, lead, nota).await;
    store.draft_presupuesto(borrador(lead, documento, emitido, t(1))).await.expect("drafted")
}

/// A quote as it stands.
pub async fn leer(store: &Arc<dyn Store>, p: &Presupuesto) -> Presupuesto {
    store.presupuesto(p.id).await.expect("the quote exists")
}

/// In which state a quote is.
pub async fn estado_de(store: &Arc<dyn Store>, p: &Presupuesto) -> EstadoPresupuesto {
    leer(store, p).await.estado
}

/// The numbers of a lead's quotes with their states, oldest first.
pub async fn resumen(store: &Arc<dyn Store>, lead: LeadId) -> Vec<(String, u32, EstadoPresupuesto)> {
    let todos = store.presupuestos(lead).await.expect("a list");
    let cortos: Vec<_> = todos.iter().map(Presupuesto::resumen).collect();
    assert_eq!(ficha(store, lead).await.presupuestos, cortos, "record and list agree");
    todos.into_iter().rev().map(|p| (p.numero.to_string(), p.version, p.estado)).collect()
}

/// A PDF that can be told from others.
pub fn pdf(cual: &str) -> PdfGuardado {
    let huella = Huella::of(cual.as_bytes());
    PdfGuardado { huella, sha256: Huella::of(&huella.0).0, bytes: 123_456 }
}

/// The end of a new job of the quote's lead, held by a process of its own, that drew this PDF.
pub async fn dibujado(store: &Arc<dyn Store>, p: &Presupuesto, pdf: PdfGuardado) -> CompletePresupuesto {
    let quien = proceso();
    let id = hacer(store, p.lead, de(TipoTrabajo::Presupuesto, quien, LARGO), t(1)).await;
    CompletePresupuesto {
        id: p.id,
        pdf,
        eventos: Vec::new(),
        entregas: Vec::new(),
        fin: fin(id, quien, Resultado::Hecho, t(2)),
        barridos: Vec::new(),
    }
}

/// Completes a quote with its first PDF.
pub async fn completar(store: &Arc<dyn Store>, p: &Presupuesto) {
    let command = dibujado(store, p, pdf(&p.id.to_string())).await;
    assert!(store.complete_presupuesto(command).await.expect("completed"), "the job is held");
}

/// A quote that was sent.
pub async fn enviar(store: &Arc<dyn Store>, lead: LeadId, nota: &str) -> Presupuesto {
    let p = redactar(store, lead, nota).await;
    completar(store, &p).await;
    leer(store, &p).await
}

/// What a client says of a quote today, of the PDF it has.
pub fn dice(p: &Presupuesto, aceptado: bool, en: Timestamp) -> AnswerPresupuesto {
    let respuesta = RespuestaCliente {
        aceptado,
        motivo: None,
        ip: None,
        texto_version: "2026-01".into(),
        pdf_sha256: p.pdf.map_or([0; 32], |pdf| pdf.sha256),
        en,
    };
    AnswerPresupuesto { id: p.id, respuesta, hoy: HOY, evento: suceso(aceptado, en), trabajos: Vec::new() }
}

/// The event of an answer.
pub fn suceso(aceptado: bool, en: Timestamp) -> Evento {
    let tipo = if aceptado { TipoEvento::PresupuestoAceptado } else { TipoEvento::PresupuestoRechazado };
    evento(tipo, en)
}

/// Answers; what became of it.
pub async fn contestar(store: &Arc<dyn Store>, command: AnswerPresupuesto) -> Contestacion {
    store.answer_presupuesto(command).await.expect("answered")
}

/// A new quote of the lead, with this note, brought into a state.
pub async fn en_estado(
    store: &Arc<dyn Store>,
    lead: LeadId,
    nota: &str,
    estado: EstadoPresupuesto,
) -> Presupuesto {
    if estado == EstadoPresupuesto::Borrador {
        return redactar(store, lead, nota).await;
    }
    let p = enviar(store, lead, nota).await;
    match estado {
        EstadoPresupuesto::Aceptado | EstadoPresupuesto::Rechazado => {
            let command = dice(&p, estado == EstadoPresupuesto::Aceptado, t(3));
            assert_eq!(contestar(store, command).await, Contestacion::Hecha);
        }
        EstadoPresupuesto::Sustituido => drop(redactar(store, lead, &format!("{nota}, mejor")).await),
        EstadoPresupuesto::Borrador | EstadoPresupuesto::Emitido => {}
    }
    let p = leer(store, &p).await;
    assert_eq!(p.estado, estado);
    p
}
