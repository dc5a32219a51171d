"""The channel of a record: known if the record stores anything of a visit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.backoffice.visits.outcomes import UNKNOWN, Channel, read_channel
from agency_site.backoffice.visits.reports import name_source


@pytest.mark.parametrize(
    ("origin", "channel", "name"),
    [
        (("google", "cpc", "ads", True), Channel("google", "cpc", "ads"), "google"),
        (("", "", "", True), Channel(), "Direct"),
        (("", "", "spring", False), Channel(campaign="spring"), "Direct"),
        (("", "", "", False), UNKNOWN, "Unknown"),
    ],
)
def test_only_records_without_any_trace_of_a_visit_are_unknown(
    origin: tuple[str, str, str, bool], channel: Channel, name: str
) -> None:
    assert read_channel(*origin) == channel
    assert name_source(channel) == name


@given(st.text(max_size=5), st.text(max_size=5), st.text(max_size=5), st.booleans())
def test_every_channel_has_a_name(source: str, medium: str, campaign: str, has_visit: bool) -> None:
    assert name_source(read_channel(source, medium, campaign, has_visit))
