"""`python -m agency_site.artwork.command` (`make art`): draw every picture of the site again into `assets/`.

The same content gives the same files. What is drawn is committed; the running site draws nothing.
"""

import sys
from pathlib import Path

from agency_site.artwork import files as art
from agency_site.artwork.files import Files, SharePage
from agency_site.artwork.palette import CLAY, LAKESIDE, NIGHT, SUNRISE
from agency_site.artwork.portraits import SCHEMES, Look, portrait
from agency_site.artwork.typefaces import cut_fonts
from agency_site.content.articles import ARTICLES
from agency_site.content.brand import BRAND
from agency_site.content.courses import COURSES
from agency_site.content.insights import INSIGHTS
from agency_site.content.share_pictures import SERVICES, SHARE_PICTURES
from agency_site.content.webinars import WEBINARS
from agency_site.ui import tokens

ASSETS = Path(__file__).resolve().parents[2] / "assets"

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
    own = {"home": SUNRISE}
    return tuple(
        SharePage(each.name, each.words, each.kind, own.get(each.name)) for each in SHARE_PICTURES.values()
    )


def banded() -> tuple[str, ...]:
    """Names of all pages that have a band of their own: those with a share image, but for what hangs below another."""
    return tuple(name for name in SHARE_PICTURES if not name.startswith(("webinar-", "signup-")))


def vectors() -> Files:
    """All files that are text: the same bytes on every machine."""
    courses = [course.slug for course in COURSES]
    files = art.heroes() | art.bands([*EXTRA_BANDS, *banded()], OWN_BANDS) | art.brand_vectors()
    webinars = [webinar.id for webinar in WEBINARS]
    articles, insights = [each.slug for each in ARTICLES], [each.slug for each in INSIGHTS]
    groups = (courses, list(SERVICES), articles, insights, webinars, list(STUDIO))
    for group in groups:
        files |= art.covers(group)
    files |= art.heads({course.slug: course.look for course in COURSES}) | art.learners(LEARNERS)
    files |= art.pictures(PARTNERS, TEAM, BRAND.name)
    files |= voices()
    files |= art.services({"services": LAKESIDE})
    files |= cut_fonts()
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
