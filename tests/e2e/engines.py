"""Chromium, Firefox and WebKit as Debian has them, driven alike: they lay out, keep and fetch otherwise than one another.

Chromium and Firefox speak WebDriver BiDi, so no geckodriver is needed; WebKit speaks classic WebDriver and needs a screen,
which Xvfb draws in memory.
"""

import base64
import json
import os
import subprocess
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.options import Options as ChromiumOptions
from selenium.webdriver.chrome.service import Service as ChromiumService
from selenium.webdriver.remote.command import Command
from selenium.webdriver.remote.websocket_connection import WebSocketConnection
from selenium.webdriver.webkitgtk.options import Options as WebKitOptions
from selenium.webdriver.webkitgtk.service import Service as WebKitService

from tests.e2e.slow_phone import SLOW_PHONE
from tests.servers import end, free_port, installed, missing, program, wait_for_port

SECONDS = 30
"""For one command."""
IN_NAIROBI = {**os.environ, "TZ": "Africa/Nairobi"}
"""The environment of every browser: elsewhere each time of the booking page has the visitor's own beside it."""


class Engine(Protocol):
    """A window of a browser."""

    def open(self, url: str) -> None:
        """Load a page and wait until it has loaded."""

    def resize(self, width: int, height: int) -> None:
        """Give the page this width in CSS pixels, and this height including what bars the browser has."""

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is awaited. Without scripts only expressions that do not wait work."""

    def perform(self, actions: Sequence[dict[str, object]]) -> None:
        """Use keyboard and pointer as WebDriver's "perform actions" describes."""

    def add_cookie(self, url: str, name: str, value: str) -> None:
        """Set a cookie for the host of `url`."""

    def delete_cookies(self) -> None:
        """Delete all cookies of the page's host."""

    def screenshot(self) -> bytes:
        """Return a screenshot as PNG."""

    def console_errors(self) -> list[str]:
        """Errors of scripts and of the console since the last call."""


_BROKEN_OFF = "A ServiceWorker intercepted the request and encountered an unexpected error"
"""What Firefox says of a load through the service worker that leaving the page has broken off."""


