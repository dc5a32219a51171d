"""Rendering of the text and HTML bodies of a message."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from css_inline import CSSInliner
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from agency_site import brand
from agency_site.content.brand import BRAND
from agency_site.mail.rules import Message, join_lines
from agency_site.settings import settings

WIDTH = 76
"""Columns of the text body; a quoted line in a reply still fits into 80."""

_COLOURS = MappingProxyType(
    {
        "brand": brand.BRAND,
        "deep": brand.DEEP,
        "ink": brand.INK,
        "quiet": "#5A463E",
        "paper": brand.PAPER,
        "sand": brand.SAND,
        "line": brand.LINE,
        "blush": brand.BLUSH,
        "marigold": brand.MARIGOLD,
        "leaf": brand.LEAF,
        "lake": brand.LAKE,
        "danger": brand.DANGER,
    }
)
"""The site's palette, for mails and outbox pages. The contrast of quiet on paper is 8.5:1."""

_FONT_STACK = "-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
"""System fonts: most mail programs load no others."""
BAND_COLUMNS = 60
_PEAKS = ("marigold", "blush", "lake", "blush", "leaf", "blush")


@dataclass(frozen=True)
class RenderedMessage:
    text: str
    html: str


def build_band() -> list[list[tuple[int, str]]]:
    """Return the pattern of stepped triangles above every message: rows of (columns, name of a colour)."""
    period = BAND_COLUMNS // len(_PEAKS)
    rows = []
    for half in range(1, period // 2):
        side = period // 2 - half
        runs = [run for peak in _PEAKS for run in ((side, "brand"), (2 * half, peak), (side, "brand"))]
        rows.append(runs)
    return rows


def wrap_text(text: str, width: int = WIDTH) -> str:
    """Wrap `text` into lines of at most `width` columns; addresses and other long words stay whole."""
    return "\n".join(_wrap_line(line, width) for line in text.split("\n"))


def _format_fact(fact: tuple[str, str], labels: int) -> str:
    """Format label and value on one line; the values of all facts begin in the same column."""
    label, value = fact
    return _wrap_line(value or " ", WIDTH, f"{label}:".ljust(labels + 2), " " * (labels + 2))


def _wrap_line(line: str, width: int, first_indent: str = "", indent: str = "") -> str:
    lines = textwrap.wrap(
        line,
        width,
        initial_indent=first_indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines) or first_indent.rstrip()


def _create_environment() -> Environment:
    """Return the environment with the templates of this folder; HTML templates escape all values."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(["html"], default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"wrap_text": wrap_text, "format_fact": _format_fact}
    environment.globals |= {
        "colours": _COLOURS,
        "brand": BRAND,
        "band": build_band(),
        "band_columns": BAND_COLUMNS,
        "css_variables": _css_variables(),
    }
    return environment


def _css_variables() -> str:
    colours = "".join(f"--{name}: {value}; " for name, value in _COLOURS.items())
    return f":root {{ {colours}--font: {_FONT_STACK}; }}"


TEMPLATES = _create_environment()
_INLINER = CSSInliner(
    extra_css=TEMPLATES.get_template("message.css").render(),
    inline_style_tags=False,
    load_remote_stylesheets=False,
    resolve_css_variables=True,
)
"""Mail programs ignore style sheets, so every element carries its own style."""


def render_message(message: Message, body_text: str = "", body_html: str = "") -> RenderedMessage:
    """Render both bodies of a message that `rules.validate_message` returned, with its shared body."""
    return RenderedMessage(text=render_text(message, body_text), html=render_html(message, body_html))


def render_text(message: Message, body: str = "") -> str:
    """Render the plain-text body; `body` is the text of the shared body."""
    labels = max((len(label) for label, _ in message.facts), default=0)
    text = TEMPLATES.get_template("message.txt").render(
        message=message, labels=labels, body=body, site_url=settings().site_url
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def render_html(message: Message, body: str = "") -> str:
    """Render the HTML body; `body` is the HTML of the shared body."""
    preheader = textwrap.shorten(join_lines(" ".join(message.paragraphs)), 110, placeholder="…")
    html = TEMPLATES.get_template("message.html").render(
        message=message, preheader=preheader, body=body, site_url=settings().site_url
    )
    return _INLINER.inline(html)
