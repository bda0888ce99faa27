"""A browser window that watches what every page of ours must keep: no violation, no overflow, no error, no request to others."""

import itertools
import subprocess
from contextlib import contextmanager

from server import ROOT
from playwright.sync_api import expect, sync_playwright

# Chromium without its window takes a third less of the processor, but shows no notices.
SHELL = "/usr/bin/chromium-headless-shell"
WHOLE = "/usr/bin/chromium"
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
# The windows that a page is looked at in: screen, with JavaScript or without.
VIEWS = [("mesa", True), ("movil", True), ("movil", False)]
# Every page is looked at by day, then its colours by night. No script may run in our frames, so axe cannot look into them.
SCHEMES = {
    "light": "{ resultTypes: ['violations'], iframes: false }",
    "dark": "{ resultTypes: ['violations'], iframes: false, runOnly: ['color-contrast', 'link-in-text-block'] }",
}
PASSWORD = "cuatro gatos verdes bailan"
# A debug build on a busy machine takes its time to resize and keep photos.
expect.set_options(timeout=20_000)
AXE = ROOT / "target/axe/node_modules/axe-core/axe.min.js"


ADDRESSES = itertools.count(1)


@contextmanager
def open_browser(program=SHELL):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=OPTIONS)
        try:
            yield browser
        finally:
            browser.close()


class Window:
    """One person's browser: a screen, with or without JavaScript."""

    opened = []

    def __init__(self, browser, home, screen, with_js, screenshots=None, scale=1):
        width, height, touch = SCREENS[screen]
        self.name = f"{screen}-{'js' if with_js else 'sin-js'}"
        self.home, self.with_js, self.touch, self.screenshots = home, with_js, touch, screenshots
        self.context = browser.new_context(
            viewport={"width": width, "height": height},
            device_scale_factor=scale,
            has_touch=touch,
            is_mobile=touch,
            java_script_enabled=with_js,
            color_scheme="light",
            reduced_motion="reduce",
            # Each window is somebody else, somewhere else: what strangers may ask for is counted by address.
            extra_http_headers={"X-Forwarded-For": f"192.0.2.{next(ADDRESSES)}"},
            locale="es-ES",
            timezone_id="Europe/Madrid",
        )
        self.page = self.context.new_page()
        Window.opened.append(self)
        self.foreign, self.errors = [], []
        self.page.on("request", lambda r: None if r.url.startswith((home.url, "blob:", "data:")) else self.foreign.append(r.url))
        self.page.on("pageerror", lambda e: self.errors.append(str(e)))
        self.page.on("console", self._console)
        self.page.on("response", self._response)

    def _console(self, message):
        # What could not be loaded is judged by its answer, below: a page that refuses a form is no error.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.errors.append(message.text)

    def _response(self, answer):
        if answer.status >= 400 and answer.request.resource_type != "document":
            self.errors.append(f"{answer.status} {answer.url}")

    def look(self, step):
        """What must hold on every page; and a picture of it where one is wanted."""
        where_ = f"{self.name} {step}"
        if self.with_js:
            self.page.evaluate(AXE.read_text())
        for scheme, rules in SCHEMES.items():
            self.page.emulate_media(color_scheme=scheme)
            if self.screenshots:
                self.page.screenshot(path=f"{self.screenshots}/{self.name}-{scheme}-{step}.png", full_page=True)
            if self.with_js:
                faults = self.page.evaluate(f"axe.run(document, {rules}).then((r) => r.violations)")
                said = [f"{f['id']}: {f['help']}: {[n['html'] for n in f['nodes']]}" for f in faults]
                assert not said, f"{where_} {scheme}: " + "\n".join(said)
        self.page.emulate_media(color_scheme="light")
        self._fits(where_)
        if self.touch:
            # The narrowest telephone, and a desk at 400 %.
            size = self.page.viewport_size
            self.page.set_viewport_size({"width": 320, "height": size["height"]})
            self._fits(f"{where_} at 320 px")
            self.page.set_viewport_size(size)

    def _fits(self, where_):
        # On a telephone the page would be drawn smaller instead of scrolling, so the width it takes is compared to what was given.
        width = self.page.evaluate("Math.max(document.documentElement.scrollWidth, innerWidth)")
        extra = width - self.page.viewport_size["width"]
        assert extra <= 0, f"{where_}: {extra} px too wide"

    def close(self):
        """Nothing went wrong on the way, and nothing is left in the browser."""
        assert not self.foreign, f"{self.name}: requests to others: {self.foreign}"
        assert not self.errors, f"{self.name}: errors in the page: {self.errors}"
        assert not self.context.cookies(), f"{self.name}: a cookie"
        self.context.close()
        Window.opened.remove(self)


def person(home, email, name, *roles):
    """Somebody who may sign in to the panel."""
    create = [home.program, "usuario", "create", "--email", email, "--nombre", name, *roles]
    subprocess.run(create, env=home.environment, cwd=home.folder.name, check=True, input=f"{PASSWORD}\n", text=True, stdout=subprocess.DEVNULL)


def enter(window, email):
    """Signs in where the page asks for it."""
    page = window.page
    page.get_by_label("Correo").fill(email)
    page.get_by_label("Contraseña").fill(PASSWORD)
    page.get_by_role("button", name="Entrar").click()


def sign_in(window, home, email):
    window.page.goto(f"{home.url}/panel/entrar?a=/panel/cuenta")
    enter(window, email)
    expect(window.page.get_by_role("heading", name="Mi cuenta")).to_be_visible()


def leave(window):
    """Ends the session's cookie and the window."""
    window.context.clear_cookies()
    window.close()
