//! Quotes that a person edited: one with several rooms, options and discounts, and one with every text that a person
//! can write.

use embudo_domain::brand::Brand;
use embudo_domain::decimal::{Cantidad, Percentage};
use embudo_domain::empresa::Empresa;
use embudo_domain::ingesta::Momento;
use embudo_domain::iva::{Answer, Condiciones, Contratante, Impuestos};
use embudo_domain::lead::Lead;
use embudo_domain::legal::Legal;
use embudo_domain::money::Cents;
use embudo_domain::notice::Topics;
use embudo_domain::perfil::{Calidad, Perfil, Urgencia};
use embudo_domain::presupuesto::draft::{DraftLine, RoomInput};
use embudo_domain::presupuesto::{
    Acceptance, Base, Discount, DiscountValue, Document, Draft, Payment, Validity,
};
use embudo_domain::pricing::PricingInput;
use embudo_domain::tarifa::{Tarifa, Unidad};
use embudo_domain::{EmpresaId, LeadId, Timestamp, Zona};
use embudo_quote::{AcceptedNote, PdfRequest};
use jiff::civil::date;

use super::studio::{TODAY, add_foto, pdf_request};

/// A kitchen and a bathroom with options, discounts and a plan of payments.
pub fn rooms() -> PdfRequest {
    let lead = lead("Carmen y Joaquín Ortega Vidal");
    sealed(55, &lead, Condiciones::default(), |draft, tarifa| {
        let kitchen = RoomInput {
            kind: Some(Zona::Cocina),
            m2_suelo: Some(9.5),
            estimated: false,
            calidad: Some(Calidad::Media),
            estructural: Some(false),
            room_kind: None,
        };
        let id = draft.add_room(kitchen, &lead, tarifa);
        let kitchen = draft.room_mut(id).expect("just added");
        let last = kitchen.capitulos.last_mut().expect("a chapter");
        last.lines.push(option("cajones", "Cajones con freno en todos los muebles bajos", 46_000, 6_000));
        last.lines.push(option(
            "luz",
            "Tira de luz led bajo los muebles altos, con regulador",
            28_500,
            3_500,
        ));
        let bathroom = draft.room_mut(1).expect("the lead's own");
        bathroom.capitulos[0].lines[0].discount = Percentage(1_000);
        let last = bathroom.capitulos.last_mut().expect("a chapter");
        let towel_rail = option("toallero", "Toallero eléctrico", 31_000, 5_500);
        last.lines.push(DraftLine { detail: Some("500 W, cromado, con termostato.".into()), ..towel_rail });
        let value = DiscountValue::Percentage(Percentage(400));
        draft.discount = Some(Discount { value, reason: Some("las dos estancias a la vez".into()) });
        let payment = |p, moment: &str| Payment { percentage: Percentage(p), moment: moment.into() };
        draft.terms.payments = vec![
            payment(3_000, "Al aceptar el presupuesto"),
            payment(4_000, "Al terminar los alicatados"),
            payment(3_000, "A la entrega"),
        ];
        draft.terms.start = Some(date(2027, 1, 18));
        draft.terms.duration = Some("cinco semanas".into());
    })
}

/// A bathroom in which a person wrote every possible text, for a company that declared everything.
pub fn by_hand() -> PdfRequest {
    let lead = lead("Rosa María Llorens i Puig");
    let condiciones = Condiciones {
        vivienda: Answer::Declared,
        contratante: Some(Contratante::Particular),
        two_years: Answer::Declared,
    };
    let mut e = sealed(56, &lead, condiciones, |draft, _| {
        let room = draft.room_mut(1).expect("the lead's own");
        room.nombre = Some("Baño de la planta de arriba".into());
        room.capitulos[0].lines[0].cantidad = Cantidad(2_450);
        room.capitulos[0].lines[0].precio = Cents(1_650);
        room.capitulos[0].lines.push(DraftLine {
            id: "proteccion".into(),
            concepto: "Protección de la escalera y del ascensor con moqueta y cartón".into(),
            detail: Some("Se retira cada viernes; la comunidad lo pide así.".into()),
            cantidad: Cantidad::unidades(2),
            unidad: Unidad::Ud,
            precio: Cents::euros(85),
            ..DraftLine::default()
        });
        let value = DiscountValue::Amount(Cents::euros(150));
        draft.discount = Some(Discount { value, reason: None });
        let terms = &mut draft.terms;
        terms.intro = Some(
            "Hola, Rosa María:\n\nGracias por enseñarnos tu baño el martes. Te dejamos el precio de lo que hablamos: quitar la \
             bañera, poner un plato de ducha a ras de suelo y renovar el alicatado entero. La ventana se queda como está."
                .into(),
        );
        terms.extra = Some(
            "El calentador lo cambiamos otro día: te pasamos su precio aparte cuando nos digas el modelo."
                .into(),
        );
        terms.site = Some("Carrer de Sant Vicent Màrtir 112, 3.º 6.ª, 46007 València".into());
        terms.nif = Some("12345678Z".into());
        terms.address = Some("Avinguda del Port 7, 46021 València".into());
        terms.start = Some(date(2026, 12, 1));
        terms.duration = Some("tres semanas".into());
        let payment = |p, moment: &str| Payment { percentage: Percentage(p), moment: moment.into() };
        terms.payments = vec![payment(5_000, "Al empezar"), payment(5_000, "Al terminar")];
        draft.valid_days = Some(15);
    });
    add_foto(&mut e, 0, Zona::Bano, Momento::Before, (800, 600));
    add_foto(&mut e, 1, Zona::Bano, Momento::After, (800, 600));
    e
}

