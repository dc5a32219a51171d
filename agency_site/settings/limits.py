"""Limits of requests, bookings, forms, sockets and bodies."""

from limits import parse
from pydantic import Field

from agency_site.settings.site import SiteSettings

_RATE = r"^(\d+ ?(/|per) ?(\d+ ?)?(second|minute|hour|day)s?)?$"


class LimitSettings(SiteSettings):
    """What one address, one form and one message may take; development allows far more."""

    rate_limit_api: str = Field(
        "",
        description="requests per address to /api and certificates, e.g. 60/minute; empty: that, 3000/minute in development",
    )
    rate_limit_pages: str = Field(
        "",
        pattern=_RATE,
        description="pages per address that are drawn for a request, such as /book and /payment; mobile networks put "
        "hundreds of visitors behind one address; empty: 1200/minute, 60000/minute in development",
    )
    rate_limit_forms: str = Field(
        "", description="bookings and payments per address; empty: 10/minute, 3000/minute in development"
    )
    rate_limit_bookings: str = Field(
        "",
        pattern=_RATE,
        description="bookings of one network (/24 of IPv4, /48 of IPv6), over the API and the page; empty: 20/day, "
        "100000/day in development",
    )
    rate_limit_payments: str = Field(
        "",
        pattern=_RATE,
        description="payment requests of one network, over the API and the page; empty: 200/day, 100000/day in development",
    )
    rate_limit_sends: str = Field(
        "",
        pattern=_RATE,
        description="what one address may send through one form of the pages; mobile networks put hundreds of "
        "visitors behind one address; empty: 60/10 minutes, 3000/minute in development",
    )
    rate_limit_form: str = Field(
        "",
        pattern=_RATE,
        description="what one network (/24 of IPv4, /48 of IPv6) may send through one form; empty: 300/hour, "
        "3000/minute in development",
    )
    rate_limit_recipients: str = Field(
        "",
        pattern=_RATE,
        description="different e-mail addresses that one network may name in all forms; empty: 300/day, "
        "100000/day in development",
    )
    unpaid_places: int = Field(
        0,
        ge=0,
        description="places of course runs, and uses of coupons, that unpaid orders of one network may keep; 0: 10, 100000 in "
        "development",
    )
    rate_limit_connects: str = Field(
        "",
        pattern=_RATE,
        description="sockets that one address may open; empty: 600/minute, 60000/minute in development",
    )
    rate_limit_events: str = Field(
        "",
        pattern=_RATE,
        description="messages per address in one process, slowed down above; empty: 100/second, 5000/second in development",
    )
    open_sockets: int = Field(
        0,
        ge=0,
        description="sockets that one address may hold open in one process; 0: 1000, 10000 in development",
    )
    body_limit_kb: int = Field(64, ge=1, description="largest body of a request, in KiB")
    header_seconds: float = Field(
        10.0,
        ge=0.1,
        le=60,
        description="time for the headers of a request, and for a connection to stay idle",
    )
    body_seconds: float = Field(10.0, ge=0.1, le=600, description="time for the body of a request to arrive")
    open_bodies: int = Field(
        0,
        ge=0,
        description="unfinished bodies that one address may be sending to one process; 0: 100, 1000 in development",
    )
    socket_message_kb: int = Field(
        160,
        ge=1,
        description="largest message on a socket, in KiB; the longest newsletter takes 150 at three bytes per character",
    )

    @property
    def api_limit(self) -> str:
        """Requests per address to the API, as the `limits` library writes them."""
        return self.rate_limit_api or ("60/minute" if self.production else "3000/minute")

    @property
    def pages_limit(self) -> str:
        """Pages per address that are drawn for a request, as the `limits` library writes them."""
        return self.rate_limit_pages or ("1200/minute" if self.production else "60000/minute")

    @property
    def form_limit(self) -> str:
        """Bookings and payments per address, as the `limits` library writes them."""
        return self.rate_limit_forms or ("10/minute" if self.production else "3000/minute")

    @property
    def bookings_limit(self) -> str:
        """Bookings of one network, as the `limits` library writes them."""
        return self.rate_limit_bookings or ("20/day" if self.production else "100000/day")

    @property
    def payments_limit(self) -> str:
        """Payment requests of one network, as the `limits` library writes them."""
        return self.rate_limit_payments or ("200/day" if self.production else "100000/day")

    @property
    def sends_limit(self) -> str:
        """What one address may send through one form of the pages, as the `limits` library writes it."""
        return self.rate_limit_sends or ("60/10 minutes" if self.production else "3000/minute")

    @property
    def sends_window_seconds(self) -> int:
        """How long it counts that one address has sent a form. Visitors read it (`content/legal.py`)."""
        return int(parse(self.sends_limit).get_expiry())

    @property
    def form_network_limit(self) -> str:
        """What one network may send through one form, as the `limits` library writes it."""
        return self.rate_limit_form or ("300/hour" if self.production else "3000/minute")

    @property
    def recipients_limit(self) -> str:
        """Different e-mail addresses that one network may name, as the `limits` library writes them."""
        return self.rate_limit_recipients or ("300/day" if self.production else "100000/day")

    @property
    def unpaid_places_of_network(self) -> int:
        """Places and coupon uses that unpaid orders of one network may keep at the same moment."""
        return self.unpaid_places or (10 if self.production else 100_000)

    @property
    def connect_limit(self) -> str:
        """Sockets that one address may open, as the `limits` library writes them."""
        return self.rate_limit_connects or ("600/minute" if self.production else "60000/minute")

    @property
    def event_limit(self) -> str:
        """Messages per address on its sockets, as the `limits` library writes them."""
        return self.rate_limit_events or ("100/second" if self.production else "5000/second")

    @property
    def sockets_per_address(self) -> int:
        """Sockets that one address may hold open in one process."""
        return self.open_sockets or (1000 if self.production else 10_000)

    @property
    def unfinished_bodies(self) -> int:
        """Bodies that one address may be sending to one process at the same moment."""
        return self.open_bodies or (100 if self.production else 1000)
