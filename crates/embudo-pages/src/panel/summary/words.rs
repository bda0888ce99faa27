//! The texts of the summary.

use embudo_domain::figures::{Range, Step, Wait};
use embudo_domain::money::Cents;
use embudo_domain::perfil::CanalOrigen;
use jiff::civil::Date;

pub(super) const UNKNOWN: &str = "–";

/// «12.345».
pub(super) fn count(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut text = String::from(if n < 0 { "−" } else { "" });
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('.');
        }
        text.push(digit);
    }
    text
}

/// «1 aceptado», «12 aceptados».
pub(super) fn many(n: i64, one: &str, more: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { more })
}

/// «12,5 %». Unknown if the whole is 0.
pub(super) fn part(part: i64, whole: i64) -> String {
    if whole == 0 {
        return UNKNOWN.to_owned();
    }
    let tenths = (part * 2_000 + whole.signum() * whole.abs()).div_euclid(2 * whole);
    let sign = if tenths < 0 { "−" } else { "" };
    match (tenths.abs() / 10, tenths.abs() % 10) {
        (whole, 0) => format!("{sign}{whole} %"),
        (whole, tenth) => format!("{sign}{whole},{tenth} %"),
    }
}

/// «12.346 €», rounded to the euro.
pub(super) fn euros(cents: Cents) -> String {
    Cents((cents.0 + 50).div_euclid(100) * 100).short()
}

/// «12 min». Longer times are less exact.
pub(super) fn time(secs: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    let nearest = |unit: i64| (secs + unit / 2) / unit;
    match secs {
        ..1 => "menos de 1 s".to_owned(),
        1..90 => format!("{secs} s"),
        90..5_400 => format!("{} min", nearest(MINUTE)),
        5_400..129_600 => format!("{} h", nearest(HOUR)),
        _ => format!("{} días", nearest(DAY)),
    }
}

pub(super) fn canal(word: &str) -> String {
    CanalOrigen::parse(word).map_or("Sin canal", CanalOrigen::label).to_owned()
}

pub(super) fn campaign(name: &str) -> String {
    let name = if name.is_empty() { "Sin campaña" } else { name };
    name.to_owned()
}

pub(super) fn step(step: Step) -> &'static str {
    match step {
        Step::Contacted => "Contactados",
        Step::Spoke => "Escribieron",
        Step::Profile => "Perfil completo",
        Step::Quoted => "Con presupuesto",
        Step::Visited => "Con visita",
        Step::Accepted => "Aceptaron",
        Step::Lost => "Perdidos",
    }
}

pub(super) fn wait(wait: Wait) -> &'static str {
    match wait {
        Wait::Contact => "Primer contacto",
        Wait::Answer => "Primera respuesta",
        Wait::Quote => "Primer presupuesto",
        Wait::Decision => "Decisión del cliente",
    }
}

/// The exact definition of a measured time.
pub(super) fn definition(wait: Wait) -> &'static str {
    match wait {
        Wait::Contact => {
            "desde que llega el lead hasta el primer mensaje del asistente o el primer intento de llamarle o escribirle, conteste o no"
        }
        Wait::Answer => {
            "desde el primer mensaje del cliente hasta el primer mensaje o intento nuestro que le sigue; las respuestas siguientes no cuentan"
        }
        Wait::Quote => "desde que llega el lead hasta que sale su primer presupuesto",
        Wait::Decision => {
            "desde que sale un presupuesto hasta que el cliente lo acepta; los que no aceptan no cuentan"
        }
    }
}

/// «15 de marzo de 2027», or a range of days.
pub(super) fn range(range: &Range) -> String {
    let day = embudo_domain::words::day;
    match range.from == range.to {
        true => format!("el {}", day(range.from)),
        false => format!("del {} al {}", day(range.from), day(range.to)),
    }
}

/// «1 mar–7 mar».
pub(super) fn days(range: &Range) -> String {
    match range.from == range.to {
        true => short_day(range.from),
        false => format!("{}–{}", short_day(range.from), short_day(range.to)),
    }
}

fn short_day(day: Date) -> String {
    format!("{} {}", day.day(), month_name(day).chars().take(3).collect::<String>())
}

/// «Marzo de 2027», with its days if it is not a whole month.
pub(super) fn month(range: &Range) -> String {
    let name = month_name(range.from);
    let mut letters = name.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let month = format!("{first}{} de {}", letters.as_str(), range.from.year());
    match range.holds_month(range.from) {
        true => month,
        false => format!("{month} (del {} al {})", range.from.day(), range.to.day()),
    }
}

/// «mar 2027».
pub(super) fn short_month(range: &Range) -> String {
    format!("{} {}", month_name(range.from).chars().take(3).collect::<String>(), range.from.year())
}

fn month_name(day: Date) -> String {
    embudo_domain::words::day(day).split(" de ").nth(1).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn figures_read_as_in_spain() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567, -1_234].map(count),
            ["0", "999", "1.000", "1.234.567", "−1.234"]
        );
        assert_eq!(
            [part(1, 8), part(1, 3), part(2, 2), part(0, 5), part(1, 0)],
            ["12,5 %", "33,3 %", "100 %", "0 %", "–"]
        );
        assert_eq!(part(-1, 8), "−12,5 %");
        assert_eq!(
            [0, 45, 89, 90, 3_600, 5_400, 86_400, 172_800].map(time),
            ["menos de 1 s", "45 s", "89 s", "2 min", "60 min", "2 h", "24 h", "2 días"]
        );
    }

    #[test]
    fn ranges_read_as_in_spain() {
        let of = |from, to| Range { from, to };
        let march = of(date(2027, 3, 1), date(2027, 3, 31));
        assert_eq!((month(&march), days(&march)), ("Marzo de 2027".into(), "1 mar–31 mar".into()));
        assert_eq!(month(&of(date(2027, 3, 2), date(2027, 3, 31))), "Marzo de 2027 (del 2 al 31)");
        assert_eq!(range(&of(date(2027, 3, 2), date(2027, 3, 2))), "el 2 de marzo de 2027");
        assert_eq!(range(&march), "del 1 de marzo de 2027 al 31 de marzo de 2027");
    }
}
