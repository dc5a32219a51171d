"""`python -m agency_site.web.art` (`make art`): draw every picture of the site again into `assets/`.

The same content gives the same files. What is drawn is committed; the running site draws nothing.
"""

import sys
from pathlib import Path

from agency_site.content import articles, insights
from agency_site.content.brand import BRAND
from agency_site.content.courses import COURSES
from agency_site.content.webinars import WEBINARS
from agency_site.ui import art, tokens
from agency_site.ui.art import Files, SharePage
from agency_site.ui.palette import CLAY, LAKESIDE, NIGHT, SUNRISE
from agency_site.ui.portraits import SCHEMES, Look, portrait

ASSETS = Path(__file__).resolve().parents[2] / "assets"

SERVICES: dict[str, str] = {
    "web-design": "Web design and development",
    "social-media": "Social media marketing",
    "software-development": "Software development",
    "digital-advertising": "Digital advertising",
    "content-strategy": "Content strategy",
    "visual-identity": "Visual identity and branding",
    "digital-training": "Digital skills training",
    "photography": "Photography and video",
}
"""Slug and title of each service page."""

ARTICLES: dict[str, str] = {article.slug: article.title for article in articles.ARTICLES}
"""Slug and title of each blog article."""

INSIGHTS: dict[str, str] = {insight.slug: insight.title for insight in insights.INSIGHTS}
"""Slug and title of each insight."""

PAGES: dict[str, str] = {
    "about": "A studio in Karen since 2016",
    "services": "Eight ways to be found, liked and chosen",
    "academy": "Learn it on Monday. Use it on Tuesday.",
    "insights": "Insights from the desk and the field",
    "contact": "Come by, call or write",
    "book": "Book a consultation",
    "payment": "Enrol and pay with M-Pesa",
    "hosting": "Hosting from KES 3,300 a month",
    "blog": "The blog",
    "webinar": "Webinars, live and recorded",
    "newsletter": "One useful letter, every Wednesday",
    "portfolio": "Work we would sign twice",
    "resources": "Read, watch, join in",
    "privacy": "What we know about you, and why",
    "terms": "What you can expect, and what we ask",
}
"""Name and title of the other pages, as their share images say it."""

STUDIO = ("about", "resources", "webinar", "newsletter")
"""Pages of the house itself that have a cover in their head."""

EXTRA_BANDS = ("footer", "impact", "not-found", "error", "empty", "order", "booking", "signup")
OWN_BANDS = art.OWN_COLOURS | {"impact": NIGHT, "book": CLAY, "payment": LAKESIDE, "not-found": CLAY}
PARTNERS = 22
LEARNERS: dict[str, Look] = {
    "digital-marketing": Look("ebony", "short", "blazer", hair_colour="#8E857E", glasses="round"),
    "email-marketing": Look("honey", "hijab", "blazer"),
    "digital-skills": Look("chestnut", "headwrap", "tee", earrings=True, laughing=True),
    "social-media-marketing": Look("coffee", "fade", "tee", laughing=True),
    "google-ads": Look("cinnamon", "braids", "shirt", earrings=True),
    "digital-marketing-masterclass": Look("coffee", "bald", "blazer", beard="full"),
    "meta-ads": Look("ebony", "afro", "kitenge", earrings=True, laughing=True),
    "canva-design": Look("cinnamon", "bun", "rollneck", glasses="round", laughing=True),
    "graphic-design": Look("chestnut", "locs", "shirt", glasses="square", beard="chin"),
}
"""Whose words stand on each course page, by the course's slug; none of them is in the team."""
TEAM = tuple(f"team-{number}" for number in range(1, 12))
VOICES: dict[str, Look] = {
    "amina-wekesa": Look("chestnut", "braids", "kitenge", earrings=True, laughing=True),
    "brian-otieno": Look("ebony", "fade", "shirt", beard="chin", laughing=True),
}
"""Clients who speak on the home page."""


def share_pages() -> tuple[SharePage, ...]:
    """Every page that has its own share image."""
    services = [SharePage(f"services-{slug}", title) for slug, title in SERVICES.items()]
    courses = [SharePage(course.slug, course.title) for course in COURSES]
    posts = [SharePage(slug, title) for slug, title in ARTICLES.items()]
    shorts = [SharePage(f"insights-{slug}", title) for slug, title in INSIGHTS.items()]
    others = [SharePage(name, title) for name, title in PAGES.items()]
    return (SharePage("home", BRAND.tagline, SUNRISE), *others, *courses, *services, *posts, *shorts)


def vectors() -> Files:
    """All files that are text: the same bytes on every machine."""
    courses = [course.slug for course in COURSES]
    names = [page.name for page in share_pages()]
    files = art.heroes() | art.bands([*EXTRA_BANDS, *names], OWN_BANDS) | art.brand_vectors()
    webinars = [webinar.id for webinar in WEBINARS]
    groups = (courses, list(SERVICES), list(ARTICLES), list(INSIGHTS), webinars, list(STUDIO))
    for group in groups:
        files |= art.covers(group)
    files |= art.heads({course.slug: course.look for course in COURSES}) | art.learners(LEARNERS)
    files |= art.pictures(PARTNERS, TEAM, BRAND.name)
    files |= voices()
    files |= art.services({"services": LAKESIDE})
    files["site.webmanifest"] = art.manifest(BRAND.name, BRAND.name.split()[0], BRAND.description).encode()
    files["styles/tokens.css"] = tokens.stylesheet().encode()
    return files


def voices() -> Files:
    """Portraits of clients: `images/voices/<slug>.svg`."""
    return {
        f"images/voices/{slug}.svg": portrait(slug, look, SCHEMES[2 * place]).encode()
        for place, (slug, look) in enumerate(VOICES.items())
    }


def rasters() -> Files:
    """All files that are pixels; their bytes follow the installed versions of Cairo and Pillow."""
    return art.brand_rasters() | art.share_images(share_pages(), BRAND.name)


def main() -> None:
    """Draw everything and say what changed."""
    files = vectors() | rasters()
    changed = art.write(ASSETS, files)
    sys.stdout.write(f"{len(files)} files drawn, {len(changed)} changed.\n")


if __name__ == "__main__":
    main()
