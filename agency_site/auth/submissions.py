"""Submits of staff forms: each is applied at most once.

The browser gives every submit a random key and sends it again under the same key when its answer is lost. The key is
stored in the transaction of the change itself (`audit.record`), so a second submit finds it and changes nothing.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Staff
from agency_site.auth.tables import StaffSubmission
from agency_site.clock import now
from agency_site.errors import Conflict

FIELD = "submission"
"""The field of a submitted form that carries its key."""
_KEY = re.compile(r"[0-9a-f]{32}")


class AlreadyApplied(Conflict):
    """The same submit was applied before."""

    def __init__(self) -> None:
        super().__init__("Already saved.")


def split_key(arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the key among an event's arguments, empty if there is none, and the arguments without it."""
    key, rest = "", dict(arguments)
    for name, value in arguments.items():
        if isinstance(value, dict) and FIELD in value:
            rest[name] = {field: text for field, text in value.items() if field != FIELD}
            sent_key = value[FIELD]
            key = sent_key if isinstance(sent_key, str) and _KEY.fullmatch(sent_key) else ""
    return key, rest


async def is_applied(session: AsyncSession, account_id: int, key: str) -> bool:
    """Return whether a submit of that account was applied under `key`."""
    query = select(StaffSubmission.key).where(
        StaffSubmission.account_id == account_id, StaffSubmission.key == key
    )
    return (await session.exec(query)).first() is not None


async def apply_once(session: AsyncSession, who: Staff) -> None:
    """Store the key of the submit that `who` makes, once per transaction. Raises AlreadyApplied."""
    if not who.submission or session.info.get(FIELD) == who.submission:
        return
    session.add(StaffSubmission(account_id=who.account_id, key=who.submission, at=now()))
    try:
        await session.flush()
    except IntegrityError:
        raise AlreadyApplied from None
    session.info[FIELD] = who.submission


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Delete up to `limit` keys of submits older than `before`; return how many."""
    old = select(StaffSubmission.id).where(StaffSubmission.at < before).order_by(col(StaffSubmission.id))
    ids = (await session.exec(old.limit(limit).with_for_update(skip_locked=True))).all()
    await session.exec(delete(StaffSubmission).where(col(StaffSubmission.id).in_(ids)))
    return len(ids)
