//! Reads a text into a checked set of tax rules, or reports every mistake of the file.

use std::collections::BTreeSet;

use super::{Condicion, ConditionTexts, Impuestos, TaxRule};
use crate::data::{InvalidData, Reader, Table, is_key};
use crate::decimal::Percentage;
use crate::provincia::Territory;

pub(super) fn parse(text: &str) -> Result<Impuestos, InvalidData> {
    let (mut reader, mut root) = Reader::open(text);
    let l = &mut reader;
    root.decimal(l, "formato", 0, 1..=1);
    let version = root.text(l, "version");
    let reviewed = root.date(l, "revisado");
    let texts: Vec<ConditionTexts> = {
        let tables = root.tables(l, "condicion");
        tables.into_iter().filter_map(|t| texts(l, t)).collect()
    };
    for word in Condicion::WORDS {
        if texts.iter().filter(|t| t.condicion.as_str() == *word).count() != 1 {
            l.note_down(0, "condicion", format!("La condición «{word}» debe estar una vez."));
        }
    }
    let mut views = BTreeSet::new();
    let rules: Vec<TaxRule> = {
        let tables = root.tables(l, "regla");
        tables.into_iter().filter_map(|t| rule(l, t, &mut views)).collect()
    };
    for word in Territory::WORDS {
        let general =
            |r: &TaxRule| r.territory.as_str() == *word && r.is_general() && r.valid_until.is_none();
        if !rules.iter().any(general) {
            l.note_down(0, "regla", format!("Falta la regla general, sin condiciones ni fin, de «{word}»."));
        }
    }
    for (at, rule) in rules.iter().enumerate() {
        let hides = |general: &&TaxRule| {
            general.is_general() && general.territory == rule.territory && general.overlaps(rule)
        };
        if let Some(general) = rules[..at].iter().find(hides) {
            let message = format!(
                "La regla «{}» va después de la general «{}», que se aplica antes mientras está en vigor.",
                rule.key, general.key
            );
            l.note_down(0, "regla", message);
        }
    }
    root.close(l);
    let impuestos =
        version.zip(reviewed).map(|(version, reviewed)| Impuestos { version, reviewed, texts, rules });
    reader.close(impuestos)
}

fn texts(l: &mut Reader<'_>, mut t: Table<'_>) -> Option<ConditionTexts> {
    let condicion = t.word(l, "clave", Condicion::parse, Condicion::WORDS);
    let assumption = t.text(l, "supuesto");
    let denied = t.text(l, "negada");
    t.close(l);
    Some(ConditionTexts { condicion: condicion?, assumption: assumption?, denied: denied? })
}

fn rule(l: &mut Reader<'_>, mut t: Table<'_>, views: &mut BTreeSet<String>) -> Option<TaxRule> {
    let key = t.interpret(l, "clave", "Debe tener solo minúsculas sin tilde, cifras y guiones.", |c| {
        is_key(c).then(|| c.to_owned())
    });
    if key.as_ref().is_some_and(|c| !views.insert(c.clone())) {
        t.wrong(l, "clave", "La clave está repetida.");
    }
    let territory = t.word(l, "territorio", Territory::parse, Territory::WORDS);
    let impuesto = t.text(l, "impuesto");
    let percentage = t.decimal(l, "porcentaje", 2, 0..=10_000).map(Percentage);
    let vigente_desde = t.date(l, "vigente_desde");
    let valid_until = t.has("vigente_hasta").then(|| t.date(l, "vigente_hasta")).flatten();
    if let (Some(since), Some(until)) = (vigente_desde, valid_until)
        && until < since
    {
        t.wrong(l, "vigente_hasta", "Termina antes de empezar.");
    }
    let norma = t.text(l, "norma");
    let words = format!("Debe ser una de: {}.", Condicion::WORDS.join(", "));
    let condiciones = t.list(l, "condiciones", &words, Condicion::parse);
    let max_materials = t
        .has("materiales_maximo")
        .then(|| t.decimal(l, "materiales_maximo", 2, 0..=10_000))
        .flatten()
        .map(Percentage);
    let text = t.text(l, "texto");
    let declaracion = t.has("declaracion").then(|| t.text(l, "declaracion")).flatten();
    let confirm = t.boolean(l, "confirmar");
    t.close(l);
    Some(TaxRule {
        key: key?,
        territory: territory?,
        impuesto: impuesto?,
        percentage: percentage?,
        vigente_desde: vigente_desde?,
        valid_until,
        norma: norma?,
        condiciones: condiciones?,
        max_materials,
        text: text?,
        declaracion,
        confirm: confirm?,
    })
}
