"""Prices in the panel: from the shipped table to the company's own, on a desk and on a phone, with and without JavaScript."""

import re

from empresa import enter, leave, person
from playwright.sync_api import expect
from server import Server
from window import VIEWS

EMAIL = "luis@reformasalba.example"


def walk(browser, _home, receiver, screenshots):
    """Yields the name of each part that holds."""
    for screen, with_js in VIEWS:
        home = Server(receiver)
        try:
            person(home, "marta@reformasalba.example", "Marta Ruiz", "--administrador")
            person(home, EMAIL, "Luis Pérez", "--role", "mi-empresa=gestor")
            window = enter(browser, home, screen, with_js, screenshots, EMAIL)
            look_up(window, home)
            change(window)
            later(window, home)
            bring_in(window, home)
            leave(window)
            yield window.name
        finally:
            home.close()


def look_up(window, home):
    page = window.page
    page.goto(f"{home.url}/panel/empresa")
    page.get_by_role("link", name="Ver los precios").click()
    expect(page.get_by_role("heading", name="Tarifa", level=1)).to_be_visible()
    window.look("tarifa")
    page.get_by_label("Buscar una partida").fill("ALICATADO")
    page.get_by_label("Tipo de obra").select_option("bano")
    page.get_by_role("button", name="Buscar").click()
    expect(page.locator(".tarifa-partida").first).to_be_visible()
    page.locator(".tarifa-mas summary").first.click()
    window.look("tarifa-buscada")


def change(window):
    """One price wrongly, then rightly; the rest by a percentage."""
    page = window.page
    page.get_by_role("link", name="Cambiar precios").click()
    expect(page.get_by_text("Sin cambios todavía")).to_be_visible()
    window.look("tarifa-cambiar")
    first = page.locator("input[name^='precio.'][name$='.media']").first
    name = first.get_attribute("name")
    first.fill("doce")
    page.locator(".tarifa-otros summary").first.click()
    page.get_by_role("button", name="Revisar y guardar").click()
    expect(page.get_by_text("Escribe un número").first).to_be_visible()
    window.look("tarifa-cambiar-mal")
    page.locator(f"input[name='{name}']").fill("45,5")
    page.locator("#capitulo").select_option(index=3)
    page.get_by_role("button", name="Mostrar").click()
    expect(page.get_by_text("Tienes 1 cambio sin guardar")).to_be_visible()
    page.get_by_label("O sube o baja de golpe").fill("3")
    page.get_by_role("button", name="Aplicar").click()
    expect(page.get_by_text("Tienes 104 cambios sin guardar")).to_be_visible()
    window.look("tarifa-subida")
    page.get_by_role("button", name="Revisar y guardar").click()
    expect(page.get_by_role("heading", name="Revisar la tarifa")).to_be_visible()
    page.get_by_text("Obras de siempre, antes y después").click()
    window.look("tarifa-revisar")
    page.get_by_label("Metros cuadrados").fill("8")
    page.get_by_label("Provincia").select_option("Madrid")
    page.get_by_role("button", name="Calcular").click()
    expect(page.get_by_text("Reforma de baño, 8 m², calidad media")).to_be_visible()
    page.get_by_label("Nombre de la versión").fill("con espacios")
    page.get_by_role("button", name="Guardar la versión").click()
    expect(page.get_by_text("Usa letras sin tilde").first).to_be_visible()
    window.look("tarifa-revisar-mal")
    page.get_by_label("Nombre de la versión").fill("mia-1")
    page.get_by_role("button", name="Guardar la versión").click()
    expect(page.get_by_text("Versión guardada.")).to_be_visible()
    window.look("tarifa-propia")


def later(window, home):
    """A version for another day waits, is compared and goes."""
    page = window.page
    page.get_by_role("link", name="Cambiar precios").click()
    page.get_by_label("O sube o baja de golpe").fill("-2,5")
    page.get_by_role("button", name="Aplicar").click()
    page.get_by_role("button", name="Revisar y guardar").click()
    page.get_by_label("Vale desde").fill("2029-01-01")
    page.get_by_label("Nota para vosotros").fill("Bajada de 2029")
    page.get_by_role("button", name="Guardar la versión").click()
    expect(page.get_by_text("vale desde el 1 de enero de 2029")).to_be_visible()
    window.look("tarifa-futura")
    page.get_by_role("link", name="Comparar con la de hoy").click()
    expect(page.get_by_role("heading", name="Comparar tarifas")).to_be_visible()
    window.look("tarifa-comparar")
    page.goto(f"{home.url}/panel/empresa/tarifa")
    page.get_by_role("link", name=re.compile("Retirar")).click()
    window.look("tarifa-retirar")
    page.get_by_role("button", name="Retirarla").click()
    expect(page.get_by_text("Versión retirada.")).to_be_visible()


def bring_in(window, home):
    """The file goes out, comes in with a mistake, and comes in."""
    page = window.page
    page.goto(f"{home.url}/panel/empresa/tarifa")
    with page.expect_download() as kept:
        page.get_by_role("link", name="Bajar como TOML").click()
    assert kept.value.suggested_filename == "tarifa-mia-1.toml"
    text = kept.value.path().read_text()
    page.get_by_role("link", name="Importar un archivo").click()
    window.look("tarifa-importar")
    wrong = text.replace("altura_m = 2.50", "altura_m = mucha").encode()
    page.get_by_label("Archivo").set_input_files({"name": "mia.toml", "mimeType": "application/toml", "buffer": wrong})
    page.get_by_role("button", name="Leer y revisar").click()
    expect(page.get_by_text("Línea 5").first).to_be_visible()
    window.look("tarifa-importar-mal")
    good = text.replace('"mia-1"', '"mia-2"').replace("altura_m = 2.50", "altura_m = 2.60").encode()
    page.get_by_label("Archivo").set_input_files({"name": "mia.toml", "mimeType": "application/toml", "buffer": good})
    page.get_by_role("button", name="Leer y revisar").click()
    expect(page.get_by_label("Nombre de la versión")).to_have_value("mia-2")
    window.look("tarifa-importada")
    page.get_by_role("button", name="Guardar la versión").click()
    expect(page.get_by_text("Versión guardada.")).to_be_visible()
