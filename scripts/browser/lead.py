"""A lead's page in the panel: chat, photos, facts and buttons, as people use it."""

import base64
import re
from datetime import datetime, timedelta

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
LAST = {"rol": "user", "mensaje": "Gracias, nos encaja. ¿Podéis venir el jueves por la tarde a medir?"}
QUALIFIED = {
    "score": 82,
    "nivel": "A",
    "criterios": {"presupuesto": "encaja", "plazo": "1 mes", "decisión": "las dos personas"},
    "notasAgente": "Muy decidida. Prefiere WhatsApp por las tardes.",
}
# What must be seen without scrolling.
FIRST_SCREEN = {
    "mesa": ["h1", ".lead-siguiente .boton", ".lead-importe", ".hito.chat >> nth=-1", ".lead-caja", "#responder", ".parte-fotos img >> nth=0"],
    "movil": ["h1", ".lead-siguiente .boton", ".lead-importe", ".lead-pestanas"],
}
# Codes and words of programs that nobody of the company should have to read.
INTERNAL = r"informacion_privacidad|formulario_web|estado_wa|bot_step|sin_enviar|esperando_|pide_metros|pide_fotos|no_contesta|webhook|null|undefined"


def fill(home):
    """A lead about whom there is something of everything; its id."""
    lead = home.api("/api/leads", PERSON)["id"]
    for turno in CHAT:
        home.api(f"/api/leads/{lead}/conversacion", turno)
    home.api(f"/api/leads/{lead}/calificacion", QUALIFIED)
    home.api(f"/api/leads/{lead}/intento", {"canal": "llamada", "numeroIntento": 1, "resultado": "no_contesta", "notas": "Salta el buzón"})
    notas = [{"tipo": "texto", "texto": "La ventana no se toca. El bote sifónico está bajo la bañera.", "zona": "bano"}]
    home.api(f"/api/leads/{lead}/ingesta", {"items": drawings.album() + notas, "perfilCompleto": True})
    home.finalizar(lead, [])
    home.api(f"/api/leads/{lead}/conversacion", LAST)
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
    person(home, EMAIL, "Luis Pérez", "--role", "mi-empresa=comercial")
    lead = fill(home)
    again = twin(home)
    agree(browser, home, lead)
    for screen, with_js in VIEWS:
        window = Window(browser, home, screen, with_js, screenshots)
        sign_in(window, home, EMAIL)
        page = window.page
        page.goto(f"{home.url}/panel/leads/{lead}")
        expect(page.get_by_role("heading", name=PERSON["nombre"])).to_be_visible()
        # Pictures below the fold come when they are looked at.
        page.goto(f"{home.url}/panel/leads/{lead}?parte=fotos")
        for image in page.locator("main img").all():
            image.scroll_into_view_if_needed()
            expect(image).to_have_js_property("complete", True)
        page.goto(f"{home.url}/panel/leads/{lead}")
        first_screen(window, screen)
        window.look("lead")
        parts(window, screen, home, lead)
        told(window, home, lead)
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
        assert len([button for button in page.locator("main .boton").all() if button.is_visible()]) <= 1
        leave(window)
        yield window.name


def agree(browser, home, lead):
    """A visit in three days, as somebody of the company agrees on one."""
    window = Window(browser, home, "mesa", True)
    sign_in(window, home, EMAIL)
    page = window.page
    page.goto(f"{home.url}/panel/leads/{lead}")
    page.get_by_role("link", name="Preparar una").click()
    day = datetime.now() + timedelta(days=3)
    page.get_by_label("Cuándo").fill(day.strftime("%Y-%m-%dT11:00"))
    page.get_by_role("button", name="Fijar la visita").click()
    if page.get_by_label("Lo sé: fijarla a esa hora").count():
        page.get_by_label("Lo sé: fijarla a esa hora").check()
        page.get_by_role("button", name="Fijar la visita").click()
    expect(page.get_by_text("Confirmada").first).to_be_visible()
    leave(window)


def first_screen(window, screen):
    """What a person needs is in sight without scrolling, and one button is filled."""
    page = window.page
    size = page.viewport_size
    width, height = (1280, 800) if screen == "mesa" else (390, 844)
    page.set_viewport_size({"width": width, "height": height})
    bar = page.locator(".riel-nav").bounding_box()
    bottom = bar["y"] if screen == "movil" else height
    for place in FIRST_SCREEN[screen]:
        box = page.locator(place).bounding_box()
        assert box and box["y"] >= 0 and box["y"] + box["height"] <= bottom, f"{window.name}: {place} at {box}, of {bottom}"
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, f"{window.name}: {place} at {box}"
    if screen == "mesa":
        thread, last = page.locator("#hilo").bounding_box(), page.locator(".hito.chat >> nth=-1").bounding_box()
        assert last["y"] >= thread["y"] and last["y"] + last["height"] <= thread["y"] + thread["height"], f"{window.name}: {last} in {thread}"
        expect(page.locator(".hito.chat >> nth=-1")).to_contain_text(LAST["mensaje"])
        modes = page.locator(".modo-nombre")
        before = modes.first.bounding_box()
        for n in (1, 2, 0):
            modes.nth(n).click()
            assert modes.first.bounding_box() == before, f"{window.name}: the box to write in moves under the pointer"
    filled = [button for button in page.locator("main .boton").all() if button.is_visible()]
    assert len(filled) == 1, f"{window.name}: {len(filled)} filled buttons"
    if window.screenshots:
        page.screenshot(path=f"{window.screenshots}/{window.name}-lead-primera.png")
    page.set_viewport_size(size)


