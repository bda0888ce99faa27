"""A worker's day: signs in on a phone, sees today's visits, calls, looks at the map, and adds a photo, a note and measurements."""

import base64
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import drawings
from playwright.sync_api import expect
from window import VIEWS, Window, enter, leave, person, sign_in

OWNER = "eva@reformasalba.example"
WORKER = "paco@reformasalba.example"
WORKER_NAME = "Paco Gil"
PLACE = "Calle de la Palma 12, 3.º izquierda, Madrid"
KNOWN = {"provincia": "Madrid", "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media"}


def walk(browser, home, _receiver, screenshots):
    """Yields the name of each part that holds."""
    person(home, "duena@reformasalba.example", "Ana Alba", "--administrador")
    person(home, OWNER, "Eva Sanz", "--role", "mi-empresa=gestor")
    person(home, WORKER, WORKER_NAME, "--role", "mi-empresa=obra")
    owner = Window(browser, home, "mesa", True, screenshots)
    sign_in(owner, home, OWNER)
    other = home.api("/api/leads", {**KNOWN, "nombre": "Julia Rey", "telefono": "612 00 00 99", "email": "julia@ejemplo.es"})["id"]
    fix(owner, home, other, "Eva Sanz", hours=2)
    for n, (screen, with_js) in enumerate(VIEWS):
        lead = accepted(owner, home, n)
        fix(owner, home, lead, WORKER_NAME, hours=1)
        window = Window(browser, home, screen, with_js, screenshots)
        works(window, home, n, other)
        seen(owner, home, lead, window.name)
        leave(window)
        yield window.name
    reader(browser, home, screenshots)
    leave(owner)
    yield "lectura"


def name(n):
    return f"Marta Ruiz {'Uno Dos Tres Cuatro Cinco'.split()[n]}"


def accepted(owner, home, n):
    """A lead whose client said yes on the telephone; its id."""
    lead = home.api("/api/leads", {**KNOWN, "nombre": name(n), "telefono": f"634 56 78 9{n}", "email": f"marta{n}@ejemplo.es"})["id"]
    home.finalizar(lead, drawings.album()[:1])
    page = owner.page
    page.goto(f"{home.url}/panel/leads/{lead}?parte=presupuesto")
    page.get_by_role("link", name="Detalle").click()
    page.get_by_role("link", name="Aceptado por teléfono").click()
    declares = page.locator("input[name=declaro][type=checkbox]")
    if declares.count():
        declares.check()
    page.get_by_role("button", name="Apuntar que lo acepta").click()
    expect(page.get_by_text("Apuntado: aceptado por teléfono.")).to_be_visible()
    return lead


def fix(owner, home, lead, who, hours):
    """The owner sends somebody there."""
    page = owner.page
    page.goto(f"{home.url}/panel/leads/{lead}/visitas")
    for box in page.locator("input[name=persona]:checked").all():
        box.uncheck()
    page.get_by_role("checkbox", name=who).check()
    page.get_by_label("Dónde").fill(PLACE)
    page.get_by_label("Notas para quien va").fill("Las llaves, en el bar de abajo.")
    start = datetime.now(ZoneInfo("Europe/Madrid")) + timedelta(hours=hours)
    page.get_by_label("Cuándo").fill(start.strftime("%Y-%m-%dT%H:%M"))
    page.get_by_role("button", name="Fijar la visita").click()
    # At night, or beside another visit, it asks once more.
    if page.get_by_text("No se ha guardado nada todavía.").count():
        page.locator("#aviso-hora input[name=aun-asi]").check()
        page.get_by_role("button", name="Fijar la visita").click()
    expect(page.get_by_text("Visita preparada.")).to_be_visible()


