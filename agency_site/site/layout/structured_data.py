"""Facts about a page for machines: one graph of schema.org per page, as JSON-LD in the prerendered HTML.

Nodes point to each other by `@id`. Only what the page itself shows is included: no rating, no place and no date that a
visitor would look for in vain.
"""

import json
import re
from collections.abc import Mapping, Sequence

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.content.share_pictures import find_share_picture
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site.layout.organisation import ORGANISATION, SITE, Node, brief, refer, website
from agency_site.site.layout.route import QuestionAndAnswer, Route

_CONTEXT = "https://schema.org"
_LANGUAGE = "en-KE"
_GRAPH = re.compile(r'(<script type="application/ld\+json">)(.*?)(</script>)', re.DOTALL)
SHARE_SIZE = (1200, 630)
"""Pixels of a share image."""


def json_ld(nodes: Sequence[Node]) -> rx.Component:
    """A script element that holds `nodes`; it runs nothing."""
    return rx.el.script(
        type="application/ld+json", custom_attrs={"dangerouslySetInnerHTML": {"__html": script_text(nodes)}}
    )


def script_text(nodes: Sequence[Node]) -> str:
    """The JSON of a graph, with no character that could end the script element or begin another."""
    text = json.dumps({"@context": _CONTEXT, "@graph": nodes}, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def change_nodes(page: str, changes: Mapping[str, Node]) -> str:
    """The HTML of a page whose nodes have other properties: `changes` names them by the end of their `@id`."""
    return _GRAPH.sub(lambda found: found[1] + _change_graph(found[2], changes) + found[3], page)


def _change_graph(text: str, changes: Mapping[str, Node]) -> str:
    nodes = json.loads(text)["@graph"]
    for end, properties in changes.items():
        for node in nodes:
            if str(node.get("@id")).endswith(end):
                node.update(properties)
    return script_text(nodes)


def address_of(route: Route) -> str:
    """The whole address that search engines should keep."""
    return PLACEHOLDER_ORIGIN + (route.canonical or route.path)


def picture_of(route: Route) -> str:
    """The whole address of the page's share image."""
    return f"{PLACEHOLDER_ORIGIN}/share/{find_share_picture(route.share_image).name}.png"


def page_graph(route: Route) -> list[Node]:
    """The graph of a page: organisation, page, breadcrumb, and what the page is about."""
    own = [{**fact, "mainEntityOfPage": refer(f"{address_of(route)}#page")} for fact in _facts(route)]
    house = brief() if route.house is None else route.house
    return [house, website(), _page(route, own), _trail(route), *own]


def _facts(route: Route) -> Sequence[Node]:
    return (_posting(route), *route.facts) if route.piece else route.facts


def _page(route: Route, about: Sequence[Node]) -> Node:
    address = address_of(route)
    kinds = ["WebPage", *([route.kind] if route.kind else []), *(["FAQPage"] if route.questions else [])]
    node: dict[str, object] = {
        "@type": kinds if len(kinds) > 1 else kinds[0],
        "@id": f"{address}#page",
        "url": address,
        "name": route.title,
        "description": route.description,
        "inLanguage": _LANGUAGE,
        "isPartOf": refer(SITE),
        "breadcrumb": refer(f"{address}#breadcrumb"),
        "primaryImageOfPage": {
            "@type": "ImageObject", "url": picture_of(route), "width": SHARE_SIZE[0], "height": SHARE_SIZE[1],
        },
    }  # fmt: skip
    about_ids = [refer(str(fact["@id"])) for fact in about] or ([refer(ORGANISATION)] if route.house else [])
    if about_ids:
        node["about"] = about_ids
    if route.revised:
        node["dateModified"] = route.revised.isoformat()
    if route.questions:
        node["mainEntity"] = [_question(asked) for asked in route.questions]
    return node


def _question(asked: QuestionAndAnswer) -> Node:
    return {
        "@type": "Question",
        "name": asked.question,
        "acceptedAnswer": {"@type": "Answer", "text": asked.answer},
    }


def _trail(route: Route) -> Node:
    """The way from the home page; the last step is the page itself."""
    here = route.label or route.title
    above = [] if route.path == "/" else [("Home", "/"), *route.above]
    steps = [*((label, PLACEHOLDER_ORIGIN + path) for label, path in above), (here, address_of(route))]
    return {
        "@type": "BreadcrumbList",
        "@id": f"{address_of(route)}#breadcrumb",
        "itemListElement": [
            {"@type": "ListItem", "position": place, "name": label, "item": address}
            for place, (label, address) in enumerate(steps, 1)
        ],
    }


def _posting(route: Route) -> Node:
    """The article on the page. Its author is the house: the name that the page shows is a department's, not a person's."""
    piece = route.piece
    if piece is None:
        raise ValueError(f"{route.path} shows no article")
    return {
        "@type": "BlogPosting",
        "@id": f"{address_of(route)}#article",
        "url": address_of(route),
        "headline": piece.title,
        "description": piece.description,
        "image": [picture_of(route)],
        "datePublished": piece.published.isoformat(),
        "dateModified": piece.changed.isoformat(),
        "author": {"@type": "Organization", "@id": ORGANISATION, "name": BRAND.name, "url": f"{PLACEHOLDER_ORIGIN}/"},
        "publisher": refer(ORGANISATION),
        "articleSection": piece.section,
        "keywords": list(piece.keywords),
        "timeRequired": f"PT{piece.read_minutes}M",
        "inLanguage": _LANGUAGE,
    }  # fmt: skip
