"""The length of text messages as networks count it, their characters, quiet hours, and words such as STOP."""

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.clock import in_nairobi
from agency_site.sms.rules import (
    Length,
    Reply,
    classify_reply,
    count_parts,
    end_quiet_hours,
    find_next_end,
    format_cost,
    is_kenyan_mobile,
    is_textable,
    to_gsm7,
)

GSM7 = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
    "abcdefghijklmnopqrstuvwxyzäöñüà"
)
EXTENDED = "\f^{}\\[~]|€"


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", Length(1, True, 0, 160)),
        ("x" * 160, Length(1, True, 160, 0)),
        ("x" * 161, Length(2, True, 161, 145)),
        ("x" * 306, Length(2, True, 306, 0)),
        ("x" * 307, Length(3, True, 307, 152)),
        ("€" * 80, Length(1, True, 160, 0)),
        ("\u0169" * 70, Length(1, False, 70, 0)),
        ("\u0169" * 71, Length(2, False, 71, 63)),
        ("\u0169" * 134, Length(2, False, 134, 0)),
        ("\U0001f600" * 35, Length(1, False, 70, 0)),
        # Neither an escaped character nor an emoji is split: the last unit of the first part stays empty.
        ("x" * 152 + "€" + "x" * 10, Length(2, True, 164, 141)),
        ("\U0001f600" * 36, Length(2, False, 72, 61)),
    ],
)
def test_parts_are_counted_as_networks_do(text: str, length: Length) -> None:
    assert count_parts(text) == length


def test_the_alphabet_has_its_128_characters_without_the_escape() -> None:
    assert len(set(GSM7)) == 127
    assert all(count_parts(char).characters == 1 for char in GSM7)
    assert all(count_parts(char) == Length(1, True, 2, 158) for char in EXTENDED)
    assert not count_parts("`").is_gsm7


@given(st.text(max_size=400))
def test_the_parts_hold_the_text_and_the_last_one_is_not_empty(text: str) -> None:
    length = count_parts(text)
    single, joined = (160, 153) if length.is_gsm7 else (70, 67)
    room = single if length.parts == 1 else length.parts * joined
    # Each part but the last one may have one empty unit.
    assert room - length.left - (length.parts - 1) <= length.characters <= room - length.left
    assert 0 <= length.left <= single
    assert length.parts == 1 or length.left < joined
    assert length.is_gsm7 == all(char in GSM7 + EXTENDED for char in text)


@given(st.text(alphabet=GSM7 + EXTENDED, max_size=400))
def test_a_text_in_gsm7_stays_as_it_is(text: str) -> None:
    assert to_gsm7(text) == text


@given(st.text(max_size=200))
def test_a_replaced_text_is_in_gsm7_and_any_other_is_unchanged(text: str) -> None:
    replaced = to_gsm7(text)
    assert replaced == text or count_parts(replaced).is_gsm7
    assert to_gsm7(replaced) == replaced


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Wanjir\u0169 wa Njer\u0129", "Wanjiru wa Njeri"),
        ("\u201cIt\u2019s fine\u201d \u2013 see you\u2026", '"It\'s fine" - see you...'),
        ("a\u00a0b\u202fc\u2009d\te", "a b c d e"),
        ("Fran\u00e7ois \u0141\u00f3d\u017a \u0152uvre", "Francois Lodz OEuvre"),
        ("Jose\u0301", "José"),
        ("\u00bd \u00b2 \u2122 \u00a9 \u2192 `", "1/2 2 TM (c) -> '"),
        ("zero\u200bwidth", "zerowidth"),
    ],
)
def test_typographic_characters_and_accents_are_replaced(text: str, plain: str) -> None:
    assert to_gsm7(text) == plain


@pytest.mark.parametrize(
    "text", ["\u738b\u2019s order", "Привет \u2013 Amina", "Karibu \U0001f600", "\u12a0\u121b\u122d"]
)
def test_a_text_in_another_script_stays_as_it_is(text: str) -> None:
    assert to_gsm7(text) == text


