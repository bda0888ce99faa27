"""The inbox as people use it: empty, as list and board, searched, filtered, with marked leads, by keyboard; and as others write."""

import os
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
        person(own, EMAIL, "Luis Pérez", "--rol", "mi-empresa=gestor")
        for screen, scheme in [("mesa", "light"), ("movil", "dark")]:
            window = Window(browser, own, screen, True, scheme, screenshots)
            sign_in(window, own, EMAIL)
            window.page.goto(f"{own.url}/panel/leads")
            expect(window.page.get_by_role("heading", name="Aún no hay leads")).to_be_visible()
            window.look("bandeja-vacia")
            leave(window)
        yield "vacía"
        sample.leads(own, 60)
        for screen, with_js, scheme in VIEWS:
            window = Window(browser, own, screen, with_js, scheme, screenshots)
            sign_in(window, own, EMAIL)
            look_through(window, own)
            search(window, own)
            marked(window, own)
            if with_js and screen == "mesa":
                keyboard(window, own)
                news(window, own, own)
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
    page.get_by_role("link", name="Siguientes").click()
    expect(page.get_by_role("link", name="Anteriores")).to_be_visible()
    page.get_by_role("link", name="Anteriores").click()
    expect(page.locator(".lead")).to_have_count(50)
    page.get_by_text("Filtros", exact=True).click()
    page.get_by_label("Tipo de reforma").select_option("cocina")
    page.get_by_label("Nivel").select_option("A")
    window.look("bandeja-filtros")
    page.get_by_role("button", name="Aplicar").click()
    expect(page.locator(".lead").first).to_contain_text("Cocina")
    assert 0 < page.locator(".lead").count() < 10
    page.goto(f"{home.url}/panel/leads?vista=tablero")
    expect(page.get_by_role("group", name="Tablero por etapas")).to_be_visible()
    window.look("tablero")


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
    page.locator("input[name=lead]").first.check()
    page.get_by_label("Motivo").select_option("No contesta")
    page.get_by_role("button", name="Archivar").click()
    page.goto(f"{home.url}/panel/leads?etapa=perdido")
    expect(page.get_by_text(names[0].split(": ")[-1]).first).to_be_visible()
    page.locator("input[name=lead]").first.check()
    page.get_by_role("button", name="Reabrir").click()


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
            window = Window(browser, servers[1], "mesa", True, "light", screenshots)
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
