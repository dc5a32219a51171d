"""Use cases of staff for newsletter issues: write, test, schedule.

`actor` is the e-mail address of the member of staff. A function with a `version` changes the issue only if that is its
present version, and raises StaleRecord otherwise.
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
from agency_site.content.link_targets import list_dead_links
from agency_site.content.markdown import find_text_problem, list_links, list_pictures
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
_SCHEDULE_LIMIT = timedelta(days=366)
"""The furthest time ahead for which an issue can be scheduled."""
_DOUBLE_CLICK = timedelta(seconds=5)
_ASSETS = ROOT / "assets"


@dataclass(frozen=True)
class IssueRecord(ReadModel):
    """An issue as it was when it was read."""

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
    """Return the issue with that reference. Raises NotFound."""
    return IssueRecord.of(await _find_row(session, reference))


async def count(session: AsyncSession, state: IssueState) -> int:
    """Count the issues in that state."""
    return (await session.exec(select(func.count()).where(col(NewsletterIssue.state) == state))).one()


async def count_readers(session: AsyncSession, interests: Iterable[str]) -> int:
    """Count the subscribers for whom an issue with these interests is. Without interests, count all."""
    stored_interests = cast(col(Subscriber.interests), String)
    counts = await session.exec(
        select(stored_interests, func.count()).where(is_reachable()).group_by(stored_interests)
    )
    topics = list(interests)
    return sum(number for text, number in counts if fits(json.loads(text), topics))


async def create(session: AsyncSession, draft: IssueDraft, actor: str) -> IssueRecord:
    """Store a new draft. Raises InputRejected for an address that exists, and for a broken link or picture."""
    _require_links_and_pictures(draft)
    moment = now()
    row: dict[str, Any] = _draft_columns(draft) | {
        "state": IssueState.DRAFT, "author": actor, "editor": actor, "version": 1, "created_at": moment,
        "updated_at": moment, "last_subscriber_id": 0, "audience": 0, "processed": 0, "mails_created": 0, "mails_refused": 0,
    }  # fmt: skip
    same_slug = col(NewsletterIssue.slug) == draft.slug
    insertion = await insert_or_find(
        session, NewsletterIssue, row, REFERENCE, (draft.title, draft.slug), same_slug
    )
    if not insertion.new:
        raise _slug_exists()
    return await find(session, insertion.reference)


async def save(
    session: AsyncSession, reference: str, version: int, draft: IssueDraft, actor: str
) -> IssueRecord:
    """Change a draft. Raises NotFound, Conflict if it is no longer a draft, StaleRecord, and InputRejected."""
    _require_links_and_pictures(draft)
    await wait_for_turn(session, "newsletter-slug")
    same_slug = select(NewsletterIssue.id).where(
        col(NewsletterIssue.slug) == draft.slug, col(NewsletterIssue.reference) != reference
    )
    if (await session.exec(same_slug)).first() is not None:
        raise _slug_exists()
    values = _draft_columns(draft) | {"search": search_text(reference, draft.title, draft.slug)}
    return await _change_state(session, reference, version, actor, IssueState.DRAFT, values)


async def schedule(
    session: AsyncSession, reference: str, version: int, moment: datetime, actor: str
) -> IssueRecord:
    """Schedule the issue for `moment` (aware). Raises InputRejected for a moment outside the limits or an empty text."""
    if not now() < moment <= now() + _SCHEDULE_LIMIT:
        message = "Please choose a time from now on, at most a year ahead."
        raise InputRejected(message, (FieldError("moment", message),))
    return await _send_at(session, reference, version, moment, actor)


async def send_now(session: AsyncSession, reference: str, version: int, actor: str) -> IssueRecord:
    """Send the issue at once. Raises the errors of `schedule`."""
    return await _send_at(session, reference, version, now(), actor)


async def unschedule(session: AsyncSession, reference: str, version: int, actor: str) -> IssueRecord:
    """Make the issue a draft again. Raises NotFound, Conflict if sending has begun, and StaleRecord."""
    values = {"state": IssueState.DRAFT, "scheduled_at": None, "due_at": None}
    return await _change_state(session, reference, version, actor, IssueState.SCHEDULED, values)


async def send_test(session: AsyncSession, reference: str, actor: str) -> None:
    """Send the saved issue to the member of staff only. Raises NotFound, InputRejected, and Conflict for a double click."""
    row = await _find_row(session, reference)
    _require_text(row)
    message = emails.issue_test_mail(row, actor, await store_shared_body(session, row.text))
    key = f"newsletter-test:{reference}:{row.version}:{actor}"
    if await enqueue_unless_repeated(session, message, key=key, window=_DOUBLE_CLICK) is None:
        raise Conflict("This test has just been sent.")


async def _send_at(
    session: AsyncSession, reference: str, version: int, moment: datetime, actor: str
) -> IssueRecord:
    row = await _find_row(session, reference)
    _require_text(row)
    values = {"state": IssueState.SCHEDULED, "scheduled_at": moment, "due_at": moment}
    return await _change_state(session, reference, version, actor, IssueState.DRAFT, values)


async def _change_state(
    session: AsyncSession, reference: str, version: int, actor: str, was: IssueState, values: dict[str, Any]
) -> IssueRecord:
    """Change an issue in the state `was`. The job may begin to send it at any moment, which changes its version."""
    row = await _find_row(session, reference)
    if row.version == version and row.state is not was:
        raise Conflict(f"This issue is now {row.state}, so it cannot be changed in this way.")
    edit_columns = {"editor": actor, "updated_at": now()}
    if not await update_record(session, NewsletterIssue, row.id, version, **values, **edit_columns):
        raise StaleRecord(reference, await find(session, reference))
    return await find(session, reference)


async def _find_row(session: AsyncSession, reference: str) -> NewsletterIssue:
    query = select(NewsletterIssue).where(NewsletterIssue.reference == reference)
    return await find_one(session, query, f"There is no issue {reference}.", fresh=True)


def _draft_columns(draft: IssueDraft) -> dict[str, Any]:
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
    """Raise InputRejected for a broken link, and for a picture or a notation that readers could not see."""
    for source, _description in list_pictures(draft.text):
        if not source.startswith("/"):
            message = f"{source} is not one of our pictures. Their addresses begin with /images/, such as /images/map.svg."
        elif not _ASSETS.joinpath(unquote(urlsplit(source).path).lstrip("/")).is_file():
            message = f"There is no picture {source}. Please check its address."
        else:
            continue
        raise InputRejected(message, (FieldError("text", message),))
    if message := find_text_problem(draft.text):
        raise InputRejected(message, (FieldError("text", message),))
    for target in list_dead_links(list_links(draft.text)):
        message = f"A link leads to {unquote(target)}, where this site has no page."
        raise InputRejected(message, (FieldError("text", message),))


def _slug_exists() -> InputRejected:
    message = "Another issue already has this address. Please choose a different one."
    return InputRejected(message, (FieldError("slug", message),))
