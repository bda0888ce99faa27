//! How records look as JSON: names as on the wire, absent values as `null`, times as RFC 3339 UTC.

use embudo_app::App;
use embudo_domain::bucle::Bucle;
use embudo_domain::calificacion::Calificacion;
use embudo_domain::evento::Evento;
use embudo_domain::ficha::{Ficha, Foto, IntentoGuardado, Lead, LeadResumen, Nota, TurnoGuardado};
use embudo_domain::presupuesto::{EntregaPresupuesto, PdfGuardado, PresupuestoResumen};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value, json};

/// The whole record. Free objects are written as the text that was sent, so this is a string, not a tree.
pub(crate) fn ficha(ficha: &Ficha, app: &App) -> FichaVista {
    let mut todo = lead(&ficha.lead);
    todo.insert("posibleDuplicado".into(), json!(!ficha.duplicados.is_empty()));
    todo.insert("duplicadoDe".into(), json!(ficha.duplicados));
    todo.insert("fotos".into(), ficha.fotos.iter().map(|f| foto(&ficha.lead, f)).collect());
    todo.insert("notas".into(), ficha.notas.iter().map(nota).collect());
    todo.insert("conversacion".into(), ficha.conversacion.iter().map(turno).collect());
    todo.insert("eventos".into(), ficha.eventos.iter().map(evento).collect());
    todo.insert(
        "consentimientos".into(),
        ficha
            .consentimientos
            .iter()
            .map(|c| {
                json!({
                    "finalidad": c.finalidad,
                    "canal": c.canal,
                    "textoVersion": c.texto_version,
                    "fuente": c.fuente,
                    "otorgado": c.otorgado,
                    "otorgadoEn": c.otorgado_en.map(|t| t.to_string()),
                })
            })
            .collect(),
    );
    todo.insert(
        "presupuestos".into(),
        ficha.presupuestos.iter().map(|p| presupuesto(&ficha.lead, p, app)).collect(),
    );
    FichaVista {
        todo,
        calificacion: ficha.calificacion.as_ref().map(calificacion),
        intentos: ficha.intentos.iter().map(intento).collect(),
    }
}

