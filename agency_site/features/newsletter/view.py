"""The newsletter forms of the footer, of content pages, and of the newsletter page."""

from functools import partial
from typing import Any

import reflex as rx

from agency_site.content.newsletter import CONSENT, INTERESTS
from agency_site.features.newsletter.rules import tick_name
from agency_site.features.newsletter.state import BoxNewsletter, FooterNewsletter, NewsletterForm
from agency_site.ui.behaviours import FocusWhen, Interval, MailSuggestion, ResetAfter
from agency_site.ui.choices import tick, tick_with_error
from agency_site.ui.elements import button
from agency_site.ui.form_guard import guard, waiting_line
from agency_site.ui.form_result import refusal
from agency_site.ui.forms import field, field_error, small_print, text_input
from agency_site.ui.icon import icon
from agency_site.ui.page_region import PageRegion
from agency_site.ui.values import cond, entry_of

_THANKS = "Thank you for subscribing! Please confirm it with the link in our e-mail."
THANKS_MS = 5000
"""The time for which the thanks are shown (specification, section 9)."""
_PAGE_FORM = "letter"
_POST = {"action": "/newsletter/subscribe", "method": "post"}


def footer_form(state: FooterNewsletter | type[FooterNewsletter] = FooterNewsletter) -> rx.Component:
    """The form in the footer: a heading, one field, and the thanks."""
    return rx.el.section(
        rx.el.h2(
            "One useful letter, every Wednesday",
            id="footer-newsletter",
            class_name="text-body tracking-normal mb-2",
        ),
        rx.el.p(
            "Free. What worked, what did not, and one thing to try. Unsubscribe whenever you like.",
            class_name="mb-4",
        ),
        rx.el.form(
            rx.el.label("Where shall we send it?", html_for="footer-email", class_name="sr-only"),
            _email_input(
                "footer-email",
                state,
                class_name="w-0 min-w-0 grow bg-transparent pl-5 min-h-11 text-paper placeholder:text-line rounded-pill",
            ),
            button("Subscribe", type="submit", class_name="button-small"),
            _source_field("footer"),
            guard(state, "footer-newsletter-wait", stamp=False),
            id="footer-newsletter-form",
            **_POST,
            on_submit=FooterNewsletter.submit,
            class_name="flex items-center gap-2 p-1.5 rounded-pill bg-white/10 ring-1 ring-white/45",
        ),
        waiting_line("footer-newsletter-wait"),
        small_print(),
        rx.el.div(
            MailSuggestion.create(field="footer-email"),
            field_error(state.error, "footer-email-error"),
            class_name="[&_.field-error]:text-blush",
        ),
        rx.el.p(
            cond(state.thanked, _THANKS, ""),
            role="status",
            class_name="mt-3 font-semibold text-marigold min-h-[1.6em]",
        ),
        ResetAfter.create(when=state.round, target="footer-newsletter-form"),
        Interval.create(every=THANKS_MS, active=state.thanked, on_tick=FooterNewsletter.clear_thanks),
        aria_labelledby="footer-newsletter",
    )


def newsletter_box(place: str) -> rx.Component:
    """The subscription box of a content page; `place` makes its ids unique."""
    state = BoxNewsletter
    field_id = f"newsletter-{place}"
    return rx.el.section(
        rx.el.h2("Newsletter", class_name="text-subheading"),
        rx.el.p(
            "One useful letter every Wednesday. Free, and easy to leave.", class_name="mt-2 mb-4 text-muted"
        ),
        rx.el.form(
            rx.el.label("Where shall we send it?", html_for=field_id, class_name="sr-only"),
            _email_input(field_id, state, class_name="input"),
            button("Subscribe", type="submit", class_name="w-full mt-3"),
            _source_field("box"),
            guard(state, stamp=False),
            id=f"{field_id}-form",
            **_POST,
            on_submit=state.submit,
        ),
        MailSuggestion.create(field=field_id),
        field_error(state.error, f"{field_id}-error"),
        small_print(),
        rx.el.p(
            rx.cond(state.thanked, _THANKS, ""),
            role="status",
            class_name="mt-3 font-semibold text-leaf",
        ),
        ResetAfter.create(when=state.round, target=f"{field_id}-form"),
        Interval.create(every=THANKS_MS, active=state.thanked, on_tick=state.clear_thanks),
        aria_label="Newsletter",
        class_name="panel",
    )


def _email_input(identifier: str, state: Any, **props: Any) -> rx.Component:
    """The field of a form of one field."""
    return text_input(
        id=identifier,
        name="email",
        type="email",
        auto_complete="email",
        enter_key_hint="send",
        placeholder="Your e-mail address",
        max_length=254,
        aria_describedby=f"{identifier}-error",
        aria_invalid=cond(state.error, "true", "false"),
        **props,
    )


def newsletter_form() -> rx.Component:
    """The form of the newsletter page, or its thanks, in a panel."""
    return rx.el.div(
        PageRegion.create(subscription_form(), name="newsletter"),
        FocusWhen.create(when=NewsletterForm.subscribed, target="letter-thanks"),
        class_name="panel text-ink letter-desk",
    )


def _source_field(name: str) -> rx.Component:
    """The hidden field that names the form if it is posted without scripts."""
    return rx.el.input(type="hidden", name="source", value=name)


def subscription_form(state: NewsletterForm | type[NewsletterForm] = NewsletterForm) -> rx.Component:
    """The form of the newsletter page, or its thanks."""
    return cond(state.subscribed != "", _thanks(), _form_fields(state))  # type: ignore[no-any-return]


def _form_fields(state: NewsletterForm | type[NewsletterForm]) -> rx.Component:
    error = partial(entry_of, state.errors)
    return rx.el.form(
        rx.el.h2("Subscribe", class_name="text-subheading mb-5"),
        field("Email", "email", form=_PAGE_FORM, error=error("email"), type="email", auto_complete="email",
              max_length=254, placeholder="name@company.co.ke"),
        rx.el.fieldset(
            rx.el.legend("What would you like to read about?", class_name="field-label"),
            *(
                tick(interest.label, tick_name(interest.name), form=_PAGE_FORM, default_checked=interest.chosen)
                for interest in INTERESTS
            ),
            class_name="border-0 p-0 m-0 mb-4 grid gap-x-5 grid-cols-1 sm:grid-cols-2",
        ),
        tick_with_error(
            CONSENT,
            "consent", error=error("consent"), form=_PAGE_FORM,
        ),
        button("Subscribe", type="submit", class_name="w-full"),
        _source_field("newsletter"),
        guard(state),
        small_print(),
        rx.el.div(refusal(state), class_name="mt-5 empty:hidden"),
        **_POST,
        on_submit=NewsletterForm.submit,
        custom_attrs={"noValidate": True},
        aria_label="Subscribe to the newsletter",
    )  # fmt: skip


def _thanks() -> rx.Component:
    return rx.el.div(
        rx.el.span(icon("check", size=30), class_name="letter-tick"),
        rx.el.h2("Thank you for subscribing!", id="letter-thanks", class_name="text-subheading mt-5"),
        rx.el.p(
            "Next Wednesday's issue goes to ",
            rx.el.strong(NewsletterForm.subscribed, class_name="[overflow-wrap:anywhere]"),
            " once you have confirmed it. Please check your mailbox.",
            class_name="mt-3 mb-7",
        ),
        button("Subscribe Again", tone="ghost", on_click=NewsletterForm.subscribe_again),
        role="status",
    )
