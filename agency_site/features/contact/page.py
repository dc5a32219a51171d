"""The contact page and the sign-up pages of hosting plans."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.content.entries import Kind
from agency_site.content.hosting import PLANS, SSL_NOTE, HostingPlan, plans
from agency_site.features.contact.state import ContactForm, SignupForm
from agency_site.features.contact.view import contact_form, map_band, signup_form, ways_to_reach_us
from agency_site.site.layout.organisation import full_organisation
from agency_site.site.layout.route import Route
from agency_site.ui.blocks import arrow_link, check_list
from agency_site.ui.elements import breadcrumb, notice, page_head
from agency_site.ui.page_region import PageRegion, ServedRegion
from agency_site.ui.values import negate

FALLBACK = PLANS[0]
"""The plan that is chosen if the address names none of ours (readings, 4)."""
_NEXT_STEPS = (
    ("We call you", "Within one working day, to confirm the plan and answer what you want to ask."),
    (
        "We look after the domain",
        "A new one is registered in your name; an existing one moves without your e-mail falling silent.",
    ),
    ("You go live", "You get the addresses, the passwords and the name of the person who looks after your site."),
)  # fmt: skip


def contact_page() -> rx.Component:
    """Form, ways to reach us, map."""
    return rx.fragment(
        page_head(
            "Come by, call or write",
            "A question, a brief or a complaint: the same three people in Karen read everything, and one of them answers.",
            band="contact",
        ),
        rx.el.div(
            rx.el.div(
                rx.el.h2("Write to us", class_name="text-heading mb-6"),
                PageRegion.create(contact_form(), name="contact"),
                class_name="panel",
            ),
            ways_to_reach_us(),
            class_name="wrap grid items-start gap-12 lg:gap-20 lg:grid-cols-[1.35fr_1fr] py-[clamp(40px,6vw,88px)]",
        ),
        map_band(),
    )


def _sent_page(heading: str, lead: str) -> Callable[[], rx.Component]:
    """The page after a form that was posted without scripts."""

    def page() -> rx.Component:
        return rx.fragment(
            page_head(heading, lead, band="contact"),
            rx.el.div(
                ServedRegion.create(name="sent"), class_name="wrap py-[clamp(32px,5vw,64px)] max-w-[720px]"
            ),
        )

    return page


def signup_page(plan: HostingPlan) -> Callable[[], rx.Component]:
    """The sign-up page, with `plan` preselected."""
    name = rx.cond(SignupForm.plan != "", SignupForm.plan, plan.name)

    def page() -> rx.Component:
        return rx.fragment(
            page_head(
                rx.fragment("Sign up for ", name),
                "Two minutes of typing. Nothing is charged here: we call you before anything costs money.",
                band="signup",
                crumbs=breadcrumb(("Services", "/services"), ("Hosting", "/hosting"), here=name),
            ),
            rx.el.div(
                rx.el.div(
                    ServedRegion.create(name="note"),
                    PageRegion.create(signup_form(plan), name="signup"),
                    class_name="panel",
                ),
                rx.el.aside(_chosen_plan(plan), _what_happens_next(), class_name="grid gap-6"),
                class_name="wrap grid items-start gap-8 lg:gap-14 lg:grid-cols-[1.35fr_1fr] py-[clamp(32px,5vw,72px)]",
            ),
        )

    return page


def unknown_plan_note() -> rx.Component:
    """The note that says which plan is chosen if the address names none of ours."""
    note = f"We have no plan of that name, so {FALLBACK.name} is chosen below. You can change it in the form."
    return notice(rx.el.p(note), tone="info", class_name="mb-6")


def _chosen_plan(first: HostingPlan) -> rx.Component:
    """Every plan at a glance, of which the chosen one is shown."""
    return rx.el.div(
        *(rx.el.div(_at_a_glance(plan), hidden=negate(_is_chosen(plan, first))) for plan in plans())
    )


def _is_chosen(plan: HostingPlan, first: HostingPlan) -> Any:
    is_named = SignupForm.plan == plan.name
    return is_named | (SignupForm.plan == "") if plan.slug == first.slug else is_named


def _at_a_glance(plan: HostingPlan) -> rx.Component:
    return rx.el.section(
        rx.el.h2(f"{plan.name} at a glance", class_name="text-subheading"),
        rx.el.p(
            rx.el.span(plan.price_text, class_name="display text-heading"),
            " per month",
            class_name="mt-3 mb-4",
        ),
        check_list((plan.storage, *plan.features, SSL_NOTE)),
        class_name="bg-sand rounded-panel p-[clamp(24px,3vw,40px)]",
    )


def _what_happens_next() -> rx.Component:
    return rx.el.section(
        rx.el.h2("What happens next", class_name="text-subheading"),
        rx.el.ol(
            *(
                rx.el.li(
                    rx.el.span(str(number), class_name="display text-heading text-marigold leading-none", aria_hidden="true"),
                    rx.el.div(rx.el.h3(title, class_name="text-lead"), rx.el.p(text, class_name="mt-1 text-sand")),
                    class_name="grid grid-cols-[2.6rem_1fr] gap-3",
                )
                for number, (title, text) in enumerate(_NEXT_STEPS, start=1)
            ),
            class_name="list-none p-0 grid gap-7 mt-6",
        ),
        rx.el.div(
            arrow_link("Compare the plans", "/hosting"),
            class_name="mt-7 border-t border-white/20 pt-4 [&_.link]:text-paper",
        ),
        class_name="on-dark bg-lake text-paper rounded-panel p-[clamp(24px,3vw,40px)]",
    )  # fmt: skip


def _signup_route(plan: HostingPlan) -> Route:
    return Route(
        path=f"/signup/{plan.slug}",
        title=f"Sign up for the {plan.name} plan",
        description=f"Sign up for {BRAND.name}'s {plan.name} hosting plan: your details, your domain, and we call you back.",
        body=signup_page(plan),
        share_image=f"signup-{plan.slug}",
        label=plan.name,
        above=(("Services", "/services"), ("Hosting", "/hosting")),
        shows=frozenset({Kind.PLAN}),
    )


def _signed_up_route(plan: HostingPlan) -> Route:
    return Route(
        path=f"/signup/{plan.slug}/sent",
        title=f"Signed up for the {plan.name} plan",
        description="Your sign-up has reached us.",
        body=_sent_page(
            "You are signed up", "Nothing is charged yet: we call you before anything costs money."
        ),
        private=True,
    )


def enquiry_routes() -> tuple[Route, ...]:
    """Return the contact page, the sign-up page of each plan, and the pages after them."""
    return (
        Route(
            path="/contact",
            title="Contact",
            description="Address, phone, e-mail and business hours of our office in Karen, Nairobi, a map, and a form to write "
            "to us.",
            body=contact_page,
            on_load=(ContactForm.open_form,),
            share_image="contact",
            kind="ContactPage",
            organisation=full_organisation,
            shows=frozenset({Kind.HOURS}),
        ),
        Route(
            path="/contact/sent",
            title="Message sent",
            description="Your message has reached us.",
            body=_sent_page(
                "Message sent", "The three people in Karen have it. You will hear from one of them."
            ),
            private=True,
        ),
        *(_signup_route(plan) for plan in plans()),
        *(_signed_up_route(plan) for plan in plans()),
    )
