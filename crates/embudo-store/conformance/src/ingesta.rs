//! Ingestion: photos, notes and events of one call, all or nothing; zones and numbers decided once.

use std::sync::Arc;

use embudo_domain::event::{Event, EventKind};
use embudo_domain::foto::{Foto, StoredImage};
use embudo_domain::ingesta::Momento;
use embudo_domain::nota::Nota;
use embudo_domain::perfil::Perfil;
use embudo_domain::{Digest, LeadId, Zona};

use super::data::{
    ODD_TEXT, a_lead, event, extreme_instants, foto, foto_n, foto_of, ingesta, long_text, nobody, nota,
    other_lead, perfil, record, record_event, t, without_trace,
};
use embudo_store::lead_writes::{Ingest, NewFoto};
use embudo_store::{Done, Store};

async fn save(store: &Arc<dyn Store>, command: Ingest) {
    assert_eq!(store.ingest(command).await.expect("saved"), Done::Now);
}

async fn orders(store: &Arc<dyn Store>, lead: LeadId) -> Vec<f64> {
    record(store, lead).await.fotos.iter().map(|f| f.orden).collect()
}

/// Photos of every kind, notes and events of one call read back as sent, and the lead's own row is left alone.
pub async fn one_call_reads_back_whole(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let before = record(&store, lead).await.lead;
    let (bytes, raw) = (Digest::of(b"bytes"), Digest::of(b"crudo"));
    let prefix = "DATA:image/Svg+xml;charset=ñ;Base64,".to_owned();
    let images = [
        StoredImage::Url(format!("HTTPS://ejemplo.es/{ODD_TEXT}")),
        StoredImage::Canonical { prefix: prefix.clone(), bytes },
        StoredImage::Informal { prefix: prefix.clone(), bytes, raw },
        StoredImage::Unreadable { prefix, raw },
    ];
    let fotos: Vec<NewFoto> = (1..)
        .zip(images)
        .map(|(n, image)| NewFoto {
            image,
            zona: Zona::parse(Zona::WORDS[n]),
            momento: if n % 2 == 0 { Momento::After } else { Momento::Before },
            orden: Some(n as f64 / 2.0),
            ..foto()
        })
        .collect();
    let notas = vec![nota(ODD_TEXT, Some(Zona::Comedor)), nota("z", None), nota("a", Some(Zona::Other))];
    let simulated = Event { detail: Some(ODD_TEXT.into()), ..event(EventKind::PerfilComplete, t(4)) };
    let events = vec![simulated, Event { simulated: false, ok: true, ..event(EventKind::Finalizar, t(4)) }];
    let command =
        Ingest { notas: notas.clone(), events: events.clone(), ..ingesta(lead, fotos.clone(), t(3)) };
    save(&store, command).await;

    let f = record(&store, lead).await;
    let expected_ones: Vec<Foto> = fotos
        .into_iter()
        .map(|n| Foto {
            id: n.id,
            zona: n.zona.expect("given"),
            momento: n.momento,
            orden: n.orden.expect("given"),
            image: n.image,
            creada_en: t(3),
        })
        .collect();
    let expected_notas: Vec<Nota> =
        notas.into_iter().map(|n| Nota { id: n.id, text: n.text, zona: n.zona, creada_en: t(3) }).collect();
    assert_eq!((f.fotos, f.notas, f.events), (expected_ones, expected_notas, events));
    assert_eq!(f.lead, before);
}

/// A photo without a zone gets the lead's renovation type, else `otro`. This is decided when the photo comes and never
/// again.
pub async fn the_zone_is_decided_at_ingestion(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let zonas = async || -> Vec<Zona> { record(&store, lead).await.fotos.iter().map(|f| f.zona).collect() };
    save(&store, ingesta(lead, vec![foto()], t(1))).await;
    assert_eq!(zonas().await, [Zona::Other]);
    for kind in [Zona::Salon, Zona::Bano] {
        let kind = Perfil { tipo_reforma: Some(kind), ..Default::default() };
        store.update_perfil(perfil(lead, kind, t(2))).await.expect("written");
        let named = NewFoto { zona: Some(Zona::Cocina), ..foto() };
        save(&store, ingesta(lead, vec![foto(), named], t(3))).await;
    }
    assert_eq!(zonas().await, [Zona::Other, Zona::Salon, Zona::Cocina, Zona::Bano, Zona::Cocina]);
}

