"""Loads Markdown files with front matter as records: TOML between two lines of `+++`, then the text.

HTML in the text is escaped. An invalid file stops the start with a message that names file and field.
"""

import html
import re
import textwrap
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import count, pairwise
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from pydantic import ValidationError

from agency_site.characters import is_blank
from agency_site.content.article_schema import Heading, Publication
from agency_site.content.languages import split_by_language
from agency_site.content.schema import Record
from agency_site.picture_addresses import OWN_PICTURE, SCENE_CAPTION, parse_picture_address

_FENCE = "+++"
_ADDED = frozenset({"text", "html", "headings", "source"})
"""Fields that the loader fills; they are not allowed in front matter."""
PAGE_IDS = frozenset({
    "content", "comments", "comment-comment", "comment-comment-error", "comment-email", "comment-email-error", "comment-form",
    "comment-heading", "comment-name", "comment-name-error", "comment-website", "comment-website-error", "footer-email",
    "footer-email-error", "footer-newsletter", "footer-newsletter-form", "footer-newsletter-wait", "more-comments",
    "resources-menu",
})  # fmt: skip
"""Ids that the pages around a text contain."""
_TEXT_WIDTHS = "(min-width: 760px) 700px, 100vw"
"""The width of pictures in the text of articles."""
_HOST = r"https?://(?:[\w-]+\.)*[\w-]+\.?(?::\d{1,5})?"
OUTSIDE = re.compile(rf"{_HOST}(?:[/?#]\S*)?|(?:mailto|tel):\S+", re.IGNORECASE)
"""Addresses outside the site to which a text may link."""
_BARE_ADDRESS = re.compile(rf"\b{_HOST}(?:[/?#][^\s<>\"“”]*)?", re.IGNORECASE)
_NOTATIONS = (
    (re.compile(r"<!--.*"), "Visitors would read the comment “{}”. Please remove it."),
    (re.compile(r"\[\^[^\]\s]+\]"), "There are no footnotes here, so visitors would see {}. Please put the note into the text."),
    (re.compile(r"^\[[ xX]\](?=\s)", re.MULTILINE), "Lists have no boxes here, so visitors would see {}. Please remove it."),
    (re.compile(r"(?<=\n):\s+\S.*"), "Visitors would see “{}” as you typed it. Please use a list or a heading."),
    (re.compile(r"!?\[[^\[\]]*\]\([^)\n]*\)?"), "{} is no link: its address has a space, or no closing bracket."),
)  # fmt: skip
"""Notations that other programs read, and the words about each."""
_OPENED_BY = {")": "(", "]": "["}
_SENTENCE_ENDS = ".,;:!?'\u2019*_~"
_MARKS = (
    (re.compile(r"\.{3,}"), "…"),
    (re.compile(r"(^|[^-])---(?=[^-]|$)", re.MULTILINE), "\\1\u2014"),
    (re.compile(r"(^|\s)--(?=\s|$)", re.MULTILINE), "\\1\u2013"),
    (re.compile(r"([^-\s])--(?=[^-\s]|$)", re.MULTILINE), "\\1\u2013"),
)

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
        filled = fill(body)
    except KeyError as unknown_name:
        raise ContentError(f"{source}: nothing is called {unknown_name}") from None
    if problem := find_text_problem(filled):
        raise ContentError(f"{source}: {problem}")
    text, headings = render(filled)
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


def render(body: str) -> tuple[str, tuple[Heading, ...]]:
    """Return a text as HTML, and its second-level headings, each with an id of its own (`parse_staff_text`)."""
    tokens = parse_staff_text(body)
    headings = tuple(_mark_headings(tokens))
    return str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})), headings


def _raw(shape: type[Record], body: str) -> dict[str, str]:
    """Return the Markdown, for records that keep it."""
    return {"text": body.strip()} if "text" in shape.model_fields else {}


def render_staff_text(body: str) -> str:
    """Return `render` of a text for a page that lists no headings."""
    return render(body)[0]


