"""The pictures of README.md: the form, a quote's PDF and its page, the inbox and a lead. Run by scripts/screenshots."""

import io
import subprocess
import sys
import urllib.request
from pathlib import Path

import drawings
import lead
import sample
from server import Server, Receiver
from PIL import Image
from playwright.sync_api import expect
from window import Window, open_browser, person, sign_in

COLOR = "#1f5c4d"
EMPRESA = "Reformas Alba"
MAXIMUM = 120_000
PERSON = {
    "nombre": "Marta Ruiz",
    "telefono": "612 34 56 78",
    "email": "marta.ruiz@ejemplo.es",
    "provincia": "Madrid",
    "tipoReforma": "bano",
    "m2Suelo": 6.5,
    "calidadGlobal": "media",
    "urgencia": "media",
    "estructural": False,
    "presupuestoTarget": 900_000,
}
NOTAS = [
    {"tipo": "texto", "texto": "Queremos cambiar la bañera por un plato de ducha. La ventana no se toca.", "zona": "bano"},
]


def save(image, destination, width):
    """Small enough for a page that many open: few colours, chosen for this picture."""
    image = image.convert("RGB").resize((width, image.height * width // image.width), Image.Resampling.LANCZOS)
    for colours in (256, 128, 64):
        image.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.FLOYDSTEINBERG).save(destination, optimize=True)
        if destination.stat().st_size < MAXIMUM:
            print(f"{destination} {image.width} × {image.height}, {colours} colours, {destination.stat().st_size // 1000} kB")
            return
    raise SystemExit(f"{destination} is larger than {MAXIMUM} bytes")


def screenshot(window, height):
    width = window.page.viewport_size["width"]
    window.page.set_viewport_size({"width": width, "height": height})
    return Image.open(io.BytesIO(window.page.screenshot()))


def form(browser, home, destination):
    window = Window(browser, home, "movil", True, scale=2)
    window.page.goto(f"{home.url}/f/mi-empresa/metros?tipo=bano")
    precio = window.page.locator(".rango-cifras")
    before = precio.inner_text()
    window.page.get_by_role("button", name="Grande").click()
    expect(precio).not_to_have_text(before)
    # Without a ring around what was pressed last.
    window.page.evaluate("document.activeElement.blur()")
    save(screenshot(window, 792), destination, 600)
    window.close()


def page(browser, home, path, destination):
    window = Window(browser, home, "mesa", True, scale=1)
    window.page.goto(path)
    images = window.page.locator(".comparador").first.locator("img")
    for n in range(2):
        expect(images.nth(n)).to_have_js_property("complete", True)
    save(screenshot(window, 1090), destination, 1100)
    window.close()


def pdf(path, destination):
    with urllib.request.urlopen(f"{path}/pdf", timeout=60) as answer:
        bytes_ = answer.read()
    order = ["pdftoppm", "-png", "-f", "1", "-l", "1", "-singlefile", "-scale-to-x", "1400", "-scale-to-y", "-1", "-"]
    sheet = subprocess.run(order, input=bytes_, check=True, stdout=subprocess.PIPE).stdout
    save(Image.open(io.BytesIO(sheet)), destination, 640)


def panel(browser, home, folder):
    person(home, "duena@reformasalba.example", "Eva Sanz", "--administrador")
    person(home, lead.EMAIL, "Luis Pérez", "--role", "mi-empresa=gestor")
    sample.leads(home, 24)
    one = lead.fill(home)
    window = Window(browser, home, "mesa", True, scale=1)
    sign_in(window, home, lead.EMAIL)
    window.page.goto(f"{home.url}/panel/leads")
    expect(window.page.locator(".lead").first).to_be_visible()
    save(screenshot(window, 860), folder / "bandeja.png", 1100)
    window.page.goto(f"{home.url}/panel/leads/{one}")
    for image in window.page.locator("main img").all():
        image.scroll_into_view_if_needed()
        expect(image).to_have_js_property("complete", True)
    window.page.evaluate("scrollTo(0, 0)")
    save(screenshot(window, 1090), folder / "lead.png", 1100)
    window.context.clear_cookies()
    window.close()


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    home = Server(Receiver())
    try:
        logo = Path(home.folder.name) / "logo.png"
        drawings.logo(EMPRESA, COLOR).save(logo)
        home.send("empresa", "set", "mi-empresa", "--nombre", EMPRESA)
        home.brand(
            *("--color", COLOR, "--logo", str(logo), "--telefono", "910 000 123", "--email", "hola@reformasalba.example"),
            *("--nif", "B12345674", "--direccion", "Calle del Olmo 12, 28012 Madrid", "--web", "https://reformasalba.example"),
        )
        fotos = [foto for foto in drawings.album() if foto["zona"] == "bano"]
        _, path = home.quote(PERSON, fotos + NOTAS)
        pdf(path, folder / "presupuesto-pdf.png")
        with open_browser() as browser:
            form(browser, home, folder / "formulario.png")
            page(browser, home, path, folder / "presupuesto-pagina.png")
            panel(browser, home, folder)
    finally:
        home.close()


if __name__ == "__main__":
    main()
