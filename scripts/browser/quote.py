"""The quote's page in a real browser. Run by scripts/test-browser."""

import drawings
from playwright.sync_api import expect
from window import Window

PERSONA = {
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


class Lectura(Window):
    """Somebody who reads a quote and answers it."""

    def __init__(self, items, *resto):
        super().__init__(*resto)
        self.items = items

    def abrir(self, items=NOTA):
        lead, pagina = self.casa.presupuestar(PERSONA, items)
        self.pagina.goto(pagina)
        return lead, pagina

    def cartel(self, texto):
        expect(self.pagina.locator(".cartel[role=status]")).to_contain_text(texto)

    def aceptar(self):
        p = self.pagina
        _, pagina = self.abrir(self.items)
        expect(p.get_by_role("heading", level=1)).to_contain_text("Reforma de baño")
        expect(p.get_by_role("heading", level=2, name="Cocina", exact=True)).to_be_visible()
        self.fotos()
        self.mirar("p1-enviado")
        self.en_papel()
        if self.con_js:
            self.comparador()
        self.pdf()
        casilla = p.get_by_role("checkbox", name="He leído y acepto")
        boton = p.get_by_role("button", name="Aceptar el presupuesto")
        # The browser itself asks for the tick; one that does not is answered by the server, beside the box.
        boton.click()
        assert p.url == pagina, p.url
        p.evaluate("document.querySelector('form[action$=aceptar]').noValidate = true")
        boton.click()
        expect(p.locator("#acepto-mal")).to_have_text("Marca la casilla para poder aceptarlo.")
        expect(casilla).to_have_attribute("aria-describedby", "acepto-mal")
        expect(casilla).to_be_focused()
        self.mirar("p2-sin-marcar")
        casilla.check()
        boton.click()
        self.cartel("Presupuesto aceptado")
        # What came of it is at the top, where the person is brought to, with its evidence.
        assert p.url == pagina + "#resultado", p.url
        expect(p.locator("#resultado")).to_be_in_viewport()
        expect(p.locator("#resultado")).to_contain_text("Huella del PDF")
        expect(boton).to_have_count(0)
        self.mirar("p3-aceptado")

    def rechazar(self, receptor):
        p, antes = self.pagina, len(receptor.recibidas)
        self.abrir()
        p.get_by_role("button", name="Preguntar por WhatsApp").click()
        expect(p.locator("#dudas [role=status]")).to_contain_text("te escribimos al 612 34 56 78")
        assert receptor.esperar(antes + 1)[-1]["telefono"] == "+34612345678"
        self.mirar("p4-dudas")
        p.get_by_text("No me encaja").click()
        p.get_by_label("¿Nos cuentas por qué?").fill("Se nos va de precio.\nLo dejamos para marzo.")
        self.mirar("p5-rechazo")
        p.get_by_role("button", name="Rechazar el presupuesto").click()
        self.cartel("Presupuesto rechazado")
        self.cartel("Se nos va de precio.")
        expect(p.get_by_role("heading", name="¿Has cambiado de idea?")).to_be_visible()
        self.mirar("p6-rechazado")

    def sustituir(self):
        p = self.pagina
        lead, viejo = self.abrir()
        nuevo = self.casa.finalizar(lead, [{"tipo": "texto", "texto": "Mejor con mampara fija.", "zona": "bano"}])
        assert nuevo != viejo
        p.reload()
        self.cartel("Hay un presupuesto más reciente")
        expect(p.get_by_role("button", name="Aceptar el presupuesto")).to_have_count(0)
        self.mirar("p7-sustituido")
        p.get_by_role("link", name="Ver el presupuesto").click()
        expect(p.get_by_text("Mejor con mampara fija.")).to_be_visible()
        assert p.url == nuevo, p.url

    def fotos(self):
        """All four pictures arrive, also those that wait to be scrolled to."""
        imagenes = self.pagina.locator(".cuadro img")
        expect(imagenes).to_have_count(4)
        for n in range(4):
            imagenes.nth(n).scroll_into_view_if_needed()
            expect(imagenes.nth(n)).to_have_js_property("complete", True)
        anchos = imagenes.evaluate_all("imgs => imgs.map(i => i.naturalWidth)")
        assert all(ancho >= 600 for ancho in anchos), anchos
        self.pagina.evaluate("scrollTo(0, 0)")

    def en_papel(self):
        """Printed, nothing stands over the note about generated pictures or the lines around it."""
        p = self.pagina
        p.emulate_media(media="print")
        solapes = p.evaluate("""() => {
            const nota = document.querySelector('.nota-ia').getBoundingClientRect();
            const otros = [...document.querySelectorAll('.zona tr, .zona figure, .zona li, .totales')];
            return otros.map(o => o.getBoundingClientRect())
                .filter(c => c.height && c.top < nota.bottom - 1 && c.bottom > nota.top + 1).length;
        }""")
        assert solapes == 0, f"{solapes} things overlap the note on paper"
        p.emulate_media(media="screen")

    def comparador(self):
        """Moved by keys, by mouse and by finger; how much of each is seen follows."""
        p = self.pagina
        asa = p.get_by_role("slider", name="Comparar antes y después: Baño")
        expect(p.get_by_role("slider")).to_have_count(2)
        asa.focus()
        for tecla, valor in [("ArrowRight", 52), ("ArrowLeft", 50), ("PageUp", 60), ("End", 100), ("ArrowRight", 100), ("Home", 0)]:
            p.keyboard.press(tecla)
            expect(asa).to_have_attribute("aria-valuenow", str(valor))
        expect(asa).to_have_attribute("aria-valuetext", "0 % de antes, 100 % de después")
        caja = p.locator(".comparador").first
        caja.scroll_into_view_if_needed()
        m = caja.bounding_box()
        x, y = (lambda parte: m["x"] + m["width"] * parte), m["y"] + m["height"] * 0.6
        p.mouse.move(x(0.4), y)
        p.mouse.down()
        p.mouse.move(x(0.6), y, steps=4)
        p.mouse.move(x(0.7), y + 30, steps=4)
        expect(asa).to_have_attribute("aria-valuenow", "70")
        p.mouse.up()
        p.mouse.move(x(0.2), y)
        expect(asa).to_have_attribute("aria-valuenow", "70")
        expect(asa).to_be_focused()
        if self.tactil:
            self.dedo(lambda parte: (x(parte), y))
            expect(asa).to_have_attribute("aria-valuenow", "25")
        corte = caja.evaluate("c => getComputedStyle(c.querySelectorAll('.cuadro')[1]).clipPath")
        assert ("25%" if self.tactil else "70%") in corte, corte

    def dedo(self, punto):
        """A finger that goes from the right to the left, as the browser gets it from a screen."""
        cdp = self.contexto.new_cdp_session(self.pagina)

        def tocar(tipo, *partes):
            puntos = [dict(zip("xy", punto(parte))) for parte in partes]
            cdp.send("Input.dispatchTouchEvent", {"type": tipo, "touchPoints": puntos})

        tocar("touchStart", 0.8)
        for parte in [0.7, 0.55, 0.4, 0.25]:
            tocar("touchMove", parte)
        tocar("touchEnd")
        cdp.detach()

    def pdf(self):
        p = self.pagina
        with p.expect_download() as descarga:
            p.get_by_role("link", name="Descargar PDF").click()
        fichero = descarga.value
        assert fichero.suggested_filename.endswith(".pdf"), fichero.suggested_filename
        with open(fichero.path(), "rb") as abierto:
            inicio = abierto.read(5)
        assert inicio == b"%PDF-", inicio


def walk(navegador, casa, receptor, capturas):
    """Clients who read their quote and answer it."""
    casa.marca("--color", "#1f5c4d", "--telefono", "912 345 678", "--email", "hola@ejemplo.es", "--nif", "B12345674")
    items = drawings.album(ancho=1000) + NOTA
    items.append({"tipo": "texto", "texto": "De la cocina, solo una idea para más adelante.", "zona": "cocina"})
    for pantalla, con_js, esquema in [
        ("movil", True, "light"),
        ("mesa", True, "light"),
        ("movil", True, "dark"),
        ("mesa", True, "dark"),
        ("movil", False, "light"),
        ("mesa", False, "dark"),
    ]:
        lectura = Lectura(items, navegador, casa, pantalla, con_js, esquema, capturas)
        lectura.aceptar()
        # By night the same pages are only darker; one walk of each kind looks at the rest of them.
        if not (con_js and esquema == "dark"):
            lectura.rechazar(receptor)
            lectura.sustituir()
        lectura.cerrar()
        yield lectura.nombre
