"""Leads of a company that does not exist, as its form, its bot and its telephone would bring them."""

FIRST = ["Begoña", "Carlos", "Lucía", "José", "María", "Íñigo", "Rosa", "Óscar", "Pilar", "Andrés", "Elena", "Hugo"]
LAST = ["Núñez Prado", "Ortega", "Gómez Sanz", "Martín", "López Vera", "Sáez", "Vidal", "Gil Campos", "Díaz", "Peña", "Roca", "Ibáñez"]
TYPES = ["bano", "cocina", "salon", "integral", "comedor", "otro"]
WISHES = [
    "Hola, ¿cuándo podéis venir a ver el baño?",
    "Queremos quitar el gotelé y cambiar el suelo.",
    "¿La encimera puede ser de cuarzo? Es que tenemos niños.",
    "Me urge, tenemos una fuga detrás de la ducha.",
]


def leads(client, count):
    """Creates so many leads, at different places of the funnel; their ids."""
    made = []
    for n in range(count):
        person = {
            "nombre": f"{FIRST[n % len(FIRST)]} {LAST[(n * 5 + n // 12) % len(LAST)]}",
            "telefono": f"6{31 + n % 60} {n * 7 % 90 + 10} {n * 13 % 90 + 10} {n % 90 + 10}",
            "email": f"persona{n}@ejemplo.es",
            "provincia": ["Madrid", "Sevilla", "Cádiz", "Valencia", "Las Palmas"][n % 5],
            "tipoReforma": TYPES[n % len(TYPES)],
            "m2Suelo": 5 + n * 3 % 40,
            # Where it is not known, a quote is an estimate.
            **({"calidadGlobal": "media"} if n % 2 == 0 else {}),
            "urgencia": ["alta", "media", "baja", "media"][n % 4],
            "canalOrigen": ["formulario_web", "anuncio", "referido"][n % 3],
            "utm": {"utm_campaign": ["otono", "verano"][n % 2]},
        }
        lead = client.api("/api/leads", person)["id"]
        made.append(lead)
        if n % 3 != 2:
            client.api(f"/api/leads/{lead}/conversacion", {"rol": "user", "mensaje": WISHES[n % len(WISHES)]})
        if n % 3 == 1:
            client.api(f"/api/leads/{lead}/conversacion", {"rol": "assistant", "mensaje": "Gracias. ¿Nos mandas un par de fotos?"})
        if n % 4 != 2:
            client.api(f"/api/leads/{lead}/calificacion", {"score": 95 - n * 7 % 80, "nivel": "ABCD"[n * 7 % 80 // 20]})
        if n % 5 == 3:
            client.api(f"/api/leads/{lead}/ingesta", {"perfilCompleto": True})
        if n % 7 == 4:
            client.api(f"/api/leads/{lead}/ingesta", {"finalizar": True})
    return made
