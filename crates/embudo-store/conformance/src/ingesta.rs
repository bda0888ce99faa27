//! Ingestion: photos, notes and events of one call, all or nothing; zones and numbers decided once.

use std::sync::Arc;

use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::ficha::{Foto, ImagenGuardada, Nota};
use embudo_domain::ingesta::Momento;
use embudo_domain::perfil::Perfil;
use embudo_domain::{Huella, LeadId, Zona};

use super::data::{
    TEXTO_RARO, evento, ficha, foto, foto_de, foto_n, ingesta, instantes_extremos, nadie, nota, otro_lead,
    perfil, record_evento, sin_rastro, t, texto_largo, un_lead,
};
use embudo_store::command::{FotoNueva, Ingest};
use embudo_store::{Hecho, Store};

async fn guardar(store: &Arc<dyn Store>, command: Ingest) {
    assert_eq!(store.ingest(command).await.expect("saved"), Hecho::Ahora);
}

async fn ordenes(store: &Arc<dyn Store>, lead: LeadId) -> Vec<f64> {
    ficha(store, lead).await.fotos.iter().map(|f| f.orden).collect()
}

/// Photos of every kind, notes and events of one call read back as sent, and the lead's own row is left alone.
pub async fn one_call_reads_back_whole(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let antes = ficha(&store, lead).await.lead;
    let (bytes, crudo) = (Huella::of(b"bytes"), Huella::of(b"crudo"));
    let prefijo = "DATA:image/Svg+xml;charset=ñ;Base64,".to_owned();
    let imagenes = [
        ImagenGuardada::Url(format!("HTTPS://ejemplo.es/{TEXTO_RARO}")),
        ImagenGuardada::Canonica { prefijo: prefijo.clone(), bytes },
        ImagenGuardada::Informal { prefijo: prefijo.clone(), bytes, crudo },
        ImagenGuardada::Ilegible { prefijo, crudo },
    ];
    let fotos: Vec<FotoNueva> = (1..)
        .zip(imagenes)
        .map(|(n, imagen)| FotoNueva {
            imagen,
            zona: Zona::parse(Zona::PALABRAS[n]),
            momento: if n % 2 == 0 { Momento::Despues } else { Momento::Antes },
            orden: Some(n as f64 / 2.0),
            ..foto()
        })
        .collect();
    let notas = vec![nota(TEXTO_RARO, Some(Zona::Comedor)), nota("z", None), nota("a", Some(Zona::Otro))];
    let simulado = Evento { detalle: Some(TEXTO_RARO.into()), ..evento(TipoEvento::PerfilCompleto, t(4)) };
    let eventos = vec![simulado, Evento { simulado: false, ok: true, ..evento(TipoEvento::Finalizar, t(4)) }];
    let command =
        Ingest { notas: notas.clone(), eventos: eventos.clone(), ..ingesta(lead, fotos.clone(), t(3)) };
    guardar(&store, command).await;

    let f = ficha(&store, lead).await;
    let esperadas: Vec<Foto> = fotos
        .into_iter()
        .map(|n| Foto {
            id: n.id,
            zona: n.zona.expect("given"),
            momento: n.momento,
            orden: n.orden.expect("given"),
            imagen: n.imagen,
            creada_en: t(3),
        })
        .collect();
    let esperadas_notas: Vec<Nota> =
        notas.into_iter().map(|n| Nota { id: n.id, texto: n.texto, zona: n.zona, creada_en: t(3) }).collect();
    assert_eq!((f.fotos, f.notas, f.eventos), (esperadas, esperadas_notas, eventos));
    assert_eq!(f.lead, antes);
}

/// A photo without a zone gets the lead's renovation type, else `otro`, decided when it comes and never again.
pub async fn the_zone_is_decided_at_ingestion(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let zonas = async || -> Vec<Zona> { ficha(&store, lead).await.fotos.iter().map(|f| f.zona).collect() };
    guardar(&store, ingesta(lead, vec![foto()], t(1))).await;
    assert_eq!(zonas().await, [Zona::Otro]);
    for tipo in [Zona::Salon, Zona::Bano] {
        let tipo = Perfil { tipo_reforma: Some(tipo), ..Default::default() };
        store.update_perfil(perfil(lead, tipo, t(2))).await.expect("written");
        let nombrada = FotoNueva { zona: Some(Zona::Cocina), ..foto() };
        guardar(&store, ingesta(lead, vec![foto(), nombrada], t(3))).await;
    }
    assert_eq!(zonas().await, [Zona::Otro, Zona::Salon, Zona::Cocina, Zona::Bano, Zona::Cocina]);
}

