"""Notices on a device: the panel can be installed, its worker shows what is pushed and opens it, and the account's page says how it stands.

No push service is asked: the browser is handed the message itself."""

import json
import time
import urllib.request

from playwright.sync_api import expect
from window import VIEWS, Window, enter, person

EMAIL = "marta@reformasalba.example"


def walk(browser, home, receiver, screenshots):
    """Yields the name of each part that holds."""
    person(home, EMAIL, "Marta Ruiz", "--administrador")
    manifest(home)
    yield "manifiesto"
    for screen, with_js in VIEWS:
        window = Window(browser, home, screen, with_js, screenshots)
        account(window, home)
        yield window.name
    lead = home.api("/api/leads", {"nombre": "Berta Soler", "telefono": "612345678", "email": "berta@cliente.example"})["id"]
    window = Window(browser, home, "movil", True, screenshots)
    shown(window, home, lead)
    yield "aviso"


def manifest(home):
    """What a browser wants before it offers to install a page."""
    with urllib.request.urlopen(f"{home.url}/panel/manifest.webmanifest", timeout=20) as answer:
        assert answer.headers["content-type"] == "application/manifest+json"
        told = json.load(answer)
    assert told["display"] == "standalone" and told["start_url"].startswith(told["scope"]), told
    assert {"192x192", "512x512"} <= {icon["sizes"] for icon in told["icons"]}, told


def account(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/cuenta")
    enter(window, EMAIL)
    section = page.locator("[data-avisos]")
    expect(section.get_by_role("heading", name="Avisos en este dispositivo")).to_be_visible()
    expect(section.get_by_text("pantalla de inicio").first).to_be_visible()
    if window.with_js:
        # Without a person to ask, a headless browser has refused already.
        expect(section.locator("[data-estado]")).not_to_contain_text("hace falta un navegador")
    else:
        expect(section.get_by_text("hace falta un navegador con JavaScript")).to_be_visible()
        expect(section.get_by_role("button", name="Activar")).to_be_hidden()
    window.look("avisos-dispositivo")
    leave(window)


def shown(window, home, lead):
    """A message that comes while the page is open: it is shown, and a touch opens the lead."""
    page, context = window.page, window.context
    context.grant_permissions(["notifications"], origin=home.url)
    page.goto(f"{home.url}/panel/cuenta")
    enter(window, EMAIL)
    registration = page.evaluate("navigator.serviceWorker.ready.then((ready) => ready.scope)")
    assert registration == f"{home.url}/panel/", registration
    section = page.locator("[data-avisos]")
    expect(section.get_by_text("Aún no están activados")).to_be_visible()
    expect(section.get_by_role("button", name="Activar en este dispositivo")).to_be_visible()
    window.look("avisos-por-activar")
    worker = context.service_workers[0] if context.service_workers else context.wait_for_event("serviceworker")
    assert worker.url == f"{home.url}/panel/sw.js", worker.url
    session = context.new_cdp_session(page)
    versions = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda told: versions.extend(told["registrations"]))
    session.send("ServiceWorker.enable")
    ours = lambda: [r["registrationId"] for r in versions if r["scopeURL"] == f"{home.url}/panel/"]
    ids = poll(page, ours, len)
    message = {"titulo": "Nuevo lead", "texto": "Berta Soler", "ruta": f"/panel/leads/{lead}", "marca": lead}
    deliver = {"origin": home.url, "registrationId": ids[-1], "data": json.dumps(message)}
    session.send("ServiceWorker.deliverPushMessage", deliver)
    notices = "navigator.serviceWorker.ready.then((r) => r.getNotifications()).then((all) => all.map((n) => [n.title, n.body, n.data.ruta]))"
    told = poll(page, lambda: page.evaluate(notices), len)
    assert told == [["Nuevo lead", "Berta Soler", f"/panel/leads/{lead}"]], told
    # A second one about the same lead takes the place of the first; one that cannot be read is shown all the same.
    session.send("ServiceWorker.deliverPushMessage", deliver | {"data": json.dumps(message | {"titulo": "Mensaje de un cliente"})})
    session.send("ServiceWorker.deliverPushMessage", deliver | {"data": "no es JSON"})
    told = poll(page, lambda: page.evaluate(notices.replace(", n.data.ruta", "")), lambda all: len(all) == 2)
    assert sorted(title for title, _ in told) == ["Hay novedades en el panel", "Mensaje de un cliente"], told
    # Nothing of the panel is kept by the worker.
    assert page.evaluate("caches.keys()") == []
    page.evaluate("navigator.serviceWorker.ready.then((r) => r.getNotifications()).then((all) => all.forEach((n) => n.close()))")
    leave(window)


def poll(page, ask, is_there):
    """What `ask` answers, as soon as it is there; after a minute whatever it is."""
    until = time.monotonic() + 60
    while not is_there(answer := ask()) and time.monotonic() < until:
        page.wait_for_timeout(100)
    return answer


def leave(window):
    page = window.page
    page.locator(".menu-persona > summary").click()
    page.get_by_role("button", name="Salir").click()
    expect(page.get_by_text("Has salido")).to_be_visible()
    window.context.clear_cookies()
    window.close()
