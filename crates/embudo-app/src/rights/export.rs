//! Everything that is known about a person, as one ZIP: each table as JSON, the chat as text, photos and PDFs
//! unchanged.
//!
//! Only one file is in memory at a time, except that the mails of a lead are written together. What the company wrote
//! for itself is in a separate folder, so that a person can check it before it is handed over. The company's costs and
//! data that only the program uses are not included.

use std::io::{Read as _, Write};

use embudo_blobs::BlobError;
use embudo_domain::foto::StoredImage;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::{Digest, LeadId};
use embudo_store::StoreError;
use embudo_store::outbox_admin::JobFilter;
use serde_json::{Map, Value};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Reach, Rights};
use crate::jobs::letter_to;
use crate::{App, AppError};

/// The tables that contain data about the person, each with a description.
const TABLES: &[(&str, &str)] = &[
    ("lead", "la ficha: nombre, contacto y lo que se sabe de la reforma"),
    ("lead_obra", "lo que decide el IVA y parte del precio"),
    ("utm", "la campaña por la que llegó"),
    ("consentimiento", "los consentimientos, dados y retirados, con la versión del texto"),
    ("turno", "la conversación"),
    ("mensaje", "lo que el equipo le escribió desde el panel"),
    ("nota", "las notas que llegaron con la petición"),
    ("foto", "las fotos; las imágenes están en fotos/"),
    ("calificacion", "la puntuación que se le ha dado"),
    ("intento", "los intentos de contacto"),
    ("evento", "lo que ha ido pasando"),
    ("estado_historia", "los estados de la conversación"),
    ("lead_etapa", "en qué punto está"),
    ("presupuesto", "los presupuestos; los PDF están en presupuestos/"),
    ("presupuesto_respuesta", "lo que contestó a los presupuestos"),
    ("presupuesto_entrega", "por dónde se enviaron los presupuestos"),
    ("visita", "las visitas"),
    ("trabajo", "los correos y avisos que se han enviado o se van a enviar"),
    ("entrega", "cada intento de enviarlos, con su fecha"),
];

/// What people of the company wrote for each other.
const INTERNAL: &[(&str, &str)] = &[
    ("nota_interna", "las notas internas del equipo"),
    ("lead_gestion", "quién lo lleva y qué toca hacer"),
    ("atencion", "quién le contesta en lugar del asistente"),
];

/// What people wrote for each other about visits, by visit. It is removed from the visits themselves.
const VISIT_NOTES: (&str, &str) = ("visita_notas", "las notas de las visitas, que el cliente no ve");

/// The maximum number of a lead's mails of one kind, the newest first.
const MAX_LETTERS: u32 = 1_000;

/// Columns that contain nothing about the person, or that are internal to the company (`hoja` contains its costs).
const LEFT_OUT: [&str; 6] =
    ["hoja", "busqueda", "arrendado_por", "arrendado_hasta", "contenido", "proximo_en"];

