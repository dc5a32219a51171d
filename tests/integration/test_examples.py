"""`make examples` still runs, and fills every screen of a new back office."""

from collections.abc import Callable
from enum import StrEnum

import pytest
from sqlmodel import SQLModel, col, select

from agency_site.auth.rules import Role
from agency_site.auth.tables import StaffAccount
from agency_site.db.engine import read_scope
from agency_site.features.academy.learners.tables import Learner
from agency_site.features.academy.reservations.tables import WaitingEntry
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.runs.tables import CourseRun
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.comments.rules import CommentState
from agency_site.features.comments.tables import Comment
from agency_site.features.contact.rules import EnquiryState
from agency_site.features.contact.tables import Enquiry
from agency_site.features.editing.entries.rules import EntryState
from agency_site.features.editing.entries.tables import ContentEntry
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.features.newsletter.tables import Subscriber
from agency_site.features.webinars.rules import RegistrationState
from agency_site.features.webinars.tables import WebinarRegistration
from agency_site.settings import Settings
from tests import examples

STATES: tuple[tuple[type[SQLModel], str, type[StrEnum]], ...] = (
    (StaffAccount, "role", Role),
    (Booking, "state", BookingState),
    (CourseRun, "status", RunStatus),
    (Order, "state", OrderState),
    (Enquiry, "state", EnquiryState),
    (Subscriber, "state", SubscriberState),
    (WebinarRegistration, "state", RegistrationState),
    (ContentEntry, "state", EntryState),
)


@pytest.mark.usefixtures("database")
async def test_each_list_has_rows_in_every_state() -> None:
    await examples.fill()
    async with read_scope() as session:
        for table, column, states in STATES:
            stored = set(await session.exec(select(getattr(table, column))))
            assert stored == set(states), table.__name__
        decided = set(await session.exec(select(col(Comment.state))))
        assert decided == {*CommentState} - {CommentState.WITHDRAWN}
        for table in (Learner, WaitingEntry):
            assert (await session.exec(select(table).limit(1))).first() is not None
    assert await examples.is_filled()


def test_a_site_that_others_reach_gets_no_examples(
    configure: Callable[..., Settings], capsys: pytest.CaptureFixture[str]
) -> None:
    configure(public_url="https://shop.example", database_url="sqlite+aiosqlite:////nowhere/site.sqlite3")
    assert examples.main() == 1
    assert "only this machine reaches" in capsys.readouterr().err
