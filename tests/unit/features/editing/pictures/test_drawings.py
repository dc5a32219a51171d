"""A drawing contains shapes and nothing else; everything that could act or fetch is refused by name."""

import time
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.editing.pictures.drawings import is_drawing, process_drawing
from tests.pictures import DRAWING, drawing

DIGEST = "0123456789abcdef"
ATTACKS = {
    "<script>alert(1)</script>": "<script>",
    "<style>rect{fill:url(//evil.example)}</style><rect/>": "url() in the attribute style",
    "<style>.a{fill:url/**/(//evil.example)}</style><rect class='a'/>": "url() in the attribute style",
    "<style>.a{fill:u\\72l(//evil.example)}</style><rect class='a'/>": "in the attribute style",
    "<style>@import '//evil.example';</style>": "<style>",
    "<style>@font-face{font-family:a;src:url(//evil.example)}</style>": "<style>",
    "<style>rect:hover{fill:red}</style>": "<style>",
    "<style>[id^=a]{fill:red}</style>": "<style>",
    "<style>g rect{fill:red}</style>": "<style>",
    "<style>.a{fill:red}}</style>": "<style>",
    "<style>.a{fill:red</style>": "<style>",
    "<style media='print'>.a{fill:red}</style>": "<style>",
    "<style><script/></style>": "<style>",
    "<defs><g><style>@import '//evil.example'</style></g></defs>": "<style>",
    "<rect style='fill:url/**/(https://evil.example)'/>": "code in the attribute style",
    "<rect fill='url/**/(https://evil.example)'/>": "code in the attribute fill",
    "<foreignObject><div xmlns='http://www.w3.org/1999/xhtml'/></foreignObject>": "<foreignObject>",
    "<image href='https://evil.example/x.png'/>": "<image>",
    "<image href='data:image/png;base64,AAAA'/>": "<image>",
    "<a href='https://evil.example/'><rect/></a>": "<a>",
    "<iframe xmlns='http://www.w3.org/1999/xhtml' src='//evil.example'/>": "<iframe>",
    "<h:script xmlns:h='http://www.w3.org/1999/xhtml'>alert(1)</h:script>": "<script>",
    "<g><animate attributeName='href' to='javascript:alert(1)'/></g>": "<animate>",
    "<set attributeName='onload' to='alert(1)'/>": "<set>",
    "<filter><feImage href='//evil.example'/></filter>": "<feImage>",
    "<handler/>": "<handler>",
    "<rect onclick='alert(1)'/>": "the attribute onclick",
    "<rect onload='alert(1)'/>": "the attribute onload",
    "<rect ONLOAD='alert(1)'/>": "the attribute ONLOAD",
    "<rect x:onload='alert(1)' xmlns:x='urn:other'/>": "the attribute onload",
    "<use href='https://evil.example/a.svg#b'/>": "a link to https://evil.example/a.svg#b",
    "<use xlink:href='//evil.example/a.svg#b'/>": "a link to //evil.example/a.svg#b",
    "<use href='javascript:alert(1)'/>": "a link to javascript:alert(1)",
    "<use href='data:image/svg+xml,x#y'/>": "a link to data:image/svg+xml,x#y",
    "<use href=''/>": "a link to nothing",
    "<linearGradient href='a.svg#b'/>": "a link to a.svg#b",
    "<rect fill='url(https://evil.example/#a)'/>": "url() in the attribute fill",
    "<rect fill='URL(//evil.example/#a)'/>": "URL() in the attribute fill",
    "<rect fill='url (//evil.example/#a)'/>": "url() in the attribute fill",
    "<rect fill='&#117;rl(//evil.example/#a)'/>": "url() in the attribute fill",
    "<rect fill='url(#a)url(//evil.example)'/>": "url() in the attribute fill",
    "<rect filter='url(a.svg#b)'/>": "url() in the attribute filter",
    "<rect style='background:url(//evil.example)'/>": "url() in the attribute style",
    "<rect style='background:image-set(\"//evil.example\")'/>": "image-set() in the attribute style",
    "<rect style='background:u\\72l(//evil.example)'/>": "the attribute style",
    "<rect style='width:expression(alert(1))'/>": "expression() in the attribute style",
    "<rect style='@import \"//evil.example\"'/>": "code in the attribute style",
    "<rect src='//evil.example'/>": "the attribute src",
    "<rect xml:base='https://evil.example/'/>": "the attribute base",
    "<g id='a'><use href='#b'/></g><g id='b'><rect/></g><use href='#a'/>": "copies of copies",
    "<g id='a'><use href='#a'/></g>": "copies of copies",
}  # fmt: skip
"""What a drawing may not contain, and what the message names."""