def parts(window, screen, home, lead):
    """On a phone the page is short, and each tab shows its part."""
    page = window.page
    if screen == "mesa":
        expect(page.locator(".lead-pestanas")).not_to_be_visible()
        return
    tabs = page.locator(".lead-pestanas")
    for name, shown in [("Fotos", ".parte-fotos"), ("Presupuesto", ".parte-presupuesto"), ("Visita", ".parte-visita"), ("Datos", ".parte-datos"), ("Mensajes", ".parte-conversacion")]:
        tabs.get_by_role("link", name=name).click()
        expect(page.locator(shown)).to_be_visible()
        expect(page.locator(".lead-parte:visible")).to_have_count(1)
        expect(tabs.locator("[aria-current]")).to_have_text(re.compile(f"^{name}"))
        window.look(f"lead-parte-{name.lower()}")
    page.goto(f"{home.url}/panel/leads/{lead}")
    high = page.locator("main").bounding_box()["height"]
    assert high < 1600, f"{window.name}: {high} px high"


def told(window, home, lead):
    """What happened is told in people's words, folded where nobody has to look."""
    page = window.page
    page.goto(f"{home.url}/panel/leads/{lead}")
    folds = page.locator(".pliegue summary")
    assert folds.count() > 0
    folds.first.click()
    expect(page.locator(".pliegue .hito").first).to_be_visible()
    window.look("lead-pliegue")
    for kind in ["", "envios", "estados", "consentimientos"]:
        page.goto(f"{home.url}/panel/leads/{lead}?ver={kind}")
        text = page.locator(".lead-hilo").text_content()
        found = re.search(INTERNAL, text)
        assert not found, f"{window.name}: {found.group()} in {text}"
    page.goto(f"{home.url}/panel/leads/{lead}")


def part(window, name):
    """Opens a part of the page where a phone shows one at a time."""
    tab = window.page.locator(".lead-pestanas").get_by_role("link", name=name)
    if window.touch:
        tab.click()


def menu(window, name):
    """A form of the menu."""
    page = window.page
    if not page.locator(".lead-menu[open]").count():
        page.locator(".lead-menu > summary").click()
    page.locator(".lead-menu .menu-linea", has_text=re.compile(f"^{name}$")).click()


def lightbox(window):
    page = window.page
    part(window, "Fotos")
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
    part(window, "Datos")
    group = page.locator("section", has=page.get_by_role("heading", name="Contacto"))
    group.get_by_text("Editar").click()
    group.get_by_label("Teléfono").fill("12")
    group.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("No es un teléfono posible").first).to_be_visible()
    window.look("lead-mal")
    page.get_by_role("link", name="Dejarlo como está").click()
    part(window, "Datos")
    group.get_by_text("Editar").click()
    group.get_by_label("Provincia").select_option("Toledo" if window.touch else "Segovia")
    group.get_by_role("button", name="Guardar").click()
    expect(page.get_by_role("heading", name=PERSON["nombre"])).to_be_visible()


def call(window):
    page = window.page
    part(window, "Mensajes")
    page.get_by_text("Apuntar llamada").click()
    page.get_by_label("Cómo fue la llamada").select_option("exitoso")
    page.get_by_label("Minutos").fill("4")
    page.get_by_label("Notas", exact=True).fill("Quiere que vayamos a medir el jueves por la tarde.")
    page.get_by_role("button", name="Guardar llamada").click()
    expect(page.get_by_text("Llamada apuntada.")).to_be_visible()
    window.look("lead-llamada")


def fotos(window):
    page = window.page
    part(window, "Fotos")
    page.get_by_text("Añadir fotos").click()
    photo = base64.b64decode(drawings.album()[0]["imagen"].split(",", 1)[1])
    page.get_by_label("Zona").select_option("salon")
    page.locator("input[type=file]").set_input_files({"name": "a <b>.jpg", "mimeType": "image/jpeg", "buffer": photo})
    page.get_by_role("button", name="Añadir", exact=True).click()
    expect(page.get_by_text("Fotos añadidas.")).to_be_visible()