@pytest.mark.parametrize(
    ("number", "at_home", "abroad"),
    [
        ("+254712345678", True, True),
        ("+254112345678", True, True),
        ("+254202345678", False, False),
        ("+25471234567", False, False),
        ("254712345678", False, False),
        ("+447911123456", False, True),
        ("+0791112345", False, False),
        ("", False, False),
        ("+254712345678\n", False, False),
    ],
)
def test_only_kenyan_mobiles_get_messages_unless_all_countries_do(
    number: str, at_home: bool, abroad: bool
) -> None:
    assert (is_textable(number, foreign=False), is_textable(number, foreign=True)) == (at_home, abroad)
    assert is_kenyan_mobile(number) is at_home


NIGHT, NOON_BREAK, NEVER = (time(21), time(7)), (time(12), time(14)), (time(9), time(9))


@pytest.mark.parametrize(
    ("local", "hours", "end"),
    [
        ("2026-11-20T20:59", NIGHT, "2026-11-20T20:59"),
        ("2026-11-20T21:00", NIGHT, "2026-11-21T07:00"),
        ("2026-11-21T00:00", NIGHT, "2026-11-21T07:00"),
        ("2026-11-21T06:59", NIGHT, "2026-11-21T07:00"),
        ("2026-11-21T07:00", NIGHT, "2026-11-21T07:00"),
        ("2026-12-31T23:30", NIGHT, "2027-01-01T07:00"),
        ("2026-11-21T12:30", NOON_BREAK, "2026-11-21T14:00"),
        ("2026-11-21T09:00", NEVER, "2026-11-21T09:00"),
    ],
)
def test_quiet_hours_end_in_the_morning(local: str, hours: tuple[time, time], end: str) -> None:
    moment = datetime.fromisoformat(f"{local}+03:00").astimezone(UTC)
    assert end_quiet_hours(moment, hours) == datetime.fromisoformat(f"{end}+03:00")


@pytest.mark.parametrize(
    ("local", "end"),
    [
        ("2026-11-20T12:00", "2026-11-21T07:00"),
        ("2026-11-20T22:00", "2026-11-21T07:00"),
        ("2026-11-21T06:59", "2026-11-21T07:00"),
        ("2026-11-21T07:00", "2026-11-22T07:00"),
    ],
)
def test_the_next_end_of_quiet_hours_is_ahead_by_day_and_by_night(local: str, end: str) -> None:
    moment = datetime.fromisoformat(f"{local}+03:00").astimezone(UTC)
    assert find_next_end(moment, (time(21), time(7))) == datetime.fromisoformat(f"{end}+03:00")


@given(
    st.integers(0, 366 * 86_400).map(
        lambda second: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
    ),
    st.tuples(st.times(), st.times()).map(
        lambda hours: (hours[0].replace(second=0, microsecond=0), hours[1].replace(second=0, microsecond=0))
    ),
)
def test_the_end_of_quiet_hours_is_never_quiet_and_at_most_a_day_away(
    moment: datetime, hours: tuple[time, time]
) -> None:
    end = end_quiet_hours(moment, hours)
    assert moment <= end < moment + timedelta(days=1)
    assert end_quiet_hours(end, hours) == end
    assert end == moment or in_nairobi(end).time() == hours[1]


@pytest.mark.parametrize(
    "text",
    [
        "STOP",
        "stop",
        " Stop. ",
        "STOP!!!",
        "stop all",
        "Acha",
        "Toka",
        "SIMAMISHA",
        "'quit'",
        "end",
        "STOP STOP",
        "\uff33\uff34\uff2f\uff30",
        "Stop, cancel",
        "S\u200bTOP",
    ],
)
def test_words_that_stop(text: str) -> None:
    assert classify_reply(text) is Reply.STOP


@pytest.mark.parametrize("text", ["START", "start.", "Anza", "START START"])
def test_words_that_start(text: str) -> None:
    assert classify_reply(text) is Reply.START


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Cancel my booking",
        "stop start",
        "all",
        "STOP please",
        "I will stop by at noon",
        "The end of the month?",
        "ok",
        "...",
    ],
)
def test_everything_else_is_for_people(text: str) -> None:
    assert classify_reply(text) is Reply.OTHER


@pytest.mark.parametrize(("cost", "text"), [(8_000, "KES 0.80"), (16_000, "KES 1.60"), (0, "")])
def test_a_cost_is_formatted_with_its_currency(cost: int, text: str) -> None:
    assert format_cost(cost, "KES") == text
