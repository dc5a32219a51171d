"""Vector drawings (SVG): accepted if they contain nothing but shapes, and written anew from what was accepted.

Elements, attributes and functions that are not listed here are refused, because SVG can carry scripts, style sheets, frames and
requests to other sites. What drawing programs store for themselves is dropped. Their style sheets become `style` attributes,
which are checked like all others.
"""

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, ParseError

from agency_site.errors import InputRejected
from agency_site.features.editing.pictures.forms import PictureForm, ProcessedPicture
from agency_site.features.editing.pictures.rules import LARGEST_DRAWING, fit_size, picture_problem
from agency_site.picture_addresses import PICTURES, VECTOR, PictureAddress

_SVG, _XLINK, _XML = (
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/xlink",
    "http://www.w3.org/XML/1998/namespace",
)
_PREFIXES = {_XLINK: "xlink", _XML: "xml"}
_PROGRAMS = (
    "http://sodipodi.sourceforge.net/", "http://www.inkscape.org/", "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://creativecommons.org/ns#", "http://web.resource.org/cc/", "http://purl.org/dc/", "http://ns.adobe.com/",
    "http://www.serif.com/", "http://www.bohemiancoding.com/sketch/", "http://www.figma.com/", "http://www.vectornator.io",
    "http://www.corel.com/", "https://boxy-svg.com",
)  # fmt: skip
"""Beginnings of the namespaces in which drawing programs store what is not drawn."""
_ELEMENT_NAMES = """
svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textPath marker
clipPath mask pattern linearGradient radialGradient stop filter feBlend feColorMatrix feComponentTransfer
feComposite feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode
feMorphology feOffset
"""
_ELEMENTS = frozenset(_ELEMENT_NAMES.split())
_DROPPED = frozenset({"metadata"})
_ATTRIBUTE_NAMES = """
id class x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy width height d points pathLength transform viewBox
preserveAspectRatio version baseProfile style role lang focusable tabindex clip clip-path clip-rule
clipPathUnits color color-interpolation color-interpolation-filters color-rendering display fill fill-
opacity fill-rule filter filterUnits primitiveUnits flood-color flood-opacity font-family font-size font-
stretch font-style font-variant font-weight letter-spacing word-spacing text-anchor text-decoration text-
rendering dominant-baseline alignment-baseline baseline-shift writing-mode direction unicode-bidi
lengthAdjust textLength startOffset rotate method spacing side gradientTransform gradientUnits spreadMethod
offset stop-color stop-opacity image-rendering shape-rendering isolation marker marker-start marker-mid
marker-end markerHeight markerUnits markerWidth orient refX refY mask maskContentUnits maskUnits mask-type
mix-blend-mode opacity overflow paint-order pointer-events patternContentUnits patternTransform patternUnits
solid-color solid-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-
miterlimit stroke-opacity stroke-width transform-origin vector-effect visibility enable-background in in2
result stdDeviation mode operator k1 k2 k3 k4 type values radius tableValues slope intercept amplitude
exponent
"""
_ATTRIBUTES = frozenset(_ATTRIBUTE_NAMES.split())
_IGNORED_NAMES = """
zoomAndPan contentScriptType contentStyleType externalResourcesRequired requiredExtensions requiredFeatures systemLanguage
color-profile font-size-adjust glyph-orientation-horizontal glyph-orientation-vertical kerning
"""
_IGNORED = frozenset(_IGNORED_NAMES.split())
"""Attributes that are dropped: the drawing is the same without them."""
_FREE = ("data-", "aria-")
"""Beginnings of attributes that browsers do not interpret."""
_OWN_REFERENCE = re.compile(r"#[^\s\"'()<>\\]+")
_FUNCTION = re.compile(r"(?<![\w-])([\w-]+)\s*\(")
_OWN_URL = re.compile(r"url\(\s*([\"']?)#[^\s\"'()<>\\]+\1\s*\)", re.IGNORECASE)
_FUNCTION_NAMES = (
    "rgb rgba hsl hsla calc matrix translate translatex translatey scale scalex scaley rotate skewx skewy"
)
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_NUMBER = re.compile(
    r"\+?((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{1,2})?)(?:px|pt|pc|mm|cm|in|em|ex)?", re.IGNORECASE
)
_RULE = re.compile(r"([^{}@]+)\{([^{}@]*)\}\s*")
_SELECTOR = re.compile(r"[A-Za-z]+|\.[\w-]+|\#[\w-]+")
_WEIGHTS = {".": 1, "#": 2}
"""The precedence of a selector by its first character; that of an element's name is 0."""
_SEPARATORS = re.compile(r"[\s,]+")
_DEEPEST, _MOST_ELEMENTS, _MOST_USES = 60, 20_000, 500


