//! A lead's visit, and the hours that are left for it. Never what the company notes about it.

use embudo_app::{App, Offer};
use embudo_domain::visita::Visita;

use super::shape::{Href, Instant};

view! {
    OfferView<'a> { offer: &'a Offer, app: &'a App }
    = "HuecosDeVisita", "La visita que el lead tiene en marcha y las horas que quedan para ella.", |v| {
        "visita" ("null si no hay ninguna propuesta ni acordada."):
            v.offer.visita.as_ref().map(|visita| VisitView { visita, app: v.app }),
        "huecos" ("Con una visita propuesta, las horas que el cliente puede elegir; con una acordada, a las que puede moverla; sin ninguna, \
                 horas en las que alguien de la empresa puede ir. En UTC y por orden."):
            v.offer.slots.iter().copied().map(Instant).collect::<Vec<_>>(),
        "horaLocal" ("Los mismos huecos como se dicen en la zona de la empresa."):
            v.offer.slots.iter().map(|slot| v.offer.zone.long(*slot)).collect::<Vec<_>>(),
        "minutos" ("Lo que dura la visita."): v.offer.minutes,
    }
}

view! {
    VisitView<'a> { visita: &'a Visita, app: &'a App } = "Visita", "Una visita propuesta o acordada.", |v| {
        "estado" ("`propuesta` espera a que el cliente elija hora; `confirmada` tiene hora."): v.visita.state,
        "inicio" ("null mientras no hay hora."): v.visita.start.map(Instant),
        "direccion" ("Dónde es; vacía si no se sabe."): &v.visita.address,
        "pagina" ("Su página para el cliente, donde elige, cambia o cancela."): v.page(),
    }
}

impl VisitView<'_> {
    fn page(&self) -> Href {
        let visits = self.app.visits();
        Href(visits.page_url(self.visita).unwrap_or_else(|| visits.page_path(self.visita)))
    }
}
