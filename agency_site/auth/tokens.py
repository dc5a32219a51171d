"""Random tokens that sign somebody in or open a link, and short notes that only this site could have written.

Of a token the database keeps the hash. A sealed note is not stored at all: its seal is made with the secret key.
"""

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from agency_site.signing import is_signed, sign

CODE_TIME = timedelta(minutes=5)
"""How long after the password the code may be given."""
TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
"""What `new_token` makes: 256 random bits."""

_PENDING = re.compile(r"([0-9]{1,10})\.([0-9]{1,12})\.([0-9a-f]{64})")
_DEVICE = re.compile(r"([A-Za-z0-9_-]{22})\.([0-9a-f]{64})")


def new_token() -> str:
    """A fresh random token, fit for cookies and addresses."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class Pending:
    """Somebody gave the right password and owes the code."""

    account_id: int
    until: int
    """Seconds since 1970."""
    seal: str

    def holds(self, password_hash: str, moment: datetime) -> bool:
        """Whether the site wrote it, the time is not over and the password is still the same."""
        sealed = f"{self.account_id}.{self.until}.{password_hash}"
        return is_signed(self.seal, "two-step", sealed) and moment.timestamp() < self.until


def seal_pending(account_id: int, password_hash: str, moment: datetime) -> str:
    """The note that leads from the right password to the page that asks for the code."""
    until = int((moment + CODE_TIME).timestamp())
    return f"{account_id}.{until}.{sign('two-step', f'{account_id}.{until}.{password_hash}')}"


def open_pending(note: str) -> Pending | None:
    """What the note says, if it has the form of one; `Pending.holds` checks it."""
    found = _PENDING.fullmatch(note)
    return Pending(int(found[1]), int(found[2]), found[3]) if found else None


def seal_device(email: str) -> str:
    """A note for a browser that has signed in to the account of `email`."""
    name = secrets.token_urlsafe(16)
    return f"{name}.{sign('device', f'{name}.{email}')}"


def open_device(note: str, email: str) -> str:
    """The random name in a note of that account's browser; empty when it is not one."""
    found = _DEVICE.fullmatch(note)
    if found and is_signed(found[2], "device", f"{found[1]}.{email}"):
        return found[1]
    return ""
