//! The destinations, as the outbox shows them.

use embudo_app::Hosts;
use embudo_domain::Timestamp;
use embudo_domain::job::Destination;
use embudo_store::pauses::Pause;

use super::super::words::moment;

/// A destination, as the page shows it.
pub(super) struct ShownDestination {
    pub word: &'static str,
    pub name: &'static str,
    /// The host of the destination, or the text that none is configured.
    pub place: String,
    pub is_configured: bool,
    /// Since when the destination is paused, and by whom. `None` if it is not paused.
    pub paused: Option<(String, String)>,
}

/// All destinations, with the company's pauses.
pub(super) fn shown(hosts: &Hosts, pauses: &[Pause], now: Timestamp) -> Vec<ShownDestination> {
    let one = |destination: Destination| {
        let pause = pauses.iter().find(|pause| pause.kind.destination() == Some(destination));
        let host = hosts.of(destination);
        let is_configured = host.is_some();
        let place = host.unwrap_or_else(|| "Sin configurar: no se envía nada".to_owned());
        ShownDestination {
            word: destination.as_str(),
            name: destination.label(),
            place,
            is_configured,
            paused: pause.map(|pause| (moment(pause.since, now), pause.who.clone())),
        }
    };
    Destination::ALL.into_iter().map(one).collect()
}
