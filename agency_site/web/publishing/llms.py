"""llms.txt: the site in one page of Markdown, for language models (llmstxt.org)."""

from collections.abc import Sequence

from agency_site.content.brand import BRAND
from agency_site.content.feeds import FEEDS, TITLE
from agency_site.content.hours import business_hours
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.web.publishing.published_pages import BuiltPage

_STUDIO, _OPTIONAL = "The studio", "Optional"
_SECTIONS = (_STUDIO, "Services", "Courses", "Webinars", "Blog", "Insights", _OPTIONAL)
"""Sections in the order of the file. Readers may skip "Optional", a name that llmstxt.org defines."""
_BY_TYPE = {"Course": "Courses", "Event": "Webinars", "Service": "Services"}
_BY_FOLDER = {
    "academy": "Courses",
    "blog": "Blog",
    "services": "Services",
    "webinar": "Webinars",
    "insights": "Insights",
    "signup": _OPTIONAL,
}
_SMALL_PRINT = frozenset({"/privacy", "/terms"})


def llms_text(pages: Sequence[BuiltPage]) -> str:
    """Return name, summary and contacts of the organisation, and every page with its description."""
    hours = ", ".join(f"{days} {times}" for days, times in business_hours())
    head = (
        f"# {BRAND.name}\n\n> {BRAND.description}\n\n"
        f"Address: {BRAND.address}, {BRAND.city}, Kenya. Phone: {BRAND.phone}. E-mail: {BRAND.email}.\n"
        f"Hours, East Africa Time: {hours}.\n"
        "Prices are in Kenya shillings (KES). Courses are paid through M-Pesa on the site; consultations are booked on the "
        "site and cost nothing.\n"
    )
    return head + "".join(_section(name, pages) for name in _SECTIONS)


def _section_of(page: BuiltPage) -> str:
    """Return the section of a page."""
    folder = page.path.split("/")[1]
    if page.path in _SMALL_PRINT:
        return _OPTIONAL
    if page.about == "BlogPosting" and folder not in _BY_FOLDER:
        return "Blog"
    return _BY_TYPE.get(page.about) or _BY_FOLDER.get(folder, _STUDIO)


def _section(name: str, pages: Sequence[BuiltPage]) -> str:
    lines = [
        _link_line(page.name, page.path, page.description)
        for page in sorted(pages, key=lambda page: page.path)
        if _section_of(page) == name
    ]
    if name == _OPTIONAL:
        lines += [
            _link_line(f"{TITLE} ({feed.name})", feed.href, "Whole articles as a feed.") for feed in FEEDS
        ]
        lines += [_link_line("Newsletter", "/newsletter/archive", "Every issue of the newsletter.")]
    return f"\n## {name}\n\n{''.join(lines)}" if lines else ""


def _link_line(name: str, path: str, description: str) -> str:
    return f"- [{name}]({PLACEHOLDER_ORIGIN}{path}): {description}\n"
