"""Loads Markdown files with front matter as records: TOML between two lines of `+++`, then the text.

HTML in the text is escaped. An invalid file stops the start with a message that names file and field.
"""

import html
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from pydantic import ValidationError

from agency_site.content.article_schema import Heading, Publication
from agency_site.content.languages import split_by_language
from agency_site.content.schema import Record
from agency_site.picture_addresses import parse_picture_address

_FENCE = "+++"
_ADDED = frozenset({"text", "html", "headings", "source"})
"""Fields that the loader fills; they are not allowed in front matter."""
_TAKEN_IDS = frozenset({"content", "comments"})
"""Ids that every article's page contains."""
_TEXT_WIDTHS = "(min-width: 760px) 700px, 100vw"
"""The width of pictures in the text of articles."""
_OUTSIDE = frozenset({"http", "https", "mailto", "tel"})

AnyPublication = TypeVar("AnyPublication", bound=Publication)
Shape = TypeVar("Shape", bound=Record)


class ContentError(ValueError):
    """An invalid file of content; the message names the file and the field."""


def load(folder: Path, shape: type[AnyPublication]) -> tuple[AnyPublication, ...]:
    """Load all Markdown files of a folder: the featured one, then newest first. Raises ContentError."""
    publications = [read(path, shape) for path in sorted(folder.glob("*.md"))]
    source_by_slug: dict[str, str] = {}
    for publication in publications:
        if publication.slug in source_by_slug:
            raise ContentError(
                f"{publication.source}: slug: {publication.slug!r} is also the slug of {source_by_slug[publication.slug]}"
            )
        source_by_slug[publication.slug] = publication.source
    _require_one_featured(publications)
    return tuple(
        sorted(
            publications, key=lambda publication: (publication.featured, publication.published), reverse=True
        )
    )


def _require_one_featured(publications: Sequence[Publication]) -> None:
    featured = [publication.source for publication in publications if publication.featured]
    if not featured:
        raise ContentError(
            f"{publications[0].source if publications else 'no file'}: featured: must be true in one file"
        )
    if len(featured) > 1:
        raise ContentError(f"{featured[1]}: featured: {featured[0]} is already featured")


def read(path: Path, shape: type[Shape], fill: Callable[[str], str] = str) -> Shape:
    """Load one file as a record; `fill` replaces placeholders in the text. Raises ContentError."""
    source = f"{path.parent.name}/{path.name}"
    matter, body = _split(path.read_text(encoding="utf-8"), source)
    if unknown := _ADDED & set(matter):
        raise ContentError(f"{source}: {min(unknown)}: unknown field")
    try:
        text, headings = render(fill(body), source)
    except KeyError as unknown_name:
        raise ContentError(f"{source}: nothing is called {unknown_name}") from None
    try:
        return shape.model_validate(
            {**matter, **_raw(shape, body), "html": text, "headings": headings, "source": source}
        )
    except ValidationError as invalid:
        problems = (f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in invalid.errors())
        raise ContentError("\n".join(f"{source}: {problem}" for problem in problems)) from None


def _split(text: str, source: str) -> tuple[dict[str, Any], str]:
    before, _, rest = text.partition(f"{_FENCE}\n")
    matter, fence, body = rest.partition(f"\n{_FENCE}\n")
    if before.strip() or not fence:
        raise ContentError(f"{source}: front matter between two lines of {_FENCE} is missing")
    try:
        return tomllib.loads(matter), body
    except tomllib.TOMLDecodeError as broken:
        raise ContentError(f"{source}: front matter: {broken}") from None


def render(body: str, source: str = "text") -> tuple[str, tuple[Heading, ...]]:
    """Return the text as HTML and its second-level headings, each with an id. Raises ContentError for duplicate ids."""
    return _render_tokens(_markdown().parse(body), source)


def _render_tokens(tokens: list[Token], source: str) -> tuple[str, tuple[Heading, ...]]:
    markdown = _markdown()
    headings = tuple(_mark_headings(tokens))
    ids = [heading.id for heading in headings]
    for heading in headings:
        if ids.count(heading.id) > 1 or heading.id in _TAKEN_IDS:
            raise ContentError(f"{source}: heading {heading.text!r}: its id {heading.id!r} is taken")
    return markdown.renderer.render(tokens, markdown.options, {}), headings


def _raw(shape: type[Record], body: str) -> dict[str, str]:
    """Return the Markdown, for records that keep it."""
    return {"text": body.strip()} if "text" in shape.model_fields else {}


def render_entry(body: str) -> tuple[str, tuple[Heading, ...]]:
    """Return `render` of a text that staff wrote; links and pictures follow `parse_staff_text`."""
    return _render_tokens(parse_staff_text(body), "text")


