"""The mail screens know what every kind of message is."""

import re

from agency_site.mail.rules import MailFailure, MailState
from agency_site.settings import ROOT
from agency_site.staff.mail_words import FAILURES, KINDS, STATES, kind_of, state_cell

SENT_AS = re.compile(r'(?:kind=|_to_staff\(\s*\w+,\s*)"([a-z]+(?:-[a-z]+)+)"')


def test_every_kind_that_the_site_sends_can_be_filtered_for() -> None:
    written = "".join(path.read_text() for path in (ROOT / "agency_site").glob("*/emails.py"))
    kinds = set(SENT_AS.findall(written))
    assert len(kinds) > 15
    assert kinds - set(KINDS) == set()


def test_states_and_failures_have_words() -> None:
    assert [state_cell(state).text for state in MailState] == [STATES[state] for state in MailState]
    assert set(FAILURES) == set(MailFailure)
    assert kind_of("newsletter-welcome") == "Newsletter welcome"
