"""The pictures of README.md: the form, a quote's PDF and its page. Run by scripts/screenshots."""

import io
import subprocess
import sys
import urllib.request
from pathlib import Path

import drawings
from server import Server, Receiver
from PIL import Image
from playwright.sync_api import expect
from window import Window, open_browser

COLOR = "#1f5c4d"
EMPRESA = "Reformas Alba"
MAXIMO = 120_000
PERSONA = {
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


def guardar(imagen, destino, ancho):
    """Small enough for a page that many open: few colours, chosen for this picture."""
    imagen = imagen.convert("RGB").resize((ancho, imagen.height * ancho // imagen.width), Image.Resampling.LANCZOS)
    for colores in (256, 128, 64):
        imagen.quantize(colores, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.FLOYDSTEINBERG).save(destino, optimize=True)
        if destino.stat().st_size < MAXIMO:
            print(f"{destino} {imagen.width} × {imagen.height}, {colores} colours, {destino.stat().st_size // 1000} kB")
            return
    raise SystemExit(f"{destino} is larger than {MAXIMO} bytes")


def captura(ventana, alto):
    ancho = ventana.pagina.viewport_size["width"]
    ventana.pagina.set_viewport_size({"width": ancho, "height": alto})
    return Image.open(io.BytesIO(ventana.pagina.screenshot()))


def formulario(navegador, casa, destino):
    ventana = Window(navegador, casa, "movil", True, "light", escala=2)
    ventana.pagina.goto(f"{casa.url}/f/mi-empresa/metros?tipo=bano")
    precio = ventana.pagina.locator(".rango-cifras")
    antes = precio.inner_text()
    ventana.pagina.get_by_role("button", name="Grande").click()
    expect(precio).not_to_have_text(antes)
    # Without a ring around what was pressed last.
    ventana.pagina.evaluate("document.activeElement.blur()")
    guardar(captura(ventana, 792), destino, 600)
    ventana.cerrar()


def pagina(navegador, casa, ruta, destino):
    ventana = Window(navegador, casa, "mesa", True, "light", escala=1)
    ventana.pagina.goto(ruta)
    imagenes = ventana.pagina.locator(".comparador").first.locator("img")
    for n in range(2):
        expect(imagenes.nth(n)).to_have_js_property("complete", True)
    guardar(captura(ventana, 1090), destino, 1100)
    ventana.cerrar()


def pdf(ruta, destino):
    with urllib.request.urlopen(f"{ruta}/pdf", timeout=60) as respuesta:
        bytes_ = respuesta.read()
    orden = ["pdftoppm", "-png", "-f", "1", "-l", "1", "-singlefile", "-scale-to-x", "1400", "-scale-to-y", "-1", "-"]
    hoja = subprocess.run(orden, input=bytes_, check=True, stdout=subprocess.PIPE).stdout
    guardar(Image.open(io.BytesIO(hoja)), destino, 640)


def main():
    carpeta = Path(sys.argv[1])
    carpeta.mkdir(parents=True, exist_ok=True)
    casa = Server(Receiver())
    try:
        logo = Path(casa.carpeta.name) / "logo.png"
        drawings.logo(EMPRESA, COLOR).save(logo)
        casa.mandar("empresa", "set", "mi-empresa", "--nombre", EMPRESA)
        casa.marca(
            *("--color", COLOR, "--logo", str(logo), "--telefono", "910 000 123", "--email", "hola@reformasalba.example"),
            *("--nif", "B12345674", "--direccion", "Calle del Olmo 12, 28012 Madrid", "--web", "https://reformasalba.example"),
        )
        fotos = [foto for foto in drawings.album() if foto["zona"] == "bano"]
        _, ruta = casa.presupuestar(PERSONA, fotos + NOTAS)
        pdf(ruta, carpeta / "presupuesto-pdf.png")
        with open_browser() as navegador:
            formulario(navegador, casa, carpeta / "formulario.png")
            pagina(navegador, casa, ruta, carpeta / "presupuesto-pagina.png")
    finally:
        casa.cerrar()


if __name__ == "__main__":
    main()
