"""A lead's page in the panel: chat, photos, facts and buttons, as people use it."""

import base64
import subprocess

import drawings
from playwright.sync_api import expect
from window import Window

EMAIL = "luis@reformasalba.example"
PASSWORD = "cuatro gatos verdes bailan"
PERSON = {
    "nombre": "Marta Ruiz Ibáñez",
    "telefono": "612 34 56 78",
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


def walk(browser, home, receiver, screenshots):
    """Yields the name of each part that holds."""
    # The first person administers the panel.
    person(home, "duena@reformasalba.example", "Eva Sanz", "--administrador")
    person(home, EMAIL, "Luis Pérez", "--rol", "mi-empresa=comercial")
    lead = fill(home)
    for screen, with_js, scheme in [
        ("mesa", True, "light"),
        ("mesa", True, "dark"),
        ("movil", True, "light"),
        ("movil", True, "dark"),
        ("movil", False, "light"),
    ]:
        window = Window(browser, home, screen, with_js, scheme, screenshots)
        sign_in(window, home)
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
        page.goto(f"{home.url}/panel/leads/nuevo")
        window.look("lead-nuevo")
        page.get_by_label("Nombre").fill("Pepe Gil")
        page.get_by_label("Teléfono").fill("611 22 33 44")
        page.get_by_label("Correo").fill(f"pepe.{window.name}@ejemplo.es")
        page.get_by_label("Tipo de reforma").select_option("cocina")
        page.get_by_role("button", name="Dar de alta").click()
        expect(page.get_by_text("Lead dado de alta.")).to_be_visible()
        window.look("lead-vacio")
        window.context.clear_cookies()
        window.close()
        yield window.name


def person(home, email, name, *roles):
    create = [home.program, "usuario", "create", "--email", email, "--nombre", name, *roles]
    subprocess.run(create, env=home.environment, cwd=home.folder.name, check=True, input=f"{PASSWORD}\n", text=True, stdout=subprocess.DEVNULL)


def sign_in(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/entrar?a=/panel/cuenta")
    page.get_by_label("Correo").fill(EMAIL)
    page.get_by_label("Contraseña").fill(PASSWORD)
    page.get_by_role("button", name="Entrar").click()
    expect(page.get_by_role("heading", name="Mi cuenta")).to_be_visible()


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
    expect(page.get_by_text("No es un teléfono posible")).to_be_visible()
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
