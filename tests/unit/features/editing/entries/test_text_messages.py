"""The length of text messages that staff write."""

import pytest

from agency_site.content.mail_texts import MAIL_TEXTS, TYPICAL_VALUES, MailText
from agency_site.features.editing.entries.text_messages import (
    describe_length,
    find_length_problem,
    measure_text,
)
from agency_site.sms.rules import count_parts

WITH_TEXT = [text for text in MAIL_TEXTS if text.text_message]


@pytest.mark.parametrize("text", WITH_TEXT, ids=lambda text: text.key)
def test_a_delivered_text_message_fits_into_one_sms_with_values_of_usual_length(text: MailText) -> None:
    assert find_length_problem(text.text_message) == ""
    assert text.find_text_problem(text.text_message) == ""
    assert set(text.text_placeholders) <= set(TYPICAL_VALUES)
    filled = text.fill_text(TYPICAL_VALUES)
    assert measure_text(text.text_message) == count_parts(filled)
    assert "{" not in filled


def test_a_text_that_is_too_long_or_has_other_characters_is_refused() -> None:
    assert "has 161 characters" in find_length_problem("x" * 161)
    assert "emoji" in find_length_problem("See you \N{WAVING HAND SIGN}")
    assert find_length_problem("x" * 160) == ""


def test_placeholders_count_with_their_usual_values_and_unknown_ones_as_they_are() -> None:
    assert measure_text("{link}").characters == len(TYPICAL_VALUES["link"])
    assert measure_text("{unknown:>9999999}").characters == len("{unknown:>9999999}") + 2


def test_the_length_is_described_and_no_text_has_none() -> None:
    assert describe_length("x" * 131) == "131 characters with usual values: 1 SMS, 29 left"
    assert describe_length("x" * 161).startswith("161 characters with usual values: 2 SMS")
    assert describe_length("  ") == ""
