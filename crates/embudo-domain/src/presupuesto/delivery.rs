//! The delivery of a quote to its client: by mail, and by the messaging signal.

use jiff::Timestamp;

use super::PresupuestoSummary;
use crate::job::JobState;
use crate::{JobId, PresupuestoId};

enumeration! {
    /// The channels by which a quote goes to its client.
    DeliveryChannel { Email = "email", Messaging = "messaging" }
}

enumeration! {
    /// The state of a delivery.
    DeliveryState {
        /// It will be tried, now or later.
        Pending = "pendiente",
        /// The mail server or the receiver took it.
        Delivered = "entregada",
        /// No receiver is configured for its channel, so nothing was sent.
        Simulated = "simulada",
        /// It did not arrive, and is not tried again automatically.
        Failed = "fallida",
        /// It may have arrived: a mail was handed over, but no reply came. A person decides.
        Doubtful = "dudosa",
    }
}

impl DeliveryState {
    /// The state of a delivery, derived from its job. A delivery that has no job and is not simulated has failed.
    pub fn of(simulated: bool, job: Option<JobState>) -> Self {
        match job {
            _ if simulated => Self::Simulated,
            Some(JobState::Pending) => Self::Pending,
            Some(JobState::Done) => Self::Delivered,
            Some(JobState::Parked) => Self::Doubtful,
            Some(JobState::Dead | JobState::Superseded | JobState::Discarded | JobState::Expired) | None => {
                Self::Failed
            }
        }
    }
}

/// A delivery that is ordered with the quote's PDF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedDelivery {
    pub channel: DeliveryChannel,
    /// The job that makes the delivery; for a simulated delivery, the job that would have made it.
    pub job: JobId,
    /// Whether nothing is sent, because no receiver is configured for the channel.
    pub simulated: bool,
}

/// A delivery with its present state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresupuestoDelivery {
    pub channel: DeliveryChannel,
    pub state: DeliveryState,
    pub at: Timestamp,
}

impl PresupuestoDelivery {
    /// Gives each quote its deliveries. `all` must be in the order in which the deliveries were ordered.
    pub fn spread(presupuestos: &mut [PresupuestoSummary], all: &[(PresupuestoId, Self)]) {
        for p in presupuestos {
            let own = all.iter().filter(|(of, _)| *of == p.id).map(|(_, delivery)| *delivery);
            p.deliveries = Self::by_channel(&own.collect::<Vec<_>>());
        }
    }

    /// One delivery for each channel. A quote may be sent several times: if one attempt arrived, the quote has arrived;
    /// otherwise the last attempt counts.
    fn by_channel(all: &[Self]) -> Vec<Self> {
        let channels = DeliveryChannel::WORDS.iter().filter_map(|p| DeliveryChannel::parse(p));
        let account = |channel| {
            let own = || all.iter().rev().filter(move |e| e.channel == channel);
            own().find(|e| e.state == DeliveryState::Delivered).or_else(|| own().next()).copied()
        };
        channels.filter_map(account).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::DeliveryChannel::{Email, Messaging};
    use super::DeliveryState::{Delivered, Failed, Pending, Simulated};
    use super::*;

    fn delivery(channel: DeliveryChannel, state: DeliveryState, second: i64) -> PresupuestoDelivery {
        PresupuestoDelivery { channel, state, at: Timestamp::from_second(second).expect("a moment") }
    }

    #[test]
    fn a_delivery_stands_where_its_job_stands() {
        let of = |word: &&str| DeliveryState::of(false, JobState::parse(word)).as_str();
        let all: Vec<_> = JobState::WORDS.iter().map(of).collect();
        assert_eq!(all, ["pendiente", "entregada", "fallida", "fallida", "dudosa", "fallida", "fallida"]);
        assert_eq!(DeliveryState::of(true, None), Simulated);
    }

    #[test]
    fn each_channel_shows_what_arrived_or_else_the_last_attempt() {
        let case = |all: &[PresupuestoDelivery]| PresupuestoDelivery::by_channel(all);
        assert_eq!(case(&[]), []);
        let (arrived, then) = (delivery(Email, Delivered, 1), delivery(Email, Failed, 2));
        let (before, now) = (delivery(Messaging, Simulated, 1), delivery(Messaging, Pending, 3));
        assert_eq!(case(&[before, arrived, then, now]), [arrived, now]);
        assert_eq!(case(&[then]), [then]);
    }
}
