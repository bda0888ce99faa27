//! `POST /panel/visitas/:id/medidas`: writes the measurements of a visit into the lead, by the same rules as the lead's
//! page.

use embudo_domain::facts::Facts;
use embudo_domain::visita::{MAX_NOTES, Visita};
use embudo_store::edited::Edited;

use super::PostedVisita;
use super::words::STALE;
use crate::panel::PanelResult;
use crate::panel::form_state::FormState;
use crate::panel::kit::facts::Group;
use crate::panel::kit::form::Returned;
use crate::parts::{FormFields, Input};

/// The facts that are measured on site, by their group.
const MEASURED: [(&str, &[&str]); 2] =
    [("obra", &["m2Suelo", "m2Estimado"]), ("vivienda", &["banos", "planta", "ascensor"])];
const CONFLICT: &str = "Alguien ha escrito otra cosa mientras tanto: vuelve a abrir la visita y míralo.";

fn groups() -> impl Iterator<Item = (&'static Group, &'static [&'static str])> {
    MEASURED.into_iter().filter_map(|(id, names)| Some((Group::of(id)?, names)))
}

/// The fields for the measurements.
pub(super) fn measured(facts: &Facts, form: &FormState, back: Option<&FormFields>) -> Vec<Input> {
    let typed = back.cloned().unwrap_or_default();
    let returned = Returned { form: form.clone(), typed, ..Returned::default() };
    let of = |(group, names): (&'static Group, &'static [&'static str])| {
        let fields = group.form.fields().filter(|field| names.contains(&field.name));
        fields.map(|field| field.input(facts, &returned)).collect::<Vec<_>>()
    };
    groups().flat_map(of).collect()
}

/// The versions that the form carries, by group.
pub(super) fn versions(facts: &Facts) -> Vec<(&'static str, String)> {
    groups().map(|(group, _)| (group.id, group.form.version(facts))).collect()
}

pub(crate) async fn save(posted: PostedVisita) -> PanelResult {
    let (open, app) = (&posted.open, &posted.open.state.app);
    if let Err(form) = posted.check() {
        return posted.wrong(form).await;
    }
    let mut form = FormState::default();
    let text = posted.fields.text("medidas");
    if text.chars().count() > MAX_NOTES {
        form.add("medidas", "Es demasiado largo: caben 4.000 letras.");
    }
    let edited = edited(&posted, &mut form);
    let Some(edited) = edited.filter(|_| form.is_good()) else {
        return posted.wrong(form).await;
    };
    if app.leads().edit(&open.lead, edited, &open.signed.actor()).await? == Edited::Stale {
        return posted.wrong(FormState::wrong("", STALE)).await;
    }
    if text == open.visita.measurements {
        return Ok(open.done("medidas"));
    }
    let (author, actor) = (open.signed.open.user.id, open.signed.actor());
    app.visits().note_measured(&open.visita, open.zone, &text, author, &actor).await?;
    let made = Visita { measurements: text, cambiada_en: app.now(), ..open.visita.clone() };
    posted.keep(Ok(made), "", "medidas").await
}

/// The lead's facts with the measurements. `None` if there is an error or a concurrent change, which is reported.
fn edited(posted: &PostedVisita, form: &mut FormState) -> Option<Facts> {
    let mut facts = Facts::of(&posted.open.lead);
    for (group, names) in groups() {
        let mut sent: Vec<(String, String)> =
            posted.fields.0.iter().filter(|(name, _)| names.contains(&name.as_str())).cloned().collect();
        sent.push(("version".to_owned(), posted.fields.raw(&format!("version-{}", group.id)).to_owned()));
        match group.form.read(&FormFields(sent), &facts) {
            Ok(read) => facts = read,
            Err(returned) => {
                match returned.conflicts.first() {
                    Some(name) => form.add(*name, CONFLICT),
                    None => form.append(returned.form),
                }
                return None;
            }
        }
    }
    // A changed area was measured on this visit, so it is no longer an estimate.
    if facts.perfil.m2_suelo != posted.open.lead.perfil.m2_suelo {
        facts.obra.m2_estimado = None;
    }
    Some(facts)
}
