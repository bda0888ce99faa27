"""A lead's page in the panel: chat, photos, facts and buttons, as people use it."""

import base64

import drawings
from playwright.sync_api import expect
from window import VIEWS, Window, leave, person, sign_in

EMAIL = "luis@reformasalba.example"
PERSON = {
    "nombre": "Marta Ruiz Ibáñez",
    "telefono": "634 56 78 90",
    "email": "marta.ruiz@ejemplo.es",
    "provincia": "Madrid",
    "tipoReforma": "bano",
    "m2Suelo": 6.5,
    "rangoM2": "entre 6 y 7",
    "calidadGlobal": "media",
    "urgencia": "alta",
    "canalOrigen": "anuncio",
    "estructural": False,
    "presupuestoTarget": 900_000,
    "presupuestoDeclarado": "unos 9.000, máximo 10.000",
    "estilo": "nórdico, luminoso",
    "tasteText": "Madera clara, sin dorados. La ducha tiene que ser de obra y sin mampara corredera.",
    "utm": {"utm_source": "buscador", "utm_campaign": "banos-otono"},
    "consentimientos": [
        {"finalidad": "presupuesto", "textoVersion": "2026-01", "fuente": "formulario_web"},
        {"finalidad": "comercial", "canal": "email", "textoVersion": "2026-01", "otorgado": False},
    ],
}
CHAT = [
    {"rol": "assistant", "mensaje": "¡Hola, Marta! Soy el asistente de Reformas Alba. ¿Qué te gustaría reformar?", "estadoWa": "entregado"},
    {"rol": "user", "mensaje": "Hola, el baño de arriba. Queremos cambiar la bañera por un plato de ducha.", "estadoWa": "leido", "botStep": "pide_metros"},
    {"rol": "assistant", "mensaje": "Perfecto. ¿Cuántos metros tiene, más o menos?"},
    {
        "rol": "user",
        "mensaje": "Nota de voz (0:14)",
        "mediaType": "audio",
        "mediaUrl": "https://media.ejemplo.es/notas/voz-0001.ogg",
        "transcripcionAudio": "Pues mira, yo creo que unos seis y medio. Es largo y estrecho, con la ventana al fondo.",
    },
    {"rol": "assistant", "mensaje": "Gracias. Mándanos un par de fotos cuando puedas, así lo vemos mejor.", "botStep": "pide_fotos"},
    {"rol": "user", "mensaje": "Ahora te las paso. ¿Cuándo podríais empezar? Nos corre prisa, en enero llega el bebé."},
]


def fill(home):
    """A lead about whom there is something of everything; its id."""
    lead = home.api("/api/leads", PERSON)["id"]
    for turno in CHAT:
        home.api(f"/api/leads/{lead}/conversacion", turno)
    home.api(
        f"/api/leads/{lead}/calificacion",
        {"score": 82, "nivel": "A", "criterios": {"presupuesto": "encaja", "plazo": "1 mes", "decisión": "las dos personas"}, "notasAgente": "Muy decidida. Prefiere WhatsApp por las tardes."},
    )
    home.api(f"/api/leads/{lead}/intento", {"canal": "llamada", "numeroIntento": 1, "resultado": "no_contesta", "notas": "Salta el buzón"})
    notas = [{"tipo": "texto", "texto": "La ventana no se toca. El bote sifónico está bajo la bañera.", "zona": "bano"}]
    home.api(f"/api/leads/{lead}/ingesta", {"items": drawings.album() + notas, "perfilCompleto": True})
    home.finalizar(lead, [])
    return lead


def twin(home):
    """The same person, who came a second time with another e-mail; the lead's id."""
    lead = home.api("/api/leads", {**PERSON, "nombre": "Marta Ruiz", "email": "martita@ejemplo.es", "tipoReforma": "cocina", "m2Suelo": 11, "canalOrigen": "formulario_web"})["id"]
    home.api(f"/api/leads/{lead}/conversacion", {"rol": "user", "mensaje": "Hola, soy Marta otra vez. ¿Y si hacemos también la cocina?"})
    home.api(f"/api/leads/{lead}/ingesta", {"items": [{"tipo": "texto", "texto": "La cocina da al patio.", "zona": "cocina"}] + drawings.album()[:1]})
    return lead


def walk(browser, home, receiver, screenshots):
    """Yields the name of each part that holds."""
    # The first person administers the panel.
    person(home, "duena@reformasalba.example", "Eva Sanz", "--administrador")
    person(home, EMAIL, "Luis Pérez", "--rol", "mi-empresa=comercial")
    lead = fill(home)
    again = twin(home)
    for screen, with_js, scheme in VIEWS:
        window = Window(browser, home, screen, with_js, scheme, screenshots)
        sign_in(window, home, EMAIL)
        page = window.page
        page.goto(f"{home.url}/panel/leads/{lead}")
        expect(page.get_by_role("heading", name=PERSON["nombre"])).to_be_visible()
        # Pictures below the fold come when they are looked at.
        for image in page.locator("main img").all():
            image.scroll_into_view_if_needed()
            expect(image).to_have_js_property("complete", True)
        page.evaluate("scrollTo(0, 0)") if with_js else None
        window.look("lead")
        if with_js:
            lightbox(window)
        facts(window, home, lead)
        call(window)
        fotos(window)
        desk(window, home, lead)
        union(window, home, lead, again)
        page.goto(f"{home.url}/panel/leads/nuevo")
        window.look("lead-nuevo")
        page.get_by_label("Nombre").fill("Pepe Gil")
        page.get_by_label("Teléfono").fill("611 22 33 44")
        page.get_by_label("Correo").fill(f"pepe.{window.name}@ejemplo.es")
        page.get_by_label("Tipo de reforma").select_option("cocina")
        page.get_by_role("button", name="Dar de alta").click()
        expect(page.get_by_text("Lead dado de alta.")).to_be_visible()
        window.look("lead-vacio")
        leave(window)
        yield window.name


