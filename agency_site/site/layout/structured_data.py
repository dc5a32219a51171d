"""Structured data of pages: one graph of schema.org per page, as JSON-LD in the prerendered HTML.

Nodes refer to each other by `@id`. They contain only facts that the page shows: no rating, place or date that a visitor
cannot find on it.
"""

import json
import re
from collections.abc import Mapping, Sequence

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.content.share_pictures import share_address
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site.layout.organisation import ORGANISATION, SITE, Node, brief_organisation, refer, website
from agency_site.site.layout.route import QuestionAndAnswer, Route

_CONTEXT = "https://schema.org"
_LANGUAGE = "en-KE"
_GRAPH = re.compile(r'(<script type="application/ld\+json">)(.*?)(</script>)', re.DOTALL)
_DEPARTMENT = re.compile(r"\b(?:desk|team|department|office|studio)$|^admin$", re.IGNORECASE)
SHARE_SIZE = (1200, 630)
"""Size of a share image in pixels."""


def json_ld(nodes: Sequence[Node]) -> rx.Component:
    """A script element with the data of `nodes`, which browsers do not run."""
    return rx.el.script(
        type="application/ld+json", custom_attrs={"dangerouslySetInnerHTML": {"__html": script_text(nodes)}}
    )


def script_text(nodes: Sequence[Node]) -> str:
    """Return the JSON of a graph without characters that could end the script element or begin another."""
    text = json.dumps({"@context": _CONTEXT, "@graph": nodes}, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def change_nodes(page: str, changes: Mapping[str, Node]) -> str:
    """Return the HTML of a page with changed properties of nodes; the keys of `changes` are the ends of their `@id`."""
    return _GRAPH.sub(lambda match: match[1] + _change_graph(match[2], changes) + match[3], page)


def replace_graph(page: str, nodes: Sequence[Node]) -> str:
    """Return the HTML of a page with these nodes instead of its own."""
    return _GRAPH.sub(lambda match: match[1] + script_text(nodes) + match[3], page)


def _change_graph(text: str, changes: Mapping[str, Node]) -> str:
    nodes = json.loads(text)["@graph"]
    for end, properties in changes.items():
        for node in nodes:
            if str(node.get("@id")).endswith(end):
                node.update(properties)
    return script_text(nodes)


def address_of(route: Route) -> str:
    """Return the absolute address that search engines should index."""
    return PLACEHOLDER_ORIGIN + (route.canonical or route.path)


def picture_of(route: Route) -> str:
    """Return the absolute address of the page's share image."""
    return PLACEHOLDER_ORIGIN + share_address(route.share_image)


def page_graph(route: Route) -> list[Node]:
    """Return the graph of a page: organisation, site, page, breadcrumb and main entities."""
    own = [{**fact, "mainEntityOfPage": refer(f"{address_of(route)}#page")} for fact in _main_entities(route)]
    organisation = brief_organisation() if route.organisation is None else route.organisation()
    return [organisation, website(), _page_node(route, own), _breadcrumb(route), *own]


def _main_entities(route: Route) -> Sequence[Node]:
    return (_article_node(route), *route.facts) if route.publication else route.facts


def _page_node(route: Route, about: Sequence[Node]) -> Node:
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
    about_ids = [refer(str(fact["@id"])) for fact in about] or (
        [refer(ORGANISATION)] if route.organisation else []
    )
    if about_ids:
        node["about"] = about_ids
    if route.revised:
        node["dateModified"] = route.revised.isoformat()
    if route.questions:
        node["mainEntity"] = [_question(question) for question in route.questions]
    return node


def _question(question: QuestionAndAnswer) -> Node:
    return {
        "@type": "Question",
        "name": question.question,
        "acceptedAnswer": {"@type": "Answer", "text": question.answer},
    }


def _breadcrumb(route: Route) -> Node:
    """Return the path from the home page; the last step is the page itself."""
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


def _article_node(route: Route) -> Node:
    """Return the article of the page."""
    publication = route.publication
    if publication is None:
        raise ValueError(f"{route.path} shows no article")
    return {
        "@type": "BlogPosting",
        "@id": f"{address_of(route)}#article",
        "url": address_of(route),
        "headline": publication.title,
        "description": publication.description,
        "image": [picture_of(route)],
        "datePublished": publication.published.isoformat(),
        "dateModified": publication.changed.isoformat(),
        "author": _author_node(publication.author),
        "publisher": refer(ORGANISATION),
        "articleSection": publication.section,
        "keywords": list(publication.keywords),
        "timeRequired": f"PT{publication.read_minutes}M",
        "inLanguage": _LANGUAGE,
    }  # fmt: skip


def _author_node(name: str) -> Node:
    """Return the author in the byline. A department, or the agency itself, is the organisation."""
    if name == BRAND.name or _DEPARTMENT.search(name):
        return {
            "@type": "Organization",
            "@id": ORGANISATION,
            "name": BRAND.name,
            "url": f"{PLACEHOLDER_ORIGIN}/",
        }
    return {"@type": "Person", "name": name}
