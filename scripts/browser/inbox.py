"""The inbox as people use it: empty, as list and board, searched, filtered, with marked leads, by keyboard; and as others write."""

import os
import re
import subprocess
import tempfile
import time
from contextlib import contextmanager

import sample
from playwright.sync_api import expect
from server import ROOT, Server
from window import VIEWS, Window, leave, person, sign_in

EMAIL = "luis@reformasalba.example"


def walk(browser, home, receiver, screenshots):
    """Yields the name of each part that holds. It begins with nothing, so it has a server of its own."""
    own = Server(receiver)
    try:
        person(own, "duena@reformasalba.example", "Eva Sanz", "--administrador")
        person(own, EMAIL, "Luis Pérez", "--role", "mi-empresa=gestor")
        for screen in ["mesa", "movil"]:
            window = Window(browser, own, screen, True, screenshots)
            sign_in(window, own, EMAIL)
            window.page.goto(f"{own.url}/panel/leads")
            expect(window.page.get_by_role("heading", name="Aún no hay leads")).to_be_visible()
            window.look("bandeja-vacia")
            leave(window)
        yield "vacía"
        sample.leads(own, 60)
        for screen, with_js in VIEWS:
            window = Window(browser, own, screen, with_js, screenshots)
            sign_in(window, own, EMAIL)
            look_through(window, own)
            search(window, own)
            marked(window, own)
            if with_js and screen == "mesa":
                keyboard(window, own)
                news(window, own, own)
                refused(window, own)
            leave(window)
            yield window.name
    finally:
        own.close()
    yield from three_processes(browser, receiver, screenshots)


