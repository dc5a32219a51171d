"""A moment in the visitor's own time zone, if that differs from Nairobi's."""

import reflex as rx

from agency_site.ui.server_html import Enhanced


class LocalTime(Enhanced):
    """A line below the Nairobi time, which `site/layout/own_times.js` fills; empty without scripts."""

    library = "$/agency_site/ui/local_time.jsx"
    tag = "LocalTime"
    moment: rx.Var[str]
    """ISO 8601."""

    def without_scripts(self) -> rx.Component:
        """Return the empty line."""
        return rx.el.time(date_time=self.moment, class_name="own-time")
