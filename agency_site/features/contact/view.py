"""The contact form and the plan sign-up form."""

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.content.hosting import PLANS
from agency_site.features.contact.request import DOMAIN_LENGTH, MESSAGE_LENGTH, SUBJECT_LENGTH
from agency_site.features.contact.state import ContactDesk, SignupDesk
from agency_site.form_input import EMAIL_LENGTH, NAME_LENGTH, PHONE_LENGTH
from agency_site.ui.behaviours import ResetAfter
from agency_site.ui.choices import one_of
from agency_site.ui.elements import button, text_link
from agency_site.ui.form_guard import guard
from agency_site.ui.form_result import form_result
from agency_site.ui.forms import field, select_field, small_print, text_area

CONTACT, SIGNUP = "contact", "signup"


def contact_form() -> rx.Component:
    """Name, email, subject, message; only the email has a type, and no box is marked required (section 5)."""
    errors = ContactDesk.errors
    return rx.fragment(
        rx.el.form(
            rx.el.div(
                field("Name", "name", form=CONTACT, error=errors["name"], auto_complete="name",
                      max_length=NAME_LENGTH, required=False),
                field("Email", "email", form=CONTACT, error=errors["email"], type="email", auto_complete="email",
                      max_length=EMAIL_LENGTH, required=False),
                class_name="grid gap-x-5 sm:grid-cols-2",
            ),
            field("Subject", "subject", form=CONTACT, error=errors["subject"], max_length=SUBJECT_LENGTH,
                  required=False, default_value=ContactDesk.subject),
            text_area("Message", "message", form=CONTACT, error=errors["message"], rows="6",
                      max_length=MESSAGE_LENGTH, required=False),
            button("Send message", type="submit", class_name="w-full sm:w-auto"),
            guard(),
            small_print(),
            id="contact-form",
            on_mount=ContactDesk.begin,
            on_submit=ContactDesk.submit,
            custom_attrs={"noValidate": True},
            aria_label="Write to us",
        ),
        ResetAfter.create(when=ContactDesk.round, target="contact-form"),
        form_result(ContactDesk, "contact-sent", _urgent()),
    )  # fmt: skip


def signup_form(plan: str) -> rx.Component:
    """All fields of a plan sign-up, every one required, with `plan` chosen at first."""
    errors = SignupDesk.errors
    return rx.fragment(
        rx.el.form(
            field("Full Name", "fullName", form=SIGNUP, error=errors["fullName"], auto_complete="name",
                  max_length=NAME_LENGTH),
            rx.el.div(
                field("Email", "email", form=SIGNUP, error=errors["email"], type="email", auto_complete="email",
                      max_length=EMAIL_LENGTH),
                field("Phone", "phone", form=SIGNUP, error=errors["phone"], type="tel", auto_complete="tel",
                      max_length=PHONE_LENGTH, placeholder="0712 345 678"),
                class_name="grid gap-x-5 sm:grid-cols-2",
            ),
            one_of(
                "Domain", "domainType", (("new", "I need a new domain"), ("existing", "I have an existing domain")),
                chosen="new", error=errors["domainType"], form=SIGNUP,
            ),
            field("Domain Name", "domainName", form=SIGNUP, error=errors["domainName"], max_length=DOMAIN_LENGTH,
                  placeholder="mamamboga.co.ke"),
            select_field(
                "Plan", "plan", [rx.el.option(offered.name, value=offered.name) for offered in PLANS],
                form=SIGNUP, error=errors["plan"], default_value=plan, on_change=SignupDesk.choose,
            ),
            button("Sign up", type="submit", class_name="w-full mt-2"),
            guard(),
            small_print(),
            id="signup-form",
            on_mount=SignupDesk.begin,
            on_submit=SignupDesk.submit,
            custom_attrs={"noValidate": True},
            aria_label="Your details",
        ),
        ResetAfter.create(when=SignupDesk.round, target="signup-form"),
        form_result(SignupDesk, "signup-sent"),
    )  # fmt: skip


def _urgent() -> rx.Component:
    return rx.el.p(
        "If it cannot wait, call us on ",
        text_link(BRAND.phone, f"tel:{BRAND.phone_e164}"),
        " during business hours.",
        class_name="mt-2",
    )
