"""A visitor's or a member of staff's browser of any engine: what people do, and what they see."""

import io
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from selenium.common import WebDriverException

from tests.e2e.back_office.conftest import COOKIE
from tests.e2e.engines import Engine

SECONDS = 30.0
"""Four processes share a machine: a pause of seconds says nothing about the site."""
PHONE, DESKTOP = (390, 844), (1280, 900)
CONTROL, BACKSPACE, ENTER, SPACE = "\ue009", "\ue003", "\ue007", " "
KEYS = {"Tab": "\ue004", "ArrowLeft": "\ue012", "ArrowRight": "\ue014"}
MOST_STOPS = 200
_CONTROLS = Path(__file__).with_name("controls.js").read_text()


class Browser:
    """Finds controls by their roles and accessible names, and uses them with a real pointer and keyboard.

    `within` is the name of a form, region or dialog. Every step waits until it can be done.
    """

    def __init__(self, engine: Engine, address: str) -> None:
        self.engine = engine
        self._address = address
        self._sideways: set[str] = set()

    def start(self, size: tuple[int, int]) -> None:
        """Delete cookies and storage, and set this window size."""
        self.open("/robots.txt")
        self.engine.delete_cookies()
        self.engine.evaluate("(localStorage.clear(), sessionStorage.clear())")
        self.engine.resize(*size)
        self.engine.console_errors()
        self._sideways.clear()

    def open(self, path: str) -> None:
        """Load a page of the site."""
        self.engine.open(self._address + path)

    def sign_in(self, token: str) -> None:
        """Set the cookie of that staff session."""
        self.engine.add_cookie(self._address, COOKIE, token)

    @property
    def path(self) -> str:
        """Path and query of the page."""
        return str(self._evaluate("location.pathname + location.search"))

    def text(self, within: str = "") -> str:
        """Return the visible text with single spaces."""
        return str(self._page("text", within))

    def count(self, role: str, name: str, within: str = "") -> int:
        """Return the number of visible matches."""
        return int(self._page("count", role, name, within))

    def is_chosen(self, name: str) -> bool:
        """Return whether that day of the calendar is chosen."""
        return bool(self._page("chosen", name))

    def wait_for(self, text: str, within: str = "", seconds: float = SECONDS) -> None:
        """Wait until that can be read; capitals may come from the style."""
        wanted = text.casefold()
        self.wait_until(
            lambda: wanted in self.text(within).casefold(), f"the text {text!r} is shown", seconds
        )

    def wait_until(self, condition: Callable[[], object], words: str, seconds: float = SECONDS) -> Any:
        """Wait until the condition returns a true value, and return that."""
        deadline, pause = time.monotonic() + seconds, threading.Event()
        while not (result := self._between_pages(condition)):
            if time.monotonic() > deadline:
                raise AssertionError(f"never: {words}\n{self._between_pages(self._everything)}")
            pause.wait(0.05)
        return result

    def click(self, name: str, role: str = "control", within: str = "") -> None:
        """Click a button, link, tab or radio button once it keeps still and nothing covers it."""
        x, y = self._place(role, name, within)
        self._use_pointer(_move(x, y), _DOWN, _UP)

    def check(self, label: str, within: str = "", *, on: bool = True) -> None:
        """Tick a box, or take the tick away."""
        self._place("field", label, within)
        if self._value(label, within) is not on:
            self.click(label, "field", within)
        self.wait_until(lambda: self._value(label, within) is on, f"{label!r} is {on}")

    def type(self, label: str, text: str, within: str = "") -> None:
        """Type into a field instead of what is there."""
        self._focus(label, within)
        if self._value(label, within):
            self.press(CONTROL, "a")
            self.press(BACKSPACE)
        self._use_keys([(kind, key) for key in text for kind in ("keyDown", "keyUp")])
        self.wait_until(lambda: self._value(label, within) == text, f"{label!r} has {text!r}")

    def choose(self, label: str, option: str, within: str = "") -> None:
        """Choose from a list. Its window belongs to the system, where no driver reaches."""
        self.wait_until(lambda: self._page("select", label, option, within), f"{label!r} offers {option!r}")

    def press(self, *keys: str) -> None:
        """Press keys of the keyboard together."""
        self._use_keys([("keyDown", key) for key in keys] + [("keyUp", key) for key in reversed(keys)])

    def screenshot(self) -> Image.Image:
        """Return a screenshot."""
        return Image.open(io.BytesIO(self.engine.screenshot()))

    def problems(self) -> list[str]:
        """Errors in the console since the start, and which views scrolled sideways."""
        self._measure()
        return [*self.engine.console_errors(), *self._sideways]

    def _page(self, function: str, *arguments: str) -> Any:
        return self._evaluate(f"{_CONTROLS}.{function}({', '.join(map(json.dumps, arguments))})")

    def _evaluate(self, expression: str) -> Any:
        [value] = self.wait_until(lambda: [self.engine.evaluate(expression)], "a page is there")
        return value

    def _everything(self) -> object:
        return self.engine.evaluate("`${location.href}\\n${document.body.innerText}`")

    def _focus(self, label: str, within: str) -> None:
        self.click(label, "field", within)

    def _value(self, label: str, within: str) -> Any:
        return self._page("value", label, within)

    def _place(self, role: str, name: str, within: str) -> tuple[int, int]:
        seen: list[object] = [None]

        def still() -> object:
            seen.append(self._page("point", role, name, within))
            return seen[-1] if seen[-1] == seen[-2] else None

        x, y = self.wait_until(still, f"{role} {name!r} can be reached in {within or 'the page'!r}")
        self._measure()
        return x, y

    def _measure(self) -> None:
        if wide := self._page("sideways"):
            self._sideways.add(f"{self.path} scrolls {wide} px sideways")

    def _use_pointer(self, *steps: dict[str, object]) -> None:
        self.engine.perform(
            [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}]
        )

    def _use_keys(self, steps: list[tuple[str, str]]) -> None:
        actions = [{"type": kind, "value": key} for kind, key in steps]
        self.engine.perform([{"type": "key", "id": "keyboard", "actions": actions}])

    @staticmethod
    def _between_pages(condition: Callable[[], object]) -> object:
        """The condition; nothing while one page goes and the next comes."""
        try:
            return condition()
        except (RuntimeError, WebDriverException):
            return None


class KeyboardBrowser(Browser):
    """A user of the keyboard: Tab, arrows, Enter and Space only."""

    def click(self, name: str, role: str = "control", within: str = "") -> None:
        """Follow a link by Enter, use anything else by Space."""
        self._go_to(role, name, within)
        self.press(ENTER if self._evaluate("document.activeElement.matches('a')") else SPACE)

    def choose(self, label: str, option: str, within: str = "") -> None:
        """Type the option's name."""
        self._go_to("field", label, within)
        for key in option:
            self.press(key)

    def _focus(self, label: str, within: str) -> None:
        self._go_to("field", label, within)

    def _go_to(self, role: str, name: str, within: str) -> None:
        def has_focus() -> bool:
            for _ in range(MOST_STOPS):
                key: str | None = self._page("key", role, name, within)
                if not key:
                    return key is not None
                self.press(KEYS[key])
            return False

        self.wait_until(has_focus, f"the keyboard reaches {role} {name!r} in {within or 'the page'!r}")
        self._measure()


_DOWN: dict[str, object] = {"type": "pointerDown", "button": 0}
_UP: dict[str, object] = {"type": "pointerUp", "button": 0}


def _move(x: int, y: int, milliseconds: int = 0) -> dict[str, object]:
    return {"type": "pointerMove", "x": x, "y": y, "duration": milliseconds, "origin": "viewport"}