def render_staff_text(body: str) -> str:
    """Return staff's text as HTML for a page that has its own first heading; links and pictures follow `parse_staff_text`."""
    markdown = _markdown()
    return str(markdown.renderer.render(parse_staff_text(body), markdown.options, {}))


def parse_staff_text(body: str, origin: str = "") -> list[Token]:
    """Parse a text that staff wrote, for a renderer of markdown-it.

    Links to web pages, mailboxes and phones and the site's own pictures are kept; of others only the text. First-level
    headings become second-level ones. Addresses inside the site begin with `origin`.
    """
    tokens = _markdown().parse(body)
    for token in tokens:
        if token.type in ("heading_open", "heading_close") and token.tag == "h1":
            token.tag = "h2"
        if token.children:
            token.children = list(_filter_tokens(token.children, origin))
    return tokens


def list_pictures(body: str) -> list[tuple[str, str]]:
    """Return address and description of all pictures in a text."""
    parts = (part for token in _markdown().parse(body) for part in token.children or ())
    return [(str(part.attrGet("src")), part.content.strip()) for part in parts if part.type == "image"]


def list_dead_links(body: str) -> list[str]:
    """Return the addresses of links that `parse_staff_text` drops."""
    parts = (part for token in _markdown().parse(body) for part in token.children or ())
    targets = [str(part.attrGet("href")) for part in parts if part.type == "link_open"]
    return [target for target in targets if _allowed_address(target, "", picture=False) is None]


def _filter_tokens(parts: Sequence[Token], origin: str) -> Iterable[Token]:
    dropped = False
    for part in parts:
        name = {"link_open": "href", "image": "src"}.get(part.type)
        target = _allowed_address(str(part.attrGet(name)), origin, picture=name == "src") if name else None
        if part.type == "link_open":
            dropped = target is None
        if (dropped and part.type in ("link_open", "link_close")) or (
            part.type == "image" and target is None
        ):
            if part.content:
                yield Token("text", "", 0, content=part.content)
            continue
        if name and target:
            part.attrSet(name, target)
        yield part


def _allowed_address(address: str, origin: str, *, picture: bool) -> str | None:
    """Return the allowed address of a link or picture, absolute if `origin` is given; None if it is not allowed."""
    if re.match(r"/(?![/\\])", address):
        return origin + address
    return address if not picture and urlsplit(address).scheme in _OUTSIDE else None


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False, "typographer": True}, renderer_cls=_Renderer)
    markdown.core.ruler.push("languages", _mark_languages)
    return markdown.enable(["table", "replacements", "smartquotes"])


def _mark_languages(state: StateCore) -> None:
    for token in state.tokens:
        if token.children:
            token.children = [part for child in token.children for part in _by_language(child)]


def _by_language(token: Token) -> Iterable[Token]:
    if token.type != "text":
        yield token
        return
    for run in split_by_language(token.content):
        if run.language:
            yield Token("language_open", "span", 1, attrs={"lang": run.language})
        yield Token("text", "", 0, content=run.text, level=token.level)
        if run.language:
            yield Token("language_close", "span", -1)


def _mark_headings(tokens: Sequence[Token]) -> Iterable[Heading]:
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.tag == "h2":
            text = "".join(child.content for child in inline.children or ())
            opening.attrSet("id", text.lower().replace(" ", "-"))
            yield Heading(id=str(opening.attrGet("id")), text=text)


class _Renderer(RendererHTML):
    """Wide tables and code scroll inside their own frames, which can get the keyboard focus."""

    def fence(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        return self.code_block(tokens, at)

    def code_block(self, tokens: Sequence[Token], at: int, *_: object) -> str:
        code = html.escape(tokens[at].content, quote=False)
        return f'<pre tabindex="0" role="group" aria-label="Code"><code>{code}</code></pre>\n'

    def image(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        """Draw a picture; an uploaded one has its size, and the browser chooses its width."""
        address = parse_picture_address(str(tokens[at].attrGet("src")))
        if address:
            size: dict[str, str | int | float] = {
                "width": address.width,
                "height": address.height,
                "loading": "lazy",
                "decoding": "async",
            }
            widths = {"srcset": address.srcset, "sizes": _TEXT_WIDTHS} if address.srcset else {}
            tokens[at].attrs.update(size | widths | {"src": address.src})
        return super().image(tokens, at, options, env)

    def table_open(self, *_: object) -> str:
        return '<div class="table-frame" tabindex="0" role="group" aria-label="Table"><table>'

    def table_close(self, *_: object) -> str:
        return "</table></div>"
