"""The form of the newsletter page and its thank-you."""

import reflex as rx

from agency_site.content.newsletter import CONSENT, INTERESTS
from agency_site.features.newsletter.rules import tick_name
from agency_site.features.newsletter.state import NewsletterDesk
from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.choices import tick, tick_with_error
from agency_site.ui.elements import button
from agency_site.ui.form_guard import guard
from agency_site.ui.forms import field, small_print
from agency_site.ui.icon import icon

FORM = "letter"


def newsletter_desk() -> rx.Component:
    """The form, or after it the thanks with the address and the way back."""
    return rx.el.div(
        rx.cond(NewsletterDesk.subscribed != "", _thanks(), _form()),
        FocusWhen.create(when=NewsletterDesk.subscribed, target="letter-thanks"),
        class_name="panel text-ink letter-desk",
    )


def _form() -> rx.Component:
    errors = NewsletterDesk.errors
    return rx.el.form(
        rx.el.h2("Subscribe", class_name="text-subheading mb-5"),
        field("Email", "email", form=FORM, error=errors["email"], type="email", auto_complete="email",
              max_length=254, placeholder="name@company.co.ke"),
        rx.el.fieldset(
            rx.el.legend("What would you like to read about?", class_name="field-label"),
            *(
                tick(interest.label, tick_name(interest.name), form=FORM, default_checked=interest.chosen)
                for interest in INTERESTS
            ),
            class_name="border-0 p-0 m-0 mb-4 grid gap-x-5 grid-cols-1 sm:grid-cols-2",
        ),
        tick_with_error(
            CONSENT,
            "consent", error=errors["consent"], form=FORM,
        ),
        button("Subscribe", type="submit", class_name="w-full"),
        guard(),
        small_print(),
        on_submit=NewsletterDesk.submit,
        custom_attrs={"noValidate": True},
        aria_label="Subscribe to the newsletter",
    )  # fmt: skip


def _thanks() -> rx.Component:
    return rx.el.div(
        rx.el.span(icon("check", size=30), class_name="letter-tick"),
        rx.el.h2("Thank you for subscribing!", id="letter-thanks", class_name="text-subheading mt-5"),
        rx.el.p(
            "Next Wednesday's letter goes to ",
            rx.el.strong(NewsletterDesk.subscribed, class_name="[overflow-wrap:anywhere]"),
            ", once you have confirmed it: please check your mailbox.",
            class_name="mt-3 mb-7",
        ),
        button("Subscribe Again", tone="ghost", on_click=NewsletterDesk.again),
        role="status",
    )
