"""The forms of contact and of plan sign-ups, and the contact page's address, hours and map."""

from functools import partial
from urllib.parse import urlsplit

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.content.hosting import HostingPlan, plans
from agency_site.content.hours import business_hours
from agency_site.features.contact.request import DOMAIN_LENGTH, MESSAGE_LENGTH, SUBJECT_LENGTH
from agency_site.features.contact.state import ContactForm, SignupForm
from agency_site.form_input import EMAIL_LENGTH, NAME_LENGTH, PHONE_LENGTH
from agency_site.ui.behaviours import ResetAfter
from agency_site.ui.choices import one_of
from agency_site.ui.elements import button, notice, outside_link, picture, text_link, this_year
from agency_site.ui.form_guard import guard
from agency_site.ui.form_result import form_result
from agency_site.ui.forms import field, select_field, small_print, text_area
from agency_site.ui.icon import icon
from agency_site.ui.values import cond, entry_of
from agency_site.web.reflex_internals.components import PlainAnchor

_CONTACT, SIGNUP = "contact", "signup"
_LATITUDE, _LONGITUDE = BRAND.latitude, BRAND.longitude
_HALF_HEIGHT, _HALF_WIDTH = 0.0145, 0.0215
"""Half the size of the map, in degrees."""
_CORNERS = (
    f"{_LONGITUDE - _HALF_WIDTH:.4f}%2C{_LATITUDE - _HALF_HEIGHT:.4f}%2C"
    f"{_LONGITUDE + _HALF_WIDTH:.4f}%2C{_LATITUDE + _HALF_HEIGHT:.4f}"
)
_OPEN_STREET_MAP = "https://www.openstreetmap.org"
_MAP_FRAME = (
    f"{_OPEN_STREET_MAP}/export/embed.html?bbox={_CORNERS}&layer=mapnik&marker={_LATITUDE}%2C{_LONGITUDE}"
)
_LIVE_MAP = "live-map"
MAP_PAGE = f"{_OPEN_STREET_MAP}/?mlat={_LATITUDE}&mlon={_LONGITUDE}#map=15/{_LATITUDE}/{_LONGITUDE}"


def contact_form(state: ContactForm | type[ContactForm] = ContactForm) -> rx.Component:
    """The contact form. Only the email has a type, and no field is marked as required (specification, section 5)."""
    error = partial(entry_of, state.errors)
    return rx.fragment(
        rx.el.form(
            rx.el.div(
                field("Name", "name", form=_CONTACT, error=error("name"), auto_complete="name",
                      max_length=NAME_LENGTH, required=False),
                field("Email", "email", form=_CONTACT, error=error("email"), type="email", auto_complete="email",
                      max_length=EMAIL_LENGTH, required=False),
                class_name="grid gap-x-5 sm:grid-cols-2",
            ),
            field("Subject", "subject", form=_CONTACT, error=error("subject"), max_length=SUBJECT_LENGTH,
                  required=False, default_value=state.subject),
            text_area("Message", "message", form=_CONTACT, error=error("message"), rows="6",
                      max_length=MESSAGE_LENGTH, required=False),
            button("Send message", type="submit", class_name="w-full sm:w-auto"),
            guard(state),
            small_print(),
            id="contact-form",
            action="/contact",
            method="post",
            on_submit=ContactForm.submit,
            custom_attrs={"noValidate": True},
            aria_label="Write to us",
        ),
        ResetAfter.create(when=state.round, target="contact-form"),
        form_result(state, "contact-sent", _phone_line()),
    )  # fmt: skip


def signup_form(plan: HostingPlan, state: SignupForm | type[SignupForm] = SignupForm) -> rx.Component:
    """The sign-up form: every field is required, and `plan` is preselected."""
    error = partial(entry_of, state.errors)
    return rx.fragment(
        rx.el.form(
            field("Full Name", "fullName", form=SIGNUP, error=error("fullName"), auto_complete="name",
                  max_length=NAME_LENGTH),
            rx.el.div(
                field("Email", "email", form=SIGNUP, error=error("email"), type="email", auto_complete="email",
                      max_length=EMAIL_LENGTH),
                field("Phone", "phone", form=SIGNUP, error=error("phone"), type="tel", auto_complete="tel",
                      max_length=PHONE_LENGTH, placeholder="0712 345 678"),
                class_name="grid gap-x-5 sm:grid-cols-2",
            ),
            one_of(
                "Domain", "domainType", (("new", "I need a new domain"), ("existing", "I have an existing domain")),
                chosen="new", error=error("domainType"), form=SIGNUP,
            ),
            field("Domain Name", "domainName", form=SIGNUP, error=error("domainName"), max_length=DOMAIN_LENGTH,
                  kind="address", placeholder="mamamboga.co.ke"),
            select_field(
                "Plan", "plan", [rx.el.option(offered.name, value=offered.name) for offered in plans()],
                form=SIGNUP, error=error("plan"), default_value=plan.name, on_change=SignupForm.choose_plan,
            ),
            button("Sign up", type="submit", class_name="w-full mt-2"),
            guard(state),
            small_print(),
            id="signup-form",
            action=f"/signup/{plan.slug}",
            method="post",
            on_submit=SignupForm.submit,
            custom_attrs={"noValidate": True},
            aria_label="Your details",
        ),
        ResetAfter.create(when=state.round, target="signup-form"),
        form_result(state, "signup-sent"),
    )  # fmt: skip