def parse_staff_text(body: str, origin: str = "") -> list[Token]:
    """Parse a text that staff wrote, for a renderer of markdown-it.

    Links to web pages, mailboxes, phones and headings and the site's own pictures are kept; of others only the text.
    First-level headings become second-level ones. Addresses inside the site begin with `origin`; a mail has one, and then no
    links to headings.
    """
    tokens = _MARKDOWN.parse(body)
    for token in tokens:
        if token.type in ("heading_open", "heading_close") and token.tag == "h1":
            token.tag = "h2"
        if token.children:
            token.children = list(_filter_tokens(token.children, origin))
    return tokens


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
    if picture:
        return None
    is_allowed = OUTSIDE.fullmatch(address) or (address.startswith("#") and address[1:] and not origin)
    return address if is_allowed else None


def find_text_problem(body: str) -> str:
    """Return what visitors would not see as the author means it, in words for staff; empty if there is nothing."""
    targets = list_links(body)
    unusable = [target for target in targets if _allowed_address(target, "", picture=False) is None]
    if unusable:
        where = unquote(unusable[0]) or "nowhere"
        return (
            f"A link leads to {where}. Use a path of this site, such as /book, or an address with https://."
        )
    ids = {heading.id for heading in render(body)[1]}
    if lost := [target for target in targets if target.startswith("#") and unquote(target[1:]) not in ids]:
        known = f" The headings here are {', '.join(f'#{each}' for each in sorted(ids))}." if ids else ""
        return f"A link leads to {unquote(lost[0])}, but no heading has this address.{known}"
    for address, description in list_pictures(body):
        if not OWN_PICTURE.fullmatch(address):
            return f"The picture {unquote(address)} is not in the library. Please upload it."
        if not description:
            return f"Please describe the picture {address} in its square brackets: not all readers see it."
    return _find_markup(body)


def list_pictures(body: str) -> list[tuple[str, str]]:
    """Return address and description of all pictures in a text."""
    return [
        (str(part.attrGet("src")), part.content.strip())
        for part in _list_inline_parts(body)
        if part.type == "image"
    ]


def list_links(body: str) -> list[str]:
    """Return the addresses of all links in a text."""
    return [str(part.attrGet("href")) for part in _list_inline_parts(body) if part.type == "link_open"]


def _list_inline_parts(body: str) -> Iterable[Token]:
    return (part for token in _MARKDOWN.parse(body) for part in token.children or ())


def _find_markup(body: str) -> str:
    """Return which notation of other programs the text contains: visitors would see it as typed."""
    for token in _WITH_HTML.parse(body):
        for part in (token, *(token.children or ())):
            if part.type in ("html_block", "html_inline"):
                return _describe_html(part.content.strip())
        words = "".join(map(_write_words, token.children or ()))
        for pattern, problem in _NOTATIONS:
            if match := pattern.search(words):
                return problem.format(_shorten(match[0]))
    return ""


def _write_words(part: Token) -> str:
    """Return what a part of a sentence shows, with something else for code, which is shown as typed."""
    if part.type == "code_inline":
        return "code"
    return "\n" if part.type in ("softbreak", "hardbreak") else part.content


def _describe_html(html_text: str) -> str:
    if html_text.startswith("<!--"):
        return f"Visitors would read the comment “{_shorten(html_text)}”. Please remove it."
    tag = _shorten(html_text.partition(">")[0] + ">")
    return f"Visitors would see {tag} as you typed it: HTML does not work here. For the characters themselves, write \\{tag}."


def _shorten(text: str) -> str:
    return textwrap.shorten(text, 60, placeholder=" …")


class _Parser(MarkdownIt):
    """The Markdown of all texts: CommonMark with tables and struck words, without HTML and without indented code.

    Word processors begin paragraphs with tabs and spaces, so only fences make code.
    """

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False, "typographer": True}, renderer_cls=_Renderer)
        self.disable("code").enable(["table", "strikethrough", "smartquotes"])
        self.core.ruler.after("inline", "addresses", _link_addresses)
        self.core.ruler.after("addresses", "typography", _replace_marks)
        self.core.ruler.push("blocks", _change_blocks)
        self.core.ruler.push("languages", _mark_languages)

    def validateLink(self, url: str) -> bool:  # noqa: N802  the name of the library
        """Accept every address as a link: `parse_staff_text` drops those that are not allowed, and checks name them."""
        return True


def _link_addresses(state: StateCore) -> None:
    """Make links of bare addresses. Their words are `text_special`, which typography leaves alone."""
    for token in state.tokens:
        if token.children:
            token.children = list(_with_links(token.children, state.md))


