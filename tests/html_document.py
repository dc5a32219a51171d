"""The HTML of a page without a browser: its elements by role and accessible name, by label, by text and by CSS selector.

A stylesheet can still hide what is found here: a test of what a visitor sees needs a browser.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from xml.etree import ElementTree

from cssselect2 import ElementWrapper

VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
"""Elements without an end tag."""
INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "cite", "code", "em", "i", "mark", "page-region", "q", "small", "span", "strong", "sub", "sup",
     "time", "wbr"}
)  # fmt: skip
"""Elements whose text continues the text around them."""
SILENT = frozenset({"script", "style", "template"})
ROLES = {
    "article": "article",
    "button": "button",
    "complementary": "aside",
    "contentinfo": "body footer:not(main footer)",
    "definition": "dd",
    "banner": "body header:not(main header)",
    "form": "form:is([aria-label], [aria-labelledby])",
    "group": "fieldset",
    "heading": ":is(h1, h2, h3, h4, h5, h6)",
    "img": "img:not([alt=''])",
    "link": "a[href]",
    "list": ":is(ul, ol)",
    "listitem": "li",
    "main": "main",
    "navigation": "nav",
    "option": "option",
    "radio": "input[type=radio]",
    "region": "section:is([aria-label], [aria-labelledby])",
    "searchbox": "input[type=search]",
    "table": "table",
}
"""Selectors of elements that have a role by themselves."""
FIELDS = "input, select, textarea"
Text = str | re.Pattern[str]
"""A whole text, or a pattern that occurs in it."""


class Element:
    """An element of a page."""

    def __init__(self, node: ElementWrapper) -> None:
        self._node = node

    def __getitem__(self, attribute: str) -> str:
        """Return the value of an attribute that the element has."""
        return str(self._node.etree_element.attrib[attribute])

    def get(self, attribute: str) -> str:
        """Return the value of an attribute, empty without it."""
        return str(self._node.etree_element.get(attribute, ""))

    def __contains__(self, attribute: str) -> bool:
        return attribute in self._node.etree_element.attrib

    @property
    def text(self) -> str:
        """The text with single spaces."""
        return _join(_texts(self._node.etree_element))

    @property
    def source(self) -> str:
        """The source of a script or stylesheet."""
        return str(self._node.etree_element.text)

    @property
    def name(self) -> str:
        """The name that a screen reader announces."""
        element = self._node.etree_element
        if label := element.get("aria-label"):
            return str(label)
        if "aria-labelledby" in element.attrib:
            return " ".join(self._page.select(f"#{name}").text for name in self["aria-labelledby"].split())
        if element.tag == "img":
            return str(element.get("alt", ""))
        if element.tag in {"input", "select", "textarea"}:
            labels = self._page.select_all(f'label[for="{element.get("id")}"]')
            around = [Element(node) for node in self._node.ancestors if node.local_name == "label"]
            return " ".join(label.name for label in labels + around)
        if element.tag == "fieldset":
            return self.select("legend").text
        return _join(_texts(element, announced=True))

    @property
    def _page(self) -> "Element":
        return Element((*self._node.ancestors, self._node)[0])

    @property
    def _is_hidden(self) -> bool:
        around = (node.etree_element.attrib for node in (*self._node.ancestors, self._node))
        return any("hidden" in attributes or attributes.get("aria-hidden") == "true" for attributes in around)

    def select_all(self, selector: str) -> "list[Element]":
        """Return the elements inside this one that match a CSS selector, in their order."""
        matches = self._node.query_all(selector)
        return [Element(node) for node in matches if node.etree_element is not self._node.etree_element]

    def select(self, selector: str) -> "Element":
        """Return the only element that matches."""
        return _only(self.select_all(selector), selector)

    def get_all_by_role(self, role: str, name: Text = "", *, level: int = 0) -> "list[Element]":
        """Return the elements of that role, of that accessible name, and of that level of headings."""
        selectors = [f"[role={role}]"]
        if role in ROLES:
            selectors.append(f"{f'h{level}' if level else ROLES[role]}:not([role])")
        elements = [item for item in self.select_all(", ".join(selectors)) if not item._is_hidden]
        return [item for item in elements if not name or _matches(name, item.name)]

    def get_by_role(self, role: str, name: Text = "", *, level: int = 0) -> "Element":
        """Return the only element of that role."""
        return _only(self.get_all_by_role(role, name, level=level), f"{role} {name}")

    def get_by_label(self, label: Text) -> "Element":
        """Return the only field with that label."""
        return _only([field for field in self.select_all(FIELDS) if _matches(label, field.name)], label)

    def get_all_by_text(self, text: Text) -> "list[Element]":
        """Return the innermost elements with that text."""
        elements = [element for element in self.select_all("*") if _matches(text, element.text)]
        outer = {node.etree_element for element in elements for node in element._node.ancestors}
        return [element for element in elements if element._node.etree_element not in outer]

    def get_by_text(self, text: Text) -> "Element":
        """Return the only innermost element with that text."""
        return _only(self.get_all_by_text(text), text)


def parse_html(markup: str) -> Element:
    """Return the root element of a page."""
    parser = _Parser()
    parser.feed(markup)
    parser.close()
    return Element(ElementWrapper.from_html_root(parser.tree.close()))


def section_under(page: Element, heading: Text) -> Element:
    """Return the section under a heading of the second level."""
    sections = page.select_all("main section")
    return _only([item for item in sections if item.get_all_by_role("heading", heading, level=2)], heading)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tree = ElementTree.TreeBuilder()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tree.start(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self.tree.end(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.tree.end(tag).tag == tag

    def handle_data(self, data: str) -> None:
        self.tree.data(data)


def _texts(element: ElementTree.Element, *, announced: bool = False) -> Iterator[str]:
    """Yield the texts of an element; `announced` leaves out what screen readers skip and adds alternative texts."""
    if element.tag in SILENT:
        return
    if announced and (element.get("aria-hidden") == "true" or "hidden" in element.attrib):
        return
    separator = "" if element.tag in INLINE else " "
    yield separator
    if announced and (alternative := element.get("alt") or element.get("aria-label")):
        yield alternative
    yield element.text or ""
    for child in element:
        yield from _texts(child, announced=announced)
        yield child.tail or ""
    yield separator


def _join(texts: Iterator[str]) -> str:
    return " ".join("".join(texts).split())


def _matches(expected: Text, text: str) -> bool:
    return text == expected if isinstance(expected, str) else bool(expected.search(text))


def _only(elements: list[Element], wanted: object) -> Element:
    assert len(elements) == 1, f"{len(elements)} elements match {wanted!r}"
    return elements[0]
