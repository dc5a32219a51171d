"""What search engines are told of letters: a graph of facts per letter, and a sitemap of all that went out."""

from collections.abc import Sequence

import reflex as rx
from markupsafe import Markup

from agency_site.content.brand import BRAND
from agency_site.features.newsletter.archive import PastIssue
from agency_site.settings import PLACEHOLDER_ORIGIN, settings
from agency_site.site.layout.organisation import ORGANISATION, Node, refer
from agency_site.site.layout.route import Route
from agency_site.site.layout.sitemap import Place, urlset
from agency_site.site.layout.structured_data import page_graph, script_text

ARCHIVE = "/newsletter/archive"
_ABOVE = ("Newsletter", "/newsletter")


def letter_graph(issue: PastIssue) -> Markup:
    """The facts of one letter, for a script element."""
    address = PLACEHOLDER_ORIGIN + issue.href
    posting: Node = {
        "@type": "BlogPosting",
        "@id": f"{address}#article",
        "url": address,
        "headline": issue.title,
        "description": issue.summary or issue.title,
        "image": [f"{PLACEHOLDER_ORIGIN}/share/newsletter.png"],
        "datePublished": issue.sent.isoformat(),
        "dateModified": issue.sent.isoformat(),
        "author": {
            "@type": "Organization", "@id": ORGANISATION, "name": BRAND.name, "url": f"{PLACEHOLDER_ORIGIN}/",
        },
        "publisher": refer(ORGANISATION),
        "inLanguage": "en-KE",
    }  # fmt: skip
    return _told(
        Route(
            path=issue.href,
            title=issue.title,
            description=issue.summary or issue.title,
            body=rx.fragment,
            share_image="newsletter",
            above=(_ABOVE, ("All letters", ARCHIVE)),
            facts=(posting,),
            revised=issue.sent,
        )
    )


def archive_graph() -> Markup:
    """The facts of the list of letters, for a script element."""
    return _told(
        Route(
            path=ARCHIVE,
            title="All letters",
            description="Every letter that went out.",
            body=rx.fragment,
            share_image="newsletter",
            above=(_ABOVE,),
            kind="CollectionPage",
        )
    )


def letters_sitemap(issues: Sequence[PastIssue]) -> bytes:
    """The list and every letter, each with the day on which it last changed: a letter stands as it was sent."""
    origin = settings().site_url
    newest = max((issue.sent for issue in issues), default=None)
    places: list[Place] = [(origin + ARCHIVE, newest)]
    return urlset([*places, *((origin + issue.href, issue.sent) for issue in issues)])


def _told(route: Route) -> Markup:
    # Escaped for a script element already (`script_text`), where HTML's own escapes would be read as they stand.
    return Markup(script_text(page_graph(route)).replace(PLACEHOLDER_ORIGIN, settings().site_url))  # noqa: S704
