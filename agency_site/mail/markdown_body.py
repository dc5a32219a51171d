"""Markdown by staff, as HTML that `render` styles and as plain text.

HTML in the text is shown as text; `content.markdown.parse_staff_text` decides which links and pictures are kept.
"""

from collections.abc import Sequence
from textwrap import indent

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.tree import SyntaxTreeNode

from agency_site.content.markdown import parse_staff_text
from agency_site.mail.render import WIDTH, wrap_text

_MIN_WIDTH = 20
"""The least columns for the text of nested lists and quotations."""
_OPTIONS = MarkdownIt("commonmark", {"html": False}).options


def markdown_to_html(markdown: str, origin: str) -> str:
    """Return the text as HTML; addresses inside the site begin with `origin`."""
    return str(RendererHTML().render(parse_staff_text(markdown, origin), _OPTIONS, {})).strip()


def markdown_to_text(markdown: str, origin: str) -> str:
    """Return the text without Markdown's marks, in lines of at most 76 columns; addresses follow the words of links."""
    return _render_blocks(SyntaxTreeNode(parse_staff_text(markdown, origin)).children, WIDTH)


def _render_blocks(blocks: Sequence[SyntaxTreeNode], width: int) -> str:
    return "\n\n".join(_render_block(block, max(width, _MIN_WIDTH)) for block in blocks)


def _render_block(block: SyntaxTreeNode, width: int) -> str:
    match block.type:
        case "bullet_list" | "ordered_list":
            return _render_list(block, width)
        case "blockquote":
            quoted = indent(_render_blocks(block.children, width - 2), "> ", lambda _: True)
            return "\n".join(line.rstrip() for line in quoted.split("\n"))
        case "fence" | "code_block":
            return indent(block.content.rstrip(), "    ")
        case "hr":
            return "* * *"
        case "table":
            rows = [row for section in block.children for row in section.children]
            return "\n".join(" | ".join(map(_render_inline, row.children)) for row in rows)
        case _:
            text = wrap_text(_render_inline(block), width)
            line = "\n" + "-" * max(map(len, text.split("\n"))) if block.tag == "h2" else ""
            return text + line[: width + 1]


def _render_list(block: SyntaxTreeNode, width: int) -> str:
    items = []
    for number, item in enumerate(block.children, int(block.attrs.get("start", 1))):
        mark = f"{number}. " if block.type == "ordered_list" else "- "
        text = indent(_render_blocks(item.children, width - len(mark)), " " * len(mark))
        items.append((mark + text[len(mark) :]).rstrip())
    # A list is tight if no empty lines separate its items; the parser then marks its paragraphs as hidden.
    tight = any(part.hidden for item in block.children for part in item.children)
    return ("\n" if tight else "\n\n").join(items)


def _render_inline(node: SyntaxTreeNode) -> str:
    match node.type:
        case "text" | "code_inline" | "image":
            return node.content
        case "softbreak":
            return " "
        case "hardbreak":
            return "\n"
    text = "".join(map(_render_inline, node.children))
    if node.type != "link":
        return text
    href = str(node.attrs["href"])
    address = href.removeprefix("mailto:").removeprefix("tel:")
    return text if text in (href, address) else f"{text} ({address})"
