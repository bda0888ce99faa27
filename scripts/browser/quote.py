"""The quote's page in a real browser. Run by scripts/test-browser."""

import drawings
from playwright.sync_api import expect
from window import Window

PERSON = {
    "nombre": "Ana García",
    "telefono": "612 34 56 78",
    "email": "ana@ejemplo.es",
    "provincia": "Madrid",
    "tipoReforma": "bano",
    "m2Suelo": 6.5,
    "calidadGlobal": "media",
    "presupuestoTarget": 900_000,
}
# Pictures take the server most of its time, and only the first walk looks at them.
NOTA = [{"tipo": "texto", "texto": "Queremos plato de ducha. La ventana no se toca.", "zona": "bano"}]


class Reading(Window):
    """Somebody who reads a quote and answers it."""

    def __init__(self, items, *rest):
        super().__init__(*rest)
        self.items = items

    def open_(self, items=NOTA):
        lead, page = self.home.quote(PERSON, items)
        self.page.goto(page)
        return lead, page

    def cartel(self, text):
        expect(self.page.locator(".cartel[role=status]")).to_contain_text(text)

    def accept(self):
        p = self.page
        _, page = self.open_(self.items)
        expect(p.get_by_role("heading", level=1)).to_contain_text("Reforma de baño")
        expect(p.get_by_role("heading", level=2, name="Cocina", exact=True)).to_be_visible()
        self.fotos()
        self.look("p1-enviado")
        self.at_paper()
        if self.with_js:
            self.slider()
        self.pdf()
        checkbox = p.get_by_role("checkbox", name="He leído y acepto")
        button = p.get_by_role("button", name="Aceptar el presupuesto")
        # The browser itself asks for the tick; one that does not is answered by the server, beside the box.
        button.click()
        assert p.url == page, p.url
        p.evaluate("document.querySelector('form[action$=aceptar]').noValidate = true")
        button.click()
        expect(p.locator("#acepto-error")).to_have_text("Marca la casilla para poder aceptarlo.")
        expect(checkbox).to_have_attribute("aria-describedby", "acepto-error")
        expect(checkbox).to_be_focused()
        self.look("p2-sin-marcar")
        checkbox.check()
        p.get_by_role("checkbox", name="Declaro").check()
        button.click()
        self.cartel("Presupuesto aceptado")
        # What came of it is at the top, where the person is brought to, with its evidence.
        assert p.url == page + "#resultado", p.url
        expect(p.locator("#resultado")).to_be_in_viewport()
        expect(p.locator("#resultado")).to_contain_text("Huella del PDF")
        expect(button).to_have_count(0)
        self.look("p3-aceptado")

    def reject(self, receiver):
        p, before = self.page, len(receiver.received)
        self.open_()
        p.get_by_role("button", name="Preguntar por WhatsApp").click()
        expect(p.locator("#dudas [role=status]")).to_contain_text("te escribimos al 612 34 56 78")
        assert receiver.wait(before + 1)[-1]["telefono"] == "+34612345678"
        self.look("p4-dudas")
        p.get_by_text("No me encaja").click()
        p.get_by_label("¿Nos cuentas por qué?").fill("Se nos va de precio.\nLo dejamos para marzo.")
        self.look("p5-rechazo")
        p.get_by_role("button", name="Rechazar el presupuesto").click()
        self.cartel("Presupuesto rechazado")
        self.cartel("Se nos va de precio.")
        expect(p.get_by_role("heading", name="¿Has cambiado de idea?")).to_be_visible()
        self.look("p6-rechazado")

    def visit(self):
        """What nobody measured is no promise: a visit is asked for, once."""
        p = self.page
        unsure = {name: value for name, value in PERSON.items() if name not in ("m2Suelo", "calidadGlobal")}
        _, page = self.home.quote(unsure, NOTA)
        p.goto(page)
        expect(p.get_by_role("button", name="Aceptar el presupuesto")).to_have_count(0)
        p.get_by_label("¿Cuándo te viene bien?").fill("Por las tardes, a partir de las seis.")
        self.look("p8-orientativo")
        p.get_by_role("button", name="Pedir visita").click()
        self.cartel("Visita pedida")
        self.cartel("Por las tardes")
        expect(p.get_by_role("button", name="Pedir visita")).to_have_count(0)
        self.look("p9-visita-pedida")

    def replace_(self):
        p = self.page
        lead, old = self.open_()
        new = self.home.finalizar(lead, [{"tipo": "texto", "texto": "Mejor con mampara fija.", "zona": "bano"}])
        assert new != old
        p.reload()
        self.cartel("Hay un presupuesto más reciente")
        expect(p.get_by_role("button", name="Aceptar el presupuesto")).to_have_count(0)
        self.look("p7-sustituido")
        p.get_by_role("link", name="Ver el presupuesto").click()
        expect(p.get_by_text("Mejor con mampara fija.")).to_be_visible()
        assert p.url == new, p.url

    def fotos(self):
        """All four pictures arrive, also those that wait to be scrolled to."""
        images = self.page.locator(".cuadro img")
        expect(images).to_have_count(4)
        for n in range(4):
            images.nth(n).scroll_into_view_if_needed()
            expect(images.nth(n)).to_have_js_property("complete", True)
        widths = images.evaluate_all("imgs => imgs.map(i => i.naturalWidth)")
        assert all(width >= 600 for width in widths), widths
        self.page.evaluate("scrollTo(0, 0)")

    def at_paper(self):
        """Printed, nothing stands over the note about generated pictures or the lines around it."""
        p = self.page
        p.emulate_media(media="print")
        overlaps = p.evaluate("""() => {
            const nota = document.querySelector('.nota-ia').getBoundingClientRect();
            const otros = [...document.querySelectorAll('.zona tr, .zona figure, .zona li, .totales')];
            return otros.map(o => o.getBoundingClientRect())
                .filter(c => c.height && c.top < nota.bottom - 1 && c.bottom > nota.top + 1).length;
        }""")
        assert overlaps == 0, f"{overlaps} things overlap the note on paper"
        p.emulate_media(media="screen")

    def slider(self):
        """Moved by keys, by mouse and by finger; how much of each is seen follows."""
        p = self.page
        handle = p.get_by_role("slider", name="Comparar antes y después: Baño")
        expect(p.get_by_role("slider")).to_have_count(2)
        handle.focus()
        for key_, value in [("ArrowRight", 52), ("ArrowLeft", 50), ("PageUp", 60), ("End", 100), ("ArrowRight", 100), ("Home", 0)]:
            p.keyboard.press(key_)
            expect(handle).to_have_attribute("aria-valuenow", str(value))
        expect(handle).to_have_attribute("aria-valuetext", "0 % de antes, 100 % de después")
        boxed = p.locator(".comparador").first
        boxed.scroll_into_view_if_needed()
        m = boxed.bounding_box()
        x, y = (lambda part: m["x"] + m["width"] * part), m["y"] + m["height"] * 0.6
        p.mouse.move(x(0.4), y)
        p.mouse.down()
        p.mouse.move(x(0.6), y, steps=4)
        p.mouse.move(x(0.7), y + 30, steps=4)
        expect(handle).to_have_attribute("aria-valuenow", "70")
        p.mouse.up()
        p.mouse.move(x(0.2), y)
        expect(handle).to_have_attribute("aria-valuenow", "70")
        expect(handle).to_be_focused()
        if self.touch:
            self.finger(lambda part: (x(part), y))
            expect(handle).to_have_attribute("aria-valuenow", "25")
        cut = boxed.evaluate("c => getComputedStyle(c.querySelectorAll('.cuadro')[1]).clipPath")
        assert ("25%" if self.touch else "70%") in cut, cut

    def finger(self, point):
        """A finger that goes from the right to the left, as the browser gets it from a screen."""
        cdp = self.context.new_cdp_session(self.page)

        def touch_(kind, *parts):
            points = [dict(zip("xy", point(part))) for part in parts]
            cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch_("touchStart", 0.8)
        for part in [0.7, 0.55, 0.4, 0.25]:
            touch_("touchMove", part)
        touch_("touchEnd")
        cdp.detach()

    def pdf(self):
        p = self.page
        with p.expect_download() as fetch:
            p.get_by_role("link", name="Descargar PDF").click()
        file = fetch.value
        assert file.suggested_filename.endswith(".pdf"), file.suggested_filename
        with open(file.path(), "rb") as open_:
            start = open_.read(5)
        assert start == b"%PDF-", start


def walk(browser, home, receiver, screenshots):
    """Clients who read their quote and answer it."""
    home.brand("--color", "#1f5c4d", "--telefono", "912 345 678", "--email", "hola@ejemplo.es", "--nif", "B12345674")
    items = drawings.album(width=1000) + NOTA
    items.append({"tipo": "texto", "texto": "De la cocina, solo una idea para más adelante.", "zona": "cocina"})
    for screen, with_js in [
        ("movil", True),
        ("mesa", True),
        ("movil", False),
        ("mesa", False),
    ]:
        reading = Reading(items, browser, home, screen, with_js, screenshots)
        reading.accept()
        reading.reject(receiver)
        reading.visit()
        reading.replace_()
        reading.close()
        yield reading.name
