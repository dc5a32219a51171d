"""The states of the contact form and the plan sign-up form."""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.content.hosting import plans
from agency_site.db.engine import session_scope
from agency_site.features.contact.request import ContactMessage, PlanSignup, subject_from_address
from agency_site.features.contact.usecases import receive_message, receive_signup
from agency_site.form_input import read_form
from agency_site.mail.rules import MAIL_LIMIT_NOTICE
from agency_site.ui.form_result import FormResult
from agency_site.visits.cookie import parse_origin
from agency_site.visits.rules import Origin


class ContactForm(FormResult, rx.State):
    """The form on `/contact`."""

    subject: rx.Field[str] = rx.field("")
    """The subject that the link to the page proposed."""

    @rx.event
    def open_form(self) -> None:
        self.subject = subject_from_address(self.router.url.query_parameters.get("subject", ""))

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        await self._send(form, self.router.session.client_ip, admit, parse_origin(self.router.headers.cookie))
        self.answers += 1

    async def _send(
        self, form: Mapping[str, Any], address: str, admission: Admission, origin: Origin
    ) -> None:
        """Store the message. The form is cleared only if that succeeds."""
        with self._showing_errors():
            await admission(Form.CONTACT, form, address)
            message = read_form(ContactMessage, form).from_visit(origin)
            async with session_scope() as session:
                acknowledged = await receive_message(session, message)
            self.subject = ""
            name = f", {message.name}" if message.name else ""
            self._show_thanks(f"Thank you for your message{name}!", "" if acknowledged else MAIL_LIMIT_NOTICE)


def thank_for_signup(plan: str) -> str:
    """Return the thanks in the words of the specification (section 8)."""
    return f"Thank you for choosing our {plan} plan! We’ll contact you shortly."  # noqa: RUF001


class SignupForm(FormResult, rx.State):
    """The form on `/signup/…`."""

    plan: rx.Field[str] = rx.field("")
    """The plan's name that was chosen in the form. Empty for the plan of the address."""

    @rx.event
    def choose_plan(self, plan: str) -> None:
        if plan in [offered.name for offered in plans()]:
            self.plan = plan

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        await self._sign_up(
            form, self.router.session.client_ip, admit, parse_origin(self.router.headers.cookie)
        )
        self.answers += 1

    async def _sign_up(
        self, form: Mapping[str, Any], address: str, admission: Admission, origin: Origin
    ) -> None:
        """Store the sign-up. The form is cleared only if that succeeds."""
        with self._showing_errors():
            await admission(Form.SIGNUP, form, address)
            signup = read_form(PlanSignup, form).from_visit(origin)
            async with session_scope() as session:
                acknowledged = await receive_signup(session, signup)
            self.plan = ""
            self._show_thanks(thank_for_signup(signup.plan), "" if acknowledged else MAIL_LIMIT_NOTICE)
