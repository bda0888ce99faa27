//! The list of zones that photos, notes and the renovation type share (contract §2.1).

enumeration! {
    /// A zone of the home; also the type of renovation.
    Zona {
        Cocina = "cocina",
        Bano = "bano",
        Salon = "salon",
        Comedor = "comedor",
        Integral = "integral",
        Other = "otro",
    }
}

labels! {
    Zona {
        Cocina => "Cocina",
        Bano => "Baño",
        Salon => "Salón",
        Comedor => "Comedor",
        Integral => "Vivienda completa",
        Other => "Otra estancia",
    }
}

impl Zona {
    /// The zone as a heading of a renovation of this kind. `otro` is headed «Estancia» if the renovation itself is of
    /// that kind, otherwise «Otras zonas».
    pub fn heading(self, kind: Zona) -> &'static str {
        match self {
            Self::Other if kind == Self::Other => "Estancia",
            Self::Other => "Otras zonas",
            other => other.label(),
        }
    }

    /// The zone of an item that names none: the lead's renovation type, otherwise `otro`.
    pub fn assumed(tipo_reforma: Option<Zona>) -> Zona {
        tipo_reforma.unwrap_or(Zona::Other)
    }
}
