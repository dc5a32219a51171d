"""Firefox and WebKit as Debian has them, driven through WebDriver: they lay out, keep and fetch otherwise than Chromium.

Firefox speaks WebDriver BiDi by itself, so no geckodriver is needed. WebKit's driver needs a screen, which Xvfb draws in memory.
"""

import base64
import json
import os
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.remote.websocket_connection import WebSocketConnection
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from tests.servers import end, free_port, installed, missing, program, wait_for_port

SECONDS = 30
"""For one command."""


class Engine(Protocol):
    """A window of a browser."""

    def open(self, url: str) -> None:
        """Load a page and wait until it has loaded."""

    def resize(self, width: int, height: int) -> None:
        """Give the window this size, in CSS pixels of its content or, in WebKit, of its frame."""

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited."""

    def add_cookie(self, url: str, name: str, value: str) -> None:
        """Set a cookie for the host of `url`."""


class Firefox:
    """A headless window of Firefox."""

    def __init__(self, connection: WebSocketConnection) -> None:
        self._connection = connection
        self._command("session.new", capabilities={})
        (window,) = self._command("browsingContext.getTree")["contexts"]
        self._window: str = window["context"]

    def _command(self, method: str, **parameters: object) -> dict[str, Any]:
        answer: dict[str, Any] = self._connection.send_cmd(method, parameters)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}: {answer.get('message')}")
        return answer["result"]  # type: ignore[no-any-return]

    def open(self, url: str) -> None:
        """Load a page and wait until it has loaded."""
        self._command("browsingContext.navigate", context=self._window, url=url, wait="complete")

    def resize(self, width: int, height: int) -> None:
        """Give the window's content this size."""
        size = {"width": width, "height": height}
        self._command("browsingContext.setViewport", context=self._window, viewport=size)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited."""
        answer = self._command(
            "script.evaluate", target={"context": self._window}, awaitPromise=True,
            expression=f"(async () => JSON.stringify(await ({expression})) ?? 'null')()",
        )  # fmt: skip
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def add_cookie(self, url: str, name: str, value: str) -> None:
        """Set a cookie for the host of `url`."""
        cookie = {
            "name": name,
            "value": {"type": "string", "value": value},
            "domain": urlsplit(url).hostname,
            "httpOnly": True,
            "sameSite": "strict",
        }
        self._command("storage.setCookie", cookie=cookie)

    def screenshot(self) -> bytes:
        """What the window shows, as PNG."""
        return base64.b64decode(
            self._command("browsingContext.captureScreenshot", context=self._window)["data"]
        )


class WebKit:
    """A window of WebKit's own small browser."""

    def __init__(self, driver: webdriver.WebKitGTK) -> None:
        self._driver = driver

    def open(self, url: str) -> None:
        """Load a page and wait until it has loaded."""
        self._driver.get(url)

    def resize(self, width: int, height: int) -> None:
        """Give the window this size; its toolbar lets none be narrower than 447 px."""
        self._driver.set_window_rect(0, 0, width, height)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited."""
        found = self._driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            f"(async () => JSON.stringify(await ({expression})) ?? 'null')().then("
            "(value) => done({ value }), (error) => done({ error: String(error) }));"
        )
        if "error" in found:
            raise RuntimeError(found["error"])
        return json.loads(found["value"])

    def add_cookie(self, url: str, name: str, value: str) -> None:
        """Set a cookie for the host of `url`, from which a page has to be open."""
        del url
        self._driver.add_cookie({"name": name, "value": value, "path": "/", "httpOnly": True})


@contextmanager
def firefox() -> Iterator[Firefox]:
    """A window of Firefox with a profile of its own."""
    binary = program("firefox-esr") or program("firefox") or missing("Firefox")
    port = free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [binary, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", str(port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            wait_for_port(port, process)
            connection = WebSocketConnection(f"ws://127.0.0.1:{port}/session", SECONDS, 0.01)
            yield Firefox(connection)
            connection.close()
        finally:
            end(process)


@contextmanager
def webkit() -> Iterator[WebKit]:
    """A window of WebKit, with storage of its own."""
    driver = program("WebKitWebDriver", "webkit2gtk-driver") or missing("WebKitWebDriver")
    options = Options()
    options.binary_location = installed("webkit2gtk-driver", _small_browser) or missing("WebKit's browser")
    options.add_argument("--automation")
    with _screen() as display:
        service = Service(driver, env={**os.environ, "DISPLAY": display})
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


ENGINES: dict[str, Callable[[], AbstractContextManager[Engine]]] = {"firefox": firefox, "webkit": webkit}
