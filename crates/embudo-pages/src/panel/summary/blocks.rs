//! The contents of the summary, block by block.

use embudo_domain::etapa::Etapa;
use embudo_domain::figures::{OTHERS, Range, Share, Step, Sums, Wait};
use embudo_store::figures::{MAX_WEEKS, Summary};

use super::chart::{Chart, Drawn};
use super::table::{Cell, Row, Table};
use super::words;

/// A block: a heading, an explanation of what is counted, a chart, and its table.
pub(super) struct Block {
    pub id: &'static str,
    pub title: &'static str,
    pub notes: Vec<String>,
    pub chart: Option<Chart>,
    pub table: Table,
    /// Whether the table is open, because it is the main content.
    pub is_open: bool,
}

/// All blocks. At most `names` campaigns and reasons of lost leads have a line of their own; one line sums up the rest.
/// Margins are left out unless `margins` is set.
pub(super) fn blocks(summary: &Summary, names: usize, margins: bool) -> Vec<Block> {
    let sums = &summary.whole;
    vec![
        funnel(sums),
        conversion(sums),
        cohorts(&summary.weeks),
        shares("canales", "Leads por canal", "Canal", sums.canales(), words::canal, usize::MAX),
        shares("campanas", "Leads por campaña", "Campaña", sums.campaigns(), words::campaign, names),
        times(sums),
        money(&summary.months, margins),
        lost(sums, names),
    ]
}

/// The leads of a group, and how many of them accepted.
fn of_leads(name: String, leads: i64, accepted: i64) -> Drawn {
    let count = if leads == 1 { "1 lead".to_owned() } else { format!("{} leads", words::count(leads)) };
    Drawn {
        name,
        figure: format!("{} · {}", words::count(leads), words::count(accepted)),
        description: format!("{count}, aceptaron {}", words::count(accepted)),
        bars: vec![leads, accepted],
    }
}

fn funnel(sums: &Sums) -> Block {
    const TITLE: &str = "Embudo por etapa";
    let all = sums.leads();
    let drawn = |etapa: Etapa| {
        let n = sums.etapa(etapa);
        Drawn::plain(etapa.label(), words::count(n), n)
    };
    let row = |etapa: Etapa| {
        let n = sums.etapa(etapa);
        Row::new(etapa.label(), vec![Cell::Count(n), Cell::Part(n, all)])
    };
    Block {
        id: "embudo",
        title: TITLE,
        notes: vec![
            "Dónde están hoy los leads que llegaron en estas fechas. Cada uno cuenta en una sola etapa."
                .into(),
        ],
        chart: Chart::of(TITLE, &[], Etapa::all().map(drawn).collect()),
        table: Table { head: vec!["Etapa", "Leads", "Parte"], rows: Etapa::all().map(row).collect() },
        is_open: false,
    }
}

fn conversion(sums: &Sums) -> Block {
    const TITLE: &str = "Conversión";
    let all = sums.leads();
    let figure = |n| format!("{} · {}", words::count(n), words::part(n, all));
    let mut drawn = vec![Drawn::plain("Leads", words::count(all), all)];
    drawn.extend(Step::all().map(|step| {
        let n = sums.step(step);
        Drawn::plain(words::step(step), figure(n), n)
    }));
    let mut rows = vec![Row::new("Leads", vec![Cell::Count(all), Cell::Part(all, all)])];
    rows.extend(Step::all().map(|step| {
        let n = sums.step(step);
        Row::new(words::step(step), vec![Cell::Count(n), Cell::Part(n, all)])
    }));
    Block {
        id: "conversion",
        title: TITLE,
        notes: vec![
            "Cuántos de los leads que llegaron en estas fechas han dado cada paso alguna vez, hasta hoy. Un lead puede saltarse pasos.".into(),
        ],
        chart: Chart::of(TITLE, &[], drawn),
        table: Table { head: vec!["Paso", "Leads", "De los leads"], rows },
        is_open: false,
    }
}