def process(content: bytes) -> bytes:
    return process_drawing(content, DIGEST).forms[0].body


def refusal(content: bytes) -> str:
    with pytest.raises(InputRejected) as refused:
        process(content)
    assert refused.value.by_field() == {"picture": refused.value.message}
    return refused.value.message


@pytest.mark.parametrize("inside", ATTACKS)
def test_what_could_act_or_fetch_is_refused_by_name(inside: str) -> None:
    assert ATTACKS[inside] in refusal(drawing(inside))
    assert ATTACKS[inside] in refusal(drawing(f"<g><g>{inside}</g></g>"))


@pytest.mark.parametrize(
    "attributes",
    ["onload='alert(1)' viewBox='0 0 1 1'", "style='background:url(//e.example)' viewBox='0 0 1 1'"],
)
def test_the_root_is_checked_too(attributes: str) -> None:
    assert "cannot be accepted" in refusal(drawing("", attributes))


@pytest.mark.parametrize(
    "before",
    [
        '<!DOCTYPE svg [<!ENTITY a "b">]>',
        '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE svg [<!ENTITY % a SYSTEM "http://evil.example/a.dtd"> %a;]>',
        '<!DOCTYPE svg [<!ATTLIST svg onload CDATA "alert(1)">]>',
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" []>',
    ],
)
def test_a_document_type_with_definitions_is_refused(before: str) -> None:
    assert "<!DOCTYPE>" in refusal(drawing("", before=before))


@pytest.mark.parametrize(
    "before",
    [
        "<!DOCTYPE svg>",
        '<!DOCTYPE svg SYSTEM "http://evil.example/a.dtd">',
        '<?xml version="1.0" encoding="UTF-8"?>\n<!-- Creator: CorelDRAW -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" '
        '"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n',
    ],
)
def test_a_document_type_without_definitions_is_left_out(before: str) -> None:
    body = process(drawing("<rect/>", before=before))
    assert b"<rect" in body
    assert b"DOCTYPE" not in body
    with pytest.raises(InputRejected, match="could not be read"):
        process(drawing("<text>&a;</text>", before=before))


def test_the_style_sheet_of_a_drawing_program_becomes_attributes() -> None:
    inside = (
        "<defs><style type='text/css'>\n<![CDATA[ .cls-1, .cls-2 { fill: #fff; } /* } */ rect{fill:red;stroke:blue}"
        " .cls-2{fill:url(#g);} #own{fill:green} ]]></style></defs>"
        "<path class='cls-1'/><rect class='cls-2 other'/><rect id='own' class='cls-2' style='stroke:none'/>"
    )
    root = ET.fromstring(process(drawing(inside)))
    styles = [element.get("style") for element in root.iter() if element.tag.endswith(("path", "rect"))]
    assert styles == [
        "fill: #fff",
        "fill:red;stroke:blue;fill: #fff;fill:url(#g)",
        "fill:red;stroke:blue;fill: #fff;fill:url(#g);fill:green;stroke:none",
    ]
    assert not [element for element in root.iter() if element.tag.endswith("style")]


def test_a_style_sheet_that_would_fill_memory_or_take_long_is_refused() -> None:
    started = time.perf_counter()
    large = "<style>rect{fill:#" + "f" * 10_000 + "}</style>" + "<rect/>" * 15_000
    assert "too complex" in refusal(drawing(large))
    process(drawing("<style>" + "/*" * 300_000 + "</style><rect/>"))
    process(drawing("<style>" + ".a{}" * 200_000 + "</style><rect class='a'/>"))
    refusal(drawing("<style>" + "a" * 900_000 + "</style>"))
    assert time.perf_counter() - started < 5


def test_attributes_without_effect_are_dropped() -> None:
    body = process(
        drawing(
            "<g requiredFeatures='x' systemLanguage='en'><rect/></g>",
            "viewBox='0 0 4 4' zoomAndPan='disable'",
        )
    )
    assert b"zoomAndPan" not in body
    assert b"systemLanguage" not in body


def test_style_sheets_comments_and_instructions_around_the_root_are_left_out() -> None:
    before = '<?xml version="1.0"?><?xml-stylesheet href="//evil.example/a.css"?><!-- <script> -->'
    body = process(drawing("<!-- secret --><rect/>", before=before))
    assert b"stylesheet" not in body
    assert b"secret" not in body
    assert b"script" not in body


