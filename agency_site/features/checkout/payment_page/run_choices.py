"""The course runs among which a visitor chooses."""

from collections.abc import Sequence
from dataclasses import dataclass

from agency_site.clock import format_moment
from agency_site.content.course_schema import Course
from agency_site.features.checkout.orders.rules import find_unit_price
from agency_site.money import kes
from agency_site.places import Offer

LATER = "Another date: we will write to you"
NOT_AVAILABLE = "This date is not available any more. Please check your choice."
CHOOSE_RUN = "There are dates to choose from now. Please check your choice."


@dataclass
class RunChoice:
    """A course run that a visitor can choose, or none."""

    reference: str
    """Empty: the learners are placed later."""
    text: str
    price: str
    """Such as `KES 12,500 a place`; empty: the course's own price."""
    full: bool
    """It cannot be chosen."""


def list_choices(course: Course, offers: Sequence[Offer], kept: str) -> list[RunChoice]:
    """What can be chosen for a course: nothing where it has no open run. `kept` is the run in which the visitor's unpaid
    order has places."""
    runs = [_describe_choice(course, offer, is_kept=offer.run == kept) for offer in offers]
    return [*runs, RunChoice("", LATER, "", full=False)] if runs else []


def _describe_choice(course: Course, offer: Offer, *, is_kept: bool) -> RunChoice:
    full = offer.free == 0
    price = find_unit_price(course, offer)
    return RunChoice(
        offer.run,
        f"Starts {format_moment(offer.starts_at)}, kept for you" if full and is_kept else offer.text,
        f"{kes(price)} a place" if price != course.payment_price else "",
        full=full and not is_kept,
    )