/// A note without a zone keeps none, whatever the lead's renovation type.
pub async fn a_note_without_zone_stays_so(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let kind = Perfil { tipo_reforma: Some(Zona::Salon), ..Default::default() };
    store.update_perfil(perfil(lead, kind, t(1))).await.expect("written");
    save(&store, Ingest { notas: vec![nota("n", None)], ..ingesta(lead, vec![], t(2)) }).await;
    assert_eq!(record(&store, lead).await.notas[0].zona, None);
}

/// Numbers left out continue from the lead's current maximum, also between the items of one call.
pub async fn numbers_continue_from_the_maximum(store: Arc<dyn Store>) {
    let (lead, neighbour) = (a_lead(&store).await, other_lead(&store).await);
    save(&store, ingesta(neighbour, vec![foto_n(500.0)], t(1))).await;
    save(&store, ingesta(lead, vec![foto(), foto()], t(1))).await;
    assert_eq!(orders(&store, lead).await, [1.0, 2.0]);
    save(&store, ingesta(lead, vec![foto_n(10.5), foto(), foto_n(-1.0), foto()], t(2))).await;
    assert_eq!(orders(&store, lead).await, [-1.0, 1.0, 2.0, 10.5, 11.5, 12.5]);
    save(&store, ingesta(lead, vec![foto()], t(3))).await;
    assert_eq!(orders(&store, lead).await.last(), Some(&13.5));
}

/// A maximum below zero counts too.
pub async fn a_negative_maximum_counts(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    save(&store, ingesta(lead, vec![foto_n(-7.0)], t(1))).await;
    save(&store, ingesta(lead, vec![foto()], t(2))).await;
    assert_eq!(orders(&store, lead).await, [-7.0, -6.0]);
}

/// Where adding one does not change a double, the next larger double keeps numbers apart.
pub async fn huge_numbers_stay_distinct(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    save(&store, ingesta(lead, vec![foto_n(1e308)], t(1))).await;
    save(&store, ingesta(lead, vec![foto()], t(2))).await;
    save(&store, ingesta(lead, vec![foto()], t(3))).await;
    let next = 1e308_f64.next_up();
    assert_eq!(orders(&store, lead).await, [1e308, next, next.next_up()]);
}

/// A number that is given comes back as the same double; positive and negative zero compare as equal.
pub async fn given_numbers_are_exact(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for given in [0.1, 0.1 + 0.2, 1e308, -1e308, 5e-324, -5e-324, 2.5, 9_007_199_254_740_993.0, 1.0 / 3.0] {
        let lead = other_lead(&store).await;
        save(&store, ingesta(lead, vec![foto_n(given)], t(1))).await;
        assert_eq!(orders(&store, lead).await[0].to_bits(), given.to_bits(), "{given:e}");
    }
    let lead = other_lead(&store).await;
    save(&store, ingesta(lead, vec![foto_n(-0.0), foto()], t(1))).await;
    assert_eq!(orders(&store, lead).await, [0.0, 1.0]);
}

/// Photos are ordered by number, then as they came; notes and events as they came.
pub async fn items_stand_in_order(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (a, b, c, d) = (foto_n(2.0), foto_n(1.0), foto_n(2.0), foto_n(1.0));
    let expected_ones = [b.id, d.id, a.id, c.id];
    let notas = |texts: [&str; 2]| texts.map(|text| nota(text, None)).to_vec();
    save(&store, Ingest { notas: notas(["z", "b"]), ..ingesta(lead, vec![a, b], t(9)) }).await;
    save(&store, Ingest { notas: notas(["a", "c"]), ..ingesta(lead, vec![c, d], t(1)) }).await;
    let f = record(&store, lead).await;
    assert_eq!(f.fotos.iter().map(|f| f.id).collect::<Vec<_>>(), expected_ones);
    assert_eq!(f.notas.iter().map(|n| n.text.as_str()).collect::<Vec<_>>(), ["z", "b", "a", "c"]);
}