def is_drawing(content: bytes) -> bool:
    """Return whether the file is XML; every picture that is not begins with other bytes."""
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"


def process_drawing(content: bytes, digest: str) -> ProcessedPicture:
    """Return the drawing, written anew. Raises InputRejected with the name of what cannot be accepted."""
    if len(content) > LARGEST_DRAWING:
        raise picture_problem(
            "An SVG file may have at most 1 MB. Please simplify the drawing, or save it as PNG."
        )
    root = _parse(content)
    _require_simple(root)
    _apply_style_sheets(root)
    _clean(root)
    width, height = _read_size(root)
    address = PictureAddress(PICTURES + digest, *fit_size(width, height), VECTOR)
    body = _write(root)
    return ProcessedPicture(address, (PictureForm(address.name, "image/svg+xml", body),))


def _write(root: ET.Element) -> bytes:
    """Return the file. The prefixes of namespaces are written here: those of ElementTree are shared with feeds."""
    for element in root.iter():
        element.tag = _split(element.tag)[1]
        for key in list(element.attrib):
            namespace, name = _split(key)
            if namespace:
                element.set(f"{_PREFIXES[namespace]}:{name}", element.attrib.pop(key))
    root.set("xmlns", _SVG)
    root.set("xmlns:xlink", _XLINK)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=False))


def _refuse(what: str) -> InputRejected:
    return picture_problem(
        f"This SVG file contains {what}, which cannot be accepted for safety. Please export it as plain SVG, or as PNG."
    )


class _Parser(DefusedXMLParser):  # type: ignore[misc]
    """Accepts a document type that only names itself, as drawing programs write it; nothing is fetched."""

    def defused_start_doctype_decl(
        self, name: str, sysid: str | None, pubid: str | None, has_internal_subset: int
    ) -> None:
        if has_internal_subset:
            super().defused_start_doctype_decl(name, sysid, pubid, has_internal_subset)


def _too_complex() -> InputRejected:
    return picture_problem("This drawing is too complex. Please simplify it, or save it as PNG.")


def _parse(content: bytes) -> ET.Element:
    parser = _Parser(target=ET.TreeBuilder(), forbid_dtd=True, forbid_entities=True, forbid_external=True)
    try:
        parser.feed(content)
        root: ET.Element = parser.close()
    except DefusedXmlException:
        raise _refuse("a document type declaration (<!DOCTYPE>) with definitions of its own") from None
    except (ParseError, ValueError, LookupError):
        raise picture_problem("This file could not be read as SVG. Please save it again and retry.") from None
    if root.tag != f"{{{_SVG}}}svg":
        raise picture_problem(
            "This is not a picture that we can show. Please choose a JPEG, PNG, WebP, AVIF or SVG file."
        )
    return root


def _require_simple(root: ET.Element) -> None:
    """Raise InputRejected for a drawing that would take browsers too long: copies of copies, or too many elements."""
    depth, elements, level = 0, 0, [root]
    while level:
        depth, elements = depth + 1, elements + len(level)
        if depth > _DEEPEST or elements > _MOST_ELEMENTS:
            raise _too_complex()
        level = [child for element in level for child in element]
    uses = list(root.iter(f"{{{_SVG}}}use"))
    with_id = {element.get("id"): element for element in root.iter() if element.get("id")}
    targets = {(use.get("href") or use.get(f"{{{_XLINK}}}href") or "").removeprefix("#") for use in uses}
    copied = [with_id[target] for target in targets if target in with_id]
    is_nested = any(next(element.iter(f"{{{_SVG}}}use"), None) is not None for element in copied)
    if is_nested or len(uses) > _MOST_USES:
        raise _refuse("copies of copies (<use>)")


def _apply_style_sheets(root: ET.Element) -> None:
    """Write the rules of style sheets into the elements that they select. Raises InputRejected for any but plain rules."""
    rules: list[tuple[int, str, str]] = []
    for parent in list(root.iter()):
        for sheet in [child for child in parent if child.tag == f"{{{_SVG}}}style"]:
            if len(sheet) or sheet.get("media", "all") not in ("all", "screen"):
                raise _refuse("a style sheet (<style>) for other media, or with elements")
            rules += _read_rules(sheet.text or "")
            parent.remove(sheet)
    # A stable order: of rules of the same precedence the last one counts, and an attribute `style` counts more than all.
    rules.sort(key=lambda rule: rule[0])
    by_selector: dict[str, list[int]] = {}
    for place, (_, selector, _) in enumerate(rules):
        by_selector.setdefault(selector, []).append(place)
    length = 0
    for element in root.iter():
        classes = (f".{name}" for name in element.get("class", "").split())
        selectors = {_split(element.tag)[1], *classes, f"#{element.get('id', '')}"}
        places = sorted(place for selector in selectors for place in by_selector.get(selector, ()))
        if places:
            length += sum(len(rules[place][2]) for place in places)
            if length > LARGEST_DRAWING:
                raise _too_complex()
            own = [rules[place][2] for place in places]
            element.set("style", ";".join((*own, element.get("style", ""))).strip(";"))


