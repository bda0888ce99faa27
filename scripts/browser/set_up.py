"""A company set up from nothing, as the checklist leads: every field and every press is counted."""

from pathlib import Path

from empresa import drawn
from form import HURRY_S
from mails import Mailbox
from playwright.sync_api import expect
from server import Server
from window import PASSWORD, Window, leave

OWNER = "marta@reformasalba.example"
# What a person takes at leisure, reading included: the machine's speed does not count.
SECONDS_PER_FIELD, SECONDS_PER_PRESS = 12, 6
TEN_MINUTES = 600


class Person:
    """Somebody who fills in and presses, counted."""

    def __init__(self, window):
        self.window, self.page = window, window.page
        self.fields, self.presses = 0, 0

    def type(self, label, value, exact=False):
        self.page.get_by_label(label, exact=exact).first.fill(value)
        self.fields += 1

    def press(self, name, role="button"):
        self.page.get_by_role(role, name=name).first.click()
        self.presses += 1

    def seconds(self):
        return self.fields * SECONDS_PER_FIELD + self.presses * SECONDS_PER_PRESS


def walk(browser, _home, receiver, screenshots):
    """Yields the name of each part that holds."""
    for screen in ("movil", "mesa"):
        mailbox = Mailbox()
        home = Server(receiver, **mailbox.settings("hola@reformasalba.example"))
        try:
            person = Person(Window(browser, home, screen, True, screenshots))
            account(person, home)
            left = lambda: checklist(person, home)
            data(person, left)
            brand(person, left)
            prices(person, left)
            notices(person, left)
            form(person, home, left)
            left()
            expect(person.page.get_by_text("Todo listo: no queda nada por hacer.")).to_be_visible()
            person.window.look("alta-lista")
            assert person.seconds() < TEN_MINUTES, (person.fields, person.presses)
            yield f"{screen}: {person.fields} campos y {person.presses} toques, unos {person.seconds() // 60 + 1} minutos"
            leave(person.window)
        finally:
            home.close()


def account(person, home):
    person.page.goto((Path(home.folder.name) / "data/panel-setup").read_text().strip())
    person.window.look("alta-cuenta")
    person.type("Tu nombre", "Marta Ruiz")
    person.type("Correo", OWNER)
    person.type("Contraseña", PASSWORD)
    person.press("Crear la cuenta")
    expect(person.page.get_by_role("heading", name="Bandeja", exact=True)).to_be_visible()


def checklist(person, home):
    """Back to the list: on a phone by the menu, so it is two presses."""
    person.page.goto(f"{home.url}/panel/empresa")
    person.presses += 2


def data(person, left):
    left()
    person.window.look("alta-lista-vacia")
    person.press("Rellenar los datos", "link")
    person.type("Nombre", "Reformas Alba", exact=True)
    person.type("NIF", "B12345674")
    person.type("Dirección", "Calle Mayor 1, 28013 Madrid")
    person.type("Teléfono", "910 000 000")
    person.type("Correo para clientes", "hola@reformasalba.example")
    person.press("Guardar")
    expect(person.page.get_by_text("Guardado.")).to_be_visible()


def brand(person, left):
    left()
    person.press("Elegir color y logo", "link")
    person.page.locator("input[type=file]").set_input_files({"name": "logo.png", "mimeType": "image/png", "buffer": drawn("Alba")})
    person.presses += 2
    person.press("Guardar el logo")
    expect(person.page.get_by_text("Logo guardado.")).to_be_visible()


def prices(person, left):
    """The shipped prices, five per cent dearer, are the company's own."""
    left()
    person.press("Ver los precios", "link")
    person.press("Cambiar precios", "link")
    person.type("O sube o baja de golpe", "5")
    person.press("Aplicar")
    person.press("Revisar y guardar")
    person.press("Guardar la versión")
    expect(person.page.get_by_text("Versión guardada.")).to_be_visible()


def notices(person, left):
    left()
    person.page.locator("#correo").get_by_role("link").first.click()
    person.presses += 1
    person.type("Correo de avisos", "avisos@reformasalba.example")
    person.press("Guardar")
    expect(person.page.get_by_text("Avisos guardados.")).to_be_visible()


def form(person, home, left):
    """The form is tried once, as a client does."""
    left()
    person.press("Dirección, QR y código", "link")
    with person.page.context.expect_page() as opened:
        person.press("Abrir el formulario", "link")
    client = Person(person.window)
    client.page = opened.value
    client.press("Baño")
    client.press("Continuar")
    client.type("Nombre", "Prueba Alba")
    client.type("Teléfono", "612 34 56 78")
    client.type("Correo electrónico", "prueba@reformasalba.example")
    client.page.wait_for_timeout(HURRY_S * 1000)
    client.press("Continuar")
    expect(client.page.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")
    client.page.close()
    person.fields += client.fields
    person.presses += client.presses
