//! Five months in the history of a company, generated with the same use cases and API calls that a real company uses.
//! The clock is set to each moment in turn, so that all data get realistic times.

use std::error::Error;

use bytes::Bytes;
use embudo_app::{
    Actor, App, ClientAnswer, ClientWord, Conflicts, FirstPerson, NewPerson, NewVisita, NextTarifa, Origin,
    Sent, Tell, day_in_spain,
};
use embudo_domain::audit::AuditAction;
use embudo_domain::contact::Email;
use embudo_domain::decimal::Percentage;
use embudo_domain::empresa::Empresa;
use embudo_domain::etapa::Progress;
use embudo_domain::identity::Identity;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::role::{Membership, Role};
use embudo_domain::settings::{AnswerTime, Settings};
use embudo_domain::tarifa::{Tarifa, TarifaEdit};
use embudo_domain::user::User;
use embudo_domain::visita::{Visita, VisitaState};
use embudo_domain::{LeadId, Timestamp};
use embudo_store::desk::{HandAction, LeadDesk, WorkState};
use embudo_store::drafts::SeenDraft;
use embudo_store::inbox::Viewer;
use embudo_store::presupuestos::AnswerResult;
use embudo_store::visits::VisitaChange;
use jiff::{SignedDuration, ToSpan as _, civil};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::api::Api;
use crate::clients::{CLIENTS, Client, Fate, chat};
use crate::clock::StoryClock;
use crate::messages::{Author, ChatMessage, Messages};
use crate::rooms::{self, logo};
use crate::workflow::{photo, room_of};

/// The company's slug in the addresses of its form.
pub const SLUG: &str = "reformas-alba";
const COMPANY: &str = "Reformas Alba";
const COLOR: &str = "#1f5c4d";
/// How long before today the history begins.
const BEGINNING: SignedDuration = SignedDuration::from_hours(160 * 24);

