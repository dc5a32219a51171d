"""Portraits, partner marks, letters and icons."""

import re
import xml.etree.ElementTree as ET
from typing import get_args

import pytest

from agency_site.artwork.attire import HAIR, WEAR
from agency_site.artwork.lettering import outline, width, wrap
from agency_site.artwork.partners import partner
from agency_site.artwork.portraits import SCHEMES, SKIN, portrait
from agency_site.artwork.share import fit_title, share_svg
from agency_site.artwork.typefaces import TEXT
from agency_site.content.about import TEAM
from agency_site.content.schema import Portrait
from agency_site.ui.icons import ICONS, SOCIAL

SERVICE_ICONS = ("web", "social", "code", "ads", "strategy", "identity", "training", "camera")
NAMED = {
    *(
        "menu",
        "close",
        "arrow-right",
        "arrow-left",
        "chevron-down",
        "play",
        "pause",
        "check",
        "alert",
        "info",
    ),
    *("phone", "mail", "pin", "clock", "calendar", "star", "star-half", "external", "search", "download"),
    *("refresh", "lock"),
}


def test_people_of_the_team_all_look_different() -> None:
    people = [member.portrait for member in TEAM if member.portrait]
    drawn = [portrait(person, SCHEMES[0]) for person in people]

    assert len(set(people)) == len(set(drawn)) == len(people)
    assert all(ET.fromstring(svg).attrib["viewBox"] == "0 0 400 400" for svg in drawn)


def test_every_value_of_a_portrait_can_be_drawn() -> None:
    values = {name: get_args(field.annotation) for name, field in Portrait.model_fields.items()}
    assert (set(values["skin"]), set(values["hair"]), set(values["wear"])) == (
        set(SKIN),
        set(HAIR),
        set(WEAR),
    )


def test_twenty_two_partners_have_their_own_marks() -> None:
    # The last path holds the letters; the paths before it are the figure.
    figures = {partner(number, "Same name").rpartition("<path")[0] for number in range(1, 23)}

    assert len(figures) == 22


def test_letters_are_outlines_of_the_real_font() -> None:
    drawn = outline("Karen", 100)

    assert re.fullmatch(r"[MlhvqzMLHVQZ0-9 .-]+", drawn)
    assert drawn.count("z") >= 6
    assert width("Karen", 100, 700, TEXT) > width("Karen", 100, 400, TEXT)


def test_an_accent_that_the_font_lacks_is_left_out() -> None:
    assert outline("Wanjir\u0169 \u1ebcmma", 40, file=TEXT) == outline("Wanjiru Emma", 40, file=TEXT)


def test_a_title_with_one_very_long_word_is_set_smaller() -> None:
    size, [line] = fit_title("Videomarketingstrategieentwicklungsprozessmanagement")
    assert width(line, size, tracking=-0.02) <= 720


def test_a_letter_that_the_font_lacks_is_named() -> None:
    with pytest.raises(ValueError, match="ж"):
        outline("жar", 40)


def test_wrapped_lines_fit_and_keep_all_words() -> None:
    text = "Brands that get talked about, from Karen to Kisumu."
    lines = wrap(text, 60, 400)

    assert " ".join(lines) == text
    assert all(width(line, 60) <= 400 for line in lines)


def test_long_titles_get_smaller_type_and_impossible_ones_are_refused() -> None:
    short, _ = fit_title("The blog")
    long, lines = fit_title("Grow Your Business with Digital Skills, in Nairobi and beyond")

    assert short > long
    assert len(lines) <= 5
    with pytest.raises(ValueError, match="does not fit"):
        fit_title("word " * 200)


def test_a_share_image_has_the_size_that_messengers_expect() -> None:
    assert (
        ET.fromstring(share_svg("home", "The blog", ("Mwanga", "Blog"))).attrib["viewBox"] == "0 0 1200 630"
    )


@pytest.mark.parametrize("name", sorted(ICONS | SOCIAL))
def test_an_icon_is_valid_markup_without_colours_of_its_own(name: str) -> None:
    markup = (ICONS | SOCIAL)[name]

    ET.fromstring(f"<svg>{markup}</svg>")
    assert "#" not in markup


def test_the_icons_that_pages_need_are_there() -> None:
    assert NAMED | set(SERVICE_ICONS) <= set(ICONS)
    assert {"linkedin", "instagram", "facebook", "x", "youtube", "pinterest"} == set(SOCIAL)