/// A note without a zone stays without one, whatever the lead's renovation type.
pub async fn a_note_without_zone_stays_so(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let tipo = Perfil { tipo_reforma: Some(Zona::Salon), ..Default::default() };
    store.update_perfil(perfil(lead, tipo, t(1))).await.expect("written");
    guardar(&store, Ingest { notas: vec![nota("n", None)], ..ingesta(lead, vec![], t(2)) }).await;
    assert_eq!(ficha(&store, lead).await.notas[0].zona, None);
}

/// Numbers left out continue from the lead's current maximum, also between the items of one call.
pub async fn numbers_continue_from_the_maximum(store: Arc<dyn Store>) {
    let (lead, vecino) = (un_lead(&store).await, otro_lead(&store).await);
    guardar(&store, ingesta(vecino, vec![foto_n(500.0)], t(1))).await;
    guardar(&store, ingesta(lead, vec![foto(), foto()], t(1))).await;
    assert_eq!(ordenes(&store, lead).await, [1.0, 2.0]);
    guardar(&store, ingesta(lead, vec![foto_n(10.5), foto(), foto_n(-1.0), foto()], t(2))).await;
    assert_eq!(ordenes(&store, lead).await, [-1.0, 1.0, 2.0, 10.5, 11.5, 12.5]);
    guardar(&store, ingesta(lead, vec![foto()], t(3))).await;
    assert_eq!(ordenes(&store, lead).await.last(), Some(&13.5));
}

/// A maximum below zero is a maximum.
pub async fn a_negative_maximum_counts(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    guardar(&store, ingesta(lead, vec![foto_n(-7.0)], t(1))).await;
    guardar(&store, ingesta(lead, vec![foto()], t(2))).await;
    assert_eq!(ordenes(&store, lead).await, [-7.0, -6.0]);
}

/// Where adding one is lost, the next larger double keeps numbers apart.
pub async fn huge_numbers_stay_distinct(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    guardar(&store, ingesta(lead, vec![foto_n(1e308)], t(1))).await;
    guardar(&store, ingesta(lead, vec![foto()], t(2))).await;
    guardar(&store, ingesta(lead, vec![foto()], t(3))).await;
    let siguiente = 1e308_f64.next_up();
    assert_eq!(ordenes(&store, lead).await, [1e308, siguiente, siguiente.next_up()]);
}

/// A number that is given comes back as the same double; zero has one sign for those who compare.
pub async fn given_numbers_are_exact(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for dado in [0.1, 0.1 + 0.2, 1e308, -1e308, 5e-324, -5e-324, 2.5, 9_007_199_254_740_993.0, 1.0 / 3.0] {
        let lead = otro_lead(&store).await;
        guardar(&store, ingesta(lead, vec![foto_n(dado)], t(1))).await;
        assert_eq!(ordenes(&store, lead).await[0].to_bits(), dado.to_bits(), "{dado:e}");
    }
    let lead = otro_lead(&store).await;
    guardar(&store, ingesta(lead, vec![foto_n(-0.0), foto()], t(1))).await;
    assert_eq!(ordenes(&store, lead).await, [0.0, 1.0]);
}

/// Photos stand by number, then in the order they came; notes and events in the order they came.
pub async fn items_stand_in_order(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let (a, b, c, d) = (foto_n(2.0), foto_n(1.0), foto_n(2.0), foto_n(1.0));
    let esperadas = [b.id, d.id, a.id, c.id];
    let notas = |textos: [&str; 2]| textos.map(|texto| nota(texto, None)).to_vec();
    guardar(&store, Ingest { notas: notas(["z", "b"]), ..ingesta(lead, vec![a, b], t(9)) }).await;
    guardar(&store, Ingest { notas: notas(["a", "c"]), ..ingesta(lead, vec![c, d], t(1)) }).await;
    let f = ficha(&store, lead).await;
    assert_eq!(f.fotos.iter().map(|f| f.id).collect::<Vec<_>>(), esperadas);
    assert_eq!(f.notas.iter().map(|n| n.texto.as_str()).collect::<Vec<_>>(), ["z", "b", "a", "c"]);
}

