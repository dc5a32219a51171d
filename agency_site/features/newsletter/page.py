"""The newsletter page, and the structured data of the archive."""

from collections.abc import Sequence

import reflex as rx
from markupsafe import Markup

from agency_site.content.brand import BRAND
from agency_site.content.newsletter import BENEFITS, FACTS, ISSUES, QUESTIONS, Issue
from agency_site.features.newsletter.archive import PastIssue
from agency_site.features.newsletter.rules import ARCHIVE
from agency_site.features.newsletter.view import newsletter_form
from agency_site.settings import PLACEHOLDER_ORIGIN, settings
from agency_site.site.layout.organisation import ORGANISATION, Node, refer
from agency_site.site.layout.route import Route
from agency_site.site.layout.sitemap import SitemapEntry, urlset
from agency_site.site.layout.structured_data import page_graph, script_text
from agency_site.ui.elements import disclosure, section
from agency_site.ui.page_region import ServedRegion
from agency_site.web.reflex_internals.components import PlainAnchor

SENT_REGION = "sent-issues"
_PARENT = ("Newsletter", "/newsletter")


def newsletter_page() -> rx.Component:
    """The form, the benefits, recent issues and questions."""
    return rx.fragment(_heading_band(), _benefits(), _recent_issues(), _questions())


def _heading_band() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.div(
                rx.el.h1("One useful letter, every Wednesday", class_name="max-w-[8em]"),
                rx.el.p(
                    "What worked for a Kenyan business this week, what did not, and one thing to try before Friday. "
                    "Written in Karen by the people who do the work.",
                    class_name="text-lead mt-5 max-w-[28.2em]",
                ),
                class_name="letter-copy",
            ),
            newsletter_form(),
            _newsletter_facts(),
            class_name="wrap letter-grid",
        ),
        class_name="letter-head on-dark bg-leaf text-white",
    )


def _newsletter_facts() -> rx.Component:
    return rx.el.dl(
        *(
            rx.el.div(
                rx.el.dt(fact, class_name="display text-lead"),
                rx.el.dd(text, class_name="mt-1"),
                class_name="border-t-2 border-white/40 pt-4",
            )
            for fact, text in FACTS
        ),
        class_name="letter-facts grid gap-6 sm:grid-cols-3",
    )


def _benefits() -> rx.Component:
    first, *others = BENEFITS
    return section(
        rx.el.h2("Why four minutes on a Wednesday pay", class_name="max-w-[12em] mb-10"),
        rx.el.div(
            rx.el.article(
                rx.el.h3(first.title, class_name="text-heading max-w-[6.7em]"),
                rx.el.p(first.text, class_name="text-lead mt-5 max-w-[23.1em]"),
                class_name="benefit benefit-first on-dark bg-brand text-white",
            ),
            *(
                rx.el.article(
                    rx.el.h3(benefit.title),
                    rx.el.p(benefit.text, class_name="mt-3 text-muted max-w-[28.2em]"),
                    class_name="benefit bg-sand",
                )
                for benefit in others
            ),
            class_name="benefit-grid",
        ),
    )


def _recent_issues() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("Recent issues"),
                rx.el.p("Open one and read what it said.", class_name="text-lead mt-4 mb-5 text-muted"),
                _page_link("Issues to read again", ARCHIVE),
            ),
            rx.el.div(
                ServedRegion.create(name=SENT_REGION),
                *(_content_issue(issue) for issue in ISSUES),
                class_name="border-b border-line",
            ),
            class_name="grid gap-8 lg:gap-16 lg:grid-cols-[1fr_1.8fr]",
        ),
        class_name="bg-white",
    )


def _content_issue(issue: Issue) -> rx.Component:
    return rx.el.details(
        _issue_summary(issue.number, issue.day, issue.title, issue.summary),
        rx.el.ul(
            *(rx.el.li(point, class_name="check-item") for point in issue.points),
            rx.el.li(_page_link("Read the whole issue", issue.href), class_name="pt-3")
            if issue.text
            else rx.fragment(),
            class_name="list-none issue-points",
        ),
        class_name="issue",
        id=issue.id,
    )


