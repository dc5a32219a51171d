"""The part of the payment page's state that chooses what is bought: course, run and number of places."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import reflex as rx

from agency_site.clock import format_moment
from agency_site.content.course_schema import Course
from agency_site.content.courses import course_by_slug
from agency_site.db.engine import read_scope
from agency_site.errors import FieldError, InputRejected
from agency_site.features.checkout.buying.unpaid_places import explain_places_limit
from agency_site.features.checkout.orders.rules import (
    find_quantity_error,
    find_unit_price,
    parse_quantity,
    refuse_closed,
)
from agency_site.features.checkout.payments.messages import explain_price
from agency_site.money import kes
from agency_site.places import KeptPlace, Offer, describe_kept_places, places
from agency_site.settings import settings
from agency_site.site.academy.open_runs import read_offers

RUN, PRICE = "run", "price"
"""Fields of the chosen course run, and of the price a place that the visitor was shown with it."""
PATIENCE_SECONDS = 2.0
"""The time after which the form is shown without a choice of runs, because the database does not answer."""
LATER = "Another date: we will write to you"
NOT_AVAILABLE = "This date is no longer available. Please check your choice."
CHOOSE_COURSE = "Please choose a course."
CHOOSE_RUN = "You can now choose a date. Please check your choice."
_LONGEST_QUANTITY = 20


@dataclass
class RunChoice:
    """A course run that a visitor can choose, or "another date"."""

    reference: str
    """Empty for "another date"."""
    text: str
    price: str
    """Such as `KES 12,500 a place`; empty for the course's own price."""
    full: bool
    """Whether it cannot be chosen."""