/// The record: everything that is a tree, and the two parts that carry free objects.
#[derive(serde::Serialize)]
pub(crate) struct FichaVista {
    #[serde(flatten)]
    todo: Map<String, Value>,
    calificacion: Option<CalificacionVista>,
    intentos: Vec<IntentoVista>,
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct CalificacionVista {
    score: Option<i64>,
    nivel: Option<embudo_domain::calificacion::Nivel>,
    criterios: Option<Box<RawValue>>,
    notas_agente: Option<String>,
}

#[derive(serde::Serialize)]
struct IntentoVista {
    #[serde(flatten)]
    todo: Map<String, Value>,
    metadata: Option<Box<RawValue>>,
}

/// A lead in a list.
pub(crate) fn resumen(resumen: &LeadResumen) -> Value {
    let mut todo = lead(&resumen.lead);
    todo.insert("nivel".into(), json!(resumen.nivel));
    todo.insert("score".into(), json!(resumen.score));
    Value::Object(todo)
}

fn lead(lead: &Lead) -> Map<String, Value> {
    let mut todo = objeto(json!({
        "id": lead.id,
        "empresa": { "tenantId": lead.empresa.id, "nombre": lead.empresa.nombre },
        "nombre": lead.nombre,
        "telefono": lead.telefono,
        "telefonoE164": lead.telefono_e164,
        "email": lead.email,
        "provincia": lead.provincia,
        "utm": lead.utm.iter().map(|(k, v)| (k.clone(), json!(v))).collect::<Map<_, _>>(),
        "creadoEn": lead.creado_en.to_string(),
        "actualizadoEn": lead.actualizado_en.to_string(),
        "bucle": lead.bucle.as_ref().map(bucle),
    }));
    todo.extend(objeto(json!(lead.perfil)));
    todo
}

fn presupuesto(lead: &Lead, p: &PresupuestoResumen, app: &App) -> Value {
    let sha256 = |pdf: &PdfGuardado| pdf.sha256.iter().map(|b| format!("{b:02x}")).collect::<String>();
    json!({
        "numero": p.numero,
        "version": p.version,
        "estado": p.estado,
        "totalCents": p.total,
        "emitido": p.validez.emitido.to_string(),
        "validoHasta": p.validez.hasta.to_string(),
        "href": p.pdf.map(|_| format!("/api/leads/{}/presupuestos/{}.pdf", lead.id, p.numero)),
        "pagina": app.quotes().page_url(p.id).unwrap_or_else(|| app.quotes().page_path(p.id)),
        "sha256": p.pdf.as_ref().map(sha256),
        "creadoEn": p.creado_en.to_string(),
        "emitidoEn": p.emitido_en.map(|t| t.to_string()),
        "entregas": p.entregas.iter().map(entrega).collect::<Vec<_>>(),
    })
}

fn entrega(e: &EntregaPresupuesto) -> Value {
    json!({ "canal": e.canal, "estado": e.estado, "en": e.en.to_string() })
}

fn foto(lead: &Lead, foto: &Foto) -> Value {
    json!({
        "id": foto.id,
        "zona": foto.zona,
        "momento": foto.momento,
        "orden": numero(foto.orden),
        "legible": foto.imagen.legible(),
        "href": format!("/api/leads/{}/fotos/{}", lead.id, foto.id),
        "creadaEn": foto.creada_en.to_string(),
    })
}

/// An event.
pub(crate) fn evento(e: &Evento) -> Value {
    json!({
        "tipo": e.tipo,
        "simulado": e.simulado,
        "ok": e.ok,
        "detalle": e.detalle,
        "creadoEn": e.creado_en.to_string(),
    })
}

fn bucle(b: &Bucle) -> Value {
    json!({
        "paso": b.paso,
        "desde": b.desde.to_string(),
        "limite": b.limite.to_string(),
        "vencido": b.vencido,
        "resenales": b.resenales,
    })
}

fn nota(nota: &Nota) -> Value {
    json!({ "id": nota.id, "texto": nota.texto, "zona": nota.zona, "creadaEn": nota.creada_en.to_string() })
}

fn turno(turno: &TurnoGuardado) -> Value {
    json!({
        "id": turno.id,
        "rol": turno.rol,
        "mensaje": turno.mensaje,
        "mediaType": turno.media_type,
        "mediaUrl": turno.media_url,
        "transcripcionAudio": turno.transcripcion_audio,
        "creadoEn": turno.creado_en.to_string(),
    })
}

fn calificacion(c: &Calificacion) -> CalificacionVista {
    CalificacionVista {
        score: c.score,
        nivel: c.nivel,
        criterios: c.criterios.as_deref().map(crudo),
        notas_agente: c.notas_agente.clone(),
    }
}

fn intento(guardado: &IntentoGuardado) -> IntentoVista {
    let i = &guardado.intento;
    let todo = objeto(json!({
        "id": guardado.id,
        "canal": i.canal,
        "numeroIntento": i.numero_intento,
        "resultado": i.resultado,
        "completado": i.completado,
        "duracionSeg": i.duracion_seg,
        "notas": i.notas,
        "creadoEn": guardado.creado_en.to_string(),
    }));
    IntentoVista { todo, metadata: i.metadata.as_deref().map(crudo) }
}

/// Whole numbers are written without a fraction, as they were most likely sent.
pub(crate) fn numero(n: f64) -> Value {
    const EXACTO: f64 = 9_007_199_254_740_992.0;
    if n.fract() == 0.0 && n.abs() < EXACTO {
        return Value::Number(Number::from(n as i64));
    }
    Number::from_f64(n).map_or(Value::Null, Value::Number)
}

fn crudo(texto: &str) -> Box<RawValue> {
    RawValue::from_string(texto.to_owned()).expect("free objects were parsed before they were stored")
}

fn objeto(valor: Value) -> Map<String, Value> {
    match valor {
        Value::Object(mapa) => mapa,
        _ => unreachable!("built from an object literal"),
    }
}
