//! The actions on a visit: propose hours, agree on an hour or move it, change its data, cancel it, record its result.

use axum::response::Response;
use embudo_app::{Conflicts, Tell};
use embudo_domain::visita::{Visita, VisitaError, VisitaState};
use embudo_store::visits::VisitaChange;
use http::StatusCode;

use super::PostedVisita;
use super::fields::{Typed, conflicts, read_slots};
use super::show::render;
use super::shown::Shown;
use super::words::{Place, STALE, Warned, from_field, overlap, refused, warned};
use crate::panel::PanelResult;
use crate::panel::form_state::FormState;
use crate::panel::kit::people::People;
use crate::parts::Refusal;

/// `POST /panel/visitas/:id/proponer`.
pub(crate) async fn propose(posted: PostedVisita) -> PanelResult {
    if let Err(form) = posted.check() {
        return posted.wrong(form).await;
    }
    let mut form = FormState::default();
    let slots = read_slots(&posted.fields, posted.open.zone, &mut form);
    if !form.is_good() {
        return posted.wrong(form).await;
    }
    let made = posted.open.visita.clone().propose(&slots, posted.open.state.app.now());
    if let Ok(made) = &made
        && let Some(page) = posted.warn(made, Place::Slots).await?
    {
        return Ok(page);
    }
    posted.keep(made, "hueco", "propuesta").await
}

/// `POST /panel/visitas/:id/confirmar`: agrees on the hour or moves it.
pub(crate) async fn agree(posted: PostedVisita) -> PanelResult {
    if let Err(form) = posted.check() {
        return posted.wrong(form).await;
    }
    let (open, app) = (&posted.open, &posted.open.state.app);
    let start = match from_field(open.zone, &posted.fields.text("cuando")) {
        Ok(start) => start,
        Err(mistake) => return posted.wrong(FormState::wrong("cuando", mistake)).await,
    };
    if open.visita.start == Some(start) && open.visita.state == VisitaState::Confirmada {
        return Ok(open.done("fijada"));
    }
    let made = open.visita.clone().agree(start, app.now());
    if let Ok(made) = &made
        && let Some(page) = posted.warn(made, Place::Hour).await?
    {
        return Ok(page);
    }
    posted.keep(made, "cuando", "fijada").await
}

/// `POST /panel/visitas/:id/datos`: changes address, people, length and notes.
pub(crate) async fn change(posted: PostedVisita) -> PanelResult {
    let (open, visita) = (&posted.open, &posted.open.visita);
    let mut form = posted.check().err().unwrap_or_default();
    let people = People::load(&open.state).await?;
    let typed = Typed::sent(&posted.fields, &people, visita.empresa, &visita.people);
    let details = typed.read(&mut form);
    let back = |form: FormState, clash| Shown {
        form,
        clash,
        data_open: true,
        fields: Some(posted.fields.clone()),
        ..Shown::default()
    };
    if form.of("") == Some(STALE) {
        let clash = clashes(visita, &typed, &people);
        return render(open, StatusCode::CONFLICT, back(form, clash)).await;
    }
    if !matches!(visita.state, VisitaState::Propuesta | VisitaState::Confirmada) {
        // The fields are not shown in this state, so the error belongs to the form.
        form = FormState::wrong("", refused(VisitaError::State(visita.state)));
    }
    let Some(details) = details.filter(|_| form.is_good()) else {
        return render(open, StatusCode::UNPROCESSABLE_ENTITY, back(form, Vec::new())).await;
    };
    let made = details.put_into(visita.clone());
    if made == *visita {
        return Ok(open.done("datos"));
    }
    let is_told = |visita: &Visita| (visita.minutes, visita.address.clone(), visita.people.clone());
    let now = open.state.app.now();
    // Other people or another length can cause new conflicts. A visit in the past cannot.
    let takes_other = (made.minutes, &made.people) != (visita.minutes, &visita.people);
    if takes_other
        && !made.is_over(now)
        && let Some(page) = posted.warn(&made, Place::Data).await?
    {
        return Ok(page);
    }
    let made = match is_told(&made) == is_told(visita) {
        true => Visita { cambiada_en: now, ..made },
        false => made.details_changed(now),
    };
    posted.keep(Ok(made), "", "datos").await
}

