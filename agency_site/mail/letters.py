"""A text in Markdown as it stands in a mail: HTML that mail programs of every age draw alike, and plain text.

What stood in it as HTML is shown as text; where links and pictures may lead, `content.markdown.parse_written` says.
"""

import textwrap
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from agency_site.content.markdown import parse_written
from agency_site.mail.render import COLOURS, FONT, WIDTH

_HEADING = f"{FONT}font-weight:700;color:{COLOURS['ink']};"
_CELL = (
    f"padding:8px 12px 8px 0;border-bottom:1px solid {COLOURS['line']};text-align:left;vertical-align:top;"
)
_STYLES = MappingProxyType(
    {
        "p": "margin:16px 0 0;",
        "h2": f"margin:30px 0 0;{_HEADING}font-size:22px;line-height:28px;",
        "h3": f"margin:24px 0 0;{_HEADING}font-size:18px;line-height:24px;",
        "h4": f"margin:20px 0 0;{_HEADING}font-size:16px;line-height:24px;",
        "h5": f"margin:20px 0 0;{_HEADING}font-size:16px;line-height:24px;",
        "h6": f"margin:20px 0 0;{_HEADING}font-size:16px;line-height:24px;",
        "ul": "margin:16px 0 0;padding:0 0 0 22px;",
        "ol": "margin:16px 0 0;padding:0 0 0 26px;",
        "li": "margin:6px 0 0;",
        "blockquote": f"margin:20px 0 0;padding:0 0 0 16px;border-left:4px solid {COLOURS['marigold']};",
        "a": f"color:{COLOURS['brand']};font-weight:700;",
        "hr": f"margin:28px 0 12px;border:0;border-top:2px solid {COLOURS['line']};",
        "img": "display:block;max-width:100%;height:auto;border:0;margin:8px 0 0;",
        "table": "width:100%;margin:18px 0 0;border-collapse:collapse;font-size:15px;line-height:22px;",
        "th": f"{_CELL}font-weight:700;",
        "td": _CELL,
        "code": f"font-family:Menlo,Consolas,monospace;font-size:14px;white-space:pre-wrap;background-color:{COLOURS['sand']};",
    }
)
"""Mail programs drop style sheets, so every element carries its own style."""
_MARKDOWN = MarkdownIt("commonmark", {"html": False})


def mail_html(markdown: str, origin: str) -> str:
    """The text as HTML for the cell of a mail; addresses inside the site stand behind `origin`."""
    tokens = parse_written(markdown, origin)
    for token in _all(tokens):
        style = _STYLES.get(token.tag)
        if style and token.nesting >= 0:
            token.attrSet("style", style)
    return str(RendererHTML().render(tokens, _MARKDOWN.options, {})).strip()


def mail_text(markdown: str, origin: str) -> str:
    """The text without marks, in lines of at most 76 columns; links as their words with the address behind."""
    return _Plain().write(parse_written(markdown, origin))


def _all(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or ())


class _Plain:
    """Writes the parts of a text one beneath the other; lists and quotations stand further in."""

    def __init__(self) -> None:
        self._text = ""
        self._margins: list[str] = []
        self._items: list[int | None] = []
        """The number of the next item of each open list; none for one with dashes."""
        self._mark = ""
        """Of a list item whose first line is still to come."""
        self._heading = ""
        self._close = False
        """The next block stands right beneath the one before."""
        self._row: list[str] | None = None

    def write(self, tokens: Sequence[Token]) -> str:
        """The whole text."""
        for token in tokens:
            match token.type:
                case "inline":
                    self._inline("".join(_words(token.children or ())))
                case "fence" | "code_block":
                    self._add([f"    {line}" for line in token.content.rstrip().split("\n")])
                case "hr":
                    self._add(["* * *"])
                case "paragraph_open":
                    self._close = token.hidden and not self._first_of_list
                case "heading_open" | "heading_close":
                    self._heading = token.tag if token.nesting > 0 else ""
                case "tr_open" | "tr_close":
                    self._table_row(token)
                case _:
                    self._structure(token)
        return self._text

    def _structure(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._items.append(int(token.attrGet("start") or 1) if token.tag == "ol" else None)
                self._first_of_list = True
            case "bullet_list_close" | "ordered_list_close":
                self._items.pop()
            case "list_item_open":
                self._open_item()
            case "blockquote_open":
                self._margins.append("> ")
            case "list_item_close" | "blockquote_close":
                self._margins.pop()
                self._mark, self._first_of_list = "", False

    _first_of_list = False

    def _open_item(self) -> None:
        number = self._items[-1]
        self._mark = "- " if number is None else f"{number}. "
        if number is not None:
            self._items[-1] = number + 1
        self._margins.append(" " * len(self._mark))

    def _table_row(self, token: Token) -> None:
        if token.nesting > 0:
            self._row = []
            return
        self._add([" | ".join(self._row or ())])
        self._row, self._close = None, True

    def _inline(self, words: str) -> None:
        if self._row is not None:
            self._row.append(words)
            return
        width = max(WIDTH - sum(map(len, self._margins)), 20)
        lines = [line for part in words.split("\n") for line in _folded(part, width)]
        if self._heading == "h2":
            lines.append("-" * min(max(map(len, lines)), WIDTH))
        self._add(lines)

    def _add(self, lines: Sequence[str]) -> None:
        rest = "".join(self._margins)
        first = rest[: len(rest) - len(self._mark)] + self._mark
        block = "\n".join(f"{rest if place else first}{line}".rstrip() for place, line in enumerate(lines))
        between = "\n" if self._close else "\n\n"
        self._text += between + block if self._text else block
        self._mark, self._close = "", False


def _folded(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]


def _words(parts: Sequence[Token]) -> Iterator[str]:
    href, label = "", ""
    for part in parts:
        match part.type:
            case "link_open":
                href, label = str(part.attrGet("href")), ""
            case "link_close":
                plain = href.removeprefix("mailto:").removeprefix("tel:")
                if label not in (href, plain):
                    yield f" ({plain})"
                href = ""
            case "softbreak":
                yield " "
            case "hardbreak":
                yield "\n"
            case "text" | "code_inline" | "image":
                label += part.content
                yield part.content
