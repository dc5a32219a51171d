"""The mail screens have a label for every kind of message."""

import re

from agency_site.backoffice.outbox.mails import FAILURES, KINDS, STATES, kind_of, state_cell
from agency_site.content.mail_texts import MAIL_TEXTS
from agency_site.mail import staff_notices
from agency_site.mail.rules import MailFailure, MailState
from agency_site.notices.rules import NoticeKind
from agency_site.settings import ROOT

KIND = re.compile(r'"([a-z]+(?:-[a-z]+)+)"')
"""Kinds and keys of texts are the only words with dashes in the modules of mails."""


def test_every_kind_that_the_site_sends_can_be_filtered_for() -> None:
    package = ROOT / "agency_site"
    modules = (*package.rglob("*emails.py"), package / "notices/incoming_texts.py")
    sources = "".join(path.read_text() for path in modules)
    kinds = {*KIND.findall(sources), staff_notices.KIND}
    assert len(kinds) > 20
    assert set(KINDS) - set(NoticeKind) <= kinds
    # Some kinds have several texts.
    assert kinds - set(KINDS) <= {mail.key for mail in MAIL_TEXTS}


def test_states_and_failures_have_words() -> None:
    assert [state_cell(state).text for state in MailState] == [STATES[state] for state in MailState]
    assert set(FAILURES) == set(MailFailure)
    assert kind_of("newsletter-welcome") == "Newsletter welcome"