/// A call that names a blob under sweep leaves nothing: no photo, no note, no event.
pub async fn a_swept_blob_refuses_the_whole_call(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let (bytes, crudo) = (Huella::of(b"bytes"), Huella::of(b"crudo"));
    assert!(store.mark_blob(lead, crudo, t(1)).await.expect("answered").is_some());
    let prefijo = "data:image/png;base64,".to_owned();
    let informal = ImagenGuardada::Informal { prefijo: prefijo.clone(), bytes, crudo };
    let antes = ficha(&store, lead).await;
    for imagen in [informal, ImagenGuardada::Ilegible { prefijo, crudo }] {
        let fotos = vec![foto(), foto_de(bytes), FotoNueva { imagen, ..foto() }];
        let command = Ingest {
            notas: vec![nota("n", None)],
            eventos: vec![evento(TipoEvento::Finalizar, t(2))],
            ..ingesta(lead, fotos, t(2))
        };
        assert_fails!(store.ingest(command).await, BlobMarked);
        assert_eq!(ficha(&store, lead).await, antes);
    }
}

/// A call with many items is one call.
pub async fn many_items_are_one_call(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let notas = (0..500).map(|n| nota(&n.to_string(), None)).collect();
    guardar(&store, Ingest { notas, ..ingesta(lead, (0..500).map(|_| foto()).collect(), t(1)) }).await;
    assert_eq!(ordenes(&store, lead).await, (1..=500).map(f64::from).collect::<Vec<_>>());
    let f = ficha(&store, lead).await;
    assert!(f.notas.iter().map(|n| n.texto.clone()).eq((0..500).map(|n| n.to_string())));
}

/// A note of nine megabytes and an address of one come back byte for byte.
pub async fn very_long_texts_survive(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let (texto, url) = (texto_largo(9_000_000), format!("https://ejemplo.es/{}", texto_largo(1 << 20)));
    let larga = FotoNueva { imagen: ImagenGuardada::Url(url.clone()), ..foto() };
    guardar(&store, Ingest { notas: vec![nota(&texto, None)], ..ingesta(lead, vec![larga], t(1)) }).await;
    let f = ficha(&store, lead).await;
    assert!(f.notas[0].texto == texto);
    assert!(f.fotos[0].imagen == ImagenGuardada::Url(url));
}

/// Instants keep their microseconds from the year 0 to the year 9999.
pub async fn times_are_exact(store: Arc<dyn Store>) {
    un_lead(&store).await;
    for en in instantes_extremos() {
        let lead = otro_lead(&store).await;
        let eventos = vec![evento(TipoEvento::Finalizar, en)];
        guardar(&store, Ingest { notas: vec![nota("n", None)], eventos, ..ingesta(lead, vec![foto()], en) })
            .await;
        let f = ficha(&store, lead).await;
        assert_eq!((f.fotos[0].creada_en, f.notas[0].creada_en, f.eventos[0].creado_en), (en, en, en));
    }
}

/// An event on its own is appended to the others.
pub async fn an_event_on_its_own_is_appended(store: Arc<dyn Store>) {
    let lead = un_lead(&store).await;
    let uno = Evento { detalle: Some(String::new()), ..evento(TipoEvento::Mensajeria, t(1)) };
    let dos = Evento { simulado: false, ok: true, ..evento(TipoEvento::Mensajeria, t(2)) };
    for e in [&uno, &dos] {
        let hecho = store.record_evento(record_evento(lead, e.clone())).await.expect("recorded");
        assert_eq!(hecho, Hecho::Ahora);
    }
    assert_eq!(ficha(&store, lead).await.eventos, vec![uno, dos]);
}

/// A lead that does not exist is not found, whatever the call brings, and nothing is stored for it.
pub async fn an_unknown_lead_is_not_found(store: Arc<dyn Store>) {
    let lead = nadie();
    let solo_nota = Ingest { notas: vec![nota("n", None)], ..ingesta(lead, vec![], t(1)) };
    let solo_evento =
        Ingest { eventos: vec![evento(TipoEvento::Finalizar, t(1))], ..ingesta(lead, vec![], t(1)) };
    for command in [ingesta(lead, vec![foto()], t(1)), solo_nota, solo_evento] {
        assert_fails!(store.ingest(command).await, LeadNotFound);
    }
    let e = evento(TipoEvento::Mensajeria, t(1));
    assert_fails!(store.record_evento(record_evento(lead, e)).await, LeadNotFound);
    sin_rastro(&store, lead).await;
}
