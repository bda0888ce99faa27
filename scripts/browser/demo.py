"""`embudo demo` as somebody tries it: signed in at once, a lead through the whole loop, a quote accepted as the client."""

import os
import re
import subprocess
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace

import drawings
from playwright.sync_api import expect
from server import ROOT, Client
from window import VIEWS, Window

ETAPAS = [
    "Nuevo", "En conversación", "Perfil completo", "Esperando renders", "Por revisar", "Presupuesto enviado",
    "Visita", "Aceptado", "En obra", "Terminado", "Perdido",
]


class Demo(Client):
    """`embudo demo` in a folder of its own, on a free port."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="embudo-demo-")
        program = os.environ.get("EMBUDO_BIN", str(ROOT / "target/debug/embudo"))
        # What a real installation has in its environment must not be used.
        surroundings = {"PATH": os.environ["PATH"], "SMTP_HOST": "mail.invalid", "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}
        self.process = subprocess.Popen(
            [program, "demo", "--bind", "127.0.0.1:0"], env=surroundings, cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        said = ""
        for line in self.process.stdout:
            said += line
            if "Ctrl-C ends it" in line:
                break
        else:
            raise RuntimeError(f"the demo did not start: {said}")
        threading.Thread(target=lambda: [None for _ in self.process.stdout], daemon=True).start()
        self.start = re.search(r"start +(\S+)", said).group(1)
        self.form = re.search(r"form +(\S+)", said).group(1)
        key = Path(self.folder.name, "embudo-demo/api-key").read_text().strip()
        super().__init__(self.start.removesuffix("/demo/entrar"), key)

    def close(self):
        self.process.terminate()
        self.process.wait(60)
        self.folder.cleanup()


def walk(browser, _home, _receiver, screenshots):
    """Yields the name of each part that holds."""
    demo = Demo()
    try:
        for screen, with_js in VIEWS:
            window = Window(browser, demo, screen, with_js, screenshots)
            tour(window, demo)
            window.context.clear_cookies()
            window.close()
            yield window.name
        loop(browser, demo, screenshots)
        yield "loop"
        accept(browser, demo, screenshots)
        yield "accept"
        for _ in range(15):
            context = browser.new_context()
            assert context.request.get(demo.start).ok, "the link opens in any number of browsers"
            context.close()
        yield "many browsers"
    finally:
        demo.close()


def tour(window, demo):
    page = window.page
    page.goto(demo.start)
    expect(page.get_by_role("heading", name="Reformas Alba, una empresa de demostración")).to_be_visible()
    window.look("demo-inicio")
    page.get_by_role("link", name="Abrir el panel").click()
    expect(page.locator(".demo-banda")).to_contain_text("DEMO")
    expect(page.locator(".lead").first).to_be_visible()
    window.look("demo-bandeja")
    page.goto(f"{demo.url}/demo/correo")
    window.look("demo-correo")
    page.get_by_role("link", name=re.compile("Tu presupuesto")).first.click()
    expect(page.get_by_role("link", name=re.compile(r"presupuesto-.*\.pdf"))).to_be_visible()
    expect(page.frame_locator("iframe").locator("body")).to_contain_text("presupuesto")
    window.look("demo-carta")
    page.goto(f"{demo.url}/demo/mensajes")
    page.locator(".lista a").first.click()
    text = f"¿Podéis venir el martes? {window.name}"
    page.get_by_label("Escribe como el cliente").fill(text)
    page.get_by_role("button", name="Enviar").click()
    expect(page.locator(".globo.cliente").last).to_contain_text(text)
    window.look("demo-mensajes")
    page.get_by_role("link", name="Ver su ficha en el panel").click()
    expect(page.get_by_text(text).first).to_be_visible()
    for place in ["/panel/visitas", "/panel/resumen", "/panel/empresa/tarifa"]:
        page.goto(demo.url + place)
        window.look("demo" + place.replace("/", "-"))


def loop(browser, demo, screenshots):
    """The simulated workflow verifies the signal, sends the renders and asks for the quote."""
    window = Window(browser, demo, "mesa", True, screenshots)
    page = window.page
    page.goto(demo.start)
    page.goto(f"{demo.url}/panel/leads")
    for etapa in ETAPAS:
        expect(page.get_by_role("link", name=re.compile(rf"^{etapa}\s+\d")).first).to_be_attached()
    person = {"nombre": "Vera Prueba", "telefono": "612 34 56 78", "email": "vera@correo.example", "tipoReforma": "bano", "m2Suelo": 5, "calidadGlobal": "media"}
    lead = demo.api("/api/leads", person)["id"]
    demo.api(f"/api/leads/{lead}/ingesta", {"items": drawings.album(400)[:1], "perfilCompleto": True})
    page.goto(f"{demo.url}/panel/leads/{lead}")
    # The open page follows: the stage, and the photo of before under its render.
    expect(page.locator("#fichas")).to_contain_text("Por revisar", timeout=60_000)
    expect(page.locator(".parte-fotos .comparador.activo")).to_be_visible()
    photos = demo.api(f"/api/leads/{lead}")["fotos"]
    assert [photo["momento"] for photo in photos] == ["antes", "despues"], photos
    window.look("demo-circuito")
    window.context.clear_cookies()
    window.close()


def accept(browser, demo, screenshots):
    """The client is at another host, where nobody is signed in, and may act."""
    window = Window(browser, demo, "mesa", True, screenshots)
    window.page.goto(demo.start)
    quote = window.page.get_by_role("link", name="Abrir como cliente").get_attribute("href")
    client = Window(browser, SimpleNamespace(url=re.match(r"http://[^/]+", quote).group()), "movil", True, screenshots)
    client.page.goto(quote)
    expect(client.page.locator(".demo-banda")).to_contain_text("Nada sale de este equipo")
    expect(client.page.locator(".demo-banda a")).to_have_count(0)
    client.look("demo-presupuesto")
    client.page.get_by_role("checkbox", name=re.compile("leído|He leído")).first.check()
    declares = client.page.locator("input[name=declaro][type=checkbox]")
    if declares.count():
        declares.check()
    client.page.get_by_role("button", name=re.compile("^Acept")).first.click()
    expect(client.page.get_by_text(re.compile("aceptad", re.I)).first).to_be_visible()
    client.close()
    window.page.goto(f"{demo.url}/demo/correo")
    expect(window.page.locator(".lista a").first).to_be_visible()
    window.context.clear_cookies()
    window.close()