/// Why an archive could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error(transparent)]
    App(#[from] AppError),
    #[error("the archive could not be written: {0}")]
    Io(#[from] std::io::Error),
    #[error("the archive could not be written: {0}")]
    Zip(#[from] zip::result::ZipError),
}

/// A copy of a person's data, about to be written.
pub struct Archive {
    app: App,
    leads: Vec<LeadId>,
}

impl Rights<'_> {
    /// A copy of everything that is known about a person. Fails with [`StoreError::LeadNotFound`].
    pub async fn archive(self, lead: LeadId, reach: Reach) -> Result<Archive, AppError> {
        self.app.store.lead_empresa(lead).await?.ok_or(StoreError::LeadNotFound)?;
        Ok(Archive { app: self.app.clone(), leads: self.person(lead, reach).await? })
    }
}

impl Archive {
    /// Writes the archive. This blocks, so it needs a thread of its own; it runs its reads on `runtime`.
    pub fn write(&self, out: impl Write, runtime: &tokio::runtime::Handle) -> Result<(), ArchiveError> {
        let mut zip = ZipWriter::new_stream(out);
        put(&mut zip, "LEEME.txt", read_me(self.leads.len()).as_bytes())?;
        for lead in &self.leads {
            let folder = if self.leads.len() == 1 { String::new() } else { format!("{lead}/") };
            for (names, place) in [(TABLES, "datos"), (INTERNAL, "interno")] {
                for (table, _) in names {
                    let mut rows = runtime.block_on(self.rows(table, *lead))?;
                    match *table {
                        "turno" => {
                            put(&mut zip, &format!("{folder}conversacion.txt"), chat(&rows).as_bytes())?;
                        }
                        "visita" => {
                            let notes = visit_notes(&mut rows);
                            put_rows(&mut zip, &format!("{folder}interno/{}.json", VISIT_NOTES.0), &notes)?;
                        }
                        _ => {}
                    }
                    put_rows(&mut zip, &format!("{folder}{place}/{table}.json"), &rows)?;
                }
            }
            for (name, text) in runtime.block_on(self.letters(*lead))? {
                put(&mut zip, &format!("{folder}{name}"), text.as_bytes())?;
            }
            for (name, digest) in runtime.block_on(self.blobs(*lead))? {
                match runtime.block_on(self.app.blobs.get(*lead, &digest)) {
                    Ok(bytes) => put(&mut zip, &format!("{folder}{name}{}", ending(&bytes)), &bytes)?,
                    // The row names a blob that no longer exists anywhere.
                    Err(BlobError::Missing) => {}
                    Err(error) => return Err(AppError::from(error).into()),
                }
            }
        }
        zip.finish()?.into_inner().flush()?;
        Ok(())
    }

    /// A table's rows in the order in which they were created, without the left-out columns.
    async fn rows(&self, table: &'static str, lead: LeadId) -> Result<Vec<Map<String, Value>>, AppError> {
        let mut rows = self.app.store.dump_rows(table, lead).await?;
        let order = |row: &Map<String, Value>| {
            let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            (row.get("n").and_then(Value::as_i64), text("creado_en"), text("id"))
        };
        rows.sort_by_key(order);
        for row in &mut rows {
            row.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
            row.values_mut().for_each(unfold);
        }
        Ok(rows)
    }

    /// The mails to the person that are still stored, as they would be written today, each with its name.
    async fn letters(&self, lead: LeadId) -> Result<Vec<(String, String)>, AppError> {
        let email = self.app.store.lead(lead).await?.email;
        let mut jobs = Vec::new();
        // Kind by kind: a lead may have any number of signals, which must not crowd out its mails.
        for kind in JobKind::ALL.into_iter().filter(|kind| kind.is_mail() && !kind.is_notice()) {
            let sent = JobFilter { lead: Some(lead), state: Some(JobState::Done), kind: Some(kind) };
            jobs.extend(self.app.store.list_jobs(sent, None, MAX_LETTERS).await?);
        }
        jobs.sort_by_key(|job| job.creado_en);
        let mut all = Vec::new();
        for job in jobs {
            let Some((mensaje, attachment)) = letter_to(&self.app, &job, &email).await else { continue };
            let at = job.terminado_en.unwrap_or(job.creado_en);
            let name = format!("correos/{:03}-{}-{}.txt", all.len() + 1, at.strftime("%Y-%m-%d"), job.kind);
            let with = attachment.map(|name| format!("Adjunto: {name}\n")).unwrap_or_default();
            let head = format!("Para: {}\nEnviado: {at}\nAsunto: {}\n{with}", mensaje.to, mensaje.subject);
            all.push((name, format!("{head}\n{}\n", mensaje.text)));
        }
        Ok(all)
    }

    /// The person's pictures and PDFs, with their names without extensions.
    async fn blobs(&self, lead: LeadId) -> Result<Vec<(String, Digest)>, AppError> {
        let record = self.app.store.record(lead).await?;
        let renditions = self.app.store.renditions(lead).await?;
        let fetched = |foto| renditions.iter().find(|made| made.foto == foto).and_then(|made| made.copy);
        let mut all = Vec::new();
        for (n, foto) in (1..).zip(&record.fotos) {
            let digest = match &foto.image {
                StoredImage::Url(_) => match fetched(foto.id) {
                    Some(copy) => copy,
                    None => continue,
                },
                StoredImage::Canonical { bytes, .. } | StoredImage::Informal { bytes, .. } => *bytes,
                StoredImage::Unreadable { raw, .. } => *raw,
            };
            all.push((format!("fotos/{n:03}-{}-{}", foto.zona, foto.momento), digest));
        }
        for quote in &record.presupuestos {
            all.extend(quote.pdf.map(|pdf| (format!("presupuestos/{}", quote.number), pdf.digest)));
            let accepted = quote.accepted_pdf;
            all.extend(accepted.map(|pdf| (format!("presupuestos/{}-aceptado", quote.number), pdf.digest)));
        }
        Ok(all)
    }
}

fn put<W: Write>(
    zip: &mut ZipWriter<zip::write::StreamWriter<W>>,
    name: &str,
    mut bytes: &[u8],
) -> Result<(), ArchiveError> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    zip.start_file(name, options)?;
    std::io::copy(&mut bytes.by_ref(), zip)?;
    Ok(())
}

fn put_rows<W: Write>(
    zip: &mut ZipWriter<zip::write::StreamWriter<W>>,
    name: &str,
    rows: &[Map<String, Value>],
) -> Result<(), ArchiveError> {
    put(zip, name, &serde_json::to_vec_pretty(rows).map_err(std::io::Error::from)?)
}