def desk(window, home, lead):
    page = window.page
    page.goto(f"{home.url}/panel/leads/{lead}")
    menu(window, "Asignar")
    page.get_by_label("Quién lo lleva").select_option(label="Luis Pérez" if page.get_by_label("Quién lo lleva").input_value() == "" else "Nadie")
    window.look("lead-asignar")
    page.locator("form[action$=asignar] button").click()
    expect(page.get_by_text("Asignado.")).to_be_visible()
    menu(window, "Próxima acción")
    page.get_by_label("Qué hay que hacer").fill("")
    page.locator("form[action$=accion] button").first.click()
    expect(page.get_by_text("Escribe qué hay que hacer.").first).to_be_visible()
    window.look("lead-accion-mal")
    if window.with_js:
        # A refused page has the form's address, and still follows what happens to the lead.
        with page.expect_response(lambda r: r.url == f"{home.url}/panel/leads/{lead}" and r.request.resource_type == "fetch") as answer:
            home.api(f"/api/leads/{lead}/calificacion", QUALIFIED)
        assert answer.value.ok
    page.locator(".resumen-errores a").first.click()
    page.get_by_label("Qué hay que hacer").fill("Llamar para cerrar el día de medir")
    page.get_by_label("Para cuándo").fill("2027-01-12T10:30")
    page.locator("form[action$=accion] button").first.click()
    expect(page.get_by_text("Próxima acción guardada.")).to_be_visible()
    menu(window, "Próxima acción")
    expect(page.locator(".lead-menu")).to_contain_text("mar 12 ene 2027, 10:30")
    page.goto(f"{home.url}/panel/leads/{lead}")
    page.get_by_text("Nota interna", exact=True).first.click()
    page.get_by_label("Nueva nota interna").fill("Su cuñado es fontanero: ojo con el precio de la instalación.")
    page.get_by_role("button", name="Guardar nota").click()
    expect(page.get_by_text("Nota interna guardada.")).to_be_visible()
    expect(page.locator(".hito.interna").last).to_be_visible()
    expect(page.get_by_label("Nueva nota interna")).to_be_visible()
    window.look("lead-nota")
    page.goto(f"{home.url}/panel/leads/{lead}?ver=internas")
    window.look("lead-internas")
    page.locator(".interna .lead-quitar summary").last.click()
    page.locator(".interna").last.get_by_role("button", name="Quitar nota").click()
    expect(page.get_by_text("Nota interna quitada.")).to_be_visible()
    menu(window, "Archivar")
    page.get_by_label("Por qué").select_option("No contesta")
    page.locator("form[action$=archivar] button").click()
    expect(page.get_by_text("Lead archivado.")).to_be_visible()
    window.look("lead-archivado")
    menu(window, "Reabrir")
    expect(page.get_by_text("Lead reabierto.")).to_be_visible()
    menu(window, "Próxima acción")
    page.get_by_role("button", name="Quitarla").click()
    expect(page.get_by_text("Próxima acción quitada.")).to_be_visible()
    if window.with_js:
        live(window, home, lead)


def live(window, home, lead):
    """What comes in while somebody types shows beside it, and nothing that they see moves."""
    page = window.page
    page.goto(f"{home.url}/panel/leads/{lead}")
    page.get_by_text("Nota interna", exact=True).first.click()
    box = page.get_by_label("Nueva nota interna")
    box.fill("A medias")
    places = ["h1", ".lead-siguiente", ".lead-importe", ".lead-caja", ".lead-menu"]
    before = [page.locator(place).bounding_box() for place in places]
    news = f"Una cosa más, desde {window.name}."
    home.api(f"/api/leads/{lead}/conversacion", {"rol": "user", "mensaje": news})
    expect(page.locator("#hilo")).to_contain_text(news)
    expect(box).to_have_value("A medias")
    expect(box).to_be_focused()
    assert before == [page.locator(place).bounding_box() for place in places], window.name
    # Who reads what was said before is told of it.
    page.locator("#hilo").evaluate("(thread) => { thread.scrollTop = -thread.scrollHeight; }")
    home.api(f"/api/leads/{lead}/conversacion", {"rol": "user", "mensaje": f"{news} Y otra."})
    page.get_by_role("button", name="Hay novedades").click()
    expect(page.locator("#hilo")).to_contain_text("Y otra.")
    home.api(f"/api/leads/{lead}/conversacion", LAST)
    expect(page.locator(".hito.chat >> nth=-1")).to_contain_text(LAST["mensaje"])


def union(window, home, lead, again):
    page = window.page
    page.goto(f"{home.url}/panel/leads/{lead}")
    page.get_by_role("link", name="¿Repetido?").click()
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
    menu(window, "Marcar como no leído")
    expect(page.get_by_text("1 lead marcado como no leído.")).to_be_visible()
