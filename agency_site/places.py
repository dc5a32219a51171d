"""The contract between selling and teaching: checkout sells places in courses, the academy keeps them.

Neither imports the other. `feature_contracts.py` provides each with the part of the other, and each calls that part in its own
transaction: what is paid and who is enrolled cannot disagree (docs/decisions/0019-selling-and-teaching.md).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy import Select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.read_models import ReadModel

UNKNOWN_ORDER = "There is no order at this address."
"""The answer of both features to a private link that opens no order."""


@dataclass(frozen=True)
class Sale:
    """The places in one course that an order asks for or has paid for."""

    order_id: int
    reference: str
    course_slug: str
    course_name: str
    quantity: int
    run: str = ""
    """Reference of the chosen course run; empty if the learners are placed later."""


class Vacancy(StrEnum):
    """The answer to whether an order can have its places now."""

    KEPT = "kept"
    """They are kept for the order already."""
    FREE = "free"
    """No run is chosen, or its run has enough free places."""
    ENDED = "ended"
    """There are free places, but enrolment is not open."""
    FULL = "full"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Offer:
    """A course run in which places can be bought."""

    course_slug: str
    run: str
    """Reference of the course run."""
    price: int | None
    """Whole shillings a place; None for the course's own price."""
    starts_at: datetime
    free: int | None
    """Places that are left; None if there is no limit."""
    text: str
    """Such as `Starts Tuesday 12 January 2027, 18:30, 4 places left`."""


@dataclass(frozen=True)
class RunStart:
    """A course run and its start."""

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
    """Places that are kept for a person on a waiting list."""

    course_slug: str
    run: str
    """Reference of the course run."""
    places: int
    until: datetime


def describe_kept_places(places: int) -> str:
    """Return the error for a buyer who orders more places than are kept."""
    if places == 1:
        return "One place is kept for you. Please order one."
    return f"{places} places are kept for you. Please order {places}, or fewer."


@dataclass(frozen=True)
class EnrolmentRecord(ReadModel):
    """The enrolment that an order has bought."""

    id: int
    reference: str
    course_slug: str
    course_name: str
    places: int
    created_at: datetime
    ended_at: datetime | None
    """The time at which a refund released the places."""
    run: str
    """Reference of the course run; empty if the learners are not placed yet."""
    starts_at: datetime | None
    """Start of the run."""

    @property
    def run_start(self) -> RunStart | None:
        """The run of the learners, or None if they are not placed yet."""
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
        """Return the open runs of a course, or of all, the next first. Runs without free places are included."""

    async def find_offer(self, session: AsyncSession, course_slug: str, run: str) -> Offer:
        """Return the open run of that reference. Raises InputRejected for `run` if the course has none."""

    async def find_run_start(self, session: AsyncSession, run: str) -> RunStart | None:
        """Return the run of that reference, on offer or not."""

    async def list_coming_runs(self, session: AsyncSession) -> tuple[ComingRun, ...]:
        """Return the open and planned runs of all courses that have not ended, the next first."""

    async def list_vacancies(self, session: AsyncSession, sales: Sequence[Sale]) -> Mapping[int, Vacancy]:
        """Return whether each order, by its id, can have its places now. Nothing is locked or kept."""

    async def reserve_places(self, session: AsyncSession, sale: Sale, *, paid: bool = False) -> bool:
        """Keep the places of an order until its payment is final. Return True if no run is chosen.

        Return False if the run is full or cancelled, or if its enrolment is over. The end of enrolment is ignored
        for money that was received already (`paid`).
        """

    async def release_later(self, session: AsyncSession, order_id: int) -> None:
        """Keep the order's places only for a while longer: the payment has ended without money."""

    async def release_places(self, session: AsyncSession, order_id: int) -> None:
        """Keep the order's places no longer: another order has replaced it."""

    async def find_kept_place(self, session: AsyncSession, token: str) -> KeptPlace | None:
        """Return the places that a waiting list keeps for the owner of the token, or None if it keeps none any more."""

    async def use_kept_place(self, session: AsyncSession, token: str, sale: Sale) -> None:
        """Let the order use the kept places when it reserves, and release those that it does not need.

        Nothing changes if they are kept no longer or are in another run.
        Raises InputRejected for a `quantity` above the kept places.
        """

    async def create_enrolment(self, session: AsyncSession, sale: Sale, at: datetime) -> None:
        """Store the one enrolment of an order, with the places that are kept for it. The database rejects a second."""

    async def correct_enrolment_date(
        self, session: AsyncSession, order_id: int, before: datetime, at: datetime
    ) -> None:
        """Date the order's enrolment `at` if it is dated `before`: the payment was made on another day than recorded."""

    async def end_enrolment(self, session: AsyncSession, order_id: int, at: datetime) -> None:
        """End the order's enrolment, if it has a present one, and release its places. The row stays."""

    async def find_enrolment(self, session: AsyncSession, order_id: int) -> EnrolmentRecord | None:
        """Return the order's enrolment, present or ended."""

    def select_enrolments(self) -> Select[Any]:
        """Select id, order_id, course_slug, course_name, created_at, run (its reference) and its trainer of all enrolments."""

    async def list_order_places(self, session: AsyncSession, order_id: int) -> tuple[OrderPlace, ...]:
        """Return the places of the order's enrolment, including those that have ended."""

    async def has_learner(self, session: AsyncSession, order_id: int, email: str) -> bool:
        """Return whether the person of that address has one of the order's places."""

    async def correct_learner(
        self, session: AsyncSession, order_id: int, email: str, name: str, new_email: str
    ) -> None:
        """Correct the learner of that address in the order's enrolment, if there is one. Attendance and certificates stay.

        Raises InputRejected for an `email` that another place has.
        """

    async def erase_learner(self, session: AsyncSession, order_id: int, email: str, actor: str) -> None:
        """Blank the learner of that address in the order's enrolment: its buyer is erased."""


@dataclass(frozen=True)
class Buyers:
    """What checkout offers to the academy: the buyers of orders."""

    select_buyers: Callable[[], Select[Any]]
    """Select order_id, first_name, last_name, email, phone and is_free of all orders. Personal data is empty once erased."""
    search_orders: Callable[[Sequence[str]], Any]
    """Select the ids of the orders that contain all words."""
    find_order_id: Callable[[AsyncSession, str], Awaitable[int]]
    """Return the id of the order that a private token opens. Raises NotFound."""
    lock_order: Callable[[AsyncSession, int], Awaitable[object]]
    """Lock the order until the transaction ends. It must be locked before its run."""
    sum_money: Callable[[Any], Any]
    """Return the subquery of the whole shillings that have arrived for the order of that id, and were not returned."""
    select_payers: Callable[[str], Select[Any]]
    """Select reference, first_name, last_name, email and paid of the orders for a run that have money in them, or under
    review, and no enrolment."""
    report_cancelled_run: Callable[[AsyncSession, str], Awaitable[None]]
    """Name the orders of `select_payers` to staff, and lock them: call it before the run is locked."""


_Part = TypeVar("_Part")


class Provided(Generic[_Part]):
    """A part of one feature that another calls, provided once when the application is put together."""

    def __init__(self) -> None:
        self._part: _Part | None = None

    def provide(self, part: _Part) -> None:
        self._part = part

    def __call__(self) -> _Part:
        """Return the part. Raises RuntimeError if it was not provided."""
        if self._part is None:
            raise RuntimeError("Call feature_contracts.join_features() first: it provides places and buyers.")
        return self._part


places: Provided[Places] = Provided()
buyers: Provided[Buyers] = Provided()
