"""`python -m agency_site.artwork.command [NAME ...]` (`make art`): draw the pictures of the site again into `assets/`.

With names, such as `careers`, only the files that are called so. Pictures that were not drawn here are never replaced.
Equal content gives equal files. What is drawn is committed; the running site draws nothing.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from agency_site.artwork import files as art
from agency_site.artwork.files import Files, SharePage
from agency_site.artwork.palette import CLAY, LAKESIDE, NIGHT, SUNRISE
from agency_site.artwork.pattern import cover
from agency_site.artwork.typefaces import cut_fonts, font_faces
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
"""Pages about the organisation that have a cover in their head."""

_EXTRA_BANDS = ("footer", "impact", "not-found", "error", "empty", "order", "booking", "signup")
_OWN_BANDS = art.OWN_COLOURS | {"impact": NIGHT, "book": CLAY, "payment": LAKESIDE, "not-found": CLAY}


def share_pages() -> tuple[SharePage, ...]:
    """Return every page that has its own share image."""
    own = {"home": SUNRISE}
    return tuple(
        SharePage(each.name, each.words, each.kind, own.get(each.name)) for each in SHARE_PICTURES.values()
    )


def _names_with_band() -> tuple[str, ...]:
    """Return the names of all pages with a band of their own: those with a share image that are not below another page."""
    return tuple(name for name in SHARE_PICTURES if not name.startswith(("webinar-", "signup-")))


def vectors() -> Files:
    """Return all text files, which have the same bytes on every machine."""
    files = art.bands([*_EXTRA_BANDS, *_names_with_band()], _OWN_BANDS) | art.brand_vectors()
    files |= course_pictures(COURSES)
    for slugs in (
        [service.slug for service in SERVICES],
        [article.slug for article in ARTICLES],
        [insight.slug for insight in INSIGHTS],
        [webinar.id for webinar in WEBINARS],
        _STUDIO,
    ):
        files |= art.covers(slugs)
    files |= art.partner_marks(PARTNERS)
    files |= art.portraits((member.image_url, member.portrait) for member in TEAM)
    files |= art.portraits(((voice.image, voice.portrait) for voice in TESTIMONIALS), stride=2)
    files |= art.drawings(BRAND.name) | {"art/covers/services.svg": cover("services", LAKESIDE).encode()}
    files |= cut_fonts()
    files["site.webmanifest"] = art.manifest(BRAND.name, BRAND.name.split()[0], BRAND.description).encode()
    files["styles/tokens.css"] = (tokens.stylesheet() + font_faces()).encode()
    return files


def course_pictures(courses: Sequence[Course]) -> Files:
    """Heads and learners' portraits of the courses."""
    looks = {course.slug: course.look for course in courses}
    voices = (course.detail.voice for course in featured(courses))
    return art.heads(looks) | art.portraits((voice.image, voice.portrait) for voice in voices)


def _rasters() -> Files:
    """Return all raster files, whose bytes depend on the installed versions of Cairo and Pillow."""
    return art.brand_rasters() | art.share_images(share_pages(), BRAND.name)


def main(names: Sequence[str] = ()) -> int:
    """Draw everything, or the files of those names, and print the changes; return the exit code."""
    try:
        files = vectors() | _rasters()
    except ValueError as error:
        sys.stderr.write(f"Nothing was drawn: {error}.\n")
        return 1
    if names:
        files = {path: content for path, content in files.items() if Path(path).stem in names}
        if unknown := set(names) - {Path(path).stem for path in files}:
            sys.stderr.write(f"Nothing is drawn under the name {', '.join(sorted(unknown))}.\n")
            return 1
    changed, left = art.write(ASSETS, files)
    for path in left:
        sys.stdout.write(f"assets/{path} was not drawn by this command and stays as it is.\n")
    sys.stdout.write(f"{len(files) - len(left)} files drawn, {len(changed)} changed.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
