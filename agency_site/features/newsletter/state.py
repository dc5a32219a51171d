"""The newsletter forms: footer, boxes on content pages, and the newsletter page."""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from agency_site.antispam.admission import admit
from agency_site.antispam.rules import Form
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected
from agency_site.features.newsletter.archive import list_sent
from agency_site.features.newsletter.rules import read_wish
from agency_site.features.newsletter.usecases import subscribe, subscribe_with_consent
from agency_site.ui.forms import submitted


class _NewsletterForm(rx.State, mixin=True):
    """Thanks for five seconds after a subscription, or the reason why there was none."""

    _source: str = "footer"

    thanked: rx.Field[bool] = rx.field(False)
    error: rx.Field[str] = rx.field("")
    round: rx.Field[int] = rx.field(0)
    """Counts subscriptions: the form is emptied after each."""

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        """Store the address; blank after trimming does nothing (specification, section 5)."""
        self.error = ""
        try:
            address = self.router.session.client_ip
            await admit(Form.NEWSLETTER_BOX, form, address)
            async with session_scope() as session:
                stored = await subscribe(session, submitted(form).get("email", ""), self._source, address)
        except InputRejected as rejected:
            self.error = rejected.message
            return
        if stored:
            self.thanked = True
            self.round += 1

    @rx.event
    def clear_thanks(self) -> None:
        """Hide the thank-you message."""
        self.thanked = False


class FooterNewsletter(_NewsletterForm, rx.State):
    """The footer's form."""


class BoxNewsletter(_NewsletterForm, rx.State):
    """The box on content pages."""

    _source: str = "box"


RECENT = 4
"""Letters that the newsletter page lists above those that content holds."""


@dataclass
class Letter:
    """A letter that went out, as the page lists it."""

    number: int
    day: str
    title: str
    summary: str
    href: str


class NewsletterDesk(rx.State):
    """The form on `/newsletter`."""

    errors: dict[str, str] = {}
    subscribed: rx.Field[str] = rx.field("")
    """The address that has just subscribed; empty while the form stands."""

    past: rx.Field[list[Letter]] = rx.field(default_factory=list)
    """The newest letters that staff sent, newest first."""

    @rx.event
    async def open_letters(self) -> None:
        """List what went out since the site was built."""
        async with read_scope() as session:
            sent = await list_sent(session, RECENT)
        self.past = [Letter(one.number, one.day, one.title, one.summary, one.href) for one in sent]

    @rx.event
    def again(self) -> None:
        """Back to the form, which is drawn afresh."""
        self.errors, self.subscribed = {}, ""

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        """Store the address with its interests; email and consent are required."""
        self.errors = {}
        try:
            address = self.router.session.client_ip
            await admit(Form.NEWSLETTER, form, address)
            wish = read_wish(submitted(form))
            async with session_scope() as session:
                stored = await subscribe_with_consent(session, wish, "newsletter", address)
        except InputRejected as rejected:
            self.errors = rejected.by_field()
            return
        self.subscribed = stored.email
