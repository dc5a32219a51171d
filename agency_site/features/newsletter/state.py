"""The states of the newsletter forms: footer, boxes on content pages, and the newsletter page."""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.db.engine import session_scope
from agency_site.errors import InputRejected
from agency_site.features.newsletter.request import INVALID_EMAIL, ConsentedSubscription, Subscription
from agency_site.features.newsletter.usecases import subscribe
from agency_site.form_input import read_form
from agency_site.ui.form_guard import GuardedForm
from agency_site.ui.form_result import FormResult
from agency_site.visits.cookie import parse_origin
from agency_site.visits.rules import Origin


class _BoxForm(GuardedForm, mixin=True):
    """A form of one field. It shows thanks for five seconds after a subscription, or an error."""

    _source: str = "footer"

    thanked: rx.Field[bool] = rx.field(False)
    error: rx.Field[str] = rx.field("")
    round: rx.Field[int] = rx.field(0)
    """A counter of subscriptions: the form is cleared after each."""

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        await self._subscribe(
            form, self.router.session.client_ip, admit, parse_origin(self.router.headers.cookie)
        )
        self.answers += 1

    async def _subscribe(
        self, form: Mapping[str, Any], address: str, admission: Admission, origin: Origin
    ) -> None:
        """Store the address. A blank one is ignored (specification, section 5)."""
        self.error = ""
        try:
            await admission(Form.NEWSLETTER_BOX, form, address)
            subscription = read_form(Subscription, form, INVALID_EMAIL).from_visit(origin)
            if not subscription.email:
                return
            async with session_scope() as session:
                await subscribe(session, subscription, self._source, address)
        except InputRejected as rejected:
            self.error = rejected.message
            return
        self.thanked = True
        self.round += 1

    @rx.event
    def clear_thanks(self) -> None:
        self.thanked = False


class FooterNewsletter(_BoxForm, rx.State):
    """The footer's form."""


class BoxNewsletter(_BoxForm, rx.State):
    """The box on content pages."""

    _source: str = "box"


class NewsletterForm(FormResult, rx.State):
    """The form on `/newsletter`."""

    subscribed: rx.Field[str] = rx.field("")
    """The address that has just subscribed. Empty while the form is shown."""

    @rx.event
    def subscribe_again(self) -> None:
        self.subscribed = ""

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        await self._subscribe(
            form, self.router.session.client_ip, admit, parse_origin(self.router.headers.cookie)
        )
        self.answers += 1

    async def _subscribe(
        self, form: Mapping[str, Any], address: str, admission: Admission, origin: Origin
    ) -> None:
        """Store the address with its interests. Email and consent are required."""
        with self._showing_errors():
            await admission(Form.NEWSLETTER, form, address)
            subscription = read_form(ConsentedSubscription, form).from_visit(origin)
            async with session_scope() as session:
                await subscribe(session, subscription, "newsletter", address)
            self._clear()
            self.subscribed = subscription.email