class CourseChoice(rx.State, mixin=True):
    """The chosen course, its run, the number of places and their price."""

    slug: rx.Field[str] = rx.field("")
    """The chosen course; empty until one is chosen."""
    quantity: rx.Field[str] = rx.field("1")
    """The quantity as it is typed."""
    runs: rx.Field[list[RunChoice]] = rx.field(default_factory=list)
    """The open runs of the course and "another date"; empty if the course has no open run."""
    run: rx.Field[str] = rx.field("")
    """Reference of the chosen run."""
    place: rx.Field[str] = rx.field("")
    """Token of the place that a waiting list keeps for the visitor; empty if there is none."""
    kept_until: rx.Field[str] = rx.field("")
    """The end of the time for which it is kept; empty once that is over."""
    kept_places: rx.Field[int] = rx.field(0)
    unit_price: rx.Field[int] = rx.field(0)
    """Whole shillings a place, in the chosen run."""
    errors: dict[str, str] = {}
    """Errors by field of the main form."""

    _offers: tuple[Offer, ...] = ()
    """The runs behind `runs`."""
    _offers_shown: bool = False
    """Whether the visitor has seen a choice of runs."""
    _price_shown: int = 0
    """The price a place that the visitor has seen; 0 if unknown."""
    _unpaid_run: str = ""
    """The run in which the visitor's unpaid order may have places."""
    _kept_place: KeptPlace | None = None
    """The place that the token in `place` opens."""

    @rx.var
    def course_name(self) -> str:
        return self._course.payment_name if self._course else ""

    @rx.var
    def blurb(self) -> str:
        return self._course.summary if self._course else ""

    @rx.var
    def free(self) -> bool:
        """Return whether the course costs nothing."""
        return self._course is not None and self._course.free

    @rx.var
    def closed(self) -> bool:
        """Return whether the course takes no new learners."""
        return self._is_closed()

    @rx.var
    def unit(self) -> str:
        return kes(self.unit_price)

    @rx.var
    def total(self) -> str:
        """Price times quantity, such as `KES 30,000`; empty without a course, and while the quantity is not a number."""
        count = parse_quantity(self.quantity) if self.slug else 0
        return kes(self.unit_price * count) if count else ""

    @rx.var
    def at_least(self) -> bool:
        """Return whether there cannot be fewer places."""
        return (parse_quantity(self.quantity) or 1) <= 1

    @rx.var
    def price_note(self) -> str:
        """The explanation if the course page names another price (readings, 6)."""
        return explain_price(self._course, self.unit_price) if self._course else ""

    def _is_closed(self) -> bool:
        # A place that a waiting list keeps can still be ordered.
        return self._course is not None and not self._course.is_open and not self.kept_until

    @property
    def _course(self) -> Course | None:
        return course_by_slug(self.slug)

    @property
    def _offer(self) -> Offer | None:
        return next((offer for offer in self._offers if offer.run == self.run), None)

    def _reset_choice(self, course: Course | None) -> None:
        self.quantity, self.errors = "1", {}
        self.place = self.kept_until = self._unpaid_run = ""
        self._kept_place, self.kept_places = None, 0
        self.runs, self.run, self._offers, self._offers_shown = [], "", (), False
        self._open_course(course)

    def _open_course(self, course: Course | None) -> None:
        self.slug = course.slug if course else ""
        self.unit_price = self._price_shown = course.payment_price if course else 0

    async def _load_runs(self) -> None:
        """Read the open runs of the course. The chosen one stays, unless it cannot be chosen any more."""
        offers = await read_offers(PATIENCE_SECONDS, self.slug) if self.slug else ()
        if offers is not None and self.place:
            async with read_scope() as session:
                self._kept_place = await places().find_kept_place(session, self.place)
        self._show_runs(offers)

    def _show_runs(self, offers: tuple[Offer, ...] | None) -> None:
        course = self._course
        if offers is None or course is None:
            # The database is away: nothing can be bought now, and what was chosen must not be lost.
            return
        self._offers = offers
        self.kept_until = format_moment(self._kept_place.until) if self._kept_place else ""
        self.kept_places = self._kept_place.places if self._kept_place else 0
        if self.kept_places and not self._offers_shown:
            self.quantity = str(self.kept_places)
        kept_run = self._kept_place.run if self._kept_place else self._unpaid_run
        self.runs = _list_choices(course, self._offers, kept_run)
        if not self._offers_shown or not self._is_on_offer(self.run):
            first = next((choice.reference for choice in self.runs if not choice.full), "")
            self.run = kept_run if kept_run and self._is_on_offer(kept_run) else first
        self._offers_shown = bool(self.runs)
        self._show_price(course)

    def _is_on_offer(self, reference: str) -> bool:
        return any(choice.reference == reference and not choice.full for choice in self.runs)

    def _show_price(self, course: Course) -> None:
        self.unit_price = self._price_shown = find_unit_price(course, self._offer)

    async def _check_choice(self) -> None:
        """Read the runs again. Raises InputRejected unless the choice and its price are what the visitor was shown."""
        course = self._course
        if course is None:
            raise InputRejected(CHOOSE_COURSE, (FieldError("courseName", CHOOSE_COURSE),))
        run, price, offers_shown = self.run, self._price_shown, self._offers_shown
        await self._load_runs()
        if self._is_closed():
            raise refuse_closed(course)
        if self.runs and not offers_shown:
            raise _run_rejected(CHOOSE_RUN)
        if self.run != run:
            raise _run_rejected(NOT_AVAILABLE)
        if price not in {0, self.unit_price}:
            raise self._refuse_price(price)

    def _refuse_price(self, shown_price: int) -> InputRejected:
        price, before = kes(self.unit_price), kes(shown_price)
        if self.runs:
            return _run_rejected(f"A place costs {price} on this date, not {before}. Nothing was charged.")
        message = f"A place now costs {price}, not {before}. Nothing was charged."
        return InputRejected(message, (FieldError("courseName", message),))

    @rx.event
    def choose_run(self, reference: str) -> None:
        """Choose an open run of the course, or "another date". Any other reference is ignored."""
        course = self._course
        if course and self._is_on_offer(reference):
            self.run = reference
            self._show_price(course)
            self.errors = {name: error for name, error in self.errors.items() if name != RUN}
            self._set_quantity(self.quantity)

    @rx.event
    def choose_quantity(self, typed: str) -> None:
        # Clients may send any type, whatever is declared.
        self._set_quantity(str(typed))

    @rx.event
    def more(self) -> None:
        self._set_quantity(str(parse_quantity(self.quantity) + 1))

    @rx.event
    def fewer(self) -> None:
        self._set_quantity(str(max(parse_quantity(self.quantity) - 1, 1)))

    def _set_quantity(self, text: str) -> None:
        text = text.strip()[:_LONGEST_QUANTITY]
        self.quantity = "1" if re.fullmatch(r"0+|-[0-9]*", text) else text
        if "quantity" in self.errors:
            self.errors = {name: error for name, error in self.errors.items() if name != "quantity"}
        if self.quantity and (error := self._find_quantity_error()):
            self.errors = {**self.errors, "quantity": error}

    def _find_quantity_error(self) -> str:
        place, count = self._kept_place, parse_quantity(self.quantity)
        uses_kept_place = place is not None and place.run == self.run
        if place and uses_kept_place and count > place.places:
            return describe_kept_places(place.places)
        error = find_quantity_error(self.quantity, self.unit_price, settings().mpesa_maximum_amount)
        # Places of a waiting list are counted already, so the limit of unpaid places does not apply.
        return error or ("" if uses_kept_place else explain_places_limit(count, self.run))


def _list_choices(course: Course, offers: Sequence[Offer], kept_run: str) -> list[RunChoice]:
    """List the open runs of a course and "another date", or nothing. The visitor has places in `kept_run`."""
    runs = [_describe_choice(course, offer, is_kept=offer.run == kept_run) for offer in offers]
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


def _run_rejected(message: str) -> InputRejected:
    return InputRejected(message, (FieldError(RUN, message),))
