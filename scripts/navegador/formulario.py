"""The public form in a real browser. Run by scripts/navegador-de-pruebas."""

import io
import tempfile
import time
from pathlib import Path

from casa import PaginaAjena
from PIL import Image, ImageDraw
from playwright.sync_api import expect
from ventana import Ventana

# Nobody fills three fields in less; the server asks for it.
PRISA_S = 1.6


def foto(carpeta, nombre, orientacion=1):
    """A real JPEG of 3000 × 2000 with an orientation and a place in its EXIF; its left half is red, its right half blue."""
    imagen = Image.new("RGB", (3000, 2000), (190, 30, 30))
    ImageDraw.Draw(imagen).rectangle((1500, 0, 3000, 2000), fill=(30, 30, 190))
    exif = Image.Exif()
    exif[0x0112] = orientacion
    exif.get_ifd(0x8825)[1] = "N"
    exif.get_ifd(0x8825)[2] = (40.0, 25.0, 0.0)
    ruta = Path(carpeta) / nombre
    imagen.save(ruta, quality=90, exif=exif)
    return str(ruta)


class Paseo(Ventana):
    def __init__(self, navegador, casa, receptor, *resto):
        super().__init__(navegador, casa, *resto)
        self.receptor = receptor

    def continuar(self):
        self.pagina.get_by_role("button", name="Continuar").click()

    def recorrer(self, fotos):
        p, antes = self.pagina, len(self.receptor.recibidas)
        p.goto(f"{self.casa.url}/?utm_source=prueba&gclid=abc")
        self.mirar("1-tipo")
        p.get_by_role("button", name="Baño").click()
        expect(p.get_by_role("heading", level=1)).to_have_text("¿Cuántos metros tiene tu baño?")
        self.mirar("2-metros")
        if self.con_js:
            antes_del_precio = p.locator(".rango-cifras").inner_text()
            p.get_by_role("button", name="Grande").click()
            expect(p.get_by_label("Superficie del suelo")).to_have_value("7")
            expect(p.locator(".rango-cifras")).not_to_have_text(antes_del_precio)
            p.locator("#m2-regla").fill("6.5")
            expect(p.get_by_label("Superficie del suelo")).to_have_value("6,5")
        else:
            p.get_by_label("Superficie del suelo").fill("6,5")
        self.continuar()
        self.contacto()
        expect(p.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")
        self.mirar("4-calidad")
        p.get_by_label("Cuidada").check()
        p.get_by_label("Sin prisa").check()
        p.get_by_label("¿Tienes una cifra en mente?").fill("9.000")
        self.continuar()
        self.fotos(fotos)
        expect(p.locator(".carta")).to_contain_text("Hola, Ana:")
        expect(p.locator(".carta")).to_contain_text("6,5 m²")
        expect(p.locator(".carta")).to_contain_text("2 fotos y una nota")
        self.mirar("6-resumen")
        resumen = p.url
        p.get_by_role("button", name="Seguir por mensajería").click()
        expect(p.get_by_role("heading", level=1)).to_contain_text("Seguimos por mensajería")
        self.mirar("7-gracias")
        recibidas = self.receptor.esperar(antes + 1)
        assert recibidas[-1]["telefono"] == "+34612345678", recibidas[-1]
        p.goto(resumen)
        p.get_by_role("button", name="Seguir por mensajería").click()
        expect(p.get_by_role("heading", level=1)).to_contain_text("Seguimos por mensajería")
        assert len(self.receptor.recibidas) == antes + 1, "pressed twice, sent once"
        p.get_by_role("link", name="Revisa o retira tus permisos").click()
        self.mirar("8-permisos")
        p.get_by_role("button", name="Retirar").first.click()
        expect(p.get_by_role("status")).to_contain_text("queda anotado")
        p.goto(f"{self.casa.url}/f/mi-empresa/privacidad")
        self.mirar("9-privacidad")
        p.goto(f"{self.casa.url}/f/nadie")
        self.mirar("9-error")
        self.cerrar()

    def contacto(self):
        p = self.pagina
        expect(p.get_by_role("heading", level=1)).to_have_text("¿A quién le enviamos el presupuesto?")
        self.mirar("3-contacto")
        visto = time.monotonic()
        p.get_by_label("Nombre").fill("Ana García")
        p.get_by_label("Teléfono").fill("6123")
        self.continuar()
        expect(p.locator("#telefono-error")).to_contain_text("Faltan cifras")
        expect(p.get_by_label("Nombre")).to_have_value("Ana García")
        expect(p.locator("#telefono")).to_be_focused()
        self.mirar("3-errores")
        p.get_by_label("Teléfono").fill("+34 612-34-56-78")
        p.get_by_label("Correo electrónico").fill("ana@ejemplo.es")
        p.get_by_label("Provincia").select_option("Madrid")
        time.sleep(max(0.0, PRISA_S - (time.monotonic() - visto)))
        self.continuar()

    def fotos(self, fotos):
        p = self.pagina
        expect(p.get_by_role("heading", level=1)).to_have_text("¿Nos enseñas cómo está ahora?")
        self.mirar("5-fotos")
        zona = p.locator('.zona-fotos[data-zona="bano"]')
        entrada = zona.locator("input[multiple]")
        nota = zona.locator("textarea")
        if self.con_js:
            # The first try of one photo meets a broken connection; trying again mends it.
            rotas = iter([True])
            p.route("**/fotos/subir*", lambda ruta: ruta.abort() if next(rotas, False) else ruta.continue_())
            entrada.set_input_files(fotos)
            otra_vez = zona.get_by_role("button", name="Probar otra vez")
            expect(otra_vez).to_have_count(1)
            expect(zona.locator(".mal-subida")).to_contain_text("Sin conexión")
            otra_vez.click()
            expect(zona.locator(".miniatura[data-id]")).to_have_count(len(fotos))
            # Reloaded in the middle, what was sent is still there.
            p.reload()
            expect(zona.locator(".miniatura")).to_have_count(len(fotos))
            self.mirar("5-fotos-subidas")
            self.derecha(zona)
            zona.get_by_role("button", name="Borrar la foto 1").click()
            expect(zona.locator(".miniatura")).to_have_count(len(fotos) - 1)
            nota.fill("La ventana no se toca.")
            self.continuar()
        else:
            entrada.set_input_files(fotos)
            nota.fill("La ventana no se toca.")
            p.get_by_role("button", name="Guardar y añadir más").click()
            expect(zona.locator(".miniatura")).to_have_count(len(fotos))
            p.reload()
            zona.get_by_role("button", name="Borrar la foto 1").click()
            expect(zona.locator(".miniatura")).to_have_count(len(fotos) - 1)
            expect(zona).to_contain_text("La ventana no se toca.")
            self.continuar()

    def derecha(self, zona):
        """The turned photo arrived upright, small and without its place."""
        turnadas = 0
        for src in zona.locator(".miniatura img").evaluate_all("imgs => imgs.map(i => i.src)"):
            respuesta = self.contexto.request.get(src)
            imagen = Image.open(io.BytesIO(respuesta.body()))
            assert imagen.format == "JPEG" and max(imagen.size) == 2000, imagen.size
            assert not imagen.getexif().get_ifd(0x8825), "the place was sent"
            if imagen.height > imagen.width:
                turnadas += 1
                arriba, abajo = imagen.getpixel((600, 200)), imagen.getpixel((600, 1800))
                assert arriba[0] > arriba[2] and abajo[2] > abajo[0], (arriba, abajo)
        assert turnadas == 1, turnadas


def en_un_marco(navegador, casa, capturas):
    """The form stands in another site's page only once the company allows that site, and works there without cookies."""
    ajena = PaginaAjena(f"{casa.url}/f/mi-empresa")
    contexto = navegador.new_context(viewport={"width": 420, "height": 760})
    pagina = contexto.new_page()
    negados = []
    pagina.on("console", lambda m: negados.append(m.text) if "frame-ancestors" in m.text else None)
    pagina.goto(ajena.origen)
    pagina.wait_for_function("() => document.readyState === 'complete'")
    assert negados, "a site that is not allowed framed the form"
    casa.marca("--origen", ajena.origen, "--color", "#c2410c", "--telefono", "912 345 678")
    pagina.goto(ajena.origen)
    marco = pagina.frame_locator("iframe")
    marco.get_by_role("button", name="Cocina").click()
    expect(marco.get_by_role("heading", level=1)).to_have_text("¿Cuántos metros tiene tu cocina?")
    marco.get_by_role("button", name="Normal").click()
    marco.get_by_role("button", name="Continuar").click()
    expect(marco.get_by_role("heading", level=1)).to_have_text("¿A quién le enviamos el presupuesto?")
    if capturas:
        pagina.screenshot(path=f"{capturas}/marco.png")
    assert not contexto.cookies()
    contexto.close()
    # Another colour, checked again by day and by night.
    for esquema in ["light", "dark"]:
        paseo = Paseo(navegador, casa, None, "mesa", True, esquema, capturas)
        paseo.nombre += "-naranja"
        paseo.pagina.goto(f"{casa.url}/f/mi-empresa/metros?tipo=cocina&m2=10")
        paseo.mirar("2-metros")
        paseo.cerrar()


def pasear(navegador, casa, receptor, capturas):
    """Everybody's way through the form."""
    with tempfile.TemporaryDirectory() as carpeta:
        # 6 is how a phone held upright marks a photo: turn it by 90° to the right.
        fotos = [foto(carpeta, "a.jpg"), foto(carpeta, "b.jpg", 6), foto(carpeta, "c.jpg", 3)]
        for pantalla, con_js, esquema in [
            ("movil", True, "light"),
            ("movil", False, "light"),
            ("mesa", True, "dark"),
            ("mesa", False, "light"),
            ("movil", True, "dark"),
            ("mesa", True, "light"),
        ]:
            paseo = Paseo(navegador, casa, receptor, pantalla, con_js, esquema, capturas)
            paseo.recorrer(fotos)
            yield paseo.nombre
    en_un_marco(navegador, casa, capturas)
    yield "en-un-marco"
