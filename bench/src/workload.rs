//! The calls that are measured: realistic Spanish bodies, rendered before the clock starts.
//!
//! A request is a template with the lead's id put in. Photos share one long random tail between all connections, and
//! each request carries its own bytes before it, so that content-addressed storage can never deduplicate.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::client::Target;

/// A lead's id as text, for the path.
pub type LeadId = [u8; 36];

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, clap::ValueEnum)]
pub enum Kind {
    Conversacion,
    /// Every fourth turn also sends `estadoWa` and `botStep`.
    #[value(name = "conversacion-estado")]
    ConversacionState,
    Perfil,
    Calificacion,
    Intento,
    Ingesta,
    /// `ingesta` with `perfilCompleto` alone: sends the profile signal.
    #[value(name = "perfil-completo")]
    PerfilComplete,
    #[value(name = "foto-1mb")]
    Foto1Mb,
    #[value(name = "foto-5mb")]
    Foto5Mb,
}

impl Kind {
    /// Its name on the command line and in the report.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Conversacion => "conversacion",
            Kind::ConversacionState => "conversacion-estado",
            Kind::Perfil => "perfil",
            Kind::Calificacion => "calificacion",
            Kind::Intento => "intento",
            Kind::Ingesta => "ingesta",
            Kind::PerfilComplete => "perfil-completo",
            Kind::Foto1Mb => "foto-1mb",
            Kind::Foto5Mb => "foto-5mb",
        }
    }

    fn endpoint(self) -> &'static str {
        match self {
            Kind::Conversacion | Kind::ConversacionState => "conversacion",
            Kind::Perfil => "perfil",
            Kind::Calificacion => "calificacion",
            Kind::Intento => "intento",
            Kind::Ingesta | Kind::PerfilComplete | Kind::Foto1Mb | Kind::Foto5Mb => "ingesta",
        }
    }

    /// Bytes of the picture that a photo call carries; 0 for the others.
    pub fn photo_bytes(self) -> u64 {
        match self {
            Kind::Foto1Mb => 1_000_000,
            Kind::Foto5Mb => 5_000_000,
            _ => 0,
        }
    }
}

/// A rendered workload against one server.
#[derive(Clone)]
pub struct Work {
    templates: Arc<Vec<Vec<u8>>>,
    leads: Arc<Vec<LeadId>>,
    /// What follows the rendered part of a request: the rest of a photo and of the body, or nothing.
    pub tail: Arc<Vec<u8>>,
    unique: bool,
    /// Text that the body of a right answer contains: a 200 that says the signal did not arrive counts as a failed
    /// call.
    pub expects: &'static [u8],
}

const PATH_START: &[u8] = b"POST /api/leads/";
const UNIQUE_CHARS: usize = 32;
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Work {
    pub fn new(kind: Kind, target: &Target, leads: &Arc<Vec<LeadId>>) -> Self {
        let (bodies, tail) = match kind.photo_bytes() {
            0 => ((0..64).map(|i| body(kind, i).to_string()).collect(), Vec::new()),
            size => (vec![PHOTO_START.to_owned()], photo_tail(size as usize)),
        };
        let unique = kind.photo_bytes() > 0;
        let extra = if unique { UNIQUE_CHARS + tail.len() } else { 0 };
        let template = |body: &String| {
            let path = format!("/{}", kind.endpoint());
            let head = target.head("", &path, body.len() + extra);
            // `head` puts method and blank first; the path start and the lead's id go there for each request.
            [&head.as_bytes()[1..], body.as_bytes()].concat()
        };
        Self {
            templates: Arc::new(bodies.iter().map(template).collect()),
            leads: Arc::clone(leads),
            tail: Arc::new(tail),
            unique,
            expects: match kind {
                Kind::PerfilComplete => br#""perfilSenalado":true"#,
                _ => b"",
            },
        }
    }

    /// Renders the next request into `out`.
    pub fn render(&self, random: &mut Random, out: &mut Vec<u8>) {
        let lead = &self.leads[random.below(self.leads.len())];
        self.render_for(lead, random, out);
    }

    /// Renders a request for this lead into `out`.
    pub fn render_for(&self, lead: &LeadId, random: &mut Random, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(PATH_START);
        out.extend_from_slice(lead);
        out.extend_from_slice(&self.templates[random.below(self.templates.len())]);
        if self.unique {
            out.extend((0..UNIQUE_CHARS).map(|_| BASE64[random.below(64)]));
        }
    }
}

/// The start of a JPEG, 24 characters of base64; random ones follow.
const PHOTO_START: &str = r#"{"items":[{"tipo":"foto","zona":"cocina","momento":"antes","imagen":"data:image/jpeg;base64,/9j/4AAQSkZJRgABAQEASABI"#;
const PHOTO_END: &[u8] = br#""}]}"#;

/// Random characters of base64 in whole groups of four need no padding and cannot be compressed.
fn photo_tail(photo_bytes: usize) -> Vec<u8> {
    let chars = photo_bytes.div_ceil(3) * 4 - 24 - UNIQUE_CHARS;
    let mut random = Random::new(0x5eed);
    let mut tail: Vec<u8> = (0..chars).map(|_| BASE64[random.below(64)]).collect();
    tail.extend_from_slice(PHOTO_END);
    tail
}

