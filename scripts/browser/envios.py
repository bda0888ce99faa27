"""The outbox in the panel, with a receiver and a mail server that misbehave: every state, every action."""

import http.server
import socketserver
import threading
import time

from playwright.sync_api import expect
from server import Server
from window import VIEWS, Window, enter, leave, person

EVIL = "<script>document.title='mal'</script>"


class Unruly:
    """A receiver of signals that answers each path as it was told last."""

    def __init__(self):
        self.manners = {}
        unruly = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                status, text = unruly.manners.get(self.path, (200, '{"ok":true,"ejecucion":"4711"}'))
                body = text.encode()
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/inicio"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def at(self, path):
        return self.url.replace("/inicio", path)


class MailServer:
    """Takes mails, but none for «rechaza», and hangs up after one for «duda»."""

    def __init__(self):
        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                self.say("220 correo.example")
                to = ""
                while line := self.rfile.readline():
                    words = line.decode(errors="replace").strip()
                    verb = words[:4].upper()
                    if verb == "RCPT":
                        to = words
                        self.say("550 <rechaza@cliente.example>: no existe ese buzón" if "rechaza" in to else "250 vale")
                    elif verb == "DATA":
                        self.say("354 adelante")
                        while self.rfile.readline().strip() != b".":
                            pass
                        if "duda" in to:
                            return
                        self.say("250 2.0.0 guardado como 4711")
                    elif verb == "QUIT":
                        return self.say("221 adiós")
                    else:
                        self.say("250 vale")

            def say(self, text):
                self.wfile.write(f"{text}\r\n".encode())

        class Threads(socketserver.ThreadingTCPServer):
            daemon_threads = True

        self.server = Threads(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def walk(browser, _home, _receiver, screenshots):
    """Yields the name of each part that holds."""
    receiver, mails = Unruly(), MailServer()
    home = Server(
        receiver,
        PERFIL_WEBHOOK_URL=receiver.at("/perfil"),
        MESSAGING_WEBHOOK_URL=receiver.at("/pdf"),
        SMTP_HOST="127.0.0.1",
        SMTP_PORT=str(mails.port),
        SMTP_TLS="none",
        EMAIL_FROM="presupuestos@reformasalba.example",
    )
    try:
        person(home, "marta@reformasalba.example", "Marta Ruiz", "--administrador")
        window = open_envios(browser, home, "mesa", True, screenshots)
        window.page.goto(f"{home.url}/panel/envios")
        expect(window.page.get_by_role("heading", name="Aún no ha salido nada")).to_be_visible()
        window.look("envios-vacio")
        leave(window)
        yield "vacío"
        fill(home, receiver)
        for screen, with_js in VIEWS:
            window = open_envios(browser, home, screen, with_js, screenshots)
            look_around(window, home)
            leave(window)
            yield window.name
        window = open_envios(browser, home, "movil", True, screenshots)
        act(window, home, receiver)
        leave(window)
        yield "acciones"
    finally:
        home.close()


def fill(home, receiver):
    """Jobs of every state."""
    person = lambda name, mail: home.api("/api/leads", {"nombre": name, "telefono": "612345678", "email": mail, "provincia": "Madrid"})["id"]
    complete = lambda lead: home.api(f"/api/leads/{lead}/ingesta", {"perfilCompleto": True})
    finish = lambda lead: home.api(f"/api/leads/{lead}/ingesta", {"finalizar": True})
    complete(person("Ana García López", "ana@cliente.example"))
    finish(person("Begoña Ibarra", "begona@cliente.example"))
    finish(person("Carlos Núñez de la Torre y Martínez-Campos", "duda@cliente.example"))
    finish(person("Diego Peña", "rechaza@cliente.example"))
    receiver.manners["/perfil"] = (410, "este flujo se ha borrado")
    complete(person("Elena Soto", "elena@cliente.example"))
    receiver.manners["/perfil"] = (500, f"<html><body>{EVIL}Error interno del flujo: no hay memoria{'.' * 5000}</body></html>")
    failing = person(f"Fermín {EVIL}", "fermin@cliente.example")
    complete(failing)
    receiver.manners["/inicio"] = (503, "")
    home.api(f"/api/leads/{failing}/mensajeria", {})


def open_envios(browser, home, screen, with_js, screenshots):
    window = Window(browser, home, screen, with_js, screenshots)
    window.page.goto(f"{home.url}/panel/envios")
    enter(window, "marta@reformasalba.example")
    expect(window.page.get_by_role("heading", name="Envíos")).to_be_visible()
    return window


def look_around(window, home):
    page = window.page
    expect(page.locator(".riel-linea[href='/panel/envios'] .chapa")).to_contain_text("3")
    window.look("envios")
    for word, name in [("aparcado", "envio-por-decidir"), ("muerto", "envio-sin-entregar"), ("reintentando", "envio-reintentando"), ("hecho", "envio-hecho")]:
        page.goto(f"{home.url}/panel/envios?estado={word}")
        page.locator(".envio-titulo").last.click()
        expect(page.get_by_role("heading", name="Intentos")).to_be_visible()
        for fold in page.locator("details.plegado").all():
            fold.locator("summary").click()
        window.look(name)
    page.goto(f"{home.url}/panel/envios?estado=descartado&tipo=pdf")
    window.look("envios-ninguno")
    assert page.title() != "mal"


def act(window, home, receiver):
    page = window.page
    receiver.manners.clear()
    page.get_by_role("button", name="Pausar Inicio de conversaciones").click()
    expect(page.get_by_text("En pausa. Lo que salga")).to_be_visible()
    window.look("envios-pausa")
    page.goto(f"{home.url}/panel/envios?estado=muerto&tipo=perfil")
    page.locator(".envio-titulo").first.click()
    page.get_by_role("button", name="Descartar").click()
    expect(page.get_by_text("Descartado. Si cambias")).to_be_visible()
    window.look("envio-descartado")
    page.get_by_role("button", name="Enviar de todos modos").click()
    expect(page.get_by_text("En marcha")).to_be_visible()
    until(page, lambda: page.get_by_text("El destino lo aceptó").count())
    page.get_by_role("button", name="Repetir el envío").click()
    expect(page.get_by_text("Este es el envío nuevo")).to_be_visible()
    window.look("envio-repetido")
    page.goto(f"{home.url}/panel/envios?estado=aparcado")
    page.locator(".envio-titulo").first.click()
    page.get_by_role("button", name="Darlo por enviado").click()
    expect(page.get_by_text("Dado por enviado")).to_be_visible()
    page.goto(f"{home.url}/panel/envios")
    page.get_by_role("button", name="Reanudar Inicio de conversaciones").click()
    expect(page.get_by_text("Reanudado")).to_be_visible()
    page.goto(f"{home.url}/panel/registro")
    window.look("registro-envios")


def until(page, holds):
    for _ in range(60):
        if holds():
            return
        time.sleep(0.5)
        page.reload()
    raise AssertionError(f"{page.url} does not change")
