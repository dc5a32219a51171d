"""What a phone number has to do with us. Features provide it, because notices know neither bookings nor orders."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sqlmodel.ext.asyncio.session import AsyncSession

MOST_DEALINGS = 20
"""Records of a number that each feature looks at."""


@dataclass(frozen=True)
class Dealing:
    """A booking, a place in a course, or money from a number."""

    reference: str
    what: str
    """A text for staff, such as `Consultation at 09:00 on Thursday 3 December`."""
    is_upcoming: bool
    """Its holder may want to cancel it."""


FindDealings = Callable[[AsyncSession, str], Awaitable[list[Dealing]]]
_finders: list[FindDealings] = []


def join_dealings(*finders: FindDealings) -> None:
    """Register what finds the dealings of a number in E.164. Called once, at the start."""
    _finders[:] = finders


async def list_dealings(session: AsyncSession, number: str) -> list[Dealing]:
    """Return the dealings of a number in E.164; none if it is empty."""
    dealings: list[Dealing] = []
    for find in _finders if number else ():
        dealings += await find(session, number)
    return dealings
