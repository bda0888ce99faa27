//! Reads a text into a checked set of legal texts, or reports every mistake of the file.

use super::{Legal, LegalKey, LegalText, mistake};
use crate::data::{InvalidData, Reader, Table};

pub(super) fn parse(text: &str) -> Result<Legal, InvalidData> {
    let (mut reader, mut root) = Reader::open(text);
    let l = &mut reader;
    root.decimal(l, "formato", 0, 1..=1);
    let version = root.text(l, "version");
    let reviewed = root.date(l, "revisado");
    let mut texts: Vec<LegalText> = {
        let tables = root.tables(l, "texto");
        tables.into_iter().filter_map(|t| read(l, t, version.as_deref())).collect()
    };
    for word in LegalKey::WORDS {
        if texts.iter().filter(|t| t.key.as_str() == *word).count() != 1 {
            l.note_down(0, "texto", format!("El texto «{word}» debe estar una vez."));
        }
    }
    texts.sort_by_key(|t| t.key);
    root.close(l);
    let legal = version.zip(reviewed).map(|(version, reviewed)| Legal { version, reviewed, texts });
    reader.close(legal)
}

fn read(l: &mut Reader<'_>, mut t: Table<'_>, version: Option<&str>) -> Option<LegalText> {
    let key = t.word(l, "clave", LegalKey::parse, LegalKey::WORDS);
    let title = t.text(l, "titulo");
    let paragraphs = t.texts(l, "parrafos");
    for mensaje in paragraphs.iter().flatten().filter_map(|p| mistake(p)) {
        t.wrong(l, "parrafos", mensaje);
    }
    t.close(l);
    Some(LegalText {
        key: key?,
        title: title?,
        paragraphs: paragraphs?,
        version: version?.to_owned(),
        with_amounts: None,
    })
}
