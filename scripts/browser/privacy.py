"""What people may ask for of their data: the client asks on the quote's page; the company hands over a copy, erases, and sets its terms."""

import zipfile

import drawings
import lead
from lead import EMAIL
from playwright.sync_api import expect
from server import Server
from window import PASSWORD, VIEWS, Window, leave, person, sign_in


def walk(browser, _home, receiver, screenshots):
    """Yields the name of each part that holds."""
    home = Server(receiver)
    try:
        person(home, "duena@reformasalba.example", "Eva Sanz", "--administrador")
        person(home, EMAIL, "Luis Pérez", "--role", "mi-empresa=gestor")
        for screen, with_js in VIEWS:
            someone, quote = home.quote({**lead.PERSON, "nombre": f"Marta {screen} {with_js}"}, drawings.album()[:2])
            client = Window(browser, home, screen, with_js, screenshots)
            ask(client, quote)
            client.close()
            window = Window(browser, home, screen, with_js, screenshots)
            sign_in(window, home, EMAIL)
            copy(window, home, someone)
            revoke(window, quote)
            erase(window, home, someone)
            terms(window, home)
            leave(window)
            yield window.name
    finally:
        home.close()


def ask(client, quote):
    page = client.page
    page.goto(quote)
    page.get_by_text("Pedir una copia de tus datos").click()
    page.get_by_role("button", name="Pedir una copia").click()
    expect(page.get_by_text("hemos recibido que quieres una copia")).to_be_visible()
    client.look("datos-pedidos")


def copy(window, home, someone):
    page = window.page
    page.goto(f"{home.url}/panel/leads/{someone}")
    expect(page.get_by_text("Pide algo de sus datos").first).to_be_visible()
    page.locator(".lead-menu > summary").click()
    page.get_by_role("link", name="Datos de la persona").click()
    expect(page.get_by_role("heading", name="Quién ha visto su ficha")).to_be_visible()
    expect(page.get_by_role("heading", name="Espera una respuesta")).to_be_visible()
    window.look("persona")
    page.get_by_role("button", name="Ya está atendido").click()
    expect(page.get_by_text("queda anotado que está atendido")).to_be_visible()
    section = page.locator("section", has=page.get_by_role("heading", name="Darle una copia"))
    section.get_by_label("Tu contraseña").fill("no es esta de verdad")
    section.get_by_role("button", name="Descargar la copia").click()
    expect(page.get_by_text("Esa no es tu contraseña").first).to_be_visible()
    window.look("persona-mal")
    section.get_by_label("Tu contraseña").fill(PASSWORD)
    with page.expect_download() as waiting:
        section.get_by_role("button", name="Descargar la copia").click()
    names = zipfile.ZipFile(waiting.value.path()).namelist()
    assert "datos/lead.json" in names and any(name.startswith("fotos/001-") for name in names), names
    assert any(name.startswith("presupuestos/") for name in names), names


def revoke(window, quote):
    window.page.get_by_role("button", name="Revocar los enlaces").click()
    expect(window.page.get_by_text("ya no abren nada")).to_be_visible()
    answer = window.context.request.get(quote)
    assert answer.status == 410, answer.status


def erase(window, home, someone):
    page = window.page
    section = page.locator("section", has=page.get_by_role("heading", name="Borrar todo"))
    section.get_by_label("Sé que no se puede deshacer").check()
    section.get_by_label("Tu contraseña").fill(PASSWORD)
    section.get_by_role("button", name="Borrar para siempre").click()
    expect(page.get_by_role("heading", name="Privacidad", exact=True)).to_be_visible()
    window.look("privacidad-borrado")
    answer = page.goto(f"{home.url}/panel/leads/{someone}")
    assert answer.status == 404, answer.status
    window.look("persona-borrada")


def terms(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/empresa/privacidad")
    lost = page.get_by_label("Leads perdidos")
    lost.fill("doce")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("Un número de meses").first).to_be_visible()
    window.look("privacidad-mal")
    page.get_by_label("Leads perdidos").fill("12")
    page.get_by_role("button", name="Guardar").click()
    asks = page.get_by_role("heading", name="Con lo que has escrito")
    stored = page.get_by_role("heading", name="Con lo que está guardado")
    # The second walk finds the rules of the first: nothing gets shorter then.
    expect(asks.or_(stored)).to_be_visible()
    if asks.is_visible():
        window.look("privacidad-confirmar")
        page.get_by_label("Sé que no se puede deshacer").check()
        page.get_by_label("Tu contraseña, otra vez").fill(PASSWORD)
        page.get_by_role("button", name="Guardar y borrar").click()
    expect(page.get_by_label("Leads perdidos")).to_have_value("12")
    expect(page.get_by_text("se borraría ahora")).to_be_visible()
    window.look("privacidad")
