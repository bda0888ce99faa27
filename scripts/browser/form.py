"""The public form in a real browser. Run by scripts/test-browser."""

import base64
import io
import tempfile
import time
from pathlib import Path

from server import ForeignPage
from PIL import Image, ImageDraw
from playwright.sync_api import expect
from window import Window

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


def texto(fotos, nombre):
    """A file beside the photos that is none, whatever its name says."""
    ruta = Path(fotos[0]).with_name(nombre)
    ruta.write_text("esto no es una foto")
    return str(ruta)


class Walk(Window):
    def __init__(self, navegador, casa, receptor, *resto):
        super().__init__(navegador, casa, *resto)
        self.receptor = receptor
        # Refusals that the walk causes on purpose.
        self.espera = []

    def _respuesta(self, respuesta):
        if respuesta.status not in self.espera:
            super()._respuesta(respuesta)

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
        self.metros()
        self.contacto()
        expect(p.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")
        self.mirar("4-calidad")
        p.get_by_role("radio", name="Media Porcelánico").check()
        p.get_by_label("Sin prisa").check()
        p.get_by_label("¿Tienes una cifra en mente?").fill("9.000")
        self.continuar()
        self.fotos(fotos)
        expect(p.locator(".carta")).to_contain_text("Hola, Ana:")
        expect(p.locator(".carta")).to_contain_text("6,5 m²")
        expect(p.locator(".carta")).to_contain_text("2 fotos y una nota")
        self.mirar("6-resumen")
        resumen = p.url
        p.get_by_role("button", name="Seguir por WhatsApp").click()
        expect(p.get_by_role("heading", level=1)).to_contain_text("Seguimos por WhatsApp")
        self.mirar("7-gracias")
        recibidas = self.receptor.esperar(antes + 1)
        assert recibidas[-1]["telefono"] == "+34612345678", recibidas[-1]
        p.goto(resumen)
        p.get_by_role("button", name="Seguir por WhatsApp").click()
        expect(p.get_by_role("heading", level=1)).to_contain_text("Seguimos por WhatsApp")
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

    def metros(self):
        """Enter in the box goes on with what stands in it; what is out of the ordinary is asked about."""
        p = self.pagina
        caja = p.get_by_label("Superficie del suelo")
        caja.fill("1.200")
        caja.press("Enter")
        expect(p.locator("#m2-error")).to_contain_text("¿Seguro que son 1.200 m²?")
        self.mirar("2-dudas")
        caja = p.get_by_label("Superficie del suelo")
        caja.fill("6,5")
        caja.press("Enter")

    def contacto(self):
        p = self.pagina
        expect(p.get_by_role("heading", level=1)).to_have_text("¿A quién le preparamos el presupuesto?")
        self.mirar("3-contacto")
        visto = time.monotonic()
        p.get_by_label("Nombre").fill("Ana García")
        p.get_by_label("Teléfono").fill("6123")
        self.continuar()
        expect(p.locator("#telefono-error")).to_contain_text("Faltan cifras")
        expect(p.get_by_label("Nombre")).to_have_value("Ana García")
        expect(p.locator("#telefono")).to_be_focused()
        expect(p.locator(".resumen-errores")).to_contain_text("Revisa 2 cosas:")
        self.mirar("3-errores")
        p.get_by_label("Teléfono").fill("+34 612-34-56-78")
        p.get_by_label("Correo electrónico").fill("ana@gmail.con")
        if self.con_js:
            # What was fixed is no longer complained about.
            expect(p.locator(".error, .resumen-errores")).to_have_count(0)
        p.get_by_role("link" if self.con_js else "button", name="Atrás").click()
        self.continuar()
        expect(p.get_by_label("Nombre")).to_have_value("Ana García")
        expect(p.get_by_label("Correo electrónico")).to_have_value("ana@gmail.con")
        p.get_by_label("Provincia").select_option("Madrid")
        time.sleep(max(0.0, PRISA_S - (time.monotonic() - visto)))
        self.continuar()
        expect(p.locator("#email-error")).to_contain_text("¿Querías decir ana@gmail.com?")
        self.mirar("3-dudas")
        p.get_by_role("button", name="Usar ana@gmail.com").click()
        expect(p.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")

    def fotos(self, fotos):
        p = self.pagina
        expect(p.get_by_role("heading", level=1)).to_have_text("¿Nos enseñas cómo está ahora?")
        self.mirar("5-fotos")
        zona = p.locator('.zona-fotos[data-zona="bano"]')
        entrada = zona.locator("input[multiple]")
        nota = zona.locator("textarea")
        if self.con_js:
            self.fotos_una_a_una(zona, entrada, nota, fotos)
        else:
            entrada.set_input_files([*fotos, texto(fotos, "leeme.txt")])
            nota.fill("La ventana no se toca.")
            p.get_by_role("button", name="Guardar y añadir más").click()
            expect(p.locator(".resumen-errores")).to_contain_text("no es una foto")
            self.mirar("5-rechazada")
            expect(zona.locator(".miniatura")).to_have_count(len(fotos))
            p.reload()
            zona.get_by_role("button", name="Borrar la foto 1").click()
            expect(zona.locator(".miniatura")).to_have_count(len(fotos) - 1)
            expect(nota).to_have_value("La ventana no se toca.")
            nota.fill("La ventana sí se toca.")
            self.continuar()

    def fotos_una_a_una(self, zona, entrada, nota, fotos):
        p = self.pagina
        # A text is refused with its reason, and nothing is sent of it.
        entrada.set_input_files([texto(fotos, "leeme.txt")])
        expect(zona.locator(".avisos-zona")).to_contain_text("No hemos añadido «leeme.txt» porque no es una foto")
        # No line: what cannot be sent says so, going on asks about it, and nothing typed is lost.
        nota.fill("La ventana no se toca.")
        rotas = True
        p.route("**/fotos/subir*", lambda ruta: ruta.abort() if rotas else ruta.continue_())
        entrada.set_input_files([fotos[0], fotos[1]])
        self.continuar()
        expect(zona.get_by_role("button", name="Probar otra vez")).to_have_count(2)
        expect(zona.locator(".mal-subida").first).to_contain_text("Sin conexión")
        expect(p.locator("#sin-subir")).to_contain_text("2 fotos no se han subido")
        expect(p.locator("#sin-subir")).to_be_focused()
        self.mirar("5-sin-subir")
        rotas = False
        for _ in range(2):
            zona.get_by_role("button", name="Probar otra vez").first.click()
        expect(zona.locator(".miniatura[data-id]")).to_have_count(2)
        expect(p.locator("#sin-subir")).to_be_hidden()
        p.unroute("**/fotos/subir*")
        # What the server refuses cannot be tried again, only taken away; nobody goes on without being asked.
        self.espera = [422]
        entrada.set_input_files([texto(fotos, "rota.jpg")])
        expect(zona.locator(".mal-subida")).to_contain_text("no es una foto que podamos abrir")
        expect(zona.get_by_role("button", name="Probar otra vez")).to_have_count(0)
        self.continuar()
        expect(p.locator("#sin-subir")).to_contain_text("«rota.jpg» no se ha subido")
        self.mirar("5-rechazada")
        expect(p.get_by_role("button", name="Continuar sin ella")).to_be_visible()
        zona.get_by_role("button", name="Quitar rota.jpg").click()
        expect(p.locator("#sin-subir")).to_be_hidden()
        self.espera = []
        # One that hangs on its way, and one that waits behind, can be cancelled; the focus stays among the photos.
        retenidas = []
        p.route("**/fotos/subir*", lambda ruta: retenidas.append(ruta))
        entrada.set_input_files([fotos[2], fotos[2], fotos[2]])
        cancelar = zona.get_by_role("button", name="Cancelar")
        expect(cancelar).to_have_count(3)
        expect(p.locator("#subiendo")).to_contain_text("Subiendo 3 fotos")
        for quedan in [2, 1, 0]:
            cancelar.last.click()
            expect(cancelar).to_have_count(quedan)
            assert p.evaluate("document.activeElement !== document.body"), "the focus is lost"
        for ruta in retenidas:
            ruta.abort()
        p.unroute("**/fotos/subir*")
        entrada.set_input_files([fotos[2]])
        expect(zona.locator(".miniatura[data-id]")).to_have_count(3)
        # Without a line going on says so and leaves everything in place.
        p.route(lambda url: url.endswith("/fotos"), lambda ruta: ruta.abort() if ruta.request.method == "POST" else ruta.continue_())
        self.continuar()
        expect(p.locator("#sin-subir")).to_contain_text("Sin conexión: no se ha enviado")
        expect(nota).to_have_value("La ventana no se toca.")
        p.unroute_all()
        # Reloaded in the middle, what was sent is still there.
        p.reload()
        expect(zona.locator(".miniatura")).to_have_count(len(fotos))
        self.mirar("5-fotos-subidas")
        self.derecha(zona)
        zona.get_by_role("button", name="Borrar la foto 1").press("Enter")
        expect(zona.locator(".miniatura")).to_have_count(len(fotos) - 1)
        expect(zona.get_by_role("button", name="Borrar la foto 2")).to_be_focused()
        nota.fill("La ventana no se toca.")
        self.continuar()

    def derecha(self, zona):
        """The turned photo arrived upright, small and without its place; the list shows a rendition of it."""
        for src in zona.locator(".miniatura img").evaluate_all("imgs => imgs.map(i => i.src)"):
            cuerpo = self.contexto.request.get(src).body()
            assert len(cuerpo) < 60_000 and max(Image.open(io.BytesIO(cuerpo)).size) < 800, len(cuerpo)
        lead = self.casa.api("/api/leads?limite=1")["leads"][0]["id"]
        turnadas = 0
        for foto in self.casa.api(f"/api/leads/{lead}")["fotos"]:
            enviada = self.casa.api(f"/api/leads/{lead}/fotos/{foto['id']}")["imagen"]
            imagen = Image.open(io.BytesIO(base64.b64decode(enviada.split(",", 1)[1])))
            assert imagen.format == "JPEG" and max(imagen.size) == 2000, imagen.size
            assert not imagen.getexif().get_ifd(0x8825), "the place was sent"
            if imagen.height > imagen.width:
                turnadas += 1
                arriba, abajo = imagen.getpixel((600, 200)), imagen.getpixel((600, 1800))
                assert arriba[0] > arriba[2] and abajo[2] > abajo[0], (arriba, abajo)
        assert turnadas == 1, turnadas


def una_vuelta(navegador, casa, con_js, capturas):
    """Back by the browser's own button, corrected and sent again, one step or two: one lead, with the later data."""
    paseo = Walk(navegador, casa, None, "movil", con_js, "light", capturas)
    p = paseo.pagina
    antes = leads(casa)
    p.goto(f"{casa.url}/")
    p.get_by_role("button", name="Baño").click()
    p.get_by_label("Superficie del suelo").fill("6")
    paseo.continuar()
    p.get_by_label("Nombre").fill("Eva Ruiz")
    p.get_by_label("Teléfono").fill("655 44 33 22")
    p.get_by_label("Correo electrónico").fill("eva@ejemplo.es")
    time.sleep(PRISA_S)
    paseo.continuar()
    expect(p.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")
    p.go_back()
    expect(p.get_by_label("Nombre")).to_have_value("Eva Ruiz")
    p.get_by_label("Teléfono").fill("655 44 33 21")
    paseo.continuar()
    expect(p.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")
    p.go_back()
    p.go_back()
    p.get_by_label("Superficie del suelo").fill("7")
    p.get_by_label("Superficie del suelo").press("Enter")
    for campo, valor in [("Nombre", "Eva Ruiz"), ("Teléfono", "655 44 33 21"), ("Correo electrónico", "eva@ejemplo.es")]:
        if con_js:
            expect(p.get_by_label(campo)).to_have_value(valor)
        else:
            p.get_by_label(campo).fill(valor)
    paseo.continuar()
    expect(p.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")
    despues = leads(casa)
    assert len(despues) == len(antes) + 1, "a second lead"
    assert despues[0]["telefonoE164"] == "+34655443321" and despues[0]["m2Suelo"] == 7, despues[0]
    # A change from the letter leads back to the letter, whatever was skipped.
    p.goto(p.url.replace("/calidad", "/resumen"))
    p.get_by_role("link", name="tus datos").click()
    p.get_by_label("Nombre").fill("Eva R.")
    paseo.continuar()
    expect(p.locator(".carta")).to_contain_text("Hola, Eva:")
    paseo.cerrar()
    return f"vuelta-{paseo.nombre}"


def leads(casa):
    return casa.api("/api/leads?limite=100")["leads"]


def en_un_marco(navegador, casa, capturas):
    """The form stands in another site's page only once the company allows that site, and works there without cookies."""
    ajena = ForeignPage(f"{casa.url}/f/mi-empresa")
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
    expect(marco.get_by_role("heading", level=1)).to_have_text("¿A quién le preparamos el presupuesto?")
    if capturas:
        pagina.screenshot(path=f"{capturas}/marco.png")
    assert not contexto.cookies()
    contexto.close()
    # Another colour, checked again by day and by night.
    for esquema in ["light", "dark"]:
        paseo = Walk(navegador, casa, None, "mesa", True, esquema, capturas)
        paseo.nombre += "-naranja"
        paseo.pagina.goto(f"{casa.url}/f/mi-empresa/metros?tipo=cocina&m2=10")
        paseo.mirar("2-metros")
        paseo.cerrar()


def walk(navegador, casa, receptor, capturas):
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
            paseo = Walk(navegador, casa, receptor, pantalla, con_js, esquema, capturas)
            paseo.recorrer(fotos)
            yield paseo.nombre
    for con_js in [True, False]:
        yield una_vuelta(navegador, casa, con_js, capturas)
    en_un_marco(navegador, casa, capturas)
    yield "en-un-marco"
