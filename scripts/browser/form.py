"""The public form in a real browser. Run by scripts/test-browser."""

import base64
import io
import itertools
import tempfile
import time
from pathlib import Path

from server import ForeignPage
from PIL import Image, ImageDraw
from playwright.sync_api import expect
from window import Window

# Nobody fills three fields in less; the server asks for it.
HURRY_S = 1.6
TELEPHONES = itertools.count(1)


def foto(folder, name, orientation=1):
    """A real JPEG of 3000 × 2000 with an orientation and a place in its EXIF; its left half is red, its right half blue."""
    image = Image.new("RGB", (3000, 2000), (190, 30, 30))
    ImageDraw.Draw(image).rectangle((1500, 0, 3000, 2000), fill=(30, 30, 190))
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif.get_ifd(0x8825)[1] = "N"
    exif.get_ifd(0x8825)[2] = (40.0, 25.0, 0.0)
    path = Path(folder) / name
    image.save(path, quality=90, exif=exif)
    return str(path)


def text(fotos, name):
    """A file beside the photos that is none, whatever its name says."""
    path = Path(fotos[0]).with_name(name)
    path.write_text("esto no es una foto")
    return str(path)


class Walk(Window):
    def __init__(self, browser, home, receiver, *rest):
        super().__init__(browser, home, *rest)
        self.receiver = receiver
        # Its own: messages are counted by telephone.
        self.telefono = f"61234567{next(TELEPHONES)}"
        # Refusals that the walk causes on purpose.
        self.wait = []

    def _response(self, answer):
        if answer.status not in self.wait:
            super()._response(answer)

    def go_on(self):
        self.page.get_by_role("button", name="Continuar").click()

    def walk(self, fotos):
        p, before = self.page, len(self.receiver.received)
        p.goto(f"{self.home.url}/?utm_source=prueba&gclid=abc")
        self.look("1-tipo")
        p.get_by_role("button", name="Baño").click()
        expect(p.get_by_role("heading", level=1)).to_have_text("¿Cuántos metros tiene tu baño?")
        self.look("2-metros")
        if self.with_js:
            expect(p.get_by_label("Superficie del suelo")).to_have_value(p.locator("#m2-regla").input_value().replace(".", ","))
            antes_of_precio = p.locator(".rango-cifras").inner_text()
            p.get_by_role("button", name="Grande").click()
            expect(p.get_by_label("Superficie del suelo")).to_have_value("7")
            expect(p.locator(".rango-cifras")).not_to_have_text(antes_of_precio)
            p.locator("#m2-regla").fill("6.5")
            expect(p.get_by_label("Superficie del suelo")).to_have_value("6,5")
        self.metros()
        self.contact()
        expect(p.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")
        self.look("4-calidad")
        p.get_by_role("radio", name="Media Porcelánico").check()
        p.get_by_label("Sin prisa").check()
        p.get_by_label("¿Tienes una cifra en mente?").fill("9.000")
        self.go_on()
        self.vivienda()
        self.fotos(fotos)
        expect(p.locator(".carta")).to_contain_text("Hola, Ana:")
        expect(p.locator(".carta")).to_contain_text("6,5 m²")
        expect(p.locator(".carta")).to_contain_text("2 fotos y una nota")
        self.look("7-resumen")
        thanks = p.url.replace("/resumen", "/gracias")
        p.get_by_role("button", name="Enviar mi solicitud").click()
        expect(p.get_by_role("heading", level=1)).to_contain_text("¡Enviada! Gracias, Ana")
        self.look("8-enviada")
        p.get_by_role("link", name="Volver a mi resumen").click()
        expect(p.locator("main")).to_contain_text("Ya nos la enviaste")
        self.look("8-ya-enviada")
        p.get_by_role("link", name="Ver qué pasa ahora").click()
        p.get_by_role("button", name="Seguir por WhatsApp").click()
        expect(p.get_by_role("heading", level=1)).to_contain_text("Seguimos por WhatsApp")
        self.look("8-gracias")
        received = self.receiver.wait(before + 1)
        assert received[-1]["telefono"] == f"+34{self.telefono}", received[-1]
        p.goto(thanks)
        p.get_by_role("button", name="Seguir por WhatsApp").click()
        expect(p.get_by_role("heading", level=1)).to_contain_text("Seguimos por WhatsApp")
        assert len(self.receiver.received) == before + 1, "pressed twice, sent once"
        p.get_by_role("link", name="Revisa o retira tus permisos").click()
        self.look("8-permisos")
        p.get_by_role("button", name="Retirar").first.click()
        expect(p.get_by_role("status")).to_contain_text("queda anotado")
        p.goto(f"{self.home.url}/f/mi-empresa/privacidad")
        self.look("9-privacidad")
        p.goto(f"{self.home.url}/f/nadie")
        self.look("9-error")
        self.close()

    def metros(self):
        """Enter in the box goes on with what stands in it; what is out of the ordinary is asked about."""
        p = self.page
        boxed = p.get_by_label("Superficie del suelo")
        boxed.fill("1.200")
        boxed.press("Enter")
        expect(p.locator("#m2-error")).to_contain_text("¿Seguro que son 1.200 m²?")
        self.look("2-dudas")
        boxed = p.get_by_label("Superficie del suelo")
        boxed.fill("6,5")
        boxed.press("Enter")

    def contact(self):
        p = self.page
        expect(p.get_by_role("heading", level=1)).to_have_text("¿A quién le preparamos el presupuesto?")
        self.look("3-contacto")
        seen = time.monotonic()
        p.get_by_label("Nombre").fill("Ana García")
        p.get_by_label("Teléfono").fill("6123")
        self.go_on()
        expect(p.locator("#telefono-error")).to_contain_text("Faltan cifras")
        expect(p.get_by_label("Nombre")).to_have_value("Ana García")
        expect(p.locator("#telefono")).to_be_focused()
        expect(p.locator(".resumen-errores")).to_contain_text("Revisa 2 cosas:")
        self.look("3-errores")
        n = self.telefono
        p.get_by_label("Teléfono").fill(f"+34 {n[:3]}-{n[3:5]}-{n[5:7]}-{n[7:]}")
        p.get_by_label("Correo electrónico").fill("ana@gmail.con")
        if self.with_js:
            # What was fixed is no longer complained about.
            expect(p.locator(".error, .resumen-errores")).to_have_count(0)
        p.get_by_role("link" if self.with_js else "button", name="Atrás").click()
        self.go_on()
        expect(p.get_by_label("Nombre")).to_have_value("Ana García")
        expect(p.get_by_label("Correo electrónico")).to_have_value("ana@gmail.con")
        p.get_by_label("Código postal").fill("28 013")
        if self.with_js:
            expect(p.get_by_label("Provincia")).to_have_value("Madrid")
        time.sleep(max(0.0, HURRY_S - (time.monotonic() - seen)))
        self.go_on()
        expect(p.locator("#email-error")).to_contain_text("¿Querías decir ana@gmail.com?")
        self.look("3-dudas")
        p.get_by_role("button", name="Usar ana@gmail.com").click()
        expect(p.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")

    def vivienda(self):
        """Everything may stay unknown; what is told moves the price."""
        p = self.page
        expect(p.get_by_role("heading", level=1)).to_have_text("Sobre la vivienda")
        self.look("5-vivienda")
        group = lambda legend: p.get_by_role("group", name=legend)
        group("¿Es una vivienda?").get_by_label("Sí").check()
        group("¿A nombre de quién irá la factura?").get_by_label("Un particular").check()
        p.get_by_label("¿En qué planta está?").fill("tercera")
        self.go_on()
        expect(p.locator("#planta-error")).to_contain_text("Escribe la planta con un número")
        expect(group("¿Es una vivienda?").get_by_label("Sí")).to_be_checked()
        self.look("5-vivienda-errores")
        p.get_by_label("¿En qué planta está?").fill("3º")
        if self.with_js:
            before = p.locator(".rango-cifras").inner_text()
            group("¿Hay ascensor").get_by_label("No", exact=True).check()
            expect(p.locator(".rango-cifras")).not_to_have_text(before)
        else:
            group("¿Hay ascensor").get_by_label("No", exact=True).check()
        self.go_on()

    def fotos(self, fotos):
        p = self.page
        expect(p.get_by_role("heading", level=1)).to_have_text("¿Nos enseñas cómo está ahora?")
        self.look("6-fotos")
        zona = p.locator('.zona-fotos[data-zona="bano"]')
        input_ = zona.locator("input[multiple]")
        nota = zona.locator("textarea")
        if self.with_js:
            self.fotos_one_by_one(zona, input_, nota, fotos)
        else:
            input_.set_input_files([*fotos, text(fotos, "leeme.txt")])
            nota.fill("La ventana no se toca.")
            p.get_by_role("button", name="Guardar y añadir más").click()
            expect(p.locator(".resumen-errores")).to_contain_text("no es una foto")
            self.look("6-rechazada")
            expect(zona.locator(".miniatura")).to_have_count(len(fotos))
            p.reload()
            zona.get_by_role("button", name="Borrar la foto 1").click()
            expect(zona.locator(".miniatura")).to_have_count(len(fotos) - 1)
            expect(nota).to_have_value("La ventana no se toca.")
            nota.fill("La ventana sí se toca.")
            self.go_on()

    def fotos_one_by_one(self, zona, input_, nota, fotos):
        p = self.page
        # A text is refused with its reason, and nothing is sent of it.
        input_.set_input_files([text(fotos, "leeme.txt")])
        expect(zona.locator(".avisos-zona")).to_contain_text("No hemos añadido «leeme.txt» porque no es una foto")
        # No line: what cannot be sent says so, going on asks about it, and nothing typed is lost.
        nota.fill("La ventana no se toca.")
        broken_ones = True
        p.route("**/fotos/subir*", lambda path: path.abort() if broken_ones else path.continue_())
        input_.set_input_files([fotos[0], fotos[1]])
        expect(zona.get_by_role("button", name="Probar otra vez")).to_have_count(2)
        # Once the rows stand: a click while they move the page may miss the button.
        self.go_on()
        expect(zona.locator(".mal-subida").first).to_contain_text("Sin conexión")
        expect(p.locator("#sin-subir")).to_contain_text("2 fotos no se han subido")
        expect(p.locator("#sin-subir")).to_be_focused()
        self.look("6-sin-subir")
        broken_ones = False
        for _ in range(2):
            zona.get_by_role("button", name="Probar otra vez").first.click()
        expect(zona.locator(".miniatura[data-id]")).to_have_count(2)
        expect(p.locator("#sin-subir")).to_be_hidden()
        p.unroute("**/fotos/subir*")
        # What the server refuses cannot be tried again, only taken away; nobody goes on without being asked.
        self.wait = [422]
        input_.set_input_files([text(fotos, "rota.jpg")])
        expect(zona.locator(".mal-subida")).to_contain_text("no es una foto que podamos abrir")
        expect(zona.get_by_role("button", name="Probar otra vez")).to_have_count(0)
        self.go_on()
        expect(p.locator("#sin-subir")).to_contain_text("«rota.jpg» no se ha subido")
        self.look("6-rechazada")
        expect(p.get_by_role("button", name="Continuar sin ella")).to_be_visible()
        zona.get_by_role("button", name="Quitar rota.jpg").click()
        expect(p.locator("#sin-subir")).to_be_hidden()
        self.wait = []
        # One that hangs on its way, and one that waits behind, can be cancelled; the focus stays among the photos.
        held = []
        p.route("**/fotos/subir*", lambda path: held.append(path))
        input_.set_input_files([fotos[2], fotos[2], fotos[2]])
        cancel = zona.get_by_role("button", name="Cancelar")
        expect(cancel).to_have_count(3)
        expect(p.locator("#subiendo")).to_contain_text("Subiendo 3 fotos")
        for remain in [2, 1, 0]:
            cancel.last.click()
            expect(cancel).to_have_count(remain)
            assert p.evaluate("document.activeElement !== document.body"), "the focus is lost"
        for path in held:
            path.abort()
        p.unroute("**/fotos/subir*")
        input_.set_input_files([fotos[2]])
        expect(zona.locator(".miniatura[data-id]")).to_have_count(3)
        # Without a line going on says so and leaves everything in place.
        p.route(lambda url: url.endswith("/fotos"), lambda path: path.abort() if path.request.method == "POST" else path.continue_())
        self.go_on()
        expect(p.locator("#sin-subir")).to_contain_text("Sin conexión: no se ha enviado")
        expect(nota).to_have_value("La ventana no se toca.")
        p.unroute_all()
        # Reloaded in the middle, what was sent is still there.
        p.reload()
        expect(zona.locator(".miniatura")).to_have_count(len(fotos))
        self.look("6-fotos-subidas")
        self.right(zona)
        zona.get_by_role("button", name="Borrar la foto 1").press("Enter")
        expect(zona.locator(".miniatura")).to_have_count(len(fotos) - 1)
        expect(zona.get_by_role("button", name="Borrar la foto 2")).to_be_focused()
        nota.fill("La ventana no se toca.")
        self.go_on()

    def right(self, zona):
        """The turned photo arrived upright, small and without its place; the list shows a rendition of it."""
        for src in zona.locator(".miniatura img").evaluate_all("imgs => imgs.map(i => i.src)"):
            body = self.context.request.get(src).body()
            assert len(body) < 60_000 and max(Image.open(io.BytesIO(body)).size) < 800, len(body)
        lead = self.home.api("/api/leads?limite=1")["leads"][0]["id"]
        taken_turns = 0
        for foto in self.home.api(f"/api/leads/{lead}")["fotos"]:
            sent = self.home.api(f"/api/leads/{lead}/fotos/{foto['id']}")["imagen"]
            image = Image.open(io.BytesIO(base64.b64decode(sent.split(",", 1)[1])))
            assert image.format == "JPEG" and max(image.size) == 2000, image.size
            assert not image.getexif().get_ifd(0x8825), "the place was sent"
            if image.height > image.width:
                taken_turns += 1
                above, below = image.getpixel((600, 200)), image.getpixel((600, 1800))
                assert above[0] > above[2] and below[2] > below[0], (above, below)
        assert taken_turns == 1, taken_turns


def one_round(browser, home, with_js, screenshots):
    """Back by the browser's own button, corrected and sent again: one lead, with the later data. Two steps back too, where the tab
    remembers the page of step 3; without JavaScript that is another page, and a possible duplicate."""
    walk_ = Walk(browser, home, None, "movil", with_js, screenshots)
    p = walk_.page
    before = leads(home)
    p.goto(f"{home.url}/")
    p.get_by_role("button", name="Baño").click()
    p.get_by_label("Superficie del suelo").fill("6")
    walk_.go_on()
    p.get_by_label("Nombre").fill("Eva Ruiz")
    p.get_by_label("Teléfono").fill("655 44 33 22")
    p.get_by_label("Correo electrónico").fill("eva@ejemplo.es")
    time.sleep(HURRY_S)
    walk_.go_on()
    expect(p.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")
    p.go_back()
    expect(p.get_by_label("Nombre")).to_have_value("Eva Ruiz")
    p.get_by_label("Teléfono").fill("655 44 33 21")
    walk_.go_on()
    expect(p.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")
    p.go_back()
    p.go_back()
    p.get_by_label("Superficie del suelo").fill("7")
    p.get_by_label("Superficie del suelo").press("Enter")
    for field, value in [("Nombre", "Eva Ruiz"), ("Teléfono", "655 44 33 21"), ("Correo electrónico", "eva@ejemplo.es")]:
        if with_js:
            expect(p.get_by_label(field)).to_have_value(value)
        else:
            p.get_by_label(field).fill(value)
    walk_.go_on()
    expect(p.get_by_role("heading", level=1)).to_have_text("¿Cómo te gustaría que quedara?")
    after = leads(home)
    assert len(after) == len(before) + (1 if with_js else 2), [lead["nombre"] for lead in after]
    assert after[0]["telefonoE164"] == "+34655443321" and after[0]["m2Suelo"] == 7, after[0]
    if not with_js:
        assert home.api(f"/api/leads/{after[0]['id']}")["posibleDuplicado"]
        assert after[1]["telefonoE164"] == "+34655443321" and after[1]["m2Suelo"] == 6, after[1]
    # A change from the letter leads back to the letter, whatever was skipped.
    p.goto(p.url.replace("/calidad", "/resumen"))
    p.get_by_role("link", name="tus datos").click()
    p.get_by_label("Nombre").fill("Eva R.")
    walk_.go_on()
    expect(p.locator(".carta")).to_contain_text("Hola, Eva:")
    walk_.close()
    return f"vuelta-{walk_.name}"


def leads(home):
    return home.api("/api/leads?limite=100")["leads"]


def at_a_frame(browser, home, screenshots):
    """The form stands in another site's page only once the company allows that site, and works there without cookies."""
    foreign = ForeignPage(f"{home.url}/f/mi-empresa")
    context = browser.new_context(viewport={"width": 420, "height": 760})
    page = context.new_page()
    denied_ones = []
    page.on("console", lambda m: denied_ones.append(m.text) if "frame-ancestors" in m.text else None)
    page.goto(foreign.origin)
    page.wait_for_function("() => document.readyState === 'complete'")
    assert denied_ones, "a site that is not allowed framed the form"
    home.brand("--origin", foreign.origin, "--color", "#c2410c", "--telefono", "912 345 678")
    page.goto(foreign.origin)
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Cocina").click()
    expect(frame.get_by_role("heading", level=1)).to_have_text("¿Cuántos metros tiene tu cocina?")
    frame.get_by_role("button", name="Normal").click()
    frame.get_by_role("button", name="Continuar").click()
    expect(frame.get_by_role("heading", level=1)).to_have_text("¿A quién le preparamos el presupuesto?")
    if screenshots:
        page.screenshot(path=f"{screenshots}/marco.png")
    assert not context.cookies()
    context.close()
    # Another colour, checked again by day and by night.
    walk_ = Walk(browser, home, None, "mesa", True, screenshots)
    walk_.name += "-naranja"
    walk_.page.goto(f"{home.url}/f/mi-empresa/metros?tipo=cocina&m2=10")
    walk_.look("2-metros")
    walk_.close()


def walk(browser, home, receiver, screenshots):
    """Everybody's way through the form."""
    with tempfile.TemporaryDirectory() as folder:
        # 6 is how a phone held upright marks a photo: turn it by 90° to the right.
        fotos = [foto(folder, "a.jpg"), foto(folder, "b.jpg", 6), foto(folder, "c.jpg", 3)]
        for screen, with_js in [
            ("movil", True),
            ("movil", False),
            ("mesa", True),
            ("mesa", False),
        ]:
            walk_ = Walk(browser, home, receiver, screen, with_js, screenshots)
            walk_.walk(fotos)
            yield walk_.name
    for with_js in [True, False]:
        yield one_round(browser, home, with_js, screenshots)
    at_a_frame(browser, home, screenshots)
    yield "en-un-marco"