def look_through(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/leads")
    expect(page.locator(".lead")).to_have_count(50)
    window.look("bandeja")
    seen = page.evaluate(IN_SIGHT)
    assert seen >= (6 if window.touch else 20), f"{window.name}: {seen} leads in sight"
    tabs(window)
    page.get_by_role("link", name="Siguientes").click()
    expect(page.get_by_role("link", name="Anteriores")).to_be_visible()
    page.get_by_role("link", name="Anteriores").click()
    expect(page.locator(".lead")).to_have_count(50)
    page.locator("summary", has_text="Filtros").click()
    page.get_by_label("Tipo de reforma").select_option("cocina")
    page.get_by_label("Nivel").select_option("A")
    window.look("bandeja-filtros")
    page.get_by_role("button", name="Aplicar").click()
    expect(page.locator(".lead").first).to_contain_text("Cocina")
    assert 0 < page.locator(".lead").count() < 10
    page.goto(f"{home.url}/panel/leads?vista=tablero")
    expect(page.get_by_role("group", name="Tablero por etapas")).to_be_visible()
    window.look("tablero")
    # Of some the total, of others from what to what; and what the column comes to.
    column = page.locator(".columna", has=page.get_by_role("link", name="Presupuesto enviado"))
    assert column.locator(".carta-importe").count() > 1
    expect(column.get_by_text("orientativo").first).to_be_visible()
    expect(column.locator(".columna-suma")).to_have_text(re.compile(r"€\s+en \d+ presupuestos"))
    page.goto(f"{home.url}/panel/leads?etapa=presupuesto_enviado")
    assert page.locator(".lead-importe", has_text="€").count() > 1
    window.look("bandeja-importes")


# The leads that are wholly in sight, above what lies over the end of the screen.
IN_SIGHT = """() => {
    const rail = document.querySelector(".riel-nav");
    const end = getComputedStyle(rail).position === "fixed" ? rail.getBoundingClientRect().top : innerHeight;
    const places = [...document.querySelectorAll(".lead")].map((lead) => lead.getBoundingClientRect());
    return places.filter((place) => place.top >= 0 && place.bottom <= end + 1).length;
}"""

# The tabs that are not in sight, or lie under something else.
OUT_OF_SIGHT = """(list) => [...document.querySelectorAll(`${list} .pestana`)].filter((tab) => {
    const place = tab.getBoundingClientRect();
    if (place.left < 0 || place.right > innerWidth || place.top < 0 || place.bottom > innerHeight) return true;
    return !tab.contains(document.elementFromPoint(place.left + place.width / 2, place.top + place.height / 2));
}).map((tab) => tab.textContent)"""


def tabs(window):
    """Every stage is in sight, on a telephone after one tap."""
    page = window.page
    if window.touch:
        expect(page.locator(".etapas > summary")).to_contain_text("Abiertos")
        page.locator(".etapas > summary").click()
        window.look("bandeja-etapas")
    hidden = page.evaluate(OUT_OF_SIGHT, ".etapas-hoja" if window.touch else ".pestanas")
    assert not hidden, f"{window.name}: {hidden}"
    shown = page.locator(".pestana:visible")
    assert shown.count() > 4, shown.count()
    shown.filter(has_text="Presupuesto enviado").click()
    expect(page.locator(".lead").first).to_contain_text("Presupuesto enviado")
    page.goto(f"{window.home.url}/panel/leads")


def search(window, home):
    page = window.page
    for text, name in [("631 10 10 10", "Begoña Núñez Prado"), ("persona3@ejemplo.es", "José"), ("begona nun", "Begoña Núñez Prado"), ("gotelé", "")]:
        page.goto(f"{home.url}/panel/leads")
        page.get_by_role("searchbox").fill(text)
        page.get_by_role("search").get_by_role("button").click()
        expect(page.locator(".lead").first).to_contain_text(name)
    window.look("bandeja-busqueda")
    page.get_by_role("searchbox").fill("nadie se llama así")
    page.get_by_role("search").get_by_role("button").click()
    expect(page.get_by_text("Nadie coincide")).to_be_visible()


def marked(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/leads?orden=creado")
    names = [page.locator(".lead-nombre").nth(n).inner_text() for n in range(2)]
    for n in range(2):
        page.locator("input[name=lead]").nth(n).check()
    page.get_by_label("Asignar a").select_option("Luis Pérez")
    window.look("bandeja-marcados")
    page.get_by_role("button", name="Asignar").click()
    expect(page.get_by_text("Asignado a Luis Pérez").first).to_be_attached()
    page.goto(f"{home.url}/panel/leads?orden=creado")
    # A mistake keeps the ticks, and is said beside the buttons.
    for n in range(2):
        page.locator("input[name=lead]").nth(n).check()
    page.get_by_role("button", name="Archivar").click()
    told = page.locator(".lote-fallo")
    expect(told).to_be_visible()
    expect(told).to_be_in_viewport()
    expect(page.get_by_label("Motivo")).to_be_focused()
    expect(page.locator("input[name=lead]:checked")).to_have_count(2)
    window.look("bandeja-sin-motivo")
    if window.with_js:
        assert page.url.endswith("/panel/leads?orden=creado"), page.url
    before = shown_leads(page)
    page.get_by_label("Motivo").select_option("No contesta")
    page.get_by_role("button", name="Archivar").click()
    expect(page.get_by_text("2 leads archivados.")).to_be_visible()
    assert shown_leads(page)[:2] != before[:2]
    window.look("bandeja-archivados")
    page.get_by_role("button", name="Deshacer").click()
    expect(page.get_by_text("2 leads vuelven a estar como estaban.")).to_be_visible()
    assert shown_leads(page) == before
    page.locator("input[name=lead]").first.check()
    page.get_by_label("Motivo").select_option("No contesta")
    page.get_by_role("button", name="Archivar").click()
    page.goto(f"{home.url}/panel/leads?etapa=perdido")
    expect(page.get_by_text(names[0].split(": ")[-1]).first).to_be_visible()
    page.locator("input[name=lead]").first.check()
    page.get_by_role("button", name="Reabrir").click()


def shown_leads(page):
    """Name and stage of each lead in the list."""
    stage = page.locator(".lead-etapa").all_inner_texts()
    return list(zip(page.locator(".lead-nombre").all_inner_texts(), stage))


def keyboard(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/leads")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator(".lead").nth(1).locator("input")).to_be_checked()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox")).not_to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Atajos de teclado")).to_be_visible()
    window.look("bandeja-atajos")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()


def news(window, home, writer):
    """A lead that comes in elsewhere shows in the open list; how long that took."""
    page = window.page
    page.goto(f"{home.url}/panel/leads?orden=creado")
    with page.expect_response(lambda answer: answer.url.endswith("/panel/vivo")):
        page.reload()
    nombre = f"Recién llegada {time.time_ns()}"
    writer.api("/api/leads", {"nombre": nombre, "telefono": "699 00 11 22", "email": "nueva@ejemplo.es"})
    begun = time.monotonic()
    expect(page.locator(".lead-nombre", has_text=nombre)).to_be_visible()
    return time.monotonic() - begun


def refused(window, home):
    """A page whose stream is refused asks for it again, instead of growing old in silence."""
    page = window.page
    page.route("**/panel/vivo", lambda route: route.fulfill(status=503), times=1)
    with page.expect_response(lambda answer: answer.url.endswith("/panel/vivo") and answer.status == 503):
        page.reload()
    nombre = f"Recién llegada {time.time_ns()}"
    home.api("/api/leads", {"nombre": nombre, "telefono": "699 00 11 22", "email": "nueva@ejemplo.es"})
    expect(page.locator(".lead-nombre", has_text=nombre)).to_be_visible()
    window.errors.remove(f"503 {home.url}/panel/vivo")


@contextmanager
def postgres():
    """The one that the tests run on, or a throwaway one."""
    if url := os.environ.get("EMBUDO_TEST_PG"):
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="embudo-pg-") as folder:
        os.chmod(folder, 0o755)
        order = [str(ROOT / "scripts/test-postgres")]
        # The server keeps what it is started with: nothing of it may be waited for.
        started = subprocess.run([*order, "start", f"{folder}/pg"], check=True, stdout=subprocess.PIPE, text=True)
        try:
            yield started.stdout.strip()
        finally:
            subprocess.run([*order, "stop", f"{folder}/pg"], check=True)


def three_processes(browser, receiver, screenshots):
    """What one process takes appears in a browser that another one serves."""
    with postgres() as url:
        database = f"bandeja_{os.getpid()}"
        psql = [f"{bin_()}/psql", "--quiet", url]
        subprocess.run([*psql, "-c", f"CREATE DATABASE {database}"], check=True)
        servers = []
        try:
            shared = f"{url.rsplit('/', 1)[0]}/{database}"
            for _ in range(3):
                servers.append(Server(receiver, DATABASE_URL=shared))
            person(servers[0], EMAIL, "Luis Pérez", "--administrador")
            window = Window(browser, servers[1], "mesa", True, screenshots)
            sign_in(window, servers[1], EMAIL)
            # The first lead makes a list of an empty page.
            servers[2].api("/api/leads", {"nombre": "Ana", "telefono": "699 00 11 33", "email": "ana@ejemplo.es"})
            times = sorted(news(window, servers[1], servers[n % 3]) for n in [0, 2, 0, 2, 0])
            window.look("bandeja-tres-procesos")
            leave(window)
            yield f"tres procesos, vista a los {times[2]:.2f} s"
        finally:
            for server in servers:
                server.close()
            subprocess.run([*psql, "-c", f"DROP DATABASE {database} WITH (FORCE)"], check=True)


def bin_():
    ensure = [str(ROOT / "scripts/test-postgres"), "ensure"]
    return subprocess.run(ensure, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
