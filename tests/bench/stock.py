"""A contact page as Reflex builds it when nothing is changed: Radix theme, default settings, everything at once."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agency_site.web.build.site_build import toolchain

CONTACT = "/contact"
_CONFIG = """import reflex as rx

config = rx.Config(app_name="stock")
"""
_APP = '''import reflex as rx


class Message(rx.State):
    """What was sent."""

    sent: bool = False

    @rx.event
    def send(self, form: dict[str, str]) -> None:
        """Note it."""
        self.sent = bool(form.get("message"))


def navigation() -> rx.Component:
    names = ("Home", "About", "Services", "Academy", "Blog", "Book", "Contact")
    return rx.hstack(*(rx.link(name, href=f"/{name.lower()}") for name in names), spacing="4")


def field(label: str, name: str, kind: str) -> rx.Component:
    return rx.box(rx.text(label, as_="label", html_for=name), rx.input(id=name, name=name, type=kind, required=True))


def form() -> rx.Component:
    return rx.form(
        rx.vstack(
            field("First name", "first_name", "text"),
            field("Last name", "last_name", "text"),
            field("E-mail address", "email", "email"),
            field("Phone number", "phone", "tel"),
            rx.box(rx.text("Message", as_="label", html_for="message"), rx.text_area(id="message", name="message")),
            rx.button("Send message", type="submit"),
        ),
        on_submit=Message.send,
    )


@rx.page(route="/contact", title="Contact", description="Write to us, ring us or visit us.")
def contact() -> rx.Component:
    return rx.container(
        navigation(),
        rx.heading("Get in touch", as_="h1", size="8"),
        rx.text("Write to us, ring us or visit us: we answer every message within one working day."),
        rx.cond(Message.sent, rx.text("Thank you. We will answer soon."), form()),
        rx.separator(),
        rx.text("Nairobi, Kenya. Monday to Friday, 8 am to 5 pm."),
    )


app = rx.App()
'''


@contextmanager
def stock_build() -> Iterator[Path]:
    """The folder of its finished files, built by the toolchain that builds the site; gone after the block."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "stock").mkdir()
        (folder / "stock" / "__init__.py").touch()
        (folder / "stock" / "stock.py").write_text(_APP)
        (folder / "rxconfig.py").write_text(_CONFIG)
        order = [sys.executable, "-m", "reflex", "export", "--frontend-only", "--no-zip"]
        subprocess.run(order, cwd=folder, env=toolchain(), check=True, capture_output=True)
        yield folder / ".web" / "build" / "client"
