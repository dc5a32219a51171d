"""Ten thousand scripted posts publish nothing and send no more mail than is allowed, with one process and with many machines."""

import asyncio
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel
from sqlmodel import func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site import clock
from agency_site.antispam.admission import admit_post
from agency_site.antispam.limiter import close_limiters
from agency_site.antispam.rules import HONEYPOT_FIELD, STAMP_FIELD, Form, NotAdmitted
from agency_site.antispam.stamps import new_stamp
from agency_site.content.webinars import upcoming
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.tables import Comment
from agency_site.features.comments.usecases import list_approved, receive_comment
from agency_site.features.contact.request import ContactMessage, PlanSignup
from agency_site.features.contact.tables import Enquiry
from agency_site.features.contact.usecases import receive_message, receive_signup
from agency_site.features.newsletter.request import Subscription
from agency_site.features.newsletter.usecases import subscribe
from agency_site.features.webinars.request import RegistrationRequest
from agency_site.features.webinars.usecases import register
from agency_site.form_input import read_form
from agency_site.mail.rules import MailLimitReached
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import Settings
from tests.conftest import FRIDAY_NOON
from tests.example_records import ARTICLE

Fields = Mapping[str, str]
TOTAL = 10_000
PER_ADDRESS, PER_FORM, AN_HOUR = 5, 25, 3
ADDRESSES = [f"203.0.113.{number}" for number in range(40)]
VICTIM = "victim@shop.example"
WORDS: dict[Form, dict[str, str]] = {
    Form.CONTACT: {"name": "Bot", "email": VICTIM, "message": "Buy {n}"},
    Form.SIGNUP: {
        "fullName": "Bot {n}", "email": VICTIM, "phone": "0712 345 678", "domainType": "new",
        "domainName": "bot.co.ke", "plan": "Growth",
    },
    Form.COMMENT: {"article": ARTICLE.slug, "name": "Bot", "email": VICTIM, "comment": "Buy {n}"},
    Form.NEWSLETTER_BOX: {"email": VICTIM, "more": "{n}"},
    Form.WEBINAR_REGISTRATION: {"webinar": upcoming()[-1].id, "fullName": "Bot {n}", "email": VICTIM},
}  # fmt: skip


async def _subscribe(session: AsyncSession, form: Fields) -> object:
    return await subscribe(session, read_form(Subscription, form), "footer")


def _parsing(
    shape: type[BaseModel], verb: Callable[..., Awaitable[object]]
) -> Callable[..., Awaitable[object]]:
    return lambda session, form: verb(session, read_form(shape, form))


USE_CASES: dict[Form, Callable[[AsyncSession, Fields], Awaitable[object]]] = {
    Form.CONTACT: _parsing(ContactMessage, receive_message),
    Form.SIGNUP: _parsing(PlanSignup, receive_signup),
    Form.COMMENT: _parsing(CommentRequest, receive_comment),
    Form.NEWSLETTER_BOX: _subscribe,
    Form.WEBINAR_REGISTRATION: _parsing(RegistrationRequest, register),
}


@dataclass
class Crowd:
    """Programs that post, and the responses that they got."""

    posted: int = 0
    let_through: Counter[Form] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    _numbers: Iterable[int] = field(default_factory=itertools.count)

    async def post(self, form: Form, stamp: str, **more: str) -> None:
        """Post a form as a browser does by itself: admission, then the use case."""
        number = next(iter(self._numbers))
        fields = {name: text.format(n=number) for name, text in WORDS[form].items()}
        fields |= {STAMP_FIELD: stamp, HONEYPOT_FIELD: ""} | more
        self.posted += 1
        try:
            await admit_post(form, fields, ADDRESSES[number % len(ADDRESSES)])
            async with session_scope() as session:
                await USE_CASES[form](session, fields)
            self.let_through[form] += 1
        except NotAdmitted as refused:
            self.refusals[refused.message.partition(",")[0].partition(".")[0]] += 1
        except MailLimitReached:
            self.refusals["mailbox full"] += 1


@pytest.fixture
def stricter(database: str, configure: Callable[..., Settings], request: pytest.FixtureRequest) -> Settings:
    """Provide SQLite with counts in memory, as on a laptop, and PostgreSQL with counts in Redis, as on many machines."""
    redis = "" if database.startswith("sqlite") else request.getfixturevalue("redis").url
    return configure(
        database_url=database,
        redis_url=redis,
        rate_limit_sends=f"{PER_ADDRESS}/10 minutes",
        rate_limit_form=f"{PER_FORM}/hour",
        mails_per_recipient_hour=AN_HOUR,
    )


def old_stamp() -> str:
    """Return the stamp of a page that was opened long enough ago."""
    with clock.frozen(FRIDAY_NOON - timedelta(seconds=5)):
        return new_stamp()


async def another_process() -> None:
    """Continue as a process that has just started; shared counts are in Redis."""
    await close_limiters()


async def rows(statement: Any) -> list[Any]:
    async with read_scope() as session:
        return list((await session.exec(statement)).all())


async def storm(crowd: Crowd, shared: bool) -> None:
    """Every kind of post that is no visitor's, and more valid ones than a visitor may send."""
    forms = list(WORDS)
    for number in range(2_500):
        await crowd.post(forms[number % 5], ("", "junk", "1-2", "9" * 30)[number % 4])
    early, proper = new_stamp(), old_stamp()
    for number in range(1_500):
        await crowd.post(forms[number % 5], early)
    for number in range(2_000):
        await crowd.post(forms[number % 5], proper, **{HONEYPOT_FIELD: "http://spam.example"})
    for _ in range(30):
        await asyncio.gather(*(crowd.post(forms[place % 5], proper) for place in range(50)))
    if shared:
        await another_process()
    for number in range(TOTAL - crowd.posted):
        await crowd.post(forms[number % 5], proper)


async def test_ten_thousand_scripted_posts_publish_nothing_and_send_what_is_allowed(
    stricter: Settings, noon: datetime
) -> None:
    crowd = Crowd()
    await close_limiters()
    try:
        await storm(crowd, shared=bool(stricter.redis_url))
    finally:
        await close_limiters()

    assert crowd.posted == TOTAL
    assert set(crowd.let_through) == set(WORDS)
    assert max(crowd.let_through.values()) <= PER_FORM
    async with read_scope() as session:
        assert await list_approved(session, ARTICLE.slug) == ()
    assert await rows(select(func.count()).select_from(Comment)) == [crowd.let_through[Form.COMMENT]]
    enquiries = crowd.let_through[Form.CONTACT] + crowd.let_through[Form.SIGNUP]
    assert await rows(select(func.count()).select_from(Enquiry)) == [enquiries]

    mail_counts = Counter(
        kind for kind, to in await rows(select(OutboxMessage.kind, OutboxMessage.to)) if to == VICTIM
    )
    assert mail_counts == {
        "message-received": AN_HOUR,
        "signup-received": AN_HOUR,
        "comment-received": AN_HOUR,
        "newsletter-confirm": 1,
        "registration-confirmed": 1,
    }
    notices = await rows(
        select(func.count()).where(OutboxMessage.to != VICTIM, OutboxMessage.kind != "staff-notices")
    )
    assert notices == [enquiries + crowd.let_through[Form.COMMENT] + 1]
    assert set(crowd.refusals) >= {
        "Please check what you typed",
        "That was too fast: please take at least 2 seconds to fill in the form",
        "A hidden field was filled in",
        "Too many messages from your network",
    }
