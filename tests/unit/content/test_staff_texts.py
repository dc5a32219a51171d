"""The text messages that staff start from fit into one part and keep the place of the link."""

import pytest

from agency_site.content.staff_texts import BOOKING_TEXTS, LEARNER_TEXTS, LINK, ORDER_TEXTS, StaffText
from agency_site.sms.rules import count_parts

VALUES = {"first_name": "Wanjiku", "reference": "BK-7F3K9Q", "time": "11:00 on Wednesday 25 November"}
SHORT_LINK = "https://mwangadigital.co.ke/s/7F3K9QACDEFG"
EVERY_TEXT = {text.key: text for text in (*BOOKING_TEXTS, *ORDER_TEXTS, *LEARNER_TEXTS)}


@pytest.mark.parametrize("text", EVERY_TEXT.values(), ids=EVERY_TEXT)
def test_a_filled_text_is_one_plain_message(text: StaffText) -> None:
    length = count_parts(text.fill(VALUES).replace(LINK, SHORT_LINK))
    assert (length.parts, length.is_gsm7) == (1, True)


def test_the_link_stays_to_be_filled_in_and_other_brackets_of_a_name_change_nothing() -> None:
    (booking, *_) = BOOKING_TEXTS
    filled = booking.fill({**VALUES, "first_name": "{time.__class__}"})
    assert filled.count(LINK) == 1
    assert "{time.__class__}" in filled