const MESSAGES: [&str; 4] = [
    "Hola, buenas tardes. Queremos reformar la cocina entera: ahora mide unos doce metros, tiene la lavadora dentro y nos \
     gustaría abrirla al salón con una isla central, encimera de cuarzo y muebles claros. ¿Cuándo podríais pasar a verla?",
    "Gracias por escribirnos. Para preparar un presupuesto orientativo necesitamos un par de fotos de cada pared, los metros \
     aproximados del suelo y saber si hay que mover la bajante o algún tabique. ¿Nos las puede enviar por aquí, por favor?",
    "El baño es pequeño, de cuatro metros, y la bañera ya no la usamos: queremos un plato de ducha grande, mampara, azulejo \
     hasta el techo y un mueble con dos senos. El presupuesto que manejamos es de unos siete mil euros, IVA incluido.",
    "Perfecto, recibido. Por lo que vemos en las imágenes la instalación eléctrica es antigua y convendría renovarla; lo \
     dejamos anotado en su ficha. Le llamará una compañera esta semana para confirmar la visita y resolver sus dudas.",
];

fn body(kind: Kind, i: usize) -> Value {
    // A differing ending keeps the messages apart without changing their size much.
    let mensaje = format!("{} (ref. {i:02})", MESSAGES[i % MESSAGES.len()]);
    let zona = pick(&["cocina", "bano", "salon", "comedor"], i);
    match kind {
        Kind::ConversacionState if i.is_multiple_of(4) => json!({
            "rol": "assistant", "mensaje": mensaje,
            "estadoWa": pick(&["enviado", "entregado", "leido"], i / 4), "botStep": format!("pedir_fotos_{}", i / 4 % 5),
        }),
        Kind::Conversacion | Kind::ConversacionState => {
            json!({ "rol": pick(&["user", "assistant"], i), "mensaje": mensaje })
        }
        Kind::Perfil => json!({
            "tipoReforma": zona, "m2Suelo": 8.5 + i as f64, "calidadGlobal": pick(&["basica", "media", "premium"], i),
            "tasteText": "Muebles claros, mucha luz y suelo de madera; nada de brillo ni de colores fuertes.",
        }),
        Kind::Calificacion => json!({
            "score": i, "nivel": pick(&["A", "B", "C", "D"], i),
            "criterios": { "presupuesto": 0.8, "plazo": "este trimestre", "zona_atendida": true,
                           "señales": ["fotos enviadas", "quiere visita"], "peso": i },
            "notasAgente": "Tiene prisa por la llegada de un bebé; prefiere que la llamen por la tarde.",
        }),
        Kind::Intento => json!({
            "canal": pick(&["messaging", "llamada"], i), "numeroIntento": 1 + i % 5, "completado": i.is_multiple_of(2),
            "resultado": pick(&["exitoso", "no_contesta", "ocupado"], i), "duracionSeg": 30 + i,
            "notas": "Pide que la volvamos a llamar el jueves después de comer.",
            "metadata": { "callId": format!("CA{i:030}"), "agente": "voz-2", "coste": 0.034 },
        }),
        Kind::Ingesta => json!({ "items": [{ "tipo": "texto", "texto": mensaje, "zona": zona }] }),
        Kind::PerfilComplete => json!({ "perfilCompleto": true }),
        Kind::Foto1Mb | Kind::Foto5Mb => Value::Null,
    }
}

/// The i-th choice; begins again after the last one.
fn pick<'a>(choices: &[&'a str], i: usize) -> &'a str {
    choices[i % choices.len()]
}

/// The body that creates the n-th lead; every phone and e-mail differs, so that no lead is a possible duplicate.
pub fn lead_body(n: usize) -> String {
    json!({
        "nombre": format!("Clienta de Prueba {n}"),
        "telefono": format!("+346{:08}", 10_000_000 + n),
        "email": format!("clienta{n}@example.com"),
    })
    .to_string()
}

/// A small fast generator (splitmix64): the leads and the photos only have to differ.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as usize % n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(kind: Kind) -> (String, Value) {
        let target = Target { addr: "127.0.0.1:1".parse().expect("an address"), key: "k".into() };
        let work = Work::new(kind, &target, &Arc::new(vec![*b"018f0000-0000-7000-8000-000000000001"]));
        let mut out = Vec::new();
        work.render(&mut Random::new(1), &mut out);
        out.extend_from_slice(&work.tail);
        let text = String::from_utf8(out).expect("UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").expect("a blank line");
        let announced = head.split("Content-Length: ").nth(1).expect("a length").to_owned();
        assert_eq!(announced.lines().next(), Some(body.len().to_string().as_str()));
        (head.to_owned(), serde_json::from_str(body).expect("JSON"))
    }

    #[test]
    fn a_turn_is_a_whole_request() {
        let (head, body) = rendered(Kind::Conversacion);
        let line = "POST /api/leads/018f0000-0000-7000-8000-000000000001/conversacion HTTP/1.1";
        assert_eq!(head.lines().next(), Some(line));
        assert!((200..320).contains(&body["mensaje"].as_str().expect("a text").len()));
    }

    #[test]
    fn a_photo_has_the_size_it_says() {
        let (_, body) = rendered(Kind::Foto1Mb);
        let image = body["items"][0]["imagen"].as_str().expect("a text");
        let payload = image.strip_prefix("data:image/jpeg;base64,").expect("a data URI");
        assert_eq!(payload.len() % 4, 0);
        assert!((1_000_000..1_000_004).contains(&(payload.len() / 4 * 3)));
    }
}
