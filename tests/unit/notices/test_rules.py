"""The purpose of each kind of notice, and that each has a name and words."""

from datetime import datetime, timedelta

import pytest

from agency_site.backoffice.notices.state import CHANNEL_NAMES
from agency_site.backoffice.outbox import mails
from agency_site.backoffice.texts import messages as texts
from agency_site.notices.rules import (
    ANNOUNCEMENTS,
    ANSWERS,
    NOTICE_NAMES,
    REMINDERS,
    Channel,
    NoticeKind,
    find_purpose,
)
from agency_site.sms.rules import TextPurpose
from tests.conftest import FRIDAY_NOON

MORNING = FRIDAY_NOON + timedelta(hours=19)
MINUTE = timedelta(minutes=1)


def test_every_kind_answers_announces_or_reminds() -> None:
    assert sorted(NoticeKind) == sorted([*ANSWERS, *ANNOUNCEMENTS, *REMINDERS])


@pytest.mark.parametrize("kind", NoticeKind)
@pytest.mark.parametrize("needed_by", [None, MORNING - MINUTE, MORNING, MORNING + MINUTE])
def test_only_reminders_need_consent(kind: NoticeKind, needed_by: datetime | None) -> None:
    purpose = find_purpose(kind, needed_by, MORNING)
    assert (purpose is TextPurpose.REMINDER) is (kind in REMINDERS)


@pytest.mark.parametrize("kind", sorted(ANNOUNCEMENTS))
@pytest.mark.parametrize(
    ("needed_by", "purpose"),
    [
        (None, TextPurpose.ANNOUNCEMENT),
        (MORNING + MINUTE, TextPurpose.ANNOUNCEMENT),
        (MORNING, TextPurpose.TRANSACTION),
        (FRIDAY_NOON, TextPurpose.TRANSACTION),
    ],
)
def test_an_announcement_waits_for_the_morning_unless_it_is_needed_before(
    kind: NoticeKind, needed_by: datetime | None, purpose: TextPurpose
) -> None:
    assert find_purpose(kind, needed_by, MORNING) is purpose


@pytest.mark.parametrize("kind", sorted(ANSWERS))
def test_an_answer_never_waits(kind: NoticeKind) -> None:
    assert find_purpose(kind, None, MORNING) is TextPurpose.TRANSACTION


def test_every_kind_and_channel_has_its_own_name_in_the_back_office() -> None:
    assert (set(NOTICE_NAMES), set(CHANNEL_NAMES)) == (set(NoticeKind), set(Channel))
    assert len(set(NOTICE_NAMES.values())) == len(NoticeKind)
    for kind in NoticeKind:
        assert texts.kind_of(kind) == NOTICE_NAMES[kind]
    assert all(mails.KINDS[kind] == NOTICE_NAMES[kind] for kind in set(NoticeKind) & set(mails.KINDS))
