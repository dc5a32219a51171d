"""The course runs in which visitors can buy places."""

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import format_moment
from agency_site.errors import FieldError, InputRejected, NotFound
from agency_site.features.academy.reservations.usecases import find_waiting_runs
from agency_site.features.academy.runs.records import (
    RunRecord,
    find_run,
    list_runs_on_offer,
    list_unfinished_runs,
)
from agency_site.features.academy.runs.rules import describe_free
from agency_site.places import ComingRun, Offer, RunStart

_NOT_ON_OFFER = "This course run no longer takes learners. Please choose another."


async def list_offers(session: AsyncSession, course_slug: str = "") -> tuple[Offer, ...]:
    """Return the runs on offer; a run with a waiting list has no free place for other buyers."""
    runs = await list_runs_on_offer(session, course_slug)
    waiting = await find_waiting_runs(session, [run.id for run in runs]) if runs else ()
    # Freed places go to the waiting list first.
    return tuple(_describe_offer(run, 0 if run.id in waiting else run.free) for run in runs)


async def find_offer(session: AsyncSession, course_slug: str, run: str) -> Offer:
    """Return the course's run of that reference. Raises InputRejected if it is not on offer."""
    offers = await list_offers(session, course_slug)
    chosen = next((offer for offer in offers if offer.run == run), None)
    if chosen is None:
        raise InputRejected(_NOT_ON_OFFER, (FieldError("run", _NOT_ON_OFFER),))
    return chosen


async def find_run_start(session: AsyncSession, run: str) -> RunStart | None:
    """Return the start of the run of that reference, or None."""
    try:
        run_record = await find_run(session, run)
    except NotFound:
        return None
    return RunStart(run_record.reference, run_record.starts_at)


async def list_coming_runs(session: AsyncSession) -> tuple[ComingRun, ...]:
    """Return the open and planned runs with course, start and reference in one line of text."""
    return tuple(
        ComingRun(
            run.reference,
            run.course_slug,
            f"{run.course_name}, {format_moment(run.starts_at)} ({run.reference})",
        )
        for run in await list_unfinished_runs(session)
    )


def _describe_offer(run: RunRecord, free: int | None) -> Offer:
    left = describe_free(free)
    text = f"Starts {format_moment(run.starts_at)}" + (f", {left}" if left else "")
    return Offer(run.course_slug, run.reference, run.price, run.starts_at, free, text)
