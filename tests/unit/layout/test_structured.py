"""Facts for machines: whole, true to their records, and no way out of their element."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.content.webinars import WEBINARS, upcoming
from agency_site.enquiries.webinar_page import event_facts
from agency_site.layout.structured import script_text
from agency_site.settings import PLACEHOLDER_ORIGIN


@settings(deadline=None)
@given(st.text())
def test_no_text_ends_the_script_and_every_text_reads_back(text: str) -> None:
    written = script_text({"@type": "Event", "name": text})
    assert not set(written) & set("<>&")
    assert json.loads(written)["name"] == text


def test_a_webinar_is_an_event_with_the_facts_of_its_record() -> None:
    facts = event_facts(WEBINARS[0])
    assert (facts["startDate"], facts["endDate"]) == (
        "2026-12-03T18:30:00+03:00",
        "2026-12-03T19:30:00+03:00",
    )
    assert facts["location"] == {"@type": "VirtualLocation", "url": f"{PLACEHOLDER_ORIGIN}/webinar/plan-2027"}
    assert {"offers", "maximumAttendeeCapacity"} & facts.keys() == set()
    (small,) = (one for one in upcoming() if one.capacity)
    assert event_facts(small)["maximumAttendeeCapacity"] == small.capacity
