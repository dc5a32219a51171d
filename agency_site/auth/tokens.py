"""Random tokens that sign staff in or open a link, and sealed notes that only this site can write.

The database stores the hash of a token. A sealed note is not stored: it is signed with the secret key.
"""

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from agency_site.signing import is_signed, sign

CODE_TIME = timedelta(minutes=5)
"""The code must follow the password within this time."""
TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
"""The form of `new_token`: 256 random bits."""

_PENDING = re.compile(r"([1-9][0-9]{0,9})\.([1-9][0-9]{0,11})\.([0-9a-f]{64})")
"""The seal is of the numbers, so each has one spelling."""
_DEVICE = re.compile(r"([A-Za-z0-9_-]{22})\.([0-9a-f]{64})")


def new_token() -> str:
    """Return a fresh random token, safe in cookies and addresses."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class Pending:
    """A sign-in with the right password that waits for its code."""

    account_id: int
    until: int
    """Seconds since 1970."""
    seal: str

    def is_valid(self, password_hash: str, moment: datetime) -> bool:
        """Return whether this site wrote the note, it has not expired and the password is unchanged."""
        sealed = f"{self.account_id}.{self.until}.{password_hash}"
        return is_signed(self.seal, "two-step", sealed) and moment.timestamp() < self.until


def seal_pending(account_id: int, password_hash: str, moment: datetime) -> str:
    """Return the note that carries a right password to the page for the code."""
    until = int((moment + CODE_TIME).timestamp())
    return f"{account_id}.{until}.{sign('two-step', f'{account_id}.{until}.{password_hash}')}"


def open_pending(note: str) -> Pending | None:
    """Return the content of a well-formed note; `Pending.is_valid` checks it."""
    match = _PENDING.fullmatch(note)
    return Pending(int(match[1]), int(match[2]), match[3]) if match else None


def seal_device(email: str) -> str:
    """Return a note for a browser that has signed in to the account of `email`."""
    name = secrets.token_urlsafe(16)
    return f"{name}.{sign('device', f'{name}.{email}')}"


def open_device(note: str, email: str) -> str:
    """Return the random name in a note of that account's browser; empty if the note is not one."""
    match = _DEVICE.fullmatch(note)
    if match and is_signed(match[2], "device", f"{match[1]}.{email}"):
        return match[1]
    return ""