/// The password of all people of the company, and then their e-mail addresses.
pub const PASSWORD: &str = "demo-reformas-alba";
pub const OWNER: &str = "eva@reformasalba.example";
pub const SALES: &str = "luis@reformasalba.example";
pub const SITE: &str = "nacho@reformasalba.example";

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// A step of a client or of the company.
#[derive(Debug, Clone)]
enum Step {
    Arrive,
    Say(usize),
    Qualify,
    Profile,
    Photos,
    Complete,
    Renders,
    Quote,
    Send,
    /// A visit this number of days later.
    Visit(i32),
    Visited,
    Accept,
    Decline(&'static str),
    Work {
        progress: Option<Progress>,
        days: u16,
        begins_in: i32,
    },
    Note(&'static str),
    Plan(&'static str),
    Archive(&'static str),
}

/// Generates the whole history. Afterwards the clock stands at the moment of the call.
pub(crate) async fn tell(app: &App, api: &Api, messages: &Messages, clock: &StoryClock) -> Outcome {
    let now = Timestamp::now();
    clock.stand_at(now - BEGINNING);
    let mut story = Story::begin(app, api, messages).await?;
    let mut steps: Vec<(Timestamp, usize, Step)> = Vec::new();
    for (number, client) in CLIENTS.iter().enumerate() {
        let arrival = arrival(now, client);
        let own = steps_of(client, number);
        let count = i64::try_from(own.len())?;
        for (place, (hours, step)) in own.into_iter().enumerate() {
            let wanted = arrival + SignedDuration::from_mins((hours * 60.0) as i64);
            // No step may be in the future. Such steps are moved to just before now, in their order.
            let last = now - SignedDuration::from_secs(90 * (count - i64::try_from(place)?));
            steps.push((wanted.min(last), number, step));
        }
    }
    steps.sort_by_key(|(at, _, _)| *at);
    for (at, number, step) in steps {
        clock.stand_at(at);
        story
            .act(number, &step)
            .await
            .map_err(|error| format!("{}, {step:?}: {error}", CLIENTS[number].name))?;
    }
    clock.stand_at(now);
    app.worker().run_jobs().await?;
    story.read_old_ones().await
}

/// When a client arrives: during the day, unless it was today or yesterday.
fn arrival(now: Timestamp, client: &Client) -> Timestamp {
    let at = now - SignedDuration::from_hours(i64::from(client.hours_ago));
    if client.hours_ago < 48 {
        return at;
    }
    let hour = 8 + (client.hours_ago / 24 % 12) as i8;
    let local = day_in_spain(at).to_datetime(civil::time(hour, (client.hours_ago % 50) as i8, 0, 0));
    local.in_tz("Europe/Madrid").map_or(at, |zoned| zoned.timestamp())
}

/// The steps of a client, with their time in hours since the arrival.
fn steps_of(client: &Client, number: usize) -> Vec<(f64, Step)> {
    use Step::*;
    let mut steps = vec![(0.0, Arrive)];
    if client.fate == Fate::New {
        return steps;
    }
    let turns = if client.fate == Fate::Talking { 1 + number % 4 } else { 6 };
    steps.extend((0..turns).map(|turn| (0.1 + turn as f64 * 0.07, Say(turn))));
    steps.push((0.5, Qualify));
    if client.fate == Fate::Talking {
        return steps;
    }
    steps.extend([(0.6, Profile), (0.7, Photos), (0.8, Complete)]);
    if client.fate == Fate::WaitingForRenders {
        return steps;
    }
    steps.push((1.5, Renders));
    if client.fate == Fate::Complete {
        return steps;
    }
    if let Fate::Archived(why) = client.fate {
        steps.extend([(30.0, Note("Llamado dos veces, sin respuesta.")), (24.0 * 20.0, Archive(why))]);
        return steps;
    }
    steps.push((1.6, Quote));
    if client.fate == Fate::ToReview {
        return steps;
    }
    steps.push((20.0, Send));
    match client.fate {
        Fate::Sent => steps.push((40.0, Plan("Llamar: ¿ha visto el presupuesto?"))),
        // The visit was agreed yesterday, for one of the next days.
        Fate::Visit => steps.push((f64::from(client.hours_ago) - 20.0, Visit(2 + number as i32 % 4))),
        Fate::Declined(why) => steps.push((24.0 * 6.0, Decline(why))),
        Fate::Accepted | Fate::Working | Fate::Finished => {
            steps.extend([(26.0, Visit(2)), (24.0 * 6.0, Visited), (24.0 * 7.0, Accept)]);
            // Work in progress ends after today; work that is only accepted begins in some days.
            let age = client.hours_ago / 24;
            let (planned_on, begins_in, days) = match client.fate {
                Fate::Accepted => (age - 1, 4 + 3 * (number as i32 % 3), 12),
                Fate::Working => (8, 2, age),
                _ => (8, 2, if client.tipo == "integral" { 60 } else { 15 }),
            };
            let days = days as u16;
            let start = |progress| Work { progress, days, begins_in };
            steps.push((24.0 * f64::from(planned_on), start(None)));
            if client.fate != Fate::Accepted {
                steps.push((24.0 * 11.0, start(Some(Progress::EnObra))));
                steps
                    .push((24.0 * 14.0, Note("Ha llegado el azulejo. Falta el plato, que viene el jueves.")));
            }
            if client.fate == Fate::Finished {
                steps.push((24.0 * (f64::from(days) + 14.0), start(Some(Progress::Terminado))));
            }
        }
        _ => {}
    }
    steps
}

/// The state while the history is generated.
struct Story<'a> {
    app: &'a App,
    api: &'a Api,
    messages: &'a Messages,
    empresa: Empresa,
    owner: User,
    sales: User,
    site: User,
    leads: Vec<Option<LeadId>>,
}

impl<'a> Story<'a> {
    /// Creates the company with its people, brand, prices and settings.
    async fn begin(app: &'a App, api: &'a Api, messages: &'a Messages) -> Outcome<Self> {
        let access = app.access();
        let email = |text: &str| Email::parse(text).map_err(ToString::to_string);
        let first = FirstPerson {
            nombre: "Eva Sanz".to_owned(),
            email: email(OWNER)?,
            password: PASSWORD.to_owned(),
        };
        access.set_up(&access.set_up_pass(), first, &Origin::default()).await?;
        let owner = app.store.user_by_email(email(OWNER)?.normal).await?.ok_or("nobody was created")?;
        let actor = Actor::person(&owner, &Origin::default());
        let empresas = app.store.list_empresas().await?;
        let empresa = empresas.into_iter().find(|e| e.por_defecto).ok_or("there is no company")?;
        let mut people = Vec::new();
        for (nombre, address, role) in
            [("Luis Pérez", SALES, Role::Comercial), ("Nacho Gil", SITE, Role::Obra)]
        {
            let person = NewPerson {
                nombre: nombre.to_owned(),
                email: email(address)?,
                is_admin: false,
                memberships: vec![Membership { empresa: empresa.id, role }],
                password: Some(PASSWORD.to_owned()),
            };
            people.push(access.create_person(person, &actor).await?);
        }
        let [sales, site] = <[User; 2]>::try_from(people).map_err(|_| "two people were created")?;
        let story =
            Self { app, api, messages, empresa, owner, sales, site, leads: vec![None; CLIENTS.len()] };
        story.set_up_company(&actor).await?;
        Ok(story)
    }

    async fn set_up_company(&self, actor: &Actor) -> Outcome {
        let (app, id) = (self.app, self.empresa.id);
        let stored = app.store.brand(id).await?;
        let seen = Identity::of(&self.empresa, &stored.brand);
        let mut edited = seen.clone();
        for (field, value) in [
            ("nombre", COMPANY),
            ("razonSocial", "Reformas Alba, S. L."),
            ("nif", "B12345674"),
            ("direccion", "Calle del Olmo 12, 28012 Madrid"),
            ("telefono", "910 000 123"),
            ("email", "hola@reformasalba.example"),
            ("web", "https://reformasalba.example"),
            ("color", COLOR),
            ("saludo", "Cuéntanos qué quieres reformar: en dos minutos tienes un precio orientativo."),
        ] {
            edited.write(field, value).map_err(|error| format!("{field}: {error}"))?;
        }
        app.empresas().edit(id, seen, edited, actor).await?;
        app.empresas().change_slug(id, self.empresa.slug.clone(), SLUG.to_owned(), actor).await?;
        let logo = Bytes::from(logo(COLOR));
        app.empresas().change_logo(id, None, Some(logo), actor).await??;
        let seen = app.store.settings(id).await?;
        let edited = Settings { review: true, answer_time: Some(AnswerTime::Day), ..seen.clone() };
        let texts = ("Los presupuestos salen solos".to_owned(), "Alguien los mira antes".to_owned());
        app.empresas().edit_settings(id, (seen, edited), AuditAction::SettingsChanged, texts, actor).await?;
        // The company's own prices: the shipped table plus costs, so that margins are shown.
        let mut prices = Tarifa::por_defecto();
        let percentage = Some(Percentage(Percentage::HUNDRED.0 * 64 / 100));
        prices.edit(&TarifaEdit::ChapterCoste { capitulo: None, percentage })?;
        let since = app.today();
        let prices = prices.into_version("alba-1", since, "").ok_or("the table has a bad name")?;
        let next = NextTarifa {
            version: "alba-1".to_owned(),
            since,
            text: prices.write(),
            before: "la de serie".to_owned(),
            after: format!("alba-1, desde el {since}. Costes al 64 %"),
        };
        app.tarifas().add(id, Vec::new(), next, actor).await?;
        Ok(())
    }

    fn viewer(&self, user: &User) -> Viewer {
        Viewer { who: user.id, empresas: vec![self.empresa.id] }
    }

    fn actor(user: &User) -> Actor {
        Actor::person(user, &Origin::default())
    }

    fn lead(&self, number: usize) -> Outcome<LeadId> {
        Ok(self.leads[number].ok_or("the lead has not come yet")?)
    }

    async fn post(&self, number: usize, what: &str, body: Value) -> Outcome {
        let lead = self.lead(number)?;
        self.api.post(&format!("/api/leads/{lead}/{what}"), &body, None).await?;
        Ok(())
    }

    async fn act(&mut self, number: usize, step: &Step) -> Outcome {
        let client = &CLIENTS[number];
        match step {
            Step::Arrive => {
                let body = json!({
                    "nombre": client.name,
                    "telefono": client.phone(number),
                    "email": client.email(),
                    "provincia": client.provincia,
                    "tipoReforma": client.tipo,
                    "canalOrigen": client.canal,
                    "utm": { "utm_campaign": if number.is_multiple_of(2) { "otono" } else { "verano" } },
                });
                let answer = self.api.post("/api/leads", &body, None).await?;
                let id: Uuid = answer["id"].as_str().ok_or("a lead without an id")?.parse()?;
                self.leads[number] = Some(LeadId(id));
            }
            Step::Say(turn) => {
                let role = if turn % 2 == 0 { "user" } else { "assistant" };
                let body = json!({ "rol": role, "mensaje": chat(client)[*turn], "estadoWa": "leido" });
                self.post(number, "conversacion", body).await?;
                self.messages.add(ChatMessage {
                    at: self.app.now().as_millisecond(),
                    lead: self.lead(number)?.to_string(),
                    name: client.name.to_owned(),
                    phone: client.phone(number),
                    author: if role == "user" { Author::Client } else { Author::Company },
                    text: chat(client)[*turn].clone(),
                    pdf: None,
                })?;
            }
            Step::Qualify => {
                let score = 96 - number * 13 % 70;
                let level = match score {
                    80.. => "A",
                    60.. => "B",
                    45.. => "C",
                    _ => "D",
                };
                self.post(number, "calificacion", json!({ "score": score, "nivel": level })).await?;
            }
            Step::Profile => {
                let body = json!({
                    "m2Suelo": client.m2,
                    "calidadGlobal": client.calidad,
                    "urgencia": client.urgencia,
                    "estructural": client.tipo == "integral",
                    "viable": true,
                });
                self.post(number, "perfil", body).await?;
            }
            Step::Photos | Step::Renders => self.pictures(number, client, step).await?,
            Step::Complete => self.post(number, "ingesta", json!({ "perfilCompleto": true })).await?,
            Step::Quote => self.post(number, "ingesta", json!({ "finalizar": true })).await?,
            Step::Send => self.send(number).await?,
            Step::Visit(days) => self.visit(number, client, *days).await?,
            Step::Visited => self.visited(number).await?,
            Step::Accept => {
                let presupuesto = self.quote(number).await?;
                let impuesto = &presupuesto.document.impuesto;
                let word = ClientWord::Accepts {
                    options: Vec::new(),
                    total: impuesto.total,
                    declared: impuesto.owed_declaration().is_some(),
                    early_start: false,
                };
                self.answer(&presupuesto, word).await?;
            }
            Step::Decline(why) => {
                let presupuesto = self.quote(number).await?;
                self.answer(&presupuesto, ClientWord::Declines { reason: Some((*why).to_owned()) }).await?;
            }
            Step::Work { progress, days, begins_in } => {
                let desk = self.desk(number).await?;
                let start = desk.work.start.unwrap_or(self.app.today() + begins_in.days());
                let work = WorkState { start: Some(start), days: Some(*days), progress: *progress };
                let (viewer, actor) = (self.viewer(&self.owner), Self::actor(&self.owner));
                self.app.desk().set_work(&viewer, &desk, work, &actor).await?;
            }
            Step::Note(text) => {
                let lead = self.app.store.record(self.lead(number)?).await?.lead;
                let (viewer, actor) = (self.viewer(&self.sales), Self::actor(&self.sales));
                let once = Uuid::from_u128(number as u128);
                self.app.desk().add_nota(&viewer, &lead, once, (*text).to_owned(), &actor).await?;
            }
            Step::Plan(text) => {
                let desk = self.desk(number).await?;
                let due = self.app.now() + SignedDuration::from_hours(24 * 4);
                let action = Some(HandAction { due, text: (*text).to_owned() });
                let (viewer, actor) = (self.viewer(&self.sales), Self::actor(&self.sales));
                self.app.desk().plan(&viewer, &desk, action, &actor).await?;
            }
            Step::Archive(why) => {
                let desk = self.desk(number).await?;
                let (viewer, actor) = (self.viewer(&self.owner), Self::actor(&self.owner));
                self.app.desk().archive(&viewer, &desk, (*why).to_owned(), &actor).await?;
            }
        }
        Ok(())
    }

    /// Marks leads that are older than two days as read by the owner.
    async fn read_old_ones(&self) -> Outcome {
        self.app.housekeeping().project_touched().await?;
        let old = CLIENTS.iter().zip(&self.leads).filter(|(client, _)| client.hours_ago > 48);
        let leads = old.filter_map(|(_, lead)| *lead).collect();
        Ok(self.app.desk().mark_read(&self.viewer(&self.owner), leads).await?)
    }

    async fn desk(&self, number: usize) -> Outcome<LeadDesk> {
        // Updates the inbox, because the background tasks that usually do it are not running yet.
        self.app.housekeeping().project_touched().await?;
        Ok(self.app.store.desk(&self.viewer(&self.owner), self.lead(number)?).await?)
    }

    async fn pictures(&self, number: usize, client: &Client, step: &Step) -> Outcome {
        let zones: &[&str] = match client.tipo {
            "integral" => &["cocina", "bano", "salon"],
            tipo => &[tipo],
        };
        let mut items = Vec::new();
        for zone in zones {
            let pair = rooms::pair(room_of(zone), number);
            match step {
                Step::Photos => items.push(photo(zone, "antes", &pair.before)),
                _ => items.push(photo(zone, "despues", &pair.after)),
            }
        }
        if matches!(step, Step::Photos) {
            items.push(json!({ "tipo": "texto", "texto": client.wish, "zona": zones[0] }));
        }
        self.post(number, "ingesta", json!({ "items": items })).await
    }

    /// A person reviews the draft and sends it as a binding quote.
    async fn send(&self, number: usize) -> Outcome {
        let lead = self.lead(number)?;
        let draft = self.app.store.draft_of(lead).await?.ok_or("there is no draft")?;
        let record = self.app.store.record(lead).await?;
        let draft = self.app.quotes().store_current(draft, &record).await?;
        let seen = SeenDraft { id: draft.id, lead, revision: draft.revision };
        match self.app.quotes().send_binding(seen, &Self::actor(&self.sales)).await? {
            Sent::Done(_) => {}
            other => return Err(format!("the draft was not sent: {other:?}").into()),
        }
        self.app.worker().run_jobs().await?;
        Ok(())
    }

    async fn quote(&self, number: usize) -> Outcome<Presupuesto> {
        let quotes = self.app.store.presupuestos(self.lead(number)?).await?;
        Ok(quotes.into_iter().next().ok_or("there is no quote")?)
    }

    async fn answer(&self, presupuesto: &Presupuesto, word: ClientWord) -> Outcome {
        match self.app.quotes().answer(presupuesto, ClientAnswer { word, ip: None }).await? {
            AnswerResult::Done => {}
            other => return Err(format!("the answer was not taken: {other:?}").into()),
        }
        self.app.worker().run_jobs().await?;
        Ok(())
    }

    /// A visit on a working day, at an hour that depends on the client's number.
    async fn visit(&self, number: usize, client: &Client, days: i32) -> Outcome {
        let mut day = self.app.today() + days.days();
        while matches!(day.weekday(), civil::Weekday::Saturday | civil::Weekday::Sunday) {
            day = day.tomorrow()?;
        }
        let time =
            civil::time([9, 11, 13, 16, 18][number % 5], if number.is_multiple_of(2) { 0 } else { 30 }, 0, 0);
        let start = day.to_datetime(time).in_tz("Europe/Madrid")?.timestamp();
        let visita = self.app.visits().prepare(NewVisita {
            lead: self.lead(number)?,
            empresa: self.empresa.id,
            minutes: 60,
            address: client.address.to_owned(),
            people: vec![self.sales.id, self.site.id],
            notes: "Llevar el medidor láser y las muestras de azulejo.".to_owned(),
        });
        let agreed = visita.agree(start, self.app.now()).map_err(|error| format!("{error:?}"))?;
        let actor = Self::actor(&self.sales);
        let kept = self.app.visits().keep(None, agreed, Conflicts::Override, Tell::Everybody, &actor).await?;
        expect_saved(&kept)?;
        self.app.worker().run_jobs().await?;
        Ok(())
    }

    async fn visited(&self, number: usize) -> Outcome {
        let visits = self.app.store.visitas_of(self.lead(number)?, 1).await?;
        let before = visits.into_iter().next().ok_or("there is no visit")?;
        let ended = before.clone().end_as(VisitaState::Realizada, self.app.now());
        let after = Visita {
            measurements: "Ancho 2,35 m · largo 2,10 m · alto 2,48 m. Bajante en la esquina.".to_owned(),
            ..ended.map_err(|error| format!("{error:?}"))?
        };
        let actor = Self::actor(&self.site);
        let kept =
            self.app.visits().keep(Some(&before), after, Conflicts::Override, Tell::People, &actor).await?;
        expect_saved(&kept)
    }
}

fn expect_saved(change: &VisitaChange) -> Outcome {
    match change {
        VisitaChange::Saved(_) => Ok(()),
        other => Err(format!("the visit was not kept: {other:?}").into()),
    }
}