def sent_message(thanks: str, note: str, *below: rx.Component) -> rx.Component:
    """The result on a page of its own, after a form was posted without scripts."""
    return notice(
        rx.el.p(thanks, class_name="font-semibold"),
        cond(note != "", rx.el.p(note, class_name="mt-2")),
        *below,
        tone="success",
        id="sent",
    )


def _phone_line() -> rx.Component:
    return rx.el.p(
        "If it cannot wait, call us on ",
        text_link(BRAND.phone, f"tel:{BRAND.phone_e164}"),
        " during business hours.",
        class_name="mt-2",
    )


def ways_to_reach_us() -> rx.Component:
    """Address, phone, email, hours and profiles."""
    return rx.el.div(
        rx.el.div(
            _contact_way("pin", "Address", rx.el.span(f"{BRAND.address}, {BRAND.city}")),
            _contact_way(
                "phone",
                "Phone",
                rx.el.a(BRAND.phone, href=f"tel:{BRAND.phone_e164}", class_name="link tall-link"),
            ),
            _contact_way(
                "mail",
                "E-mail",
                rx.el.a(BRAND.email, href=f"mailto:{BRAND.email}", class_name="link tall-link"),
            ),
            class_name="grid gap-6",
        ),
        _hours(),
        _profiles(),
        class_name="grid gap-9",
    )


def _contact_way(sign: str, label: str, value: rx.Component) -> rx.Component:
    return rx.el.div(
        rx.el.span(icon(sign, size=22), class_name="contact-sign"),
        rx.el.div(
            rx.el.h3(label, class_name="text-small font-body tracking-normal text-muted"),
            rx.el.address(value, class_name="not-italic text-lead font-semibold [overflow-wrap:anywhere]"),
        ),
        class_name="flex items-center gap-4",
    )


def _hours() -> rx.Component:
    # `this_year` corrects itself: a site built in December must not show the old year in January.
    return rx.el.section(
        rx.el.h2(
            "Business hours ", this_year(), class_name="text-subheading mb-3"
        ),
        rx.el.dl(
            *(
                rx.el.div(
                    rx.el.dt(days),
                    rx.el.dd(hours, class_name="font-semibold text-right"),
                    class_name="flex justify-between gap-6 border-t border-line py-3",
                )
                for days, hours in business_hours()
            ),
        ),
        rx.el.p("All times are Nairobi time.", class_name="text-small text-muted border-t border-line pt-3"),
        aria_label="Business hours",
    )  # fmt: skip


def _profiles() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Follow the work", class_name="text-subheading mb-3"),
        rx.el.ul(
            *(
                rx.el.li(
                    outside_link(
                        icon(link.icon, size=22),
                        rx.el.span(link.name, class_name="sr-only"),
                        href=str(link.url),
                        class_name="contact-profile",
                    )
                )
                for link in BRAND.social
            ),
            class_name="flex flex-wrap gap-3 list-none p-0",
        ),
        aria_label="Social media",
    )


def map_band() -> rx.Component:
    """The drawn map. Its link loads the live map from OpenStreetMap into the frame above it."""
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                picture(
                    "/images/map.svg", f"Drawn map: {BRAND.name} on Karen Road, south of the Karen roundabout.", 960, 540
                ),
                rx.el.iframe(
                    name=_LIVE_MAP,
                    title="Map of Karen, Nairobi, by OpenStreetMap",
                    referrer_policy="strict-origin-when-cross-origin",
                ),
                PlainAnchor.create(
                    "Show the live map", href=_MAP_FRAME, target=_LIVE_MAP, class_name="button frame-button"
                ),
                # Without it the page's security policy shows no frame of another site.
                custom_attrs={"data-frame-origin": "{0.scheme}://{0.netloc}".format(urlsplit(_MAP_FRAME))},
                class_name="map-frame",
            ),
            _directions(),
            class_name="wrap map-grid",
        ),
        aria_label="Map",
        class_name="bg-lake",
    )  # fmt: skip


def _directions() -> rx.Component:
    return rx.el.div(
        rx.el.h2("Come by", class_name="text-subheading"),
        rx.el.p(
            "Two minutes from the Karen roundabout, behind the blue gate. Matatus 24 and 111 stop at the corner; "
            "there is parking for four, and the boda stage knows us by name.",
            class_name="mt-3",
        ),
        rx.el.p(
            "The live map comes from OpenStreetMap, which then sees your internet address. ",
            outside_link("Open it there instead", href=MAP_PAGE, class_name="link"),
            ".",
            class_name="mt-4 text-small text-muted",
        ),
        class_name="map-card panel",
    )
