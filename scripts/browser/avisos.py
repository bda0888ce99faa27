"""Notices by mail: people choose them, somebody fills in the form, and the mail's link leads to the lead's page."""

import re
import time
from pathlib import Path

from form import HURRY_S
from mails import Mailbox
from playwright.sync_api import expect
from server import Server
from window import VIEWS, Window, enter, person


def walk(browser, _home, receiver, screenshots):
    """Yields the name of each part that holds."""
    mailbox = Mailbox()
    home = Server(receiver, PERFIL_WEBHOOK_URL="http://127.0.0.1:9/nadie", **mailbox.settings("avisos@reformasalba.example"))
    try:
        person(home, "marta@reformasalba.example", "Marta Ruiz", "--administrador")
        person(home, "luis@reformasalba.example", "Luis Pérez", "--role", "mi-empresa=comercial")
        for n, (screen, with_js) in enumerate(VIEWS):
            window = Window(browser, home, screen, with_js, screenshots)
            choose(window, home)
            company(window, home, n)
            leave(window)
            client = f"Berta Soler {'ABCDE'[n]}"
            fill_in(browser, home, client)
            follow(Window(browser, home, screen, with_js, screenshots), home, mailbox, client, screenshots)
            yield window.name
        news(Window(browser, home, "mesa", True, screenshots), home)
        yield "novedades"
    finally:
        home.close()
    drafted(browser, receiver, mailbox, screenshots)
    yield "borrador"


def drafted(browser, receiver, mailbox, screenshots):
    """Where the form drafts a quote, the notice is in the company's colour, says what it comes to, and has one button."""
    home = Server(
        receiver,
        PUBLIC_URL="https://obras.example",
        SMTP_HOST="127.0.0.1",
        SMTP_PORT=str(mailbox.port),
        SMTP_TLS="none",
        EMAIL_FROM="avisos@reformasalba.example",
    )
    try:
        home.send("empresa", "set", "mi-empresa", "--notices-to", "borrador@reformasalba.example", "--notices", "true")
        home.send("empresa", "marca", "mi-empresa", "--color", "#7a1f5b")
        fill_in(browser, home, "Berta Soler")
        letter = mailbox.wait("borrador@reformasalba.example", "Presupuesto por revisar: Berta Soler")
        html, plain = (letter.get_body((kind,)).get_content() for kind in ("html", "plain"))
        if screenshots:
            Path(screenshots, "aviso-borrador.html").write_text(html)
        assert re.search(r"^Presupuesto: .*\d\s€", plain, re.M), plain
        assert re.search(r">Presupuesto</td>.*?\d\s€", html, re.S), html
        assert "#7a1f5b" in html, html
        assert len(re.findall(r"<a [^>]*>Revisar y enviar</a>", html)) == 1, html
    finally:
        home.close()


def choose(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/cuenta")
    enter(window, "marta@reformasalba.example")
    expect(page.get_by_role("heading", name="Avisos por correo")).to_be_visible()
    page.get_by_label("Leads y formularios").check()
    page.get_by_label("Algo no sale").check()
    page.get_by_role("button", name="Guardar mis avisos").click()
    expect(page.get_by_text("Avisos guardados.")).to_be_visible()
    expect(page.get_by_label("Leads y formularios")).to_be_checked()
    expect(page.get_by_label("Perfiles completos")).not_to_be_checked()
    window.look("avisos-cuenta")


def company(window, home, n):
    page = window.page
    page.goto(f"{home.url}/panel/empresa/avisos")
    expect(page.get_by_role("heading", name="Avisos por correo", level=1)).to_be_visible()
    window.look("avisos-empresa")
    if window.with_js:
        # The browser would ask back first; the server must too.
        page.locator("form[action='/panel/empresa/avisos']").evaluate("form => form.noValidate = true")
        page.get_by_label("Correo de avisos").fill("obra arroba ejemplo")
        page.get_by_role("button", name="Guardar").click()
        expect(page.locator("#correo-error")).to_be_visible()
        window.look("avisos-empresa-mal")
    page.get_by_label("Correo de avisos").fill(f"obra{n}@reformasalba.example")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("Avisos guardados.")).to_be_visible()
    window.look("avisos-empresa-guardado")


def leave(window):
    page = window.page
    page.locator(".menu-persona > summary").click()
    page.get_by_role("button", name="Salir").click()
    expect(page.get_by_text("Has salido")).to_be_visible()
    window.context.clear_cookies()
    window.close()


def fill_in(browser, home, client):
    """The form, to its end."""
    window = Window(browser, home, "movil", True)
    page = window.page
    page.goto(f"{home.url}/")
    page.get_by_role("button", name="Baño").click()
    page.get_by_label("Superficie del suelo").fill("6")
    page.get_by_role("button", name="Continuar").click()
    seen = time.monotonic()
    page.get_by_label("Nombre").fill(client)
    page.get_by_label("Teléfono").fill("612 34 56 78")
    page.get_by_label("Correo electrónico").fill("berta@cliente.example")
    page.get_by_label("Provincia").select_option("Madrid")
    time.sleep(max(0.0, HURRY_S - (time.monotonic() - seen)))
    page.get_by_role("button", name="Continuar").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")
    page.get_by_role("button", name="Continuar").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sobre la vivienda")
    page.get_by_role("button", name="Continuar").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("¿Nos enseñas cómo está ahora?")
    page.get_by_role("button", name="Continuar").click()
    expect(page.locator(".carta")).to_be_visible()
    page.get_by_role("button", name="Enviar mi solicitud").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("¡Enviada!")
    window.close()


def follow(window, home, mailbox, client, screenshots):
    """From the mail to the lead, through the sign-in."""
    page = window.page
    letter = mailbox.wait("marta@reformasalba.example", f"Formulario completo: {client}")
    html = letter.get_body(("html",)).get_content()
    link = re.search(r'href="([^"]*/panel/leads/[^"]*)"', html).group(1)
    plain = letter.get_body(("plain",)).get_content()
    assert link in plain, (link, plain)
    if screenshots:
        Path(screenshots, f"{window.name}-aviso.html").write_text(html)
        Path(screenshots, f"{window.name}-aviso.txt").write_text(plain)
        page.set_content(html)
        page.screenshot(path=f"{screenshots}/{window.name}-aviso.png", full_page=True)
        page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_role("heading", name="Entra en el panel")).to_be_visible()
    window.look("avisos-entrar")
    enter(window, "marta@reformasalba.example")
    expect(page.get_by_role("heading", name=client, level=1)).to_be_visible()
    assert page.url == link, page.url
    window.look("avisos-lead")
    leave(window)


def news(window, home):
    """The title and the rail count what is new on every page, and the open inbox follows."""
    page = window.page
    page.goto(f"{home.url}/panel/cuenta")
    enter(window, "luis@reformasalba.example")
    expect(page.get_by_role("heading", name="Mi cuenta")).to_be_visible()
    before = int(re.match(r"\((\d+)\)", page.title()).group(1))
    expect(page.locator(".riel-linea[href='/panel/leads'] .chapa")).to_contain_text(str(before))
    page.goto(f"{home.url}/panel/leads")
    home.api("/api/leads", {"nombre": "Carmen Vidal", "telefono": "698765432", "email": "carmen@cliente.example"})
    expect(page).to_have_title(re.compile(rf"^\({before + 1}\) Bandeja"))
    expect(page.locator(".riel-linea[href='/panel/leads'] .chapa")).to_contain_text(str(before + 1))
    window.look("avisos-bandeja")
    leave(window)