fn cohorts(weeks: &[(Range, Sums)]) -> Block {
    const TITLE: &str = "Por semana de llegada";
    let drawn =
        |(week, sums): &(Range, Sums)| of_leads(words::days(week), sums.leads(), sums.step(Step::Accepted));
    let row = |(week, sums): &(Range, Sums)| {
        let mut cells = vec![Cell::Count(sums.leads())];
        cells.extend(Step::all().map(|step| Cell::Count(sums.step(step))));
        cells.push(Cell::Part(sums.step(Step::Accepted), sums.leads()));
        Row::new(words::days(week), cells)
    };
    let mut head = vec!["Semana", "Leads"];
    head.extend(Step::all().map(words::step));
    head.push("Conversión");
    Block {
        id: "semanas",
        title: TITLE,
        notes: vec![format!(
            "Los leads de cada semana, de lunes a domingo, y hasta dónde han llegado hoy. Como mucho las últimas {MAX_WEEKS} semanas; las más nuevas aún tienen camino por delante."
        )],
        chart: Chart::of(TITLE, &["Leads", "Aceptaron"], weeks.iter().map(drawn).collect()),
        table: Table { head, rows: weeks.iter().map(row).collect() },
        is_open: false,
    }
}

fn shares(
    id: &'static str,
    title: &'static str,
    name: &'static str,
    shares: Vec<Share>,
    label: fn(&str) -> String,
    most: usize,
) -> Block {
    let shares = Share::top(shares, most);
    let name_of = |share: &Share| if share.name == OTHERS { "Resto".to_owned() } else { label(&share.name) };
    let drawn = |share: &Share| of_leads(name_of(share), share.leads, share.accepted);
    let row = |share: &Share| {
        let cells = vec![
            Cell::Count(share.leads),
            Cell::Count(share.accepted),
            Cell::Part(share.accepted, share.leads),
        ];
        Row::new(name_of(share), cells)
    };
    let notes = match most {
        usize::MAX => vec!["De dónde vienen los leads que llegaron en estas fechas.".to_owned()],
        most => vec![format!(
            "Por el valor de «utm_campaign» con el que llegaron: las {most} mayores, y el resto junto."
        )],
    };
    Block {
        id,
        title,
        notes,
        chart: Chart::of(title, &["Leads", "Aceptaron"], shares.iter().map(drawn).collect()),
        table: Table {
            head: vec![name, "Leads", "Aceptaron", "Conversión"],
            rows: shares.iter().map(row).collect(),
        },
        is_open: false,
    }
}

fn times(sums: &Sums) -> Block {
    let row = |wait: Wait| {
        let figures = sums.wait(wait);
        let known = |secs| Cell::Time((figures.count > 0).then_some(secs));
        Row::new(
            words::wait(wait),
            vec![Cell::Count(figures.count), known(figures.median), known(figures.ninth)],
        )
    };
    let mut notes = vec![
        "De los leads que llegaron en estas fechas. La mitad esperó como mucho la mediana; nueve de cada diez, como mucho lo de la última columna. Redondeado (±5 %); cuentan también noches y festivos.".to_owned(),
    ];
    notes.extend(Wait::all().map(|wait| format!("{}: {}.", words::wait(wait), words::definition(wait))));
    Block {
        id: "tiempos",
        title: "Tiempos de respuesta",
        notes,
        chart: None,
        table: Table {
            head: vec!["Qué", "Leads", "Mediana", "9 de cada 10"],
            rows: Wait::all().map(row).collect(),
        },
        is_open: true,
    }
}

/// Removes the margin, which comes last, unless margins are shown. `before` is the number of entries before the margin.
fn cut<T>(mut all: Vec<T>, before: usize, margins: bool) -> Vec<T> {
    if !margins {
        all.truncate(before);
    }
    all
}

