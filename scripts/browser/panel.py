"""The panel's way in, as people use it: set-up, sign-in, account, second factor, people, log."""

import base64
import hashlib
import hmac
import struct
import time
from pathlib import Path

from playwright.sync_api import expect
from window import PASSWORD, VIEWS, Window

OTHER = "tejado lluvia piano 37"


def walk(browser, home, receiver, screenshots):
    """Yields the name of each part that holds."""
    window = Window(browser, home, "mesa", True, screenshots)
    set_up(window, home)
    yield "puesta en marcha"
    home.send("empresa", "create", "--nombre", "Baños Sol")
    for screen, with_js in VIEWS:
        window = Window(browser, home, screen, with_js, screenshots)
        sign_in(window, home)
        account(window, home)
        people(window, home)
        theme(window, home)
        leave(window, home)
        yield window.name
    window = Window(browser, home, "movil", True, screenshots)
    second_factor(window, home)
    yield "segundo factor"


def set_up(window, home):
    page = window.page
    page.goto(f"{home.url}/panel")
    expect(page.get_by_role("heading", name="Puesta en marcha")).to_be_visible()
    window.look("empezar-sin-enlace")
    link = (Path(home.folder.name) / "data/panel-setup").read_text().strip()
    page.goto(link)
    page.get_by_label("Tu nombre").fill("Marta Ruiz")
    page.get_by_label("Correo").fill("marta@reformasalba.example")
    page.get_by_label("Contraseña").fill("contraseña1234")
    window.look("empezar")
    page.get_by_role("button", name="Crear la cuenta").click()
    expect(page.get_by_text("Es de las primeras que se prueban").first).to_be_visible()
    window.look("empezar-mal")
    page.get_by_label("Contraseña").fill(PASSWORD)
    page.get_by_role("button", name="Crear la cuenta").click()
    expect(page.get_by_role("heading", name="Bandeja", exact=True)).to_be_visible()
    window.look("personas-vacio")
    page.goto(f"{home.url}/panel/cuenta")
    leave(window, home)


def sign_in(window, home, password=PASSWORD):
    page = window.page
    page.goto(f"{home.url}/panel/cuenta")
    window.look("entrar")
    page.get_by_label("Correo").fill("marta@reformasalba.example")
    page.get_by_label("Contraseña").fill("no es esta, seguro")
    page.get_by_role("button", name="Entrar").click()
    expect(page.get_by_text("El correo o la contraseña no son correctos")).to_be_visible()
    window.look("entrar-mal")
    page.get_by_label("Contraseña").fill(password)
    page.get_by_role("button", name="Entrar").click()
    expect(page.get_by_role("heading", name="Mi cuenta")).to_be_visible()
    cookies = [c for c in window.context.cookies() if c["name"] == "embudo-sesion"]
    assert cookies and cookies[0]["httpOnly"] and cookies[0]["sameSite"] == "Lax", cookies


def account(window, home):
    page = window.page
    window.look("cuenta")
    page.get_by_label("Contraseña de ahora").fill("no es esta, seguro")
    page.get_by_label("Contraseña nueva").fill(OTHER)
    page.get_by_role("button", name="Cambiar la contraseña").click()
    expect(page.get_by_text("Esa no es tu contraseña de ahora").first).to_be_visible()
    page.get_by_label("Nombre").fill("Marta <b>Ruiz</b> Ñúñez")
    page.get_by_role("button", name="Guardar el nombre").click()
    expect(page.get_by_text("Nombre guardado")).to_be_visible()
    window.look("cuenta-guardada")
    page.goto(f"{home.url}/panel/cuenta/segundo-factor")
    window.look("segundo-factor")