/// A call that names a blob that is being swept writes nothing: no photo, no note, no event.
pub async fn a_swept_blob_refuses_the_whole_call(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (bytes, raw) = (Digest::of(b"bytes"), Digest::of(b"crudo"));
    assert!(store.mark_blob(lead, raw, t(1)).await.expect("answered").is_some());
    let prefix = "data:image/png;base64,".to_owned();
    let informal = StoredImage::Informal { prefix: prefix.clone(), bytes, raw };
    let before = record(&store, lead).await;
    for image in [informal, StoredImage::Unreadable { prefix, raw }] {
        let fotos = vec![foto(), foto_of(bytes), NewFoto { image, ..foto() }];
        let command = Ingest {
            notas: vec![nota("n", None)],
            events: vec![event(EventKind::Finalizar, t(2))],
            ..ingesta(lead, fotos, t(2))
        };
        assert_fails!(store.ingest(command).await, BlobMarked);
        assert_eq!(record(&store, lead).await, before);
    }
}

pub async fn many_items_are_one_call(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let notas = (0..500).map(|n| nota(&n.to_string(), None)).collect();
    save(&store, Ingest { notas, ..ingesta(lead, (0..500).map(|_| foto()).collect(), t(1)) }).await;
    assert_eq!(orders(&store, lead).await, (1..=500).map(f64::from).collect::<Vec<_>>());
    let f = record(&store, lead).await;
    assert!(f.notas.iter().map(|n| n.text.clone()).eq((0..500).map(|n| n.to_string())));
}

/// A note of nine megabytes and an address of one come back byte for byte.
pub async fn very_long_texts_survive(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (text, url) = (long_text(9_000_000), format!("https://ejemplo.es/{}", long_text(1 << 20)));
    let long = NewFoto { image: StoredImage::Url(url.clone()), ..foto() };
    save(&store, Ingest { notas: vec![nota(&text, None)], ..ingesta(lead, vec![long], t(1)) }).await;
    let f = record(&store, lead).await;
    assert!(f.notas[0].text == text);
    assert!(f.fotos[0].image == StoredImage::Url(url));
}

/// Instants keep their microseconds from the year 0 to the year 9999.
pub async fn times_are_exact(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for at in extreme_instants() {
        let lead = other_lead(&store).await;
        let events = vec![event(EventKind::Finalizar, at)];
        save(&store, Ingest { notas: vec![nota("n", None)], events, ..ingesta(lead, vec![foto()], at) })
            .await;
        let f = record(&store, lead).await;
        assert_eq!((f.fotos[0].creada_en, f.notas[0].creada_en, f.events[0].creado_en), (at, at, at));
    }
}

/// An event of a call of its own is appended to the others.
pub async fn an_event_on_its_own_is_appended(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let one = Event { detail: Some(String::new()), ..event(EventKind::Mensajeria, t(1)) };
    let two = Event { simulated: false, ok: true, ..event(EventKind::Mensajeria, t(2)) };
    for e in [&one, &two] {
        let done = store.record_event(record_event(lead, e.clone())).await.expect("recorded");
        assert_eq!(done, Done::Now);
    }
    assert_eq!(record(&store, lead).await.events, vec![one, two]);
}

/// A lead that does not exist is not found, whatever the call contains, and nothing is stored for it.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = nobody();
    let only_nota = Ingest { notas: vec![nota("n", None)], ..ingesta(lead, vec![], t(1)) };
    let only_event =
        Ingest { events: vec![event(EventKind::Finalizar, t(1))], ..ingesta(lead, vec![], t(1)) };
    for command in [ingesta(lead, vec![foto()], t(1)), only_nota, only_event] {
        assert_fails!(store.ingest(command).await, LeadNotFound);
    }
    let e = event(EventKind::Mensajeria, t(1));
    assert_fails!(store.record_event(record_event(lead, e)).await, LeadNotFound);
    without_trace(&store, lead).await;
}
