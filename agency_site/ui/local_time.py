"""A moment in the visitor's own time zone, if that differs from Nairobi's."""

import reflex as rx

from agency_site.ui.server_html import Enhanced


class LocalTime(Enhanced):
    """A line below the Nairobi time; empty without scripts."""

    library = "$/agency_site/ui/local_time.jsx"
    tag = "LocalTime"
    moment: rx.Var[str]
    """ISO 8601."""
    place: rx.Var[str] = rx.Var.create("where you are")
    brief: rx.Var[bool]
    """True for weekday and time only, in the colour of the text around it."""

    def without_scripts(self) -> rx.Component:
        """Return the element that `site/layout/private_page.js` fills."""
        muted = "" if self.brief is not None else " text-muted"
        return rx.el.time(date_time=self.moment, class_name=f"own-time block text-small empty:hidden{muted}")