def lightbox(window):
    page = window.page
    page.locator("a.luz").first.click()
    dialog = page.get_by_role("dialog", name="Foto")
    expect(dialog).to_be_visible()
    expect(dialog.locator("img")).to_have_js_property("complete", True)
    window.look("lead-visor")
    page.keyboard.press("ArrowRight")
    expect(dialog).to_contain_text("(2 de")
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()


def facts(window, home, lead):
    page = window.page
    group = page.locator("section", has=page.get_by_role("heading", name="Contacto"))
    group.get_by_text("Editar").click()
    group.get_by_label("Teléfono").fill("12")
    group.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("No es un teléfono posible").first).to_be_visible()
    window.look("lead-mal")
    page.get_by_role("link", name="Dejarlo como está").click()
    group.get_by_text("Editar").click()
    group.get_by_label("Provincia").fill("Toledo" if window.name.endswith("dark") else "Madrid capital")
    group.get_by_role("button", name="Guardar").click()
    expect(page.get_by_role("heading", name=PERSON["nombre"])).to_be_visible()


def call(window):
    page = window.page
    page.get_by_text("Apuntar llamada").click()
    page.get_by_label("Cómo fue la llamada").select_option("exitoso")
    page.get_by_label("Minutos").fill("4")
    page.get_by_label("Notas", exact=True).fill("Quiere que vayamos a medir el jueves por la tarde.")
    page.get_by_role("button", name="Guardar llamada").click()
    expect(page.get_by_text("Llamada apuntada.")).to_be_visible()
    window.look("lead-llamada")


def fotos(window):
    page = window.page
    page.get_by_text("Añadir fotos").click()
    photo = base64.b64decode(drawings.album()[0]["imagen"].split(",", 1)[1])
    page.get_by_label("Zona").select_option("salon")
    page.locator("input[type=file]").set_input_files({"name": "a <b>.jpg", "mimeType": "image/jpeg", "buffer": photo})
    page.get_by_role("button", name="Añadir", exact=True).click()
    expect(page.get_by_text("Fotos añadidas.")).to_be_visible()


def desk(window, home, lead):
    page = window.page
    page.goto(f"{home.url}/panel/leads/{lead}")
    page.get_by_text("Asignar", exact=True).click()
    page.get_by_label("Quién lo lleva").select_option(label="Luis Pérez" if page.get_by_label("Quién lo lleva").input_value() == "" else "Nadie")
    window.look("lead-asignar")
    page.locator("form[action$=asignar] button").click()
    expect(page.get_by_text("Asignado.")).to_be_visible()
    page.get_by_text("Próxima acción", exact=True).click()
    page.get_by_label("Qué hay que hacer").fill("")
    page.locator("form[action$=accion] button").first.click()
    expect(page.get_by_text("Escribe qué hay que hacer.").first).to_be_visible()
    window.look("lead-accion-mal")
    page.get_by_label("Qué hay que hacer").fill("Llamar para cerrar el día de medir")
    page.get_by_label("Para cuándo").fill("2027-01-12T10:30")
    page.locator("form[action$=accion] button").first.click()
    expect(page.get_by_text("Próxima acción guardada.")).to_be_visible()
    expect(page.locator(".lead-mesa")).to_contain_text("mar 12 ene 2027, 10:30")
    page.get_by_label("Nueva nota interna").fill("Su cuñado es fontanero: ojo con el precio de la instalación.")
    page.get_by_role("button", name="Guardar nota").click()
    expect(page.get_by_text("Nota interna guardada.")).to_be_visible()
    expect(page.get_by_role("heading", name="Notas internas")).to_be_visible()
    window.look("lead-mesa")
    page.goto(f"{home.url}/panel/leads/{lead}?ver=internas")
    window.look("lead-internas")
    page.locator(".lead-nota summary").first.click()
    page.locator(".lead-nota").first.get_by_role("button", name="Quitar nota").click()
    expect(page.get_by_text("Nota interna quitada.")).to_be_visible()
    page.get_by_text("Archivar", exact=True).first.click()
    page.get_by_label("Por qué").select_option("No contesta")
    page.locator("form[action$=archivar] button").click()
    expect(page.get_by_text("Lead archivado.")).to_be_visible()
    window.look("lead-archivado")
    page.get_by_role("button", name="Reabrir").click()
    expect(page.get_by_text("Lead reabierto.")).to_be_visible()
    page.get_by_text("Próxima acción", exact=True).click()
    page.get_by_role("button", name="Quitarla").click()
    expect(page.get_by_text("Próxima acción quitada.")).to_be_visible()


def union(window, home, lead, again):
    page = window.page
    page.goto(f"{home.url}/panel/leads/{lead}")
    page.locator(f"a[href$='unir?con={again}']").click()
    expect(page.get_by_role("heading", name="¿Son la misma persona?")).to_be_visible()
    window.look("lead-comparar")
    page.get_by_role("button", name="Unir y quedarse con este").first.click()
    expect(page.get_by_text("Leads unidos: aquí se ve todo junto.")).to_be_visible()
    expect(page.locator("main")).to_contain_text("¿Y si hacemos también la cocina?")
    window.look("lead-unido")
    page.goto(f"{home.url}/panel/leads/{again}")
    expect(page.get_by_text("Este lead está unido a")).to_be_visible()
    window.look("lead-de-otro")
    page.get_by_role("button", name="Separar").click()
    expect(page.get_by_text("Leads separados")).to_be_visible()
    page.get_by_role("button", name="Marcar como no leído").click()
    expect(page.get_by_text("1 lead marcado como no leído.")).to_be_visible()