def sent_issues(issues: Sequence[PastIssue]) -> rx.Component:
    """The issues that were sent after the build, shown like those of content."""
    return rx.fragment(*map(_sent_issue, issues))


def _sent_issue(issue: PastIssue) -> rx.Component:
    return rx.el.details(
        _issue_summary(issue.number, issue.day, issue.title, issue.summary),
        rx.el.div(_page_link("Read the whole issue", issue.href), class_name="issue-points"),
        class_name="issue",
    )


def _issue_summary(number: int, day: str, title: str, summary: str) -> rx.Component:
    return rx.el.summary(
        rx.el.span(str(number), class_name="display issue-number", aria_hidden="true"),
        rx.el.span("Issue ", str(number), ", ", day, class_name="text-small text-muted"),
        rx.el.h3(title, class_name="mt-1"),
        rx.el.span(summary, class_name="mt-2 text-muted font-normal"),
        rx.el.span(class_name="issue-mark", aria_hidden="true"),
    )


def _page_link(label: str, href: str) -> rx.Component:
    # A plain link: the server draws these pages, so the router in the browser does not know them.
    return PlainAnchor.create(label, href=href, class_name="link inline-flex items-center min-h-11")


def _questions() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.h2("Questions, answered", class_name="max-w-[6.7em]"),
            rx.el.div(
                *(
                    disclosure(
                        entry.question,
                        rx.el.p(entry.answer, class_name="max-w-[38.5em]"),
                        class_name="border-t border-line py-1",
                    )
                    for entry in QUESTIONS
                ),
                class_name="border-b border-line",
            ),
            class_name="grid gap-8 lg:gap-16 lg:grid-cols-[1fr_1.8fr]",
        ),
    )


def issue_graph(issue: PastIssue) -> Markup:
    """Return the structured data of one issue, for a script element."""
    address = PLACEHOLDER_ORIGIN + issue.href
    posting: Node = {
        "@type": "BlogPosting",
        "@id": f"{address}#article",
        "url": address,
        "headline": issue.title,
        "description": issue.summary or issue.title,
        "image": [f"{PLACEHOLDER_ORIGIN}/share/newsletter.png"],
        "datePublished": issue.sent_on.isoformat(),
        "dateModified": issue.sent_on.isoformat(),
        "author": {
            "@type": "Organization", "@id": ORGANISATION, "name": BRAND.name, "url": f"{PLACEHOLDER_ORIGIN}/",
        },
        "publisher": refer(ORGANISATION),
        "inLanguage": "en-KE",
    }  # fmt: skip
    return _write_graph(
        Route(
            path=issue.href,
            title=issue.title,
            description=issue.summary or issue.title,
            body=rx.fragment,
            share_image="newsletter",
            above=(_PARENT, ("Issues to read again", ARCHIVE)),
            facts=(posting,),
            revised=issue.sent_on,
        )
    )


def archive_graph() -> Markup:
    """Return the structured data of the archive, for a script element."""
    return _write_graph(
        Route(
            path=ARCHIVE,
            title="Issues to read again",
            description="Issues of our newsletter to read again.",
            body=rx.fragment,
            share_image="newsletter",
            above=(_PARENT,),
            kind="CollectionPage",
        )
    )


def archive_sitemap(issues: Sequence[PastIssue]) -> bytes:
    """Return the sitemap of the archive and its issues, each with the day of its last change. A sent issue never changes."""
    origin = settings().site_url
    newest = max((issue.sent_on for issue in issues), default=None)
    places: list[SitemapEntry] = [(origin + ARCHIVE, newest)]
    return urlset([*places, *((origin + issue.href, issue.sent_on) for issue in issues)])


def _write_graph(route: Route) -> Markup:
    # `script_text` has escaped it for a script element, where browsers do not decode HTML escapes.
    return Markup(script_text(page_graph(route)).replace(PLACEHOLDER_ORIGIN, settings().site_url))  # noqa: S704


ROUTES = (
    Route(
        path="/newsletter",
        title="Newsletter",
        description="One useful letter on marketing in Kenya, every Wednesday. Free, with an unsubscribe link in each issue.",
        body=newsletter_page,
        share_image="newsletter",
        questions=QUESTIONS,
    ),
)
