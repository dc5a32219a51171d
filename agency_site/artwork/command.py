"""`python -m agency_site.artwork.command` (`make art`): draw every picture of the site again into `assets/`.

The same content gives the same files. What is drawn is committed; the running site draws nothing.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from agency_site.artwork import files as art
from agency_site.artwork.files import Files, SharePage
from agency_site.artwork.palette import CLAY, LAKESIDE, NIGHT, SUNRISE
from agency_site.artwork.typefaces import cut_fonts
from agency_site.content.about import TEAM
from agency_site.content.articles import ARTICLES
from agency_site.content.brand import BRAND
from agency_site.content.course_schema import Course
from agency_site.content.courses import COURSES, featured
from agency_site.content.insights import INSIGHTS
from agency_site.content.partners import PARTNERS
from agency_site.content.services import SERVICES
from agency_site.content.share_pictures import SHARE_PICTURES
from agency_site.content.testimonials import TESTIMONIALS
from agency_site.content.webinars import WEBINARS
from agency_site.ui import tokens

ASSETS = Path(__file__).resolve().parents[2] / "assets"

_STUDIO = ("about", "resources", "webinar", "newsletter")
"""Pages of the house itself that have a cover in their head."""

_EXTRA_BANDS = ("footer", "impact", "not-found", "error", "empty", "order", "booking", "signup")
_OWN_BANDS = art.OWN_COLOURS | {"impact": NIGHT, "book": CLAY, "payment": LAKESIDE, "not-found": CLAY}


def share_pages() -> tuple[SharePage, ...]:
    """Every page that has its own share image."""
    own = {"home": SUNRISE}
    return tuple(
        SharePage(each.name, each.words, each.kind, own.get(each.name)) for each in SHARE_PICTURES.values()
    )


def _names_with_band() -> tuple[str, ...]:
    """Names of all pages that have a band of their own: those with a share image, but for what hangs below another."""
    return tuple(name for name in SHARE_PICTURES if not name.startswith(("webinar-", "signup-")))


def vectors() -> Files:
    """All files that are text: the same bytes on every machine."""
    files = art.heroes() | art.bands([*_EXTRA_BANDS, *_names_with_band()], _OWN_BANDS) | art.brand_vectors()
    files |= course_pictures(COURSES)
    for slugs in (
        [service.slug for service in SERVICES],
        [article.slug for article in ARTICLES],
        [insight.slug for insight in INSIGHTS],
        [webinar.id for webinar in WEBINARS],
        _STUDIO,
    ):
        files |= art.covers(slugs)
    files |= art.pictures(PARTNERS, BRAND.name)
    files |= art.portraits((member.image_url, member.portrait) for member in TEAM)
    files |= art.portraits(((voice.image, voice.portrait) for voice in TESTIMONIALS), stride=2)
    files |= art.services({"services": LAKESIDE})
    files |= cut_fonts()
    files["site.webmanifest"] = art.manifest(BRAND.name, BRAND.name.split()[0], BRAND.description).encode()
    files["styles/tokens.css"] = tokens.stylesheet().encode()
    return files


def course_pictures(courses: Sequence[Course]) -> Files:
    """Covers, heads and learners' portraits of the courses."""
    looks = {course.slug: course.look for course in courses}
    voices = (course.detail.voice for course in featured(courses))
    return (
        art.covers(list(looks), looks)
        | art.heads(looks)
        | art.portraits((voice.image, voice.portrait) for voice in voices)
    )


def _rasters() -> Files:
    """All files that are pixels; their bytes follow the installed versions of Cairo and Pillow."""
    return art.brand_rasters() | art.share_images(share_pages(), BRAND.name)


def main() -> None:
    """Draw everything and say what changed."""
    files = vectors() | _rasters()
    changed = art.write(ASSETS, files)
    sys.stdout.write(f"{len(files)} files drawn, {len(changed)} changed.\n")


if __name__ == "__main__":
    main()
