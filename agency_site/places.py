"""The contract between selling and teaching: checkout sells places in courses, the academy keeps them.

Neither imports the other. Each offers its part, `feature_contracts.py` joins both, and each calls the other's part in its own
transaction: what is paid and who is enrolled cannot disagree (docs/decisions/0019-selling-and-teaching.md).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import Select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.read_models import ReadModel

UNKNOWN_ORDER = "We have no order under this address."
"""What both sides tell whoever has a private link that opens no order."""


@dataclass(frozen=True)
class Sale:
    """Places in one course that an order asks for, or has paid for."""

    order_id: int
    reference: str
    course_slug: str
    course_name: str
    quantity: int
    run: str = ""
    """Reference of the course run that the buyer has chosen; empty: none, the learners are placed later."""


@dataclass(frozen=True)
class Offer:
    """A course run in which places can be bought."""

    course_slug: str
    run: str
    """Its reference."""
    price: int | None
    """Whole shillings a place; none: the course's own price."""
    starts_at: datetime
    free: int | None
    """Places that are left; none: there is no limit."""
    text: str
    """Such as `Starts Tuesday 12 January 2027, 18:30, 4 places left`."""


@dataclass(frozen=True)
class RunStart:
    """A course run and when it starts."""

    reference: str
    starts_at: datetime


@dataclass(frozen=True)
class ComingRun:
    """A course run, open or planned, that has not ended."""

    reference: str
    course_slug: str
    text: str
    """Such as `Google Ads, Tuesday 12 January 2027, 18:30 (CR-7F3K9Q)`."""


@dataclass(frozen=True)
class KeptPlace:
    """Places that are kept for a person of a waiting list."""

    course_slug: str
    run: str
    """Reference of the course run."""
    places: int
    until: datetime


def describe_kept_places(places: int) -> str:
    """What a buyer reads who orders more places than are kept."""
    if places == 1:
        return "One place is kept for you. Please order one."
    return f"{places} places are kept for you. Please order {places}, or fewer."


@dataclass(frozen=True)
class EnrolmentRecord(ReadModel):
    """What an order has bought, as it was read."""

    id: int
    reference: str
    course_slug: str
    course_name: str
    places: int
    created_at: datetime
    ended_at: datetime | None
    """When the places were released, because the payment was refunded."""
    run: str
    """Reference of the course run; empty: not placed yet."""
    starts_at: datetime | None
    """When the run starts."""

    @property
    def run_start(self) -> RunStart | None:
        """The run in which the learners are; none: they are in none."""
        return RunStart(self.run, self.starts_at) if self.starts_at else None


@dataclass(frozen=True)
class OrderPlace:
    """One place that an order has bought."""

    learner: str
    """Reference of the learner."""
    name: str
    """Empty if not named yet, or erased."""
    has_ended: bool


class Places(Protocol):
    """What the academy offers to checkout. The caller has locked the order."""

    async def list_offers(self, session: AsyncSession, course_slug: str = "") -> tuple[Offer, ...]:
        """The open runs of a course, or of all, the next first, full ones too."""

    async def find_offer(self, session: AsyncSession, course_slug: str, run: str) -> Offer:
        """The open run of that reference. Raises InputRejected for `run` when the course has none."""

    async def find_start(self, session: AsyncSession, run: str) -> RunStart | None:
        """The run of that reference, on offer or not."""

    async def list_coming_runs(self, session: AsyncSession) -> tuple[ComingRun, ...]:
        """The open and planned runs of all courses that have not ended, the next first."""

    async def reserve(self, session: AsyncSession, sale: Sale, *, paid: bool = False) -> bool:
        """Keep the places of an order until its payment is final; True where no run is chosen.

        False: the run is full or cancelled, or its enrolment is over; for money that is here already (`paid`), enrolment may be.
        """

    async def find_kept_place(self, session: AsyncSession, token: str) -> KeptPlace | None:
        """The places of a waiting list that the private token opens; None if they are kept no longer, or never were."""

    async def use_kept_place(self, session: AsyncSession, token: str, sale: Sale) -> None:
        """Let the order have those places when it reserves. Nothing changes where they are kept no longer, or are in another run.

        What the order does not need goes back. Raises InputRejected for a `quantity` above what is kept.
        """

    async def give_up(self, session: AsyncSession, order_id: int) -> None:
        """The payment has ended without money: keep the order's places only for a while longer."""

    async def release(self, session: AsyncSession, order_id: int) -> None:
        """Keep the places of an order no longer: another order has replaced it."""

    async def enrol(self, session: AsyncSession, sale: Sale, at: datetime) -> None:
        """Store the one enrolment of an order, with the places that are kept for it; the database refuses a second."""

    async def correct_day(self, session: AsyncSession, order_id: int, before: datetime, at: datetime) -> None:
        """Date the order's enrolment `at` if it is dated `before`: its payment was paid on another day than we believed."""

    async def end(self, session: AsyncSession, order_id: int, at: datetime) -> None:
        """End the order's enrolment, if it has one that has not ended, and release its places; the row stays."""

    async def erase_learner(self, session: AsyncSession, order_id: int, email: str, actor: str) -> None:
        """Blank the learner of that address in the order's enrolment: its buyer is erased."""

    async def list_places(self, session: AsyncSession, order_id: int) -> tuple[OrderPlace, ...]:
        """The places of the order's enrolment, also those that have ended."""

    async def has_own_place(self, session: AsyncSession, order_id: int, email: str) -> bool:
        """Whether the person of that address takes one of the order's places."""

    async def correct_own_place(
        self, session: AsyncSession, order_id: int, email: str, name: str, new_email: str
    ) -> None:
        """Correct the learner of that address in the order's enrolment, where there is one; attendance and certificates stay.

        Raises InputRejected for an `email` that another place has.
        """

    async def find(self, session: AsyncSession, order_id: int) -> EnrolmentRecord | None:
        """The order's enrolment."""

    def select_enrolments(self) -> Select[Any]:
        """All enrolments, for lists and reports: id, order_id, course_slug, course_name, created_at and run, the reference."""


@dataclass(frozen=True)
class Buyers:
    """What checkout offers to the academy: who has ordered."""

    select: Callable[[], Select[Any]]
    """order_id, first_name, last_name, email, phone and is_free of every order; names and addresses are empty once erased."""
    search: Callable[[Sequence[str]], Any]
    """The ids of the orders that contain all words, as a statement."""
    find_order: Callable[[AsyncSession, str], Awaitable[int]]
    """The id of the order that a private token opens. Raises NotFound."""
    lock_order: Callable[[AsyncSession, int], Awaitable[object]]
    """Lock the order of that id until the transaction ends: before any run is."""


@dataclass(frozen=True)
class _Contract:
    places: Places
    buyers: Buyers


_joined: list[_Contract] = []


def join(places: Places, buyers: Buyers) -> None:
    """Connect the two parts, before either is used."""
    _joined[:] = [_Contract(places, buyers)]


def places() -> Places:
    """The academy's part."""
    return _joined[0].places


def buyers() -> Buyers:
    """Checkout's part."""
    return _joined[0].buyers
