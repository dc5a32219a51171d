"""Mails to people on waiting lists."""

from urllib.parse import urlencode

from agency_site.clock import format_moment
from agency_site.content.mail_texts import MailWords, write_words
from agency_site.features.academy.learners.emails import QUESTIONS
from agency_site.features.academy.runs.records import RunRecord
from agency_site.features.academy.waiting_list.records import WaitingRecord
from agency_site.mail.rules import Message
from agency_site.settings import settings

WAITING_JOINED, PLACE_OFFERED = "waiting-joined", "waiting-offer"

_SEE_ENTRY = "View or leave the waiting list"

_OFFER_COMES = "As soon as a place is free and you are first in line, we keep it for you for a while and e-mail you a link."

_PAID_WAITS = (
    "You have already paid, so you come first: as soon as places are free they are yours, and we e-mail you."
)


def build_waiting_link(token: str) -> str:
    """Return the absolute address of the private page of a waiting list entry."""
    return f"{settings().site_url}/waiting/{token}"


def build_place_link(course_slug: str, token: str) -> str:
    """Return the address of the payment page on which the owner of the token buys the kept place."""
    return f"{settings().site_url}/payment?{urlencode({'course': course_slug, 'place': token})}"


def waiting_confirmation(entry: WaitingRecord, run: RunRecord, token: str) -> Message:
    """Ask a person to confirm their entry, or confirm that they are on the list if their address or order is known."""
    if entry.confirmed_at is None:
        return _write_to_waiting(
            entry,
            run,
            WAITING_JOINED,
            write_words("waiting-asked", course=run.course_name, start=_format_start(run)),
            "Do you want to wait for a place?",
            "If this was not you, please ignore this e-mail: without your confirmation we will send no more.",
            actions=(("Confirm your place on the list", build_waiting_link(token)),),
        )
    return _write_to_waiting(
        entry,
        run,
        WAITING_JOINED,
        write_words(WAITING_JOINED, course=run.course_name, start=_format_start(run)),
        "You are on the waiting list",
        _PAID_WAITS if entry.order_id else _OFFER_COMES,
        actions=((_SEE_ENTRY, build_waiting_link(token)),),
    )


def place_offer(entry: WaitingRecord, run: RunRecord, token: str) -> Message:
    """Tell a person on the waiting list that a place is kept for them."""
    assert entry.reserved_until is not None
    return _write_to_waiting(
        entry,
        run,
        PLACE_OFFERED,
        _write_offer(entry, run, format_moment(entry.reserved_until)),
        "A place is kept for you" if entry.places == 1 else f"{entry.places} places are kept for you",
        actions=(
            (
                "Take the place" if entry.places == 1 else "Take the places",
                build_place_link(run.course_slug, token),
            ),
            (_SEE_ENTRY, build_waiting_link(token)),
        ),
    )


def find_offer_words(entry: WaitingRecord) -> str:
    """Return the key of the words of an offer."""
    return PLACE_OFFERED if entry.places == 1 else "waiting-offer-several"


def _write_offer(entry: WaitingRecord, run: RunRecord, until: str) -> MailWords:
    values = {"course": run.course_name, "start": _format_start(run), "until": until}
    return write_words(find_offer_words(entry), places=str(entry.places), **values)


def _write_to_waiting(
    entry: WaitingRecord,
    run: RunRecord,
    kind: str,
    words: MailWords,
    heading: str,
    *paragraphs: str,
    actions: tuple[tuple[str, str], ...],
) -> Message:
    return Message(
        kind=kind,
        to=entry.email,
        to_name=entry.fullname,
        subject=words.subject,
        heading=heading,
        paragraphs=(f"Hello {entry.fullname},", *words.opening, *paragraphs),
        facts=(("Reference", entry.reference), ("Course", run.course_name), ("Course run", run.reference)),
        actions=actions,
        closing=(QUESTIONS,),
        about=entry.reference,
    )


def _format_start(run: RunRecord) -> str:
    return f"{format_moment(run.starts_at)}, Nairobi time"
