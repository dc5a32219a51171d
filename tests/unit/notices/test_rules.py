"""The purpose of each kind of notice, and that each has a name and words."""

import pytest

from agency_site.backoffice.notices.state import CHANNEL_NAMES
from agency_site.backoffice.outbox import labels as mails
from agency_site.backoffice.texts import labels as texts
from agency_site.notices.rules import NOTICE_NAMES, REMINDERS, Channel, NoticeKind, find_purpose
from agency_site.sms.rules import TextPurpose

TRANSACTIONS = {
    NoticeKind.BOOKING_CONFIRMED, NoticeKind.BOOKING_MOVED, NoticeKind.BOOKING_CANCELLED, NoticeKind.PAYMENT_RECEIVED,
    NoticeKind.PAYMENT_FAILED, NoticeKind.PAYMENT_LINK, NoticeKind.PLACE_NAMED, NoticeKind.SESSION_CHANGED,
    NoticeKind.WAITING_OFFER,
}  # fmt: skip


def test_every_kind_is_a_transaction_or_a_reminder() -> None:
    assert set(NoticeKind) == TRANSACTIONS | REMINDERS
    assert not TRANSACTIONS & REMINDERS


@pytest.mark.parametrize("kind", NoticeKind)
def test_only_reminders_need_consent(kind: NoticeKind) -> None:
    assert (find_purpose(kind) is TextPurpose.REMINDER) is (kind in REMINDERS)


def test_every_kind_and_channel_has_its_own_name_in_the_back_office() -> None:
    assert (set(NOTICE_NAMES), set(CHANNEL_NAMES)) == (set(NoticeKind), set(Channel))
    assert len(set(NOTICE_NAMES.values())) == len(NoticeKind)
    for kind in NoticeKind:
        assert texts.kind_of(kind) == NOTICE_NAMES[kind]
    assert all(mails.KINDS[kind] == NOTICE_NAMES[kind] for kind in set(NoticeKind) & set(mails.KINDS))