def people(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/usuarios")
    page.get_by_label("Nombre").fill("Luis Pérez")
    page.get_by_label("Correo electrónico").fill(f"{window.name}@reformasalba.example")
    page.get_by_label("Baños Sol").select_option("comercial")
    page.get_by_label("Tu contraseña, otra vez").fill(PASSWORD)
    window.look("personas")
    page.get_by_role("button", name="Crear y ver su enlace").click()
    expect(page.get_by_role("heading", name="Enlace para Luis Pérez")).to_be_visible()
    link = page.get_by_label("Enlace", exact=True).input_value()
    window.look("invitacion")
    page.get_by_role("link", name="Ver su ficha").click()
    window.look("persona")
    page.goto(f"{home.url}/panel/registro")
    expect(page.get_by_text("Dio de alta a una persona").first).to_be_visible()
    window.look("registro")
    page.goto(f"{home.url}/panel/sistema")
    expect(page.get_by_role("heading", name="Comprobaciones")).to_be_visible()
    window.look("sistema")
    page.goto(link)
    expect(page.get_by_role("heading", name="Elige tu contraseña")).to_be_visible()
    window.look("elegir")
    page.goto(f"{home.url}/panel/nada")
    window.look("nada")
    page.goto(f"{home.url}/panel/cuenta")


def theme(window, home):
    page = window.page
    page.locator(".menu-persona > summary").click()
    window.look("menu")
    page.get_by_role("button", name="Oscuro").click()
    expect(page.locator("html")).to_have_attribute("data-tema", "oscuro")
    page.goto(f"{home.url}/panel/cuenta")
    window.look("oscuro")
    page.locator(".menu-persona > summary").click()
    page.get_by_role("button", name="Claro").click()
    page.goto(f"{home.url}/panel/cuenta")
    window.look("claro")
    page.locator(".menu-persona > summary").click()
    page.get_by_role("button", name="Como el sistema").click()
    page.goto(f"{home.url}/panel/cuenta")
    page.locator(".riel-empresa summary").click()
    window.look("empresas")
    page.get_by_role("button", name="Baños Sol").click()
    expect(page.locator(".empresa-nombre")).to_have_text("Baños Sol")
    page.goto(f"{home.url}/panel/cuenta")


def leave(window, home):
    page = window.page
    page.locator(".menu-persona > summary").click()
    page.get_by_role("button", name="Salir").click()
    expect(page.get_by_text("Has salido")).to_be_visible()
    window.look("fuera")
    window.context.clear_cookies()
    window.close()


def code(secret):
    """RFC 6238, as an authenticator does it."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    offset = digest[19] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def second_factor(window, home):
    page = window.page
    sign_in(window, home)
    page.goto(f"{home.url}/panel/cuenta/segundo-factor")
    secret = page.locator("input[name=secreto]").input_value()
    page.get_by_label("Código de seis cifras").fill(code(secret))
    page.get_by_label("Tu contraseña, otra vez").fill(PASSWORD)
    page.get_by_role("button", name="Activar").click()
    expect(page.get_by_role("heading", name="Códigos de recuperación")).to_be_visible()
    window.look("codigos")
    spare = page.locator(".codigos code").first.inner_text()
    page.goto(f"{home.url}/panel/cuenta/segundo-factor")
    window.look("segundo-factor-puesto")
    page.locator(".menu-persona > summary").click()
    page.get_by_role("button", name="Salir").click()
    page.get_by_label("Correo").fill("marta@reformasalba.example")
    page.get_by_label("Contraseña").fill(PASSWORD)
    page.get_by_role("button", name="Entrar").click()
    expect(page.get_by_role("heading", name="Un paso más")).to_be_visible()
    window.look("codigo")
    page.get_by_label("Código").fill("000000")
    page.get_by_role("button", name="Entrar").click()
    expect(page.get_by_text("Ese código no vale").first).to_be_visible()
    window.look("codigo-mal")
    page.get_by_label("Código").fill(spare)
    page.get_by_role("button", name="Entrar").click()
    page.goto(f"{home.url}/panel/cuenta")
    expect(page.get_by_text("Te quedan 9 códigos")).to_be_visible()
    leave(window, home)
