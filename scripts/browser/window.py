"""A browser window that watches what every page of ours must keep: no violation, no overflow, no error, no request to others."""

from contextlib import contextmanager

from server import ROOT
from playwright.sync_api import expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCREENS = {"movil": (390, 844, True), "mesa": (1280, 860, False)}
# A debug build on a busy machine takes its time to resize and keep photos.
expect.set_options(timeout=20_000)
AXE = ROOT / "target/axe/node_modules/axe-core/axe.min.js"


@contextmanager
def open_browser():
    with sync_playwright() as playwright:
        navegador = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        try:
            yield navegador
        finally:
            navegador.close()


class Window:
    """One person's browser: a screen, a scheme of colours, with or without JavaScript."""

    def __init__(self, navegador, casa, pantalla, con_js, esquema, capturas=None, escala=1):
        ancho, alto, tactil = SCREENS[pantalla]
        self.nombre = f"{pantalla}-{'js' if con_js else 'sin-js'}-{esquema}"
        self.casa, self.con_js, self.tactil, self.capturas = casa, con_js, tactil, capturas
        self.contexto = navegador.new_context(
            viewport={"width": ancho, "height": alto},
            device_scale_factor=escala,
            has_touch=tactil,
            is_mobile=tactil,
            java_script_enabled=con_js,
            color_scheme=esquema,
            reduced_motion="reduce",
            locale="es-ES",
            timezone_id="Europe/Madrid",
        )
        self.pagina = self.contexto.new_page()
        self.ajenas, self.errores = [], []
        self.pagina.on("request", lambda r: None if r.url.startswith((casa.url, "blob:", "data:")) else self.ajenas.append(r.url))
        self.pagina.on("pageerror", lambda e: self.errores.append(str(e)))
        self.pagina.on("console", self._consola)
        self.pagina.on("response", self._respuesta)

    def _consola(self, mensaje):
        # What could not be loaded is judged by its answer, below: a page that refuses a form is no error.
        if mensaje.type in ("error", "warning") and not mensaje.text.startswith("Failed to load resource"):
            self.errores.append(mensaje.text)

    def _respuesta(self, respuesta):
        if respuesta.status >= 400 and respuesta.request.resource_type != "document":
            self.errores.append(f"{respuesta.status} {respuesta.url}")

    def mirar(self, paso):
        """What must hold on every page; and a picture of it where one is wanted."""
        donde = f"{self.nombre} {paso}"
        if self.capturas:
            self.pagina.screenshot(path=f"{self.capturas}/{self.nombre}-{paso}.png", full_page=True)
        if self.con_js:
            self.pagina.evaluate(AXE.read_text())
            faltas = self.pagina.evaluate("axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations)")
            dichas = [f"{f['id']}: {f['help']}: {[n['html'] for n in f['nodes']]}" for f in faltas]
            assert not dichas, f"{donde}: " + "\n".join(dichas)
        self._cabe(donde)
        if self.tactil:
            # The narrowest telephone, and a desk at 400 %.
            tamano = self.pagina.viewport_size
            self.pagina.set_viewport_size({"width": 320, "height": tamano["height"]})
            self._cabe(f"{donde} at 320 px")
            self.pagina.set_viewport_size(tamano)

    def _cabe(self, donde):
        # On a telephone the page would be drawn smaller instead of scrolling, so the width it takes is compared to what was given.
        ancho = self.pagina.evaluate("Math.max(document.documentElement.scrollWidth, innerWidth)")
        sobra = ancho - self.pagina.viewport_size["width"]
        assert sobra <= 0, f"{donde}: {sobra} px too wide"

    def cerrar(self):
        """Nothing went wrong on the way, and nothing is left in the browser."""
        assert not self.ajenas, f"{self.nombre}: requests to others: {self.ajenas}"
        assert not self.errores, f"{self.nombre}: errors in the page: {self.errores}"
        assert not self.contexto.cookies(), f"{self.nombre}: a cookie"
        self.contexto.close()
