"""Limits of requests, bookings, forms, sockets and bodies."""

from typing import ClassVar, Generic, TypeVar

from limits import parse
from pydantic import Field

from agency_site.settings.site import SiteSettings

_RATE = r"^(\d+ ?(/|per) ?(\d+ ?)?(second|minute|hour|day)s?)?$"


Value = TypeVar("Value", bound=str | int)


class Unless(Generic[Value]):
    """The setting `name`; if it is empty or 0, the default, which differs on a laptop."""

    def __init__(self, name: str, public: Value, local: Value) -> None:
        self._name, self._public, self._local = name, public, local

    def __get__(self, settings: SiteSettings, _kind: type[SiteSettings]) -> Value:
        default = self._local if settings.is_local else self._public
        chosen: Value = getattr(settings, self._name)
        return chosen or default


class LimitSettings(SiteSettings):
    """Limits per address, form and message; a laptop allows far more (`SiteSettings.is_local`)."""

    rate_limit_api: str = Field("")
    """requests per address to /api and certificates; if empty, 60/minute, on a laptop 3000/minute"""
    rate_limit_pages: str = Field("", pattern=_RATE)
    """pages per address that are drawn for a request, such as /book and /payment; mobile networks put hundreds of visitors
    behind one address; if empty, 1200/minute, on a laptop 60000/minute"""
    rate_limit_forms: str = Field("")
    """bookings and payments per address; if empty, 10/minute, on a laptop 3000/minute"""
    rate_limit_bookings: str = Field("", pattern=_RATE)
    """bookings of one network (/24 of IPv4, /48 of IPv6), over the API and the page; if empty, 20/day, on a
    laptop 100000/day"""
    rate_limit_payments: str = Field("", pattern=_RATE)
    """payment requests of one network, over the API and the page; if empty, 200/day, on a laptop 100000/day"""
    rate_limit_sends: str = Field("", pattern=_RATE)
    """submits of one form of the pages per address; mobile networks put hundreds of visitors behind one address;
    if empty, 60/10 minutes, on a laptop 3000/minute"""
    rate_limit_form: str = Field("", pattern=_RATE)
    """submits of one form per network (/24 of IPv4, /48 of IPv6); if empty, 300/hour, on a laptop 3000/minute"""
    rate_limit_recipients: str = Field("", pattern=_RATE)
    """different e-mail addresses that one network may name in all forms; if empty, 300/day, on a laptop 100000/day"""
    unpaid_places: int = Field(0, ge=0)
    """places of course runs, and uses of coupons, that unpaid orders of a network may keep; 0 means 10, on a laptop 100000"""
    rate_limit_connects: str = Field("", pattern=_RATE)
    """sockets that one address may open; if empty, 600/minute, on a laptop 60000/minute"""
    rate_limit_events: str = Field("", pattern=_RATE)
    """messages per address in one process; more are delayed; if empty, 100/second, on a laptop 5000/second"""
    open_sockets: int = Field(0, ge=0)
    """sockets that one address may hold open in one process; 0 means 1000, on a laptop 10000"""
    body_limit_kb: int = Field(64, ge=1, description="largest body of a request, in KiB")
    header_seconds: float = Field(10.0, ge=0.1, le=60)
    """time for the headers of a request, and for a connection to stay idle"""
    body_seconds: float = Field(10.0, ge=0.1, le=600, description="time for the body of a request to arrive")
    open_bodies: int = Field(0, ge=0)
    """unfinished bodies that one address may be sending to one process; 0 means 100, on a laptop 1000"""
    socket_message_kb: int = Field(160, ge=1)
    """largest message on a socket, in KiB; the longest newsletter takes 150 at three bytes per character"""

    api_limit: ClassVar = Unless("rate_limit_api", "60/minute", "3000/minute")
    """Requests per address to the API, in the notation of the `limits` library, like the limits below."""
    pages_limit: ClassVar = Unless("rate_limit_pages", "1200/minute", "60000/minute")
    form_limit: ClassVar = Unless("rate_limit_forms", "10/minute", "3000/minute")
    bookings_limit: ClassVar = Unless("rate_limit_bookings", "20/day", "100000/day")
    payments_limit: ClassVar = Unless("rate_limit_payments", "200/day", "100000/day")
    sends_limit: ClassVar = Unless("rate_limit_sends", "60/10 minutes", "3000/minute")
    form_network_limit: ClassVar = Unless("rate_limit_form", "300/hour", "3000/minute")
    recipients_limit: ClassVar = Unless("rate_limit_recipients", "300/day", "100000/day")
    unpaid_places_of_network: ClassVar = Unless("unpaid_places", 10, 100_000)
    connect_limit: ClassVar = Unless("rate_limit_connects", "600/minute", "60000/minute")
    event_limit: ClassVar = Unless("rate_limit_events", "100/second", "5000/second")
    sockets_per_address: ClassVar = Unless("open_sockets", 1000, 10_000)
    unfinished_bodies: ClassVar = Unless("open_bodies", 100, 1000)

    @property
    def sends_window_seconds(self) -> int:
        """The period over which submits of an address are counted. Visitors read it (`content/legal.py`)."""
        return int(parse(self.sends_limit).get_expiry())
