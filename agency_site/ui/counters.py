"""Figures that count up from zero once their section comes into view; the JavaScript stands in `counters.jsx`."""

import reflex as rx
from reflex.components.component import Component

_LIBRARY = "$/agency_site/ui/counters.jsx"


class CountSection(Component):
    """A section that starts its counters when `share` of it (0 to 1) is visible."""

    library = _LIBRARY
    tag = "CountSection"
    share: rx.Var[float]


class CountUp(Component):
    """One figure inside a CountSection: from zero to `target` in `steps` steps within `duration` milliseconds."""

    library = _LIBRARY
    tag = "CountUp"
    target: rx.Var[int]
    duration: rx.Var[int]
    steps: rx.Var[int]
