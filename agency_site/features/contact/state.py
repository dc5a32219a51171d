"""The states of the contact form and of the plan sign-up form."""

from typing import Any

import reflex as rx

from agency_site.antispam.admission import admit
from agency_site.antispam.rules import Form
from agency_site.content.hosting import PLANS
from agency_site.db.engine import session_scope
from agency_site.errors import InputRejected
from agency_site.features.contact.request import subject_from_address
from agency_site.features.contact.usecases import take_message, take_signup
from agency_site.mail.rules import MAIL_LIMIT_NOTICE
from agency_site.ui.form_result import FormResult
from agency_site.ui.forms import submitted

_PLAN_NAMES = tuple(plan.name for plan in PLANS)


class ContactDesk(FormResult, rx.State):
    """The form on `/contact`."""

    subject: rx.Field[str] = rx.field("")
    """What the link that led here proposes."""

    @rx.event
    def open_desk(self) -> None:
        """Propose the subject of the address."""
        self.subject = subject_from_address(self.router.url.query_parameters.get("subject", ""))

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        """Send the message to staff; what was typed stays unless it worked."""
        self._clear()
        try:
            await admit(Form.CONTACT, form, self.router.session.client_ip)
            async with session_scope() as session:
                taken = await take_message(session, submitted(form))
        except InputRejected as rejected:
            self._show_errors(rejected)
            return
        self.subject = ""
        name = taken.typed.name
        thanks = f"Thank you for your message, {name}!" if name else "Thank you for your message!"
        self._show_thanks(thanks, "" if taken.acknowledged else MAIL_LIMIT_NOTICE)


class SignupDesk(FormResult, rx.State):
    """The form on `/signup/…`."""

    plan: rx.Field[str] = rx.field("")
    """Name of the plan that was chosen in the form; empty: the plan of the address."""

    @rx.event
    def begin(self) -> None:
        """Forget the last answer and choice: the form was opened."""
        self._clear()
        self.plan = ""

    @rx.event
    def choose(self, plan: str) -> None:
        """Show another plan beside the form; an unknown one is ignored."""
        if plan in _PLAN_NAMES:
            self.plan = plan

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        """Send the sign-up to staff; what was typed stays unless it worked."""
        self._clear()
        try:
            await admit(Form.SIGNUP, form, self.router.session.client_ip)
            async with session_scope() as session:
                taken = await take_signup(session, submitted(form))
        except InputRejected as rejected:
            self._show_errors(rejected)
            return
        self.plan = ""
        # The text is the specification's (section 8).
        thanks = f"Thank you for choosing our {taken.typed.plan} plan! We’ll contact you shortly."  # noqa: RUF001
        self._show_thanks(thanks, "" if taken.acknowledged else MAIL_LIMIT_NOTICE)
