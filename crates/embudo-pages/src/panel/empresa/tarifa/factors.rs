//! The price factors of the provinces, formatted for people: which prices they multiply, and which not.

use embudo_domain::provincia::Provincia;
use embudo_domain::tarifa::Tarifa;

/// What the pages of a table say about its factors.
pub(super) struct Factors {
    /// The sentence that says which prices are multiplied.
    pub sentence: String,
    /// Province and factor, in alphabetical order.
    pub all: Vec<(&'static str, String)>,
}

impl Factors {
    pub fn of(table: &Tarifa) -> Self {
        Self {
            sentence: sentence(table),
            all: by_name().map(|p| (p.nombre(), table.factor(p).as_factor())).collect(),
        }
    }
}

/// The provinces sorted by name, as people look for them.
pub(super) fn by_name() -> impl Iterator<Item = Provincia> {
    let mut all: Vec<Provincia> = Provincia::all().collect();
    all.sort_by_key(|p| embudo_domain::search::fold(p.nombre()));
    all.into_iter()
}

fn sentence(table: &Tarifa) -> String {
    let all = table.partidas().len();
    let own = table.partidas().iter().filter(|p| p.own).count();
    match (own, table.scales_own()) {
        (0, _) => "Todos los precios son de serie, medios de España: se multiplican por el factor de la provincia de la obra.".to_owned(),
        (_, true) => "El factor de la provincia de la obra multiplica todos los precios, también los tuyos: así lo has elegido.".to_owned(),
        (own, false) if own == all => "Todos los precios son tuyos y valen tal cual: el factor de la provincia no los toca.".to_owned(),
        (1, false) => "El factor de la provincia de la obra multiplica los precios de serie. La partida a la que has puesto precio vale tal cual.".to_owned(),
        (own, false) => format!(
            "El factor de la provincia de la obra multiplica los precios de serie. Las {own} partidas con precio tuyo valen tal cual."
        ),
    }
}
