"""A moment as the visitor's own clock shows it, where that differs from Nairobi's."""

import reflex as rx

from agency_site.ui.server_html import Enhanced


class LocalTime(Enhanced):
    """A line beneath the Nairobi time that the server has written; without scripts it is empty."""

    library = "$/agency_site/ui/local_time.jsx"
    tag = "LocalTime"
    moment: rx.Var[str]
    """ISO 8601."""
    place: rx.Var[str] = rx.Var.create("where you are")

    def without_scripts(self) -> rx.Component:
        """The place that `site/layout/private_page.js` fills."""
        look = "own-time block text-small text-muted empty:hidden"
        return rx.el.time(date_time=self.moment, class_name=look)
