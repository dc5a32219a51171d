"""Privacy notice and terms: they say what the law asks for, and the periods that the settings hold."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agency_site.content.brand import BRAND
from agency_site.content.legal import (
    ANALYTICS,
    ANALYTICS_GROUND,
    ANALYTICS_HEADING,
    BACKUPS,
    CONTROLLER,
    PERIODS,
    PRIVACY,
    REGULATOR,
    SENDS_WINDOW,
    TERMS,
    UNTIL_ERASED_ON_REQUEST,
    Period,
    format_days,
    period_line,
    placeholder,
    warnings,
    with_periods,
)
from agency_site.content.markdown import ContentError, read
from agency_site.settings import Settings

Configure = Callable[..., Settings]
SETTINGS = [name for name in Settings.model_fields if name.startswith("retention_")]
MARKS = re.compile(r"@@(\w+)@@")


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def page_text(chosen: Settings) -> str:
    return words(with_periods(PRIVACY.html.encode(), chosen).decode())


def test_every_period_of_the_settings_is_on_the_page_once() -> None:
    others = [ANALYTICS_HEADING, ANALYTICS, ANALYTICS_GROUND, SENDS_WINDOW]
    assert MARKS.findall(PRIVACY.html) == [*others, *(period.setting for period in PERIODS), BACKUPS]
    assert [period.setting for period in PERIODS] == SETTINGS
    assert MARKS.findall(TERMS.html) == []


def test_the_page_shows_the_default_periods(configure: Configure) -> None:
    page, fresh = page_text(configure()), Settings(_env_file=None)
    assert "@@" not in page
    for period in PERIODS:
        line = period_line(period, Settings.model_fields[period.setting].default)
        assert f"{period.what} {line} " in page
        assert getattr(fresh, period.setting) == Settings.model_fields[period.setting].default
    assert "7 years after the last change of the order" in page


def test_the_page_says_what_the_owner_has_chosen(configure: Configure) -> None:
    page = page_text(configure(retention_bookings_days=45, retention_mail_days=0))
    assert "Bookings of consultations 45 days after the consultation" in page
    assert f"Copies of the e-mails that we sent you {UNTIL_ERASED_ON_REQUEST}" in page


@pytest.mark.parametrize(
    ("chosen", "said"),
    [({"env": "production"}, "10 minutes"), ({"rate_limit_sends": "5/2 hours"}, "2 hours"),
     ({"rate_limit_sends": "3 per minute"}, "60 seconds")],
)  # fmt: skip
def test_the_page_says_how_long_sendings_are_counted(
    configure: Configure, chosen: dict[str, str], said: str
) -> None:
    assert f"sent from your internet address, for {said}, and" in page_text(configure(**chosen))


@pytest.mark.parametrize("period", PERIODS, ids=lambda period: period.setting)
@pytest.mark.parametrize("days", [0, 1, 30, 365, 2557])
def test_a_period_fits_into_text_and_scripts_alike(period: Period, days: int) -> None:
    assert re.fullmatch(r"[A-Za-z0-9 ,-]+", period_line(period, days))


@pytest.mark.parametrize(
    ("days", "said"),
    [(1, "1 day"), (30, "30 days"), (364, "364 days"), (365, "1 year"), (366, "1 year"), (400, "400 days"),
     (730, "2 years"), (731, "2 years"), (2557, "7 years"), (2555, "2555 days")],
)  # fmt: skip
def test_days_are_spoken_as_people_count_them(days: int, said: str) -> None:
    assert format_days(days) == said


def test_files_without_placeholders_are_not_changed(configure: Configure) -> None:
    assert with_periods(b"@@ retention", configure()) == b"@@ retention"
    assert with_periods(placeholder("retention_mail_days").encode(), configure()) == b"1 year after sending"


def test_the_notice_names_who_answers_and_where_to_complain() -> None:
    page = words(PRIVACY.html)
    for named in (
        CONTROLLER.name,
        CONTROLLER.contact,
        BRAND.address,
        BRAND.phone,
        REGULATOR.name,
        REGULATOR.email,
    ):
        assert str(named) in page
    assert str(REGULATOR.website) in PRIVACY.html


@pytest.mark.parametrize(
    "said",
    [
        "Data Protection Act 2019", "data controller", "section 30(1)(a)", "section 30(1)(b)(i)", "Safaricom",
        "mail provider", "sections 48 and 49", "section 26", "section 36", "section 38", "section 40", "section 33",
        "section 56", "within seven days", "one cookie in your browser until 30 minutes after the last page",
        "Global Privacy Control", "courses that you saved", "links of your orders",
    ],
)  # fmt: skip
def test_the_notice_says_what_the_act_asks_for(said: str) -> None:
    assert said in words(PRIVACY.html)


@pytest.mark.parametrize(
    "heading",
    ["Consultations", "Courses and prices", "Paying and enrolling", "Leaving a course", "Comments and their rules",
     "Webinars", "Newsletter", "What we answer for", "Law and disputes"],
)  # fmt: skip
def test_the_terms_have_each_part(heading: str) -> None:
    assert heading in [part.text for part in TERMS.headings]


def test_an_unknown_placeholder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "terms.md"
    path.write_text('+++\nslug = "terms"\n+++\nWrite to {{nobody}}.')

    def fill(text: str) -> str:
        return {"": text}["nobody"]

    with pytest.raises(ContentError, match="nothing is called 'nobody'"):
        read(path, type(TERMS), fill)


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, ["No other company counts your visits", "We use no counting service and no pixel of another company."]),
        ({"plausible_domain": "a.example"}, ["Plausible can count the pages that you open, without cookies"]),
        ({"ga4_id": "G-ABCD"}, ["If you agree, Google Analytics can record the pages that you open"]),
        (
            {"umami_website": "0c2f2f0e-9f3a-4b5e-8a51-3f3c2b1a0d9e", "ga4_id": "G-ABCD", "meta_pixel_id": "12345"},
            ["Umami can count the pages", "Google Analytics and the Meta Pixel can record"],
        ),
    ],
)  # fmt: skip
def test_the_privacy_notice_names_the_counting_services(
    configure: Configure, chosen: dict[str, str], expected: list[str]
) -> None:
    text = page_text(configure(**chosen))
    assert [sentence for sentence in expected if sentence not in text] == []
    assert ("no counting service" in text) is not bool(chosen)
    assert ("Other companies count visits" in text, "None of them is on pages" in text) == (bool(chosen),) * 2


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, "6 months"),
        ({"backup_keep_monthly": 0}, "4 weeks"),
        ({"backup_keep_monthly": 0, "backup_keep_weekly": 1, "backup_keep_daily": 10}, "10 days"),
        ({"backup_keep_monthly": 1, "backup_keep_weekly": 0, "backup_keep_daily": 1}, "1 month"),
    ],
)
def test_the_privacy_notice_says_for_how_long_backups_keep_what_was_erased(
    configure: Configure, chosen: dict[str, object], expected: str
) -> None:
    assert f"stays in them for up to {expected} longer" in page_text(configure(**chosen))


def test_the_check_of_content_asks_for_the_registration() -> None:
    assert bool(warnings()) is not bool(CONTROLLER.registration)


@pytest.mark.parametrize(
    "word",
    ["video", "SMS", "coupon", "KRA PIN", "eTIMS", "waiting list", "name each learner", "free course", "Paybill", "cash", "bank",
     "the way you paid", "public page", "name"],
)  # fmt: skip
def test_the_terms_name_every_way_in_which_the_site_sells(word: str) -> None:
    assert word in words(TERMS.html)


@pytest.mark.parametrize(
    "word",
    [
        "company",
        "KRA PIN",
        "waiting list",
        "attended",
        "certificate",
        "backups",
        "may stay empty",
        "in cash or by bank",
    ],
)
def test_the_notice_names_every_kind_of_data_that_forms_take(word: str) -> None:
    assert word in words(PRIVACY.html)
