"""The journal of a run's visitors and staff."""

from dataclasses import dataclass, field


@dataclass
class Journal:
    """The recorded events."""

    visits: int = 0
    requests: int = 0
    events: int = 0
    sign_ins: int = 0
    bookings: list[str] = field(default_factory=list)
    """References that the site confirmed."""
    payments: list[str] = field(default_factory=list)
    """M-Pesa's ids of payments that the site called paid."""
    lost_sockets: list[float] = field(default_factory=list)
    """When a page lost its connection, in seconds since 1970."""
    errors: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """Duration of each request."""

    def __str__(self) -> str:
        durations = sorted(self.seconds)
        median, p95 = (durations[int(len(durations) * share) - 1] * 1000 for share in (0.5, 0.95))
        return (
            f"{self.visits} visits, {self.requests} requests (median {median:.0f} ms, p95 {p95:.0f} ms), "
            f"{self.events} events, {len(self.bookings)} bookings, {len(self.payments)} payments, "
            f"{self.sign_ins} sign-ins of staff, {len(self.errors)} errors"
        )