/// The values of both people, side by side.
fn clashes(visita: &Visita, typed: &Typed, people: &People) -> Vec<(&'static str, String, String)> {
    let names = |ids: &[embudo_domain::UserId]| {
        ids.iter().map(|id| people.name(*id).to_owned()).collect::<Vec<_>>().join(", ")
    };
    let all = [
        ("Dónde", visita.address.clone(), typed.address.clone()),
        ("Quién va", names(&visita.people), names(&typed.people)),
        ("Minutos", visita.minutes.to_string(), typed.minutes.clone()),
        ("Notas", visita.notes.clone(), typed.notes.clone()),
    ];
    all.into_iter().filter(|(_, now, wanted)| now != wanted).collect()
}

/// `POST /panel/visitas/:id/cancelar`.
pub(crate) async fn cancel(posted: PostedVisita) -> PanelResult {
    if let Err(form) = posted.check() {
        return posted.wrong(form).await;
    }
    let by = posted.open.signed.open.user.id;
    let made = posted.open.visita.clone().cancel(Some(by), posted.open.state.app.now());
    posted.keep(made, "", "cancelada").await
}

/// `POST /panel/visitas/:id/resultado`: records that the visit took place, or that the client was not there.
pub(crate) async fn end(posted: PostedVisita) -> PanelResult {
    if let Err(form) = posted.check() {
        return posted.wrong(form).await;
    }
    let Some(state) = VisitaState::parse(posted.fields.raw("estado")) else {
        return posted.wrong(FormState::wrong("", "Di cómo fue.")).await;
    };
    let made = posted.open.visita.clone().end_as(state, posted.open.state.app.now());
    posted.keep(made, "", "cerrada").await
}

impl PostedVisita {
    /// Saves the changed visit and shows it, or reports under `field` why it cannot be changed.
    pub(super) async fn keep(
        &self,
        made: Result<Visita, VisitaError>,
        field: &'static str,
        what: &str,
    ) -> PanelResult {
        let open = &self.open;
        let made = match made {
            Ok(made) => made,
            Err(error) => return self.wrong(FormState::wrong(field, refused(error))).await,
        };
        let tell = if self.fields.has("avisar") { Tell::Everybody } else { Tell::People };
        let (conflicts, actor) = (conflicts(&self.fields), open.signed.actor());
        match open.state.app.visits().keep(Some(&open.visita), made, conflicts, tell, &actor).await? {
            VisitaChange::Saved(_) => Ok(open.done(what)),
            // Somebody took the hour between the check and the save.
            VisitaChange::Taken(busy) => {
                let place = if field == "cuando" { Place::Hour } else { Place::Data };
                self.conflict_page(place, busy.iter().map(|busy| overlap(busy, open.zone)).collect()).await
            }
            VisitaChange::Stale(_) | VisitaChange::Gone => self.wrong(FormState::wrong("", STALE)).await,
        }
    }

    /// The page with the conflicts of the visit; `None` if there are none or the person accepted them.
    async fn warn(&self, made: &Visita, place: Place) -> Result<Option<Response>, Refusal> {
        let open = &self.open;
        if conflicts(&self.fields) == Conflicts::Override {
            return Ok(None);
        }
        let warnings = open.state.app.visits().warnings(made, open.zone).await?;
        if warnings.is_empty() {
            return Ok(None);
        }
        let people = People::load(&open.state).await?;
        self.conflict_page(place, warned(made, &warnings, &people, open.zone)).await.map(Some)
    }

    async fn conflict_page(&self, place: Place, lines: Vec<String>) -> PanelResult {
        let still = match &self.open.visita.start {
            Some(start) => format!("No se ha guardado: la visita sigue el {}.", self.open.zone.long(*start)),
            None => "No se ha guardado nada todavía.".to_owned(),
        };
        let warned = Warned::at(place, lines);
        let mut form = FormState::wrong("", still);
        warned.add_to(&mut form);
        let shown = Shown {
            warned,
            form,
            data_open: place == Place::Data,
            fields: Some(self.fields.clone()),
            ..Shown::default()
        };
        render(&self.open, StatusCode::UNPROCESSABLE_ENTITY, shown).await
    }

    /// Shows the stored visit with the errors of the form.
    pub(super) async fn wrong(&self, form: FormState) -> PanelResult {
        let is_stale = form.of("") == Some(STALE);
        let status = if is_stale { StatusCode::CONFLICT } else { StatusCode::UNPROCESSABLE_ENTITY };
        let fields = Some(self.fields.clone());
        render(&self.open.again().await?, status, Shown { form, fields, ..Shown::default() }).await
    }
}
