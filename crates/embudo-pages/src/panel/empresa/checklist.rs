//! `/panel/empresa`: the tasks of the set-up: what is left, what does not work until it is done, and where to do it.

use askama::Template;
use axum::extract::State;
use embudo_domain::checklist::{Item, Requirement, Task};
use embudo_domain::empresa::Empresa;
use http::StatusCode;

use super::words;
use super::{Tabs, form_address, frame};
use crate::WebState;
use crate::panel::frame::is_page;
use crate::panel::kit::set_up_progress::SetUpProgress;
use crate::panel::{Caller, PanelFrame, PanelResult, Signed};
use crate::parts::{Refusal, private_page};

#[derive(Template)]
#[template(path = "panel/empresa/checklist.html")]
struct ChecklistPage {
    frame: PanelFrame,
    tabs: Tabs,
    is_admin: bool,
    progress: SetUpProgress,
    items: Vec<ShownItem>,
}

struct ShownItem {
    word: &'static str,
    title: &'static str,
    is_done: bool,
    is_optional: bool,
    /// The sentence that says what works now, or what does not work yet.
    sentence: &'static str,
    /// A remark that is shown whether the task is done or not.
    note: Option<String>,
    points: Vec<(&'static str, bool)>,
    /// The pages of the panel where the task is done.
    links: Vec<(&'static str, &'static str)>,
    /// The lines that the operator of the server must add to the settings, and the commands that they must run.
    lines: Vec<String>,
    hint: &'static str,
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, caller: Caller) -> PanelResult {
    let empresa = signed.empresa()?;
    let items = state.app.empresas().checklist(empresa).await?;
    let prices = prices(&state, empresa).await?;
    let shown = items.iter().map(|item| shown(item, empresa, &caller.home, &prices)).collect();
    let page = ChecklistPage {
        frame: frame(&state, &signed, "Puesta en marcha").await?,
        tabs: Tabs { here: "/panel/empresa" },
        is_admin: signed.open.user.is_admin,
        progress: SetUpProgress::of(&items),
        items: shown,
    };
    Ok(private_page(StatusCode::OK, &page))
}

fn shown(item: &Item, empresa: &Empresa, home: &str, prices: &str) -> ShownItem {
    let missing: Vec<Requirement> = item.missing().collect();
    let settings: Vec<&str> =
        missing.iter().flat_map(|requirement| requirement.settings()).copied().collect();
    let mut lines = words::lines(&settings, home);
    let mut hint = if lines.is_empty() { "" } else { words::SETTINGS_HINT };
    // A task without a page is done with a command.
    let commands: Vec<String> =
        missing.iter().flat_map(|requirement| command(*requirement, empresa)).collect();
    if !commands.is_empty() {
        hint = if lines.is_empty() { words::COMMANDS_HINT } else { words::BOTH_HINT };
        lines.extend(commands);
    }
    ShownItem {
        word: item.task.as_str(),
        title: words::title(item.task),
        is_done: missing.is_empty(),
        is_optional: item.task.is_optional(),
        sentence: missing.first().map_or_else(|| words::done(item.task), |first| words::without(*first)),
        note: match item.task {
            Task::Tarifa => Some(prices.to_owned()),
            Task::Form => Some(form_address(home, empresa)),
            _ => None,
        },
        points: item.points.iter().map(|(point, is_met)| (words::label(*point), *is_met)).collect(),
        links: links(item.task).iter().filter(|(path, _)| is_page(path)).copied().collect(),
        lines,
        hint,
    }
}

/// The pages where a task is done.
fn links(task: Task) -> &'static [(&'static str, &'static str)] {
    match task {
        Task::Data => &[("/panel/empresa/datos", "Rellenar los datos")],
        Task::Brand => &[("/panel/empresa/marca", "Elegir color y logo")],
        Task::Tarifa => &[("/panel/empresa/tarifa", "Ver los precios")],
        Task::Mail => &[
            ("/panel/empresa/avisos", "Elegir los avisos"),
            ("/panel/empresa/conexiones", "Ver las conexiones"),
        ],
        Task::Webhooks => &[("/panel/empresa/conexiones", "Ver las conexiones")],
        Task::Form => &[("/panel/empresa/formulario", "Dirección, QR y código para tu web")],
    }
}

/// The commands for tasks without a page.
fn command(requirement: Requirement, empresa: &Empresa) -> Vec<String> {
    let slug = &empresa.slug;
    match requirement {
        Requirement::Tarifa if !is_page("/panel/empresa/tarifa") => vec![
            "embudo tarifa export > mi-tarifa.toml".to_owned(),
            format!("embudo tarifa import --empresa {slug} mi-tarifa.toml"),
        ],
        Requirement::Notices if !is_page("/panel/empresa/avisos") => {
            vec![format!("embudo empresa set {slug} --notices-to avisos@tu-dominio.es --notices true")]
        }
        _ => Vec::new(),
    }
}

/// The price table in force today, in words.
async fn prices(state: &WebState, empresa: &Empresa) -> Result<String, Refusal> {
    let today = state.app.today();
    let tarifa = state.app.quotes().tarifa(empresa.id, today).await?;
    let is_own = state.app.store.current_tarifa(empresa.id, today).await?.is_some();
    let whose = if is_own { "Tu tarifa" } else { "La tarifa de serie" };
    let since = tarifa.vigente_desde().strftime("%-d/%-m/%Y").to_string();
    Ok(format!("{whose}, versión {}, en vigor desde el {since}.", tarifa.version()))
}
