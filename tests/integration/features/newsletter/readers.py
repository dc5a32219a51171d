"""Subscribers for tests, and their mails."""

import re

from sqlmodel import select

from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.inserts import insert_new
from agency_site.features.newsletter import usecases as confirming
from agency_site.features.newsletter.request import ConsentedSubscription, Subscription
from agency_site.features.newsletter.rules import Interest, SubscriberState, tick_name
from agency_site.features.newsletter.tables import Delivery, NewsletterIssue, OptIn, Subscriber
from agency_site.features.newsletter.usecases import subscribe
from agency_site.form_input import read_form
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import list_newest_messages

AMINA = "amina@shop.example"


def consented(email: str, *interests: Interest) -> ConsentedSubscription:
    """The form of the newsletter page."""
    ticks = {tick_name(interest): "on" for interest in interests}
    return read_form(ConsentedSubscription, {"email": email, "consent": "on", **ticks})


async def join(email: str = AMINA, source: str = "footer", address: str = "") -> Subscriber:
    """Subscribe an address with a form of one field."""
    async with session_scope() as session:
        return await subscribe(session, read_form(Subscription, {"email": email}), source, address)


async def fill_in_form(*interests: Interest, email: str = AMINA, address: str = "") -> Subscriber:
    """Subscribe an address with the form of the newsletter page."""
    async with session_scope() as session:
        return await subscribe(session, consented(email, *interests), "newsletter", address)


async def mails(email: str = AMINA, kind: str = "") -> list[OutboxMessage]:
    """Return the mails to an address, oldest first."""
    async with read_scope() as session:
        newest = await list_newest_messages(session, 500)
    return [mail for mail in reversed(newest) if mail.to == email and kind in ("", mail.kind)]


def path_in(mail: OutboxMessage, page: str) -> str:
    """The path of a page that the mail links to, such as `confirm`."""
    match = re.search(rf"/newsletter/{page}/[\w-]+", mail.text)
    assert match is not None
    return match.group()


def token_in(mail: OutboxMessage, page: str) -> str:
    """The token of that link."""
    return path_in(mail, page).rpartition("/")[2]


async def confirm(email: str = AMINA, address: str = "203.0.113.9") -> str:
    """Confirm the newest request and return the token of the private link."""
    token = token_in((await mails(email, "newsletter-confirm"))[-1], "confirm")
    async with session_scope() as session:
        return (await confirming.confirm(session, token, address))[1]


async def reader(email: str = AMINA, *interests: Interest) -> str:
    """Create a confirmed subscriber and return the token of the private link."""
    await fill_in_form(*interests, email=email)
    return await confirm(email)


async def crowd(count: int, **values: object) -> None:
    """Store many confirmed subscribers."""
    columns = {
        "source": "footer", "state": SubscriberState.SUBSCRIBED, "interests": [], "version": 1, "search": "",
        "created_at": now(), **values,
    }  # fmt: skip
    rows = [
        columns | {"reference": f"NL-{n:06}", "email": f"reader{n}@shop.example", "token_seed": f"seed-{n}"}
        for n in range(count)
    ]
    async with session_scope() as session:
        await insert_new(session, Subscriber, rows)


async def stored_subscriber(email: str = AMINA) -> Subscriber:
    """The subscriber of an address."""
    async with read_scope() as session:
        return (await session.exec(select(Subscriber).where(Subscriber.email == email))).one()


async def list_sources() -> list[tuple[str, str]]:
    """Return the address and source of all subscribers."""
    async with read_scope() as session:
        return [(row.email, row.source) for row in await session.exec(select(Subscriber))]


async def opt_ins() -> list[OptIn]:
    """Return the opt-ins, oldest first."""
    async with read_scope() as session:
        return list((await session.exec(select(OptIn).order_by(OptIn.id))).all())  # type: ignore[arg-type]


async def deliveries() -> list[Delivery]:
    """Return the deliveries of all issues."""
    async with read_scope() as session:
        return list((await session.exec(select(Delivery))).all())


async def issue_row(reference: str) -> NewsletterIssue:
    """Return the row of an issue."""
    async with read_scope() as session:
        query = select(NewsletterIssue).where(NewsletterIssue.reference == reference)
        return (await session.exec(query)).one()