def works(window, home, n, other):
    page = window.page
    page.goto(f"{home.url}/panel")
    enter(window, WORKER)
    expect(page.get_by_role("heading", name="Calendario")).to_be_visible()
    links = page.locator(".riel-nav a").all_inner_texts()
    assert [text.strip() for text in links] == ["Calendario"], links
    assert page.get_by_text("Julia Rey").count() == 0
    expect(page.get_by_role("heading", name="Mis obras")).to_be_visible()
    window.look("obra-calendario")
    page.locator(".cita-visita", has_text=name(n)).click()
    expect(page.get_by_role("heading", name=f"Visita a {name(n)}")).to_be_visible()
    call = page.get_by_role("link", name="Llamar")
    assert call.get_attribute("href") == f"tel:+3463456789{n}", call.get_attribute("href")
    assert "openstreetmap.org" in page.get_by_role("link", name="Ver en el mapa").get_attribute("href")
    expect(page.get_by_text("Las llaves, en el bar de abajo.")).to_be_visible()
    expect(page.get_by_role("heading", name="Lo que hay que hacer")).to_be_visible()
    expect(page.locator("main img").first).to_be_visible()
    assert "€" not in page.content(), "a price"
    window.look("obra-visita")
    page.get_by_role("button", name="Guardar la nota").click()
    expect(page.get_by_text("Escribe la nota.").first).to_be_visible()
    window.look("obra-visita-mal")
    page.get_by_label("Nota interna").fill(f"Hay humedad tras la bañera ({window.name}).")
    page.get_by_role("button", name="Guardar la nota").click()
    expect(page.get_by_text("Nota guardada.")).to_be_visible()
    photo = base64.b64decode(drawings.album()[2]["imagen"].split(",", 1)[1])
    page.get_by_label("Zona de las fotos").select_option("cocina")
    page.locator("input[type=file]").set_input_files({"name": "obra.jpg", "mimeType": "image/jpeg", "buffer": photo})
    page.get_by_role("button", name="Añadir las fotos").click()
    expect(page.get_by_text("Fotos añadidas al lead.")).to_be_visible()
    expect(page.locator("main .mini")).to_have_count(2)
    page.get_by_label("Superficie (m²)").fill("5,4")
    page.get_by_label("Medidas y notas").fill("Ventana de 60 × 80")
    page.get_by_role("button", name="Guardar lo medido").click()
    expect(page.get_by_text("Lo medido está en el lead.")).to_be_visible()
    expect(page.get_by_text("Hay humedad tras la bañera")).to_be_visible()
    window.look("obra-visita-hecha")
    visit = page.url.split("?")[0]
    photo = page.locator("main .mini").first.get_attribute("href")
    assert "/fotos/" in photo and page.request.get(f"{home.url}{photo}").status == 200, photo
    for path, status in [("/panel/leads", 403), (f"/panel/leads/{other}", 403), ("/panel/presupuestos", 403), (visit, 200)]:
        answer = page.goto(path if path.startswith("http") else f"{home.url}{path}")
        assert answer.status == status, (path, answer.status)
    page.goto(f"{home.url}/panel/cuenta")
    window.look("obra-cuenta")


def seen(owner, home, lead, who):
    """The owner finds it all on the lead."""
    page = owner.page
    page.goto(f"{home.url}/panel/leads/{lead}")
    expect(page.get_by_text(f"Hay humedad tras la bañera ({who}).")).to_be_visible()
    expect(page.get_by_text("Ventana de 60 × 80")).to_be_visible()
    expect(page.get_by_text(f"Nota interna de {WORKER_NAME}").first).to_be_visible()
    assert len(home.api(f"/api/leads/{lead}")["fotos"]) == 2
    page.goto(f"{home.url}/panel/leads/{lead}?parte=datos")
    expect(page.get_by_text("5,4 m²").first).to_be_visible()
    if who == "mesa-js":
        owner.look("obra-lead")


def reader(browser, home, screenshots):
    """Somebody who only reads sees calendar, quotes and figures, and no button, cost or margin."""
    person(home, "vera@reformasalba.example", "Vera Gil", "--role", "mi-empresa=lectura")
    for screen in ["mesa", "movil"]:
        window = Window(browser, home, screen, True, screenshots)
        page = window.page
        sign_in(window, home, "vera@reformasalba.example")
        page.goto(f"{home.url}/panel/visitas?vista=lista")
        page.locator(".cita-visita", has_text="Julia Rey").click()
        expect(page.get_by_role("heading", name="Visita a Julia Rey")).to_be_visible()
        assert page.locator("main form").count() == 0
        window.look("lectura-visita")
        page.goto(f"{home.url}/panel/presupuestos?estado=aceptados")
        page.locator(".presupuesto-titulo").first.click()
        expect(page.get_by_role("heading", name="Lo que ha aceptado")).to_be_visible()
        assert page.locator("main form").count() == 0
        window.look("lectura-presupuesto")
        page.goto(f"{home.url}/panel/resumen")
        expect(page.get_by_role("heading", name="Presupuestado y aceptado por mes")).to_be_visible()
        assert "argen" not in page.locator("main").inner_text()
        window.look("lectura-resumen")
        leave(window)
