"""What staff do with newsletter issues: write, test, schedule.

`actor` is the e-mail address of the member of staff. A verb that takes a `version` changes the issue only as its editor
saw it, and raises StaleRecord otherwise.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import String, cast
from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.markdown import list_dead_links, list_pictures
from agency_site.db.deduplication import insert_or_find, wait_for_turn
from agency_site.db.found_rows import find_one
from agency_site.db.read_models import ReadModel
from agency_site.db.record_versions import update_record
from agency_site.errors import Conflict, FieldError, InputRejected, StaleRecord
from agency_site.features.newsletter import emails
from agency_site.features.newsletter.bounces import is_reachable
from agency_site.features.newsletter.request import IssueDraft
from agency_site.features.newsletter.rules import IssueState, fits
from agency_site.features.newsletter.tables import NewsletterIssue, Subscriber
from agency_site.form_input import search_text
from agency_site.mail.usecases import enqueue_unless_repeated, store_shared_body
from agency_site.settings import ROOT

REFERENCE = "IS"
_FARTHEST = timedelta(days=366)
"""How far ahead an issue can be scheduled."""
_DOUBLE_CLICK = timedelta(seconds=5)
_ASSETS = ROOT / "assets"


@dataclass(frozen=True)
class IssueRecord(ReadModel):
    """One issue when it was read."""

    reference: str
    number: int | None
    slug: str
    title: str
    summary: str
    text: str
    interests: tuple[str, ...]
    state: IssueState
    scheduled_at: datetime | None
    started_at: datetime | None
    sent_at: datetime | None
    audience: int
    processed: int
    mails_created: int
    mails_refused: int
    author: str
    editor: str
    version: int
    created_at: datetime
    updated_at: datetime


async def find(session: AsyncSession, reference: str) -> IssueRecord:
    """The issue of that reference. Raises NotFound."""
    return IssueRecord.of(await _row(session, reference))


async def count(session: AsyncSession, state: IssueState) -> int:
    """How many issues are in that state."""
    return (await session.exec(select(func.count()).where(col(NewsletterIssue.state) == state))).one()


async def count_readers(session: AsyncSession, interests: Iterable[str]) -> int:
    """Return how many subscribers an issue with these interests is for; without any, all of them."""
    chosen = cast(col(Subscriber.interests), String)
    counted = await session.exec(select(chosen, func.count()).where(is_reachable()).group_by(chosen))
    wanted = list(interests)
    return sum(number for text, number in counted if fits(json.loads(text), wanted))


async def create(session: AsyncSession, draft: IssueDraft, actor: str) -> IssueRecord:
    """Store a new draft. Raises InputRejected when another issue has its address, or for a link or picture that leads nowhere."""
    _require_links_and_pictures(draft)
    moment = now()
    row: dict[str, Any] = _columns(draft) | {
        "state": IssueState.DRAFT, "author": actor, "editor": actor, "version": 1, "created_at": moment,
        "updated_at": moment, "last_subscriber_id": 0, "audience": 0, "processed": 0, "mails_created": 0, "mails_refused": 0,
    }  # fmt: skip
    same = col(NewsletterIssue.slug) == draft.slug
    placed = await insert_or_find(session, NewsletterIssue, row, REFERENCE, (draft.title, draft.slug), same)
    if not placed.new:
        raise _taken()
    return await find(session, placed.reference)


async def save(
    session: AsyncSession, reference: str, version: int, draft: IssueDraft, actor: str
) -> IssueRecord:
    """Change a draft. Raises NotFound, Conflict when it is no draft any more, StaleRecord, and InputRejected."""
    _require_links_and_pictures(draft)
    await wait_for_turn(session, "newsletter-slug")
    taken = select(NewsletterIssue.id).where(
        col(NewsletterIssue.slug) == draft.slug, col(NewsletterIssue.reference) != reference
    )
    if (await session.exec(taken)).first() is not None:
        raise _taken()
    values = _columns(draft) | {"search": search_text(reference, draft.title, draft.slug)}
    return await _change_state(session, reference, version, actor, IssueState.DRAFT, values)


async def schedule(
    session: AsyncSession, reference: str, version: int, moment: datetime, actor: str
) -> IssueRecord:
    """Send the issue at `moment` (aware). Raises InputRejected for the past, too far ahead, or an empty text."""
    if not now() < moment <= now() + _FARTHEST:
        message = "Please choose a time from now on, at most a year ahead."
        raise InputRejected(message, (FieldError("moment", message),))
    return await _send_at(session, reference, version, moment, actor)


async def send_now(session: AsyncSession, reference: str, version: int, actor: str) -> IssueRecord:
    """Send the issue at once. Raises as `schedule`."""
    return await _send_at(session, reference, version, now(), actor)


async def unschedule(session: AsyncSession, reference: str, version: int, actor: str) -> IssueRecord:
    """Make a draft of it again. Raises NotFound, Conflict once sending has begun, and StaleRecord."""
    values = {"state": IssueState.DRAFT, "scheduled_at": None, "due_at": None}
    return await _change_state(session, reference, version, actor, IssueState.SCHEDULED, values)


async def send_test(session: AsyncSession, reference: str, actor: str) -> None:
    """Send the saved issue to the member of staff alone. Raises NotFound and InputRejected."""
    row = await _row(session, reference)
    _require_text(row)
    message = emails.issue_test_mail(row, actor, await store_shared_body(session, row.text))
    key = f"newsletter-test:{reference}:{row.version}:{actor}"
    if await enqueue_unless_repeated(session, message, key=key, window=_DOUBLE_CLICK) is None:
        raise Conflict("This test has just been sent.")


async def _send_at(
    session: AsyncSession, reference: str, version: int, moment: datetime, actor: str
) -> IssueRecord:
    row = await _row(session, reference)
    _require_text(row)
    values = {"state": IssueState.SCHEDULED, "scheduled_at": moment, "due_at": moment}
    return await _change_state(session, reference, version, actor, IssueState.DRAFT, values)


async def _change_state(
    session: AsyncSession, reference: str, version: int, actor: str, was: IssueState, values: dict[str, Any]
) -> IssueRecord:
    """Change an issue that `was` in a state. The job may begin to send it at any moment, with a new version."""
    row = await _row(session, reference)
    if row.version == version and row.state is not was:
        raise Conflict(f"This issue is {row.state} now, so this cannot be done.")
    marks = {"editor": actor, "updated_at": now()}
    if not await update_record(session, NewsletterIssue, row.id, version, **values, **marks):
        raise StaleRecord(reference, await find(session, reference))
    return await find(session, reference)


async def _row(session: AsyncSession, reference: str) -> NewsletterIssue:
    found = select(NewsletterIssue).where(NewsletterIssue.reference == reference)
    return await find_one(session, found, f"There is no issue {reference}.", fresh=True)


def _columns(draft: IssueDraft) -> dict[str, Any]:
    return {
        "slug": draft.slug,
        "title": draft.title,
        "summary": draft.summary,
        "text": draft.text,
        "interests": [interest.value for interest in draft.interests],
    }


def _require_text(row: NewsletterIssue) -> None:
    if not row.text.strip():
        message = "Please write the text first."
        raise InputRejected(message, (FieldError("text", message),))


def _require_links_and_pictures(draft: IssueDraft) -> None:
    """Raise InputRejected for a link that would lead nowhere, and a picture that readers would see as broken, or not at all."""
    for target in list_dead_links(draft.text):
        message = (
            f"The link {unquote(target)} leads nowhere. Links begin with https://, or with / such as /book."
        )
        raise InputRejected(message, (FieldError("text", message),))
    for source in list_pictures(draft.text):
        if not source.startswith("/"):
            message = (
                f"{source} is not a picture of ours. Pictures begin with /images/, such as /images/map.svg."
            )
        elif not _ASSETS.joinpath(unquote(urlsplit(source).path).lstrip("/")).is_file():
            message = f"There is no picture {source}. Please check its address."
        else:
            continue
        raise InputRejected(message, (FieldError("text", message),))


def _taken() -> InputRejected:
    message = "Another issue already has this address. Please choose a different one."
    return InputRejected(message, (FieldError("slug", message),))