/// Moves the notes that people wrote for each other about visits out of the visits.
fn visit_notes(rows: &mut [Map<String, Value>]) -> Vec<Map<String, Value>> {
    let of = |row: &mut Map<String, Value>| {
        let notes = row.remove("notas")?;
        let id = row.get("id").cloned().unwrap_or_default();
        Some(Map::from_iter([("id".to_owned(), id), ("notas".to_owned(), notes)]))
    };
    rows.iter_mut().filter_map(of).collect()
}

/// A text that is itself JSON is shown as JSON.
fn unfold(value: &mut Value) {
    if let Value::String(text) = value
        && text.starts_with(['{', '['])
        && let Ok(inner) = serde_json::from_str(text)
    {
        *value = inner;
    }
}

fn chat(rows: &[Map<String, Value>]) -> String {
    let text = |row: &Map<String, Value>, name: &str| {
        row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let line = |row: &Map<String, Value>| {
        let said = [text(row, "mensaje"), text(row, "transcripcion_audio"), text(row, "media_url")];
        let said: Vec<String> = said.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{}  {}\n{}\n\n", text(row, "creado_en"), text(row, "rol"), said.join("\n"))
    };
    rows.iter().map(line).collect()
}

fn ending(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xff, 0xd8, 0xff, ..] => ".jpg",
        [0x89, b'P', b'N', b'G', ..] => ".png",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => ".webp",
        [b'G', b'I', b'F', b'8', ..] => ".gif",
        [b'%', b'P', b'D', b'F', ..] => ".pdf",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => ".heic",
        _ => ".bin",
    }
}

fn read_me(leads: usize) -> String {
    let list = |names: &[(&str, &str)], place: &str| -> String {
        names.iter().map(|(name, what)| format!("  {place}/{name}.json  {what}\n")).collect()
    };
    let folders = match leads {
        1 => "",
        _ => "Esta persona tiene varias fichas: hay una carpeta por cada una.\n\n",
    };
    format!(
        "Todo lo que se sabe de una persona, en formatos que cualquier programa lee.\n\n{folders}\
         conversacion.txt  la conversación, para leerla\n{}fotos/  las fotos, tal como llegaron\n\
         presupuestos/  los presupuestos en PDF\n\
         correos/  los correos que se le enviaron y que todavía se guardan, tal como se escribirían hoy;\n\
         \x20         los más antiguos se borran pasado un tiempo\n\n\
         Lo que el equipo escribió para sí. Léelo antes de entregarlo: puede hablar de otras personas.\n{}",
        list(TABLES, "datos"),
        list(INTERNAL, "interno") + &list(&[VISIT_NOTES], "interno"),
    )
}

#[cfg(test)]
mod tests {
    use embudo_store::rights::OF_LEAD;

    use super::*;

    /// Tables without information for the person: they are derived from the other tables, or only the program uses
    /// them.
    const OF_NO_USE: [&str; 10] = [
        "blob_marca",
        "borrador",
        "lead_actividad",
        "lead_busqueda",
        "lead_leido",
        "lead_union",
        "lead_visto",
        "pase_generacion",
        "rendicion",
        "visita_persona",
    ];

    #[test]
    fn every_table_of_a_lead_is_handed_over_or_left_out_on_purpose() {
        let told = || TABLES.iter().chain(INTERNAL).map(|(table, _)| *table);
        for table in OF_LEAD {
            let places = told().chain(OF_NO_USE).filter(|known| known == table).count();
            assert_eq!(places, 1, "{table}");
        }
        for table in told().filter(|table| !["lead", "entrega"].contains(table)) {
            assert!(OF_LEAD.contains(&table), "{table}");
        }
    }

    #[test]
    fn what_clients_do_not_see_of_visits_stands_apart() {
        let row = serde_json::json!({ "id": "1", "direccion": "Mayor 1", "notas": "el perro muerde" });
        let mut rows = vec![row.as_object().expect("a row").clone()];
        let notes = visit_notes(&mut rows);
        assert_eq!(Value::from(rows[0].clone()), serde_json::json!({ "id": "1", "direccion": "Mayor 1" }));
        assert_eq!(
            Value::from(notes[0].clone()),
            serde_json::json!({ "id": "1", "notas": "el perro muerde" })
        );
    }

    #[test]
    fn texts_of_the_program_are_unfolded() {
        let mut value = Value::from("{\"a\":[1]}");
        unfold(&mut value);
        assert_eq!(value, serde_json::json!({"a": [1]}));
        let mut plain = Value::from("{ esto no es JSON");
        unfold(&mut plain);
        assert_eq!(plain, Value::from("{ esto no es JSON"));
    }
}