def _read_rules(css: str) -> Iterator[tuple[int, str, str]]:
    """Yield precedence, selector and declarations of each rule. Raises InputRejected for any but plain rules."""
    before, *after = css.split("/*")
    text = before + "".join(part.partition("*/")[2] for part in after)
    text, done = text.strip(), 0
    while done < len(text):
        rule = _RULE.match(text, done)
        selectors = [selector.strip() for selector in rule[1].split(",")] if rule else []
        if not rule or not all(_SELECTOR.fullmatch(selector) for selector in selectors):
            raise _refuse("a style sheet (<style>) with more than plain rules for classes")
        yield from (
            (_WEIGHTS.get(selector[0], 0), selector, rule[2].strip().strip(";")) for selector in selectors
        )
        done = rule.end()


def _clean(root: ET.Element) -> None:
    """Drop what drawing programs store for themselves. Raises InputRejected for anything else that is not drawing."""
    pending = [root]
    while pending:
        element = pending.pop()
        _clean_attributes(element)
        for child in list(element):
            if _is_dropped(child):
                element.remove(child)
            else:
                _require_drawing(child)
                pending.append(child)


def _is_dropped(element: ET.Element) -> bool:
    namespace, name = _split(element.tag)
    return namespace.startswith(_PROGRAMS) or (namespace == _SVG and name in _DROPPED)


def _require_drawing(element: ET.Element) -> None:
    namespace, name = _split(element.tag)
    if namespace != _SVG or name not in _ELEMENTS:
        raise _refuse(f"the element <{name}>")


def _clean_attributes(element: ET.Element) -> None:
    for key, value in list(element.attrib.items()):
        namespace, name = _split(key)
        if namespace.startswith(_PROGRAMS) or (namespace == _XLINK and name != "href") or key in _IGNORED:
            del element.attrib[key]
        elif name == "href" and namespace in {"", _XLINK}:
            if not _OWN_REFERENCE.fullmatch(value.strip()):
                raise _refuse(f"a link to {value.strip()[:60] or 'nothing'}")
        elif namespace == _XML or not namespace:
            _require_harmless(key if namespace else name, value)
        else:
            raise _refuse(f"the attribute {name}")


def _require_harmless(name: str, value: str) -> None:
    is_listed = (
        name in _ATTRIBUTES or name.startswith(_FREE) or name in {f"{{{_XML}}}space", f"{{{_XML}}}lang"}
    )
    if not is_listed:
        raise _refuse(f"the attribute {_split(name)[1]}")
    if name.startswith(_FREE):
        return
    foreign = next(_foreign_functions(_OWN_URL.sub("", value)), "")
    if foreign or "\\" in value or "@" in value or "/*" in value:
        raise _refuse(f"{foreign + '()' if foreign else 'code'} in the attribute {_split(name)[1]}")


def _foreign_functions(value: str) -> Iterator[str]:
    return (name for name in _FUNCTION.findall(value) if name.lower() not in _FUNCTIONS)


def _split(tag: object) -> tuple[str, str]:
    """Return namespace and name of an element or attribute."""
    namespace, _, name = str(tag).rpartition("}")
    return namespace.removeprefix("{"), name


def _read_size(root: ET.Element) -> tuple[float, float]:
    """Return width and height of the drawing, and complete its `viewBox`, without which it would not scale."""
    box = _SEPARATORS.split(root.get("viewBox", "").strip())
    sides = [
        _read_number(side)
        for side in (box[2:] if len(box) == 4 else (root.get("width", ""), root.get("height", "")))
    ]
    if not all(sides):
        raise picture_problem(
            "This SVG file does not say how large it is. Please export it with a width and a height."
        )
    width, height = sides
    if len(box) != 4:
        root.set("viewBox", f"0 0 {width:g} {height:g}")
    return width, height


def _read_number(text: str) -> float:
    """Return a length without its unit; 0 for anything that is none."""
    match = _NUMBER.fullmatch(text.strip())
    number = float(match[1]) if match else 0.0
    return number if math.isfinite(number) and number < 1e6 else 0.0
