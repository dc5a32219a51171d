"""What only a browser can do for the calendar, wrapped for Python; the JavaScript stands in `calendar.jsx`."""

import reflex as rx
from reflex.components.component import Component

_LIBRARY = "$/agency_site/features/booking/admin/calendar.jsx"


def _move_spec(
    reference: rx.Var[str], version: rx.Var[int], target: rx.Var[str]
) -> tuple[rx.Var[str], rx.Var[int], rx.Var[str]]:
    """Which booking, in which version, was dropped on which `data-slot`."""
    return reference, version, target


class Mover(Component):
    """A region in which bookings are picked up and dropped, by pointer and by keys.

    It draws nothing of the calendar. It finds `data-booking` elements (with `data-version`, `data-name`, `data-at`; those
    with `data-movable` can be picked up, touching fingers need their `data-grip`), `data-slot` elements to drop them on
    (with `data-label`; free ones with `data-free`), and links with `data-turn` (`before`, `after`) to other pages.
    """

    library = _LIBRARY
    tag = "Mover"
    active: rx.Var[bool]
    on_move: rx.EventHandler[_move_spec]  # type: ignore[type-arg, valid-type]


class DayOnPhones(Component):
    """Leads a narrow screen to `to` while nobody has `chosen` a view."""

    library = _LIBRARY
    tag = "DayOnPhones"
    chosen: rx.Var[bool]
    to: rx.Var[str]