def test_shapes_gradients_clips_and_copies_are_accepted() -> None:
    inside = (
        "<title>Logo</title><defs><linearGradient id='g'><stop offset='0' stop-color='#f63'/></linearGradient>"
        "<clipPath id='c'><circle cx='5' cy='5' r='5'/></clipPath><symbol id='s'><path d='M0 0h4'/></symbol></defs>"
        "<g transform='translate(1 2) rotate(4)' clip-path=\"url('#c')\" style='fill:url(#g);stroke:rgb(1,2,3)'>"
        "<use xlink:href='#s' x='3'/><use href='#s'/><text font-family='Inter' data-note='url(x)'>Hi &amp; bye</text></g>"
    )
    root = ET.fromstring(process(drawing(inside)))
    kinds = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert kinds == [
        "svg", "title", "defs", "linearGradient", "stop", "clipPath", "circle", "symbol", "path", "g", "use", "use", "text",
    ]  # fmt: skip
    assert "Hi & bye" in "".join(root.itertext())


def test_what_drawing_programs_store_is_dropped() -> None:
    names = (
        "xmlns:inkscape='http://www.inkscape.org/namespaces/inkscape' "
        "xmlns:sodipodi='http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd' inkscape:version='1' viewBox='0 0 4 4'"
    )
    inside = (
        "<sodipodi:namedview inkscape:zoom='1'/><metadata><author>SECRET</author></metadata>"
        "<g inkscape:label='SECRET'><path d='M0 0'/></g>"
    )
    body = process(drawing(inside, names))
    assert b"SECRET" not in body
    assert b"inkscape" not in body
    assert b"<path" in body


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        ("viewBox='0 0 400 200'", "400x200.svg"),
        ("viewBox='-10,-10, 24.4,24.4' width='1em' height='1em'", "24x24.svg"),
        ("width='40' height='20px'", "40x20.svg"),
        ("width='32000' height='16000'", "1600x800.svg"),
        ("viewBox='0 0 0.5 0.25'", "1x1.svg"),
    ],
)
def test_the_size_comes_from_the_root(attributes: str, name: str) -> None:
    assert process_drawing(drawing("", attributes), DIGEST).address.name == name


@pytest.mark.parametrize(
    "attributes",
    [
        "",
        "width='100%' height='100%'",
        "viewBox='0 0 0 0'",
        "viewBox='0 0 nan inf'",
        "viewBox='0 0 -4 4'",
        "viewBox='0 0 1e99 1'",
    ],
)
def test_a_drawing_without_a_size_is_refused(attributes: str) -> None:
    assert "does not say how large it is" in refusal(drawing("", attributes))


def test_a_drawing_without_a_view_box_gets_one_because_it_would_not_scale() -> None:
    assert ET.fromstring(process(drawing("", "width='40' height='20'"))).get("viewBox") == "0 0 40 20"


@pytest.mark.parametrize(
    "content",
    [b"<svg", b"<svg/>", b"<html/>", b"<a>&unknown;</a>", b"<?xml version='1.0' encoding='x'?><a/>"],
)
def test_xml_that_is_no_drawing_is_refused(content: bytes) -> None:
    assert is_drawing(content)
    assert refusal(content)


def test_a_drawing_that_is_too_large_or_too_complex_is_refused() -> None:
    assert "at most 1 MB" in refusal(drawing("<rect/>" * 200_000))
    assert "too complex" in refusal(drawing("<rect/>" * 30_000))
    assert "too complex" in refusal(drawing("<g>" * 5000 + "</g>" * 5000))


def test_a_long_attribute_is_checked_in_linear_time() -> None:
    started = time.monotonic()
    process(drawing(f"<path id='{'a' * 400_000}' d='{'M0 0L9 9' * 50_000}'/>"))
    # In quadratic time it would take minutes.
    assert time.monotonic() - started < 5


@given(st.text(alphabet="<>/=\"'abceghiklnoprstuvx:#&; \n()@\\", max_size=200))
@settings(max_examples=300, deadline=None)
def test_whatever_is_accepted_has_no_foreign_addresses_and_no_handlers(inside: str) -> None:
    try:
        body = process(drawing(inside))
    except InputRejected:
        return
    for element in ET.fromstring(body).iter():
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on")
            assert not name.endswith("href") or value.strip().startswith("#")


def test_a_photo_is_no_drawing() -> None:
    assert not is_drawing(b"\xff\xd8\xff\xe0")
    assert is_drawing(DRAWING.encode())