def _with_links(parts: Sequence[Token], markdown: MarkdownIt) -> Iterable[Token]:
    opened: list[Token] = []
    for part in parts:
        if part.type == "link_open":
            opened.append(part)
        elif part.type == "link_close":
            opened.pop()
        if part.type != "text" or (opened and opened[-1].info != "auto"):
            yield part
        elif opened:
            yield Token("text_special", "", 0, content=part.content, level=part.level)
        else:
            yield from _split_addresses(part, markdown)


def _split_addresses(text: Token, markdown: MarkdownIt) -> Iterable[Token]:
    done = 0
    for match in _BARE_ADDRESS.finditer(text.content):
        address = _trim_address(match[0])
        attributes: dict[str, str | int | float] = {"href": markdown.normalizeLink(address)}
        yield Token("text", "", 0, content=text.content[done : match.start()], level=text.level)
        yield Token("link_open", "a", 1, attrs=attributes, info="auto", level=text.level)
        yield Token("text_special", "", 0, content=address, level=text.level + 1)
        yield Token("link_close", "a", -1, info="auto", level=text.level)
        done = match.start() + len(address)
    yield Token("text", "", 0, content=text.content[done:], level=text.level)


def _trim_address(address: str) -> str:
    """Return the address without what belongs to the sentence around it."""
    while address[-1] in _SENTENCE_ENDS or (
        address[-1] in _OPENED_BY and address.count(address[-1]) > address.count(_OPENED_BY[address[-1]])
    ):
        address = address[:-1]
    return address


def _replace_marks(state: StateCore) -> None:
    """Write dashes and ellipses as printers do. Other abbreviations, such as (c), stay as typed."""
    for token in state.tokens:
        for part in token.children or ():
            if part.type == "text":
                for pattern, mark in _MARKS:
                    part.content = pattern.sub(mark, part.content)


def _change_blocks(state: StateCore) -> None:
    """Drop headings without words, and align the cells of tables by class: pages allow no inline style."""
    kept: list[Token] = []
    for token in state.tokens:
        if token.type == "heading_close" and is_blank(_text_of(kept[-1])):
            del kept[-2:]
            continue
        if alignment := str(token.attrs.pop("style", "")):
            token.attrSet("class", alignment.replace("text-align:", "align-"))
        kept.append(token)
    state.tokens = kept


def _text_of(inline: Token) -> str:
    """Return the words of a paragraph or heading."""
    breaks = {"softbreak": " ", "hardbreak": " "}
    return "".join(breaks.get(part.type, part.content) for part in inline.children or ())


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
    taken = set(PAGE_IDS)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.tag == "h2":
            text = _text_of(inline)
            own = _find_free_id(text, taken)
            taken.add(own)
            opening.attrSet("id", own)
            yield Heading(id=own, text=text)


def _find_free_id(text: str, taken: Collection[str]) -> str:
    """Return the words in lower case with hyphens for spaces, without punctuation, and with a number if that is taken."""
    words = re.sub(r"[^\w\s-]", "", unicodedata.normalize("NFC", text).lower())
    plain = re.sub(r"[\s-]+", "-", words).strip("-") or "section"
    numbered = (f"{plain}-{number}" for number in count(2))
    return plain if plain not in taken else next(each for each in numbered if each not in taken)


class _Renderer(RendererHTML):
    """Wide tables and code scroll inside their own frames, which can get the keyboard focus."""

    def fence(self, tokens: Sequence[Token], at: int, *_: object) -> str:
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
        image = super().image(tokens, at, options, env)
        if address is None or not address.avif_srcset:
            return image
        source = f'<source type="image/avif" srcset="{address.avif_srcset}" sizes="{_TEXT_WIDTHS}">'
        return f'<picture>{source}{image}</picture><span class="scene-caption">{SCENE_CAPTION}</span>'

    def table_open(self, *_: object) -> str:
        return '<div class="table-frame" tabindex="0" role="group" aria-label="Table"><table>'

    def table_close(self, *_: object) -> str:
        return "</table></div>"


_MARKDOWN = _Parser()
_WITH_HTML = MarkdownIt("commonmark", {"html": True}).disable("code")
