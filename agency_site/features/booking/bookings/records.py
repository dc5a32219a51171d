"""Read-only copies of bookings, and reading rows by reference."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.db.found_rows import find_one
from agency_site.db.read_models import ReadModel
from agency_site.errors import Conflict, StaleRecord
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.consultants.rules import Way
from agency_site.form_input import search_text
from agency_site.ids import parse_reference


@dataclass(frozen=True)
class BookingRecord(ReadModel):
    """A booking as it was when it was read."""

    id: int
    reference: str
    state: BookingState
    fullname: str
    email: str
    """Empty if the client has none."""
    phone: str
    message: str
    starts_at: datetime
    minutes: int
    seat: int
    version: int
    created_at: datetime
    updated_at: datetime
    service: str = ""
    """The slug of the service that the client wants to discuss; empty for none."""
    way: Way = Way.KAREN
    person: str = ""
    """The name of the person who takes it; empty if none is named."""
    person_reference: str = ""

    @property
    def ends_at(self) -> datetime:
        """The end, by the length of a consultation when it was booked or moved."""
        return self.starts_at + timedelta(minutes=self.minutes)

    @property
    def is_erased(self) -> bool:
        # The form requires a name, so only erasure leaves an empty one.
        return not self.fullname


def require_personal_data(booking: Booking) -> None:
    """Raise Conflict if the client's data was erased, because no client is left to hold a seat for."""
    if not booking.fullname:
        raise Conflict(
            f"The client's data of booking {booking.reference} was erased, so it can no longer be changed."
        )


def search_of(booking: Booking) -> str:
    """Return the text that lists search. Store it again whenever one of its parts changes."""
    return search_text(booking.reference, booking.fullname, booking.email, booking.phone)


async def find_booking(session: AsyncSession, reference: str) -> Booking:
    """Return the booking with that reference, in upper or lower case. Raises NotFound."""
    return await _select_booking(session, reference, _select_by_reference(reference))


async def lock_booking(session: AsyncSession, reference: str, version: int | None = None) -> Booking:
    """Return the current row of the booking, locked until the transaction ends.

    Raises NotFound, and StaleRecord if the row has another version than `version`.
    """
    query = _select_by_reference(reference).with_for_update().execution_options(populate_existing=True)
    booking = await _select_booking(session, reference, query)
    if version not in (None, booking.version):
        raise StaleRecord(f"booking {booking.reference}", BookingRecord.of(booking))
    return booking


def _select_by_reference(reference: str) -> SelectOfScalar[Booking]:
    # A request may contain lone surrogates, which no database accepts.
    encodable = parse_reference(reference.encode(errors="replace").decode())
    return select(Booking).where(Booking.reference == encodable)


async def _select_booking(session: AsyncSession, reference: str, query: SelectOfScalar[Booking]) -> Booking:
    return await find_one(session, query, f"There is no booking {reference.strip()[:20]}.")
