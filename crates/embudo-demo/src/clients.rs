//! The clients of the invented company, and how far each of them gets.

/// How far a client gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    New,
    Talking,
    /// The renders have arrived, but no quote was asked for yet.
    Complete,
    WaitingForRenders,
    ToReview,
    Sent,
    /// A visit is agreed after a quote.
    Visit,
    Accepted,
    Working,
    Finished,
    Declined(&'static str),
    Archived(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Client {
    pub name: &'static str,
    pub provincia: &'static str,
    pub address: &'static str,
    pub tipo: &'static str,
    pub m2: f64,
    pub calidad: &'static str,
    pub urgencia: &'static str,
    pub canal: &'static str,
    /// How many hours ago the client arrived.
    pub hours_ago: u32,
    pub fate: Fate,
    pub wish: &'static str,
}

const DAY: u32 = 24;

/// The clients as a table: name, province, address, kind, square metres, quality, urgency, channel, age, fate, wish.
macro_rules! clients {
    ($(($name:literal, $provincia:literal, $address:literal, $tipo:literal, $m2:literal, $calidad:literal,
        $urgencia:literal, $canal:literal, $hours:expr, $fate:expr, $wish:literal)),+ $(,)?) => {
        pub(crate) const CLIENTS: &[Client] = &[$(Client {
            name: $name,
            provincia: $provincia,
            address: $address,
            tipo: $tipo,
            m2: $m2,
            calidad: $calidad,
            urgencia: $urgencia,
            canal: $canal,
            hours_ago: $hours,
            fate: $fate,
            wish: $wish,
        }),+];
    };
}

use Fate::*;

clients! {
    ("Marta Ruiz Calvo", "Madrid", "Calle de la Palma 14, 3.º B, 28004 Madrid", "bano", 5.5, "media", "media", "formulario_web", 152 * DAY, Finished, "Queremos cambiar la bañera por un plato de ducha. La ventana no se toca."),
    ("Javier Ortega Lara", "Madrid", "Avenida de América 61, 7.º A, 28028 Madrid", "cocina", 11.0, "premium", "baja", "referido", 146 * DAY, Finished, "Una cocina abierta al salón, con isla si cabe."),
    ("Rosa Vidal Puig", "Madrid", "Calle Toledo 102, 1.º D, 28005 Madrid", "salon", 24.0, "basica", "media", "anuncio", 139 * DAY, Archived("Solo quería una idea de precio"), "Quitar el gotelé y cambiar el suelo."),
    ("Íñigo Sáez Mora", "Toledo", "Calle Comercio 8, 45001 Toledo", "integral", 78.0, "media", "media", "formulario_web", 128 * DAY, Finished, "Piso heredado de mis abuelos: hay que hacerlo entero, también la luz."),
    ("Pilar Gómez Sanz", "Madrid", "Calle Bravo Murillo 220, 4.º C, 28020 Madrid", "bano", 4.0, "basica", "alta", "llamada", 121 * DAY, Declined("Me sale mejor con el seguro"), "Tenemos una fuga detrás de la ducha."),
    ("Andrés Peña Rico", "Madrid", "Calle Alcalá 310, 2.º izq., 28027 Madrid", "cocina", 9.0, "media", "media", "messaging", 110 * DAY, Finished, "Muebles nuevos hasta el techo y encimera de cuarzo."),
    ("Lucía Navas Torres", "Guadalajara", "Calle Mayor 33, 19001 Guadalajara", "comedor", 18.0, "media", "baja", "anuncio", 101 * DAY, Archived("No contesta desde hace un mes"), "Unir el comedor con la terraza."),
    ("Carlos Ibáñez Font", "Madrid", "Calle Ibiza 45, 5.º A, 28009 Madrid", "integral", 92.0, "premium", "baja", "referido", 92 * DAY, Working, "Reforma completa con calefacción nueva y ventanas."),
    ("Elena Prado Gil", "Madrid", "Calle Embajadores 77, 3.º A, 28012 Madrid", "bano", 6.0, "media", "media", "formulario_web", 83 * DAY, Working, "Dos lavabos y un plato grande."),
    ("Hugo Roca Martín", "Madrid", "Paseo de Extremadura 120, 28011 Madrid", "cocina", 12.5, "media", "alta", "formulario_web", 75 * DAY, Declined("Lo dejamos para el año que viene"), "Queremos cocinar dos a la vez."),
    ("Begoña Núñez Arce", "Madrid", "Calle Goya 88, 6.º B, 28001 Madrid", "bano", 5.0, "premium", "media", "anuncio", 66 * DAY, Working, "Microcemento y mampara sin perfiles."),
    ("Óscar Campos Vera", "Segovia", "Calle Real 21, 40001 Segovia", "salon", 30.0, "media", "media", "messaging", 58 * DAY, Accepted, "Suelo laminado y pintar todo."),
    ("María López Cano", "Madrid", "Calle Ferraz 12, 2.º D, 28008 Madrid", "cocina", 10.0, "media", "media", "formulario_web", 49 * DAY, Accepted, "La cocina de siempre, pero con lavavajillas y más luz."),
    ("José Díaz Soler", "Madrid", "Calle Arturo Soria 180, 28043 Madrid", "bano", 4.5, "basica", "baja", "llamada", 41 * DAY, Accepted, "Quitar la bañera: mi madre no puede entrar."),
    ("Nuria Bosch Rey", "Madrid", "Calle Velázquez 54, 1.º izq., 28001 Madrid", "integral", 64.0, "premium", "media", "referido", 36 * DAY, Sent, "Abrir la cocina y rehacer los dos baños."),
    ("Tomás Herrero Luz", "Toledo", "Avenida de Europa 9, 45005 Toledo", "bano", 7.0, "media", "media", "formulario_web", 31 * DAY, Sent, "Baño principal con bañera exenta."),
    ("Inés Cabrera Pons", "Madrid", "Calle Hortaleza 40, 3.º C, 28004 Madrid", "cocina", 8.0, "basica", "alta", "anuncio", 24 * DAY, Sent, "Solo muebles y azulejos; la distribución se queda."),
    ("Rubén Molina Paz", "Madrid", "Calle Serrano 201, 28016 Madrid", "salon", 28.0, "premium", "baja", "referido", 19 * DAY, Sent, "Chimenea eléctrica y estantería a medida."),
    ("Silvia Marín Roldán", "Madrid", "Calle Orense 30, 9.º A, 28020 Madrid", "bano", 5.0, "media", "media", "messaging", 12 * DAY, Sent, "Plato de ducha y radiador toallero."),
    ("Daniel Fuentes Gallo", "Madrid", "Calle Menéndez Pelayo 67, 28009 Madrid", "cocina", 14.0, "premium", "media", "formulario_web", 16 * DAY, Visit, "Isla con placa y campana en el techo."),
    ("Patricia Soto Blanco", "Madrid", "Calle Atocha 95, 2.º A, 28012 Madrid", "integral", 55.0, "media", "alta", "formulario_web", 13 * DAY, Visit, "Nos mudamos en marzo: ¿da tiempo?"),
    ("Gonzalo Rivas Ferrer", "Guadalajara", "Calle del Arco 5, 19002 Guadalajara", "bano", 6.5, "media", "media", "anuncio", 9 * DAY, Visit, "Mover el inodoro al otro lado."),
    ("Laura Esteban Oliva", "Madrid", "Calle Fuencarral 130, 4.º D, 28010 Madrid", "cocina", 9.5, "media", "baja", "referido", 7 * DAY, Visit, "Abrir un hueco a la galería."),
    ("Víctor Pascual Nieto", "Madrid", "Calle Santa Engracia 18, 28010 Madrid", "bano", 4.8, "media", "media", "formulario_web", 5 * DAY, ToReview, "Azulejo grande, sin cenefas."),
    ("Carmen Aguilar Simón", "Madrid", "Calle Doctor Esquerdo 77, 28007 Madrid", "cocina", 11.5, "media", "alta", "formulario_web", 4 * DAY, ToReview, "Se rompió una tubería y hay que levantar el suelo igual."),
    ("Álvaro Crespo Vega", "Ávila", "Calle San Segundo 3, 05001 Ávila", "salon", 22.0, "basica", "baja", "messaging", 3 * DAY, ToReview, "Pintar, y cambiar las puertas."),
    ("Raquel Santos Mena", "Madrid", "Calle Princesa 61, 5.º B, 28008 Madrid", "bano", 5.2, "premium", "media", "anuncio", 2 * DAY, ToReview, "Como el de la foto, con nicho en la ducha."),
    ("Diego Lozano Cruz", "Madrid", "Calle Cartagena 20, 28028 Madrid", "cocina", 10.0, "media", "media", "formulario_web", 30, Complete, "Encimera porcelánica."),
    ("Teresa Moya Gracia", "Madrid", "Calle Narváez 51, 28009 Madrid", "bano", 6.0, "media", "media", "messaging", 26, Complete, "Un baño para los niños, sin esquinas."),
    ("Sergio Bravo Alonso", "Madrid", "Calle López de Hoyos 144, 28002 Madrid", "integral", 70.0, "media", "media", "formulario_web", 8, WaitingForRenders, "Quiero ver cómo quedaría sin el pasillo."),
    ("Paula Duarte Sáenz", "Toledo", "Calle Ancha 12, 45001 Toledo", "cocina", 12.0, "premium", "alta", "anuncio", 3, WaitingForRenders, "Península en lugar de mesa."),
    ("Adrián Gil Robles", "Madrid", "Calle Raimundo Fernández Villaverde 30, 28003 Madrid", "bano", 5.0, "basica", "media", "formulario_web", 1, WaitingForRenders, "Lo más sencillo posible."),
    ("Cristina Haro Plaza", "Madrid", "Calle Conde de Casal 4, 28007 Madrid", "cocina", 9.0, "media", "alta", "messaging", 50, Talking, "¿Cuánto tardáis en una cocina pequeña?"),
    ("Manuel Reyes Otero", "Madrid", "", "bano", 5.0, "media", "media", "llamada", 28, Talking, "¿La encimera puede ser de cuarzo? Es que tenemos niños."),
    ("Sonia Vargas Leal", "Segovia", "", "salon", 26.0, "media", "baja", "messaging", 22, Talking, "Hola, ¿cuándo podéis venir a verlo?"),
    ("Ismael Torres Bueno", "Madrid", "", "integral", 85.0, "media", "media", "messaging", 6, Talking, "Acabo de comprar el piso y tengo las llaves en enero."),
    ("Alicia Rubio Casas", "Madrid", "", "bano", 4.5, "media", "media", "formulario_web", 20, New, "Cambiar la bañera."),
    ("Fernando Gallego Mir", "Madrid", "", "cocina", 8.5, "media", "alta", "anuncio", 5, New, "Cocina en L."),
    ("Mónica Serrano Díez", "Guadalajara", "", "salon", 20.0, "basica", "baja", "referido", 2, New, "Pintura y suelo."),
    ("Luis Cano Herrera", "Madrid", "", "bano", 6.0, "media", "media", "formulario_web", 1, New, "Un baño completo."),
}

/// The messages between a client and the bot, alternating, starting with the client.
pub(crate) fn chat(client: &Client) -> Vec<String> {
    let kind = match client.tipo {
        "bano" => "el baño",
        "cocina" => "la cocina",
        "salon" => "el salón",
        "comedor" => "el comedor",
        _ => "toda la casa",
    };
    vec![
        client.wish.to_owned(),
        format!(
            "¡Gracias! Para darte un precio de {kind} me faltan dos cosas: los metros y un par de fotos."
        ),
        format!("Son unos {} metros. Ahora te mando las fotos.", client.m2),
        "Perfecto. ¿Prefieres una calidad media o quieres ver también la opción superior?".to_owned(),
        match client.calidad {
            "premium" => "La superior, que es para muchos años.".to_owned(),
            "basica" => "Lo más ajustado posible.".to_owned(),
            _ => "Media está bien.".to_owned(),
        },
        "Ya lo tengo todo. En breve te mandamos el presupuesto.".to_owned(),
    ]
}

impl Client {
    /// An e-mail address that cannot belong to a real person (RFC 2606).
    pub fn email(&self) -> String {
        let plain = |c: char| match c {
            'á' | 'Á' => 'a',
            'é' => 'e',
            'í' | 'Í' => 'i',
            'ó' | 'Ó' => 'o',
            'ú' | 'ü' => 'u',
            'ñ' => 'n',
            c => c,
        };
        let mut words = self.name.split(' ');
        let both = [words.next(), words.next()].into_iter().flatten().collect::<Vec<_>>().join(".");
        format!("{}@correo.example", both.to_lowercase().chars().map(plain).collect::<String>())
    }

    pub fn phone(&self, number: usize) -> String {
        format!(
            "6{:02} {:03} {:03}",
            30 + number % 60,
            (number * 137 + 211) % 1000,
            (number * 271 + 83) % 1000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use embudo_domain::contact::{Email, Telefono};
    use embudo_domain::provincia::Provincia;
    use std::collections::HashSet;

    #[test]
    fn there_are_forty_clients_each_of_their_own() {
        assert_eq!(CLIENTS.len(), 40);
        let names: HashSet<&str> = CLIENTS.iter().map(|client| client.name).collect();
        assert_eq!(names.len(), 40);
        for (number, client) in CLIENTS.iter().enumerate() {
            assert!(Email::parse(&client.email()).is_ok(), "{}", client.email());
            assert!(Telefono::parse(&client.phone(number)).is_ok(), "{}", client.phone(number));
            assert!(
                Provincia::of_address(client.address).is_some() || client.address.is_empty(),
                "{}",
                client.address
            );
        }
    }
}