/// The quote of [`by_hand`] as its client accepted it: with one option, the declaration, and the day.
pub fn accepted() -> PdfRequest {
    let quote = by_hand();
    let options = quote.document.options.iter().take(1).map(|option| &option.id).collect::<Vec<_>>();
    let options = quote.document.choose(&options).expect("its own");
    let acceptance = Acceptance {
        by_phone: None,
        total: quote.document.with_options(&options).total,
        options,
        declared: true,
        early_start: true,
        at: Timestamp::UNIX_EPOCH,
    };
    let accepted = Some(AcceptedNote {
        day: "17 de noviembre de 2026".into(),
        options: acceptance.options.iter().map(|option| option.concepto.clone()).collect(),
        declared: true,
        early_start: true,
    });
    PdfRequest { document: quote.document.accepted(&acceptance), accepted, ..quote }
}

fn option(id: &str, concepto: &str, precio: i64, material: i64) -> DraftLine {
    DraftLine {
        id: id.into(),
        concepto: concepto.into(),
        precio: Cents(precio),
        material: Percentage(material),
        optional: true,
        ..DraftLine::default()
    }
}

fn sealed(
    orden: u32,
    lead: &Lead,
    condiciones: Condiciones,
    edit: impl FnOnce(&mut Draft, &Tarifa),
) -> PdfRequest {
    let (brand, tarifa, impuestos) = (Brand::default(), Tarifa::por_defecto(), Impuestos::por_defecto());
    let legal = Legal::por_defecto();
    let base = Base {
        brand: &brand,
        logo: None,
        tarifa: &tarifa,
        impuestos: &impuestos,
        condiciones,
        legal: None,
        day: TODAY,
        bounds: Default::default(),
    };
    let mut draft = Draft::of_lead(lead, base);
    edit(&mut draft, &tarifa);
    let document = draft.compose(lead, &[], &[], base).expect("a right draft");
    let mut e = pdf_request(orden, &PricingInput::default(), condiciones, &lead.nombre);
    e.validity = Validity::new(TODAY, document.valid_days);
    e.document = Document { empresa: e.document.empresa, ..document };
    e.document.legal = legal.texts_for(&e.document, condiciones, TODAY);
    e
}

fn lead(nombre: &str) -> Lead {
    let empresa = Empresa {
        id: EmpresaId(uuid::Uuid::nil()),
        nombre: "Reformas Ñandú".into(),
        slug: "reformas-nandu".into(),
        por_defecto: true,
        email_avisos: None,
        notices: true,
        topics: Topics::NONE,
        personal_topics: Topics::NONE,
    };
    Lead {
        id: LeadId(uuid::Uuid::nil()),
        empresa,
        nombre: nombre.into(),
        telefono: "612 34 56 78".into(),
        telefono_e164: "+34612345678".into(),
        email: "cliente@example.com".into(),
        provincia: Some("Valencia".into()),
        perfil: Perfil {
            tipo_reforma: Some(Zona::Bano),
            m2_suelo: Some(5.5),
            calidad_global: Some(Calidad::Media),
            estructural: Some(false),
            urgencia: Some(Urgencia::Media),
            ..Perfil::default()
        },
        obra: Default::default(),
        utm: Vec::new(),
        creado_en: Timestamp::UNIX_EPOCH,
        actualizado_en: Timestamp::UNIX_EPOCH,
        watched_loop: None,
    }
}