class BiDi:
    """A window of Chromium or Firefox."""

    def __init__(self, connection: WebSocketConnection) -> None:
        self._connection = connection
        self._errors: list[str] = []
        (window,) = self.command("browsingContext.getTree")["contexts"]
        self.context: str = window["context"]
        connection.callbacks["log.entryAdded"] = [self._keep]
        self.command("session.subscribe", events=["log.entryAdded"])

    def _keep(self, entry: dict[str, Any]) -> None:
        if entry["level"] == "error" and _BROKEN_OFF not in str(entry["text"]):
            self._errors.append(str(entry["text"]))

    def command(self, method: str, /, **parameters: object) -> dict[str, Any]:
        """Send a command of WebDriver BiDi; its result."""
        answer: dict[str, Any] = self._connection.send_cmd(method, parameters)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}: {answer.get('message')}")
        return answer["result"]  # type: ignore[no-any-return]

    def open(self, url: str) -> None:
        """Load a page and wait until it has loaded."""
        self.command("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def prepare(self, function: str) -> None:
        """Call a JavaScript function in every page from now on, before its own scripts."""
        self.command("script.addPreloadScript", functionDeclaration=function)

    def slow_down(self) -> None:
        """Become a slow phone on a slow network. Chromium only."""
        session = self.command("goog:cdp.getSession", context=self.context)["session"]
        for method, params in SLOW_PHONE.items():
            self.command("goog:cdp.sendCommand", method=method, params=params, session=session)

    def resize(self, width: int, height: int) -> None:
        """Give the page this size."""
        size = {"width": width, "height": height}
        self.command("browsingContext.setViewport", context=self.context, viewport=size)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is awaited."""
        answer = self.command(
            "script.evaluate", target={"context": self.context}, awaitPromise=True,
            expression="((value) => { const text = (one) => JSON.stringify(one) ?? 'null';"
            f" return value instanceof Promise ? value.then(text) : text(value); }})({expression})",
        )  # fmt: skip
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def perform(self, actions: Sequence[dict[str, object]]) -> None:
        """Use keyboard and pointer."""
        self.command("input.performActions", context=self.context, actions=actions)

    def add_cookie(self, url: str, name: str, value: str) -> None:
        """Set a cookie for the host of `url`."""
        cookie = {
            "name": name,
            "value": {"type": "string", "value": value},
            "domain": urlsplit(url).hostname,
            "httpOnly": True,
            "sameSite": "strict",
        }
        self.command("storage.setCookie", cookie=cookie)

    def delete_cookies(self) -> None:
        """Delete all cookies."""
        self.command("storage.deleteCookies")

    def screenshot(self) -> bytes:
        """Return a screenshot as PNG."""
        answer = self.command("browsingContext.captureScreenshot", context=self.context)
        return base64.b64decode(answer["data"])

    def console_errors(self) -> list[str]:
        """Errors of scripts and of the console since the last call."""
        errors, self._errors = self._errors, []
        return errors


class WebKit:
    """A window of WebKit's own small browser."""

    def __init__(self, driver: webdriver.WebKitGTK) -> None:
        self._driver = driver

    def open(self, url: str) -> None:
        """Load a page and wait until it has loaded."""
        self._driver.get(url)

    def resize(self, width: int, height: int) -> None:
        """Give the window this size; its toolbar is a few pixels high."""
        self._driver.set_window_rect(0, 0, width, height)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is awaited."""
        result = self._driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            f"(async () => {{ {_KEEP_ERRORS} return JSON.stringify(await ({expression})) ?? 'null'; }})().then("
            "(value) => done({ value }), (error) => done({ error: String(error) }));"
        )
        if "error" in result:
            raise RuntimeError(result["error"])
        return json.loads(result["value"])

    def perform(self, actions: Sequence[dict[str, object]]) -> None:
        """Use keyboard and pointer."""
        self._driver.execute(Command.W3C_ACTIONS, {"actions": actions})

    def add_cookie(self, url: str, name: str, value: str) -> None:
        """Set a cookie for the host of `url`, from which a page has to be open."""
        del url
        self._driver.add_cookie({"name": name, "value": value, "path": "/", "httpOnly": True})

    def delete_cookies(self) -> None:
        """Delete all cookies of the page's host."""
        self._driver.delete_all_cookies()

    def screenshot(self) -> bytes:
        """Return a screenshot as PNG."""
        return self._driver.get_screenshot_as_png()

    def console_errors(self) -> list[str]:
        """Errors since the last call, from the first evaluation in each page on: its driver reports none."""
        return list(
            self.evaluate(
                "(() => { const kept = JSON.parse(sessionStorage.consoleErrors ?? '[]');"
                " delete sessionStorage.consoleErrors; return kept; })()"
            )
        )


_KEEP_ERRORS = """
if (!window.keepsErrors) {
  window.keepsErrors = true;
  const keep = (error) => {
    sessionStorage.consoleErrors = JSON.stringify([...JSON.parse(sessionStorage.consoleErrors ?? "[]"), String(error)]);
  };
  const report = console.error;
  console.error = (...parts) => { keep(parts.join(" ")); report(...parts); };
  addEventListener("error", (event) => keep(event.message));
  addEventListener("unhandledrejection", (event) => keep(event.reason));
  addEventListener("securitypolicyviolation", (event) => keep(`${event.violatedDirective}: ${event.blockedURI}`));
}
"""


@contextmanager
def chromium(*, scripts: bool = True, preferences: Mapping[str, object] | None = None) -> Iterator[BiDi]:
    """A headless window of Chromium with a profile of its own, which may have preferences."""
    options = ChromiumOptions()
    # The shell has no preferences.
    shell = None if preferences else installed("chromium-headless-shell", _headless_shell)
    options.binary_location = shell or program("chromium") or missing("Chromium")
    options.add_experimental_option("prefs", dict(preferences or {}))
    options.enable_bidi = True
    for flag in (
        "--headless",
        "--hide-scrollbars",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
    ):
        options.add_argument(flag)
    driver_path = program("chromedriver", "chromium-driver") or missing("Chromium's driver")
    service = ChromiumService(driver_path, env=IN_NAIROBI)
    driver = webdriver.Chrome(options=options, service=service)
    try:
        connection = WebSocketConnection(driver.capabilities["webSocketUrl"], SECONDS, 0.01)
        window = BiDi(connection)
        if not scripts:
            window.command("emulation.setScriptingEnabled", enabled=False, userContexts=["default"])
        yield window
    finally:
        driver.quit()
    # Its thread ends with the browser; before, it would be waited for in vain.
    connection.close()


def _headless_shell() -> str | None:
    """The browser itself: Debian's command is a script that starts it, and a driver would end the script only."""
    program = Path("/usr/lib/chromium/chromium-headless-shell")
    return str(program) if program.exists() else None


@contextmanager
def firefox(*, scripts: bool = True) -> Iterator[BiDi]:
    """A headless window of Firefox with a profile of its own."""
    binary = program("firefox-esr") or program("firefox") or missing("Firefox")
    port = free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        Path(profile, "user.js").write_text(f'user_pref("javascript.enabled", {json.dumps(scripts)});\n')
        process = subprocess.Popen(
            [binary, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", str(port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=IN_NAIROBI,
        )  # fmt: skip
        try:
            wait_for_port(port, process)
            connection = WebSocketConnection(f"ws://127.0.0.1:{port}/session", SECONDS, 0.01)
            connection.send_cmd("session.new", {"capabilities": {}})
            yield BiDi(connection)
        finally:
            end(process)
        connection.close()


@contextmanager
def webkit(*, scripts: bool = True) -> Iterator[WebKit]:
    """A window of WebKit, with storage of its own."""
    driver = program("WebKitWebDriver", "webkit2gtk-driver") or missing("WebKitWebDriver")
    options = WebKitOptions()
    options.binary_location = installed("webkit2gtk-driver", _small_browser) or missing("WebKit's browser")
    options.add_argument("--automation")
    # Scripts of pages are switched off, those of WebDriver are not.
    options.add_argument(f"--enable-javascript-markup={json.dumps(scripts)}")
    with _screen() as display, _narrow_toolbar() as looks:
        service = WebKitService(driver, env={**IN_NAIROBI, "DISPLAY": display, "XDG_CONFIG_HOME": looks})
        with warnings.catch_warnings():
            # The library uses what it has declared obsolete itself.
            warnings.simplefilter("ignore", DeprecationWarning)
            window = webdriver.WebKitGTK(options=options, service=service)
        window.set_script_timeout(SECONDS)
        try:
            yield WebKit(window)
        finally:
            window.quit()


def _small_browser() -> str | None:
    return next((str(path) for path in Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")), None)


@contextmanager
def _narrow_toolbar() -> Iterator[str]:
    """A folder of settings with which the small browser's toolbar is narrower than any phone: by itself it needs 447 px."""
    with tempfile.TemporaryDirectory() as folder:
        style = Path(folder, "gtk-3.0", "gtk.css")
        style.parent.mkdir()
        style.write_text(
            "* { min-width: 0; min-height: 0; padding: 0; margin: 0; border: 0; font-size: 1px; }\n"
        )
        yield folder


@contextmanager
def _screen() -> Iterator[str]:
    binary = program("Xvfb", "xvfb") or missing("Xvfb")
    process = subprocess.Popen(
        [binary, "-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        with process.stdout as output:
            yield f":{output.readline().decode().strip()}"
    finally:
        end(process)


class Starter(Protocol):
    """Starts an engine, with or without scripts."""

    def __call__(self, *, scripts: bool = True) -> AbstractContextManager[Engine]: ...


ENGINES: dict[str, Starter] = {"chromium": chromium, "firefox": firefox, "webkit": webkit}