fn money(months: &[(Range, Sums)], margins: bool) -> Block {
    let title = match margins {
        true => "Presupuestado, aceptado y margen por mes",
        false => "Presupuestado y aceptado por mes",
    };
    let legend: &'static [&'static str] = match margins {
        true => &["Presupuestado", "Aceptado", "Margen"],
        false => &["Presupuestado", "Aceptado"],
    };
    let drawn = |(month, sums): &(Range, Sums)| {
        let ((_, issued), (_, accepted), (known, _, margin)) =
            (sums.issued(), sums.accepted(), sums.margin());
        let is_told = margins && known > 0;
        let margin_text = if is_told { format!(", margen {margin}") } else { String::new() };
        Drawn {
            name: words::short_month(month),
            figure: format!("{} · {}", words::euros(issued), words::euros(accepted)),
            description: format!("presupuestado {issued}, aceptado {accepted}{margin_text}"),
            bars: cut(vec![issued.0, accepted.0, margin.0], 2, margins),
        }
    };
    let row = |name: String, sums: &Sums| {
        let ((sent, issued), (taken, accepted)) = (sums.issued(), sums.accepted());
        let (known, base, margin) = sums.margin();
        let of_known = |cell| if known > 0 { cell } else { Cell::Unknown };
        let cells = vec![
            Cell::Count(sent),
            Cell::Money(issued),
            Cell::Count(taken),
            Cell::Money(accepted),
            of_known(Cell::Money(margin)),
            of_known(Cell::Part(margin.0, base.0)),
            Cell::Count(taken - known),
        ];
        Row::new(name, cut(cells, 4, margins))
    };
    let whole = months.iter().fold(Sums::default(), |sum, (_, one)| sum.with(one));
    let mut rows: Vec<Row> = months.iter().map(|(month, sums)| row(words::month(month), sums)).collect();
    rows.push(row("Total".to_owned(), &whole));
    let without = whole.accepted().0 - whole.margin().0;
    let mut notes = vec![
        "Presupuestado y aceptado llevan impuestos. De cada lead cuenta la última versión enviada, en el mes en que salió; lo aceptado cuenta en el mes en que el cliente aceptó, con las opciones que marcó.".to_owned(),
    ];
    if margins {
        notes.push("El margen es el de los presupuestos aceptados cuyas líneas tienen todas su coste: lo que queda del precio sin impuestos ni opciones.".to_owned());
    }
    let (open, open_cents) = whole.orientative();
    if open > 0 {
        let open = match open {
            1 => "1 presupuesto es orientativo".to_owned(),
            n => format!("{} presupuestos son orientativos", words::count(n)),
        };
        notes.push(format!("De lo presupuestado, {open}: {open_cents} con lo que se supone."));
    }
    if margins && without > 0 {
        notes.push(match without {
            1 => "1 presupuesto aceptado no tiene todos sus costes y no está en el margen.".to_owned(),
            n => format!(
                "{} presupuestos aceptados no tienen todos sus costes y no están en el margen.",
                words::count(n)
            ),
        });
    }
    Block {
        id: "dinero",
        title,
        notes,
        chart: Chart::of(title, legend, months.iter().map(drawn).collect()),
        table: Table {
            head: cut(
                vec![
                    "Mes",
                    "Enviados",
                    "Presupuestado",
                    "Aceptados",
                    "Aceptado",
                    "Margen",
                    "Margen %",
                    "Sin costes",
                ],
                5,
                margins,
            ),
            rows,
        },
        is_open: false,
    }
}

fn lost(sums: &Sums, most: usize) -> Block {
    const TITLE: &str = "Motivos de pérdida";
    let shares = sums.lost().into_iter().map(|(name, leads)| Share { name, leads, accepted: 0 }).collect();
    let shares = Share::top(shares, most);
    let name_of = |share: &Share| if share.name == OTHERS { "Resto".to_owned() } else { share.name.clone() };
    let drawn = |share: &Share| Drawn::plain(name_of(share), words::count(share.leads), share.leads);
    let all: i64 = shares.iter().map(|share| share.leads).sum();
    let row = |share: &Share| {
        Row::new(name_of(share), vec![Cell::Count(share.leads), Cell::Part(share.leads, all)])
    };
    Block {
        id: "perdidos",
        title: TITLE,
        notes: vec![
            "Los leads que se perdieron en estas fechas, llegaran cuando llegaran, y siguen perdidos.".into(),
        ],
        chart: Chart::of(TITLE, &[], shares.iter().map(drawn).collect()),
        table: Table { head: vec!["Motivo", "Leads", "Parte"], rows: shares.iter().map(row).collect() },
        is_open: false,
    }
}
