"""Labels of text messages: each state and kind has words, and a length says what it costs."""

from datetime import UTC, datetime, timedelta
from unittest.mock import AsyncMock

import pytest

from agency_site.backoffice.texts.dialog import describe_length
from agency_site.backoffice.texts.messages import KINDS, STATES, format_cost, kind_of, list_steps
from agency_site.notices.rules import NoticeKind
from agency_site.sms.rules import TextPurpose, TextState, count_parts
from agency_site.sms.tables import SmsMessage

NOON = datetime(2026, 11, 20, 9, tzinfo=UTC)


def test_every_state_and_every_kind_of_notice_has_words() -> None:
    assert set(STATES) == set(TextState)
    assert set(NoticeKind) < set(KINDS)
    assert kind_of("odd-kind") == "Odd kind"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a" * 96, "96 characters, 64 left in 1 message, KES 0.80."),
        ("a" * 161, "161 characters, 145 left in 2 messages, KES 1.60."),
        ("😀", "2 characters, 68 left in 1 message, KES 0.80. It has a character, such as an emoji, that makes it longer."),
    ],
)  # fmt: skip
def test_a_length_says_how_many_messages_are_charged(text: str, words: str) -> None:
    assert describe_length(count_parts(text), "0.80") == words


def test_a_cost_is_shown_in_its_currency_once_it_is_known() -> None:
    assert (format_cost(8_000, "KES"), format_cost(0, "")) == ("KES 0.80", "")


@pytest.mark.parametrize(
    ("state", "error", "newest"),
    [(TextState.DELIVERED, "", ("Delivered", "")), (TextState.FAILED, "Absent", ("Failed", "Absent"))],
)
async def test_the_history_begins_with_the_newest_step(
    state: TextState, error: str, newest: tuple[str, str]
) -> None:
    row = SmsMessage(
        kind="from-staff", to="+254712345678", text="Karibu", purpose=TextPurpose.STAFF, state=state, last_error=error,
        created_at=NOON, sent_at=NOON + timedelta(seconds=1), reported_at=NOON + timedelta(seconds=9),
        requested_by="amina@mwanga.example",
    )  # fmt: skip
    lines = await list_steps(AsyncMock(), row)
    assert [line.what for line in lines] == [newest[0], "Accepted", "Written"]
    assert (lines[0].words, lines[-1].who) == (newest[1], "amina@mwanga.example")
