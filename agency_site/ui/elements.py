"""Presentational elements of every page, without content and state.

Each takes children or plain values and returns a component; styles are in `assets/styles/site.css` and the tokens.
"""

from typing import Any, Literal

import reflex as rx

from agency_site import clock
from agency_site.picture_addresses import CENTRE, SCENE_CAPTION, PictureAddress, parse_picture_address
from agency_site.ui.icon import icon
from agency_site.ui.values import cond
from agency_site.web.reflex_internals.components import PlainAnchor

Text = str | rx.Var[str]
Tone = Literal["brand", "ink", "ghost"]

THIS_YEAR = "this-year"
"""Class of the element of `this_year`."""
_TONES: dict[Tone, str] = {"brand": "", "ink": "button-ink", "ghost": "button-ghost"}


def button_class(tone: Tone = "brand", *more: str) -> str:
    """Class names of a button-like control."""
    return " ".join(part for part in ("button", _TONES[tone], *more) if part)


def button(*children: rx.Component | Text, tone: Tone = "brand", **props: object) -> rx.Component:
    """A push button; `type` is "button" unless given."""
    extra = str(props.pop("class_name", ""))
    props.setdefault("type", "button")
    return rx.el.button(*children, class_name=button_class(tone, extra), **props)


def link_button(label: Text, href: Text, tone: Tone = "brand", **props: object) -> rx.Component:
    """A link that looks like a button."""
    extra = str(props.pop("class_name", ""))
    return rx.el.a(label, href=href, class_name=button_class(tone, extra), **props)


def spaced(*children: rx.Component | Text) -> list[rx.Component | Text]:
    """Return the children with spaces between them: without styles their words would run together."""
    return [part for child in children for part in (child, " ")][:-1]


def text_link(label: Text | rx.Component, href: Text, **props: object) -> rx.Component:
    """A link inside text."""
    return rx.el.a(label, href=href, class_name="link", **props)


def breakable_address(address: Text) -> rx.Component:
    """An e-mail address that may wrap before its @; other text is shown unchanged."""
    text = rx.Var.create(address).to(str)
    mailbox_and_domain = text.split("@")
    return rx.cond(
        mailbox_and_domain.length() == 2,
        rx.fragment(mailbox_and_domain[0], rx.el.wbr(), "@", mailbox_and_domain[1]),
        rx.fragment(text),
    )


def mail_link(address: Text) -> rx.Component:
    """A link that writes to the address."""
    return text_link(breakable_address(address), f"mailto:{address}")


def card_link(title: Text, href: Text) -> rx.Component:
    """The link in the heading of a card with `relative`: it is met anywhere on the card."""
    return rx.el.a(title, href=href, class_name="no-underline hover:underline after:absolute after:inset-0")


def fragment_link(*children: rx.Component | Text, fragment: str, **props: object) -> rx.Component:
    """A link to the element of this page with that id, which the browser follows by itself.

    `rx.el.a` is a link of React Router: it writes the page's own path in front of the fragment, with a slash at its end when
    it is prerendered, and following it reloads the page.
    """
    return PlainAnchor.create(*children, href=f"#{fragment}", **props)


def served_link(*children: rx.Component | Text, href: Text, **props: object) -> rx.Component:
    """A link to a page that only the server draws. The browser follows it, because React's router does not know the page."""
    return PlainAnchor.create(*children, href=href, **props)


def outside_link(*children: rx.Component | Text, href: Text, **props: object) -> rx.Component:
    """A link to another site, in a new tab; says so to screen readers."""
    return rx.el.a(
        *children,
        rx.el.span(" (opens in a new tab)", class_name="sr-only"),
        href=href,
        target="_blank",
        rel="noopener",
        **props,
    )


def card(*children: rx.Component, **props: object) -> rx.Component:
    """A white card with rounded corners."""
    extra = str(props.pop("class_name", ""))
    return rx.el.article(*children, class_name=f"card {extra}", **props)


def section(*children: rx.Component, class_name: str = "", **props: object) -> rx.Component:
    """A full-width band of a page with the content column inside."""
    return rx.el.section(
        rx.el.div(*children, class_name="wrap"),
        class_name=f"py-[clamp(56px,8vw,112px)] {class_name}",
        **props,
    )


def eyebrow(label: Text) -> rx.Component:
    """A short line above a heading."""
    return rx.el.p(label, class_name="eyebrow mb-4")


def picture(src: Text, alt: str, width: int, height: int, **props: object) -> rx.Component:
    """A picture with the size of its box, so that nothing jumps; lazy by default. `alt` is empty where decorative."""
    props.setdefault("loading", "lazy")
    return _sized_picture(src, alt, width, height, props)


def leading_picture(src: str, alt: str, width: int, height: int, **props: object) -> rx.Component:
    """The picture at the head of a page, which the browser fetches first."""
    more: Any = props.pop("custom_attrs", {})
    attributes = {"fetchPriority": "high"} | more
    return _sized_picture(src, alt, width, height, props | {"loading": "eager", "custom_attrs": attributes})


def _sized_picture(src: Text, alt: str, width: int, height: int, props: dict[str, Any]) -> rx.Component:
    # Through custom_attrs: Reflex would turn plain width and height into CSS.
    attributes = {"width": str(width), "height": str(height), "decoding": "async"} | props.pop(
        "custom_attrs", {}
    )
    address = parse_picture_address(src) if isinstance(src, str) else None
    if address is None:
        return rx.el.img(src=src, alt=alt, custom_attrs=attributes, **props)
    # Never wider than its box, or than the screen of a phone.
    sizes = f"(min-width: {width}px) {width}px, 100vw"
    if address.srcset:
        attributes |= {"srcSet": address.srcset, "sizes": sizes}
    if focus := _focus_class(address):
        props["class_name"] = f"{props.get('class_name', '')} {focus}".strip()
    image = rx.el.img(src=address.src, alt=alt, custom_attrs=attributes, **props)
    if not address.avif_srcset:
        return image
    forms = {"type": "image/avif", "srcSet": address.avif_srcset, "sizes": sizes}
    return rx.el.picture(rx.el.source(custom_attrs=forms), image)


def scene_caption(*sources: str, words: str = SCENE_CAPTION) -> rx.Component:
    """The line near pictures of which one was made in 3D; nothing near others."""
    if not any(address.is_scene for address in map(parse_picture_address, sources) if address):
        return rx.fragment()
    return rx.el.p(words, class_name="scene-caption")


def _focus_class(address: PictureAddress) -> str:
    """Return the classes that keep the focal point in sight, in steps of ten per cent; empty for the centre.

    Not a style: the content security policy allows styles of stylesheets only.
    """
    across, down = (round(share, -1) for share in (address.focus_x, address.focus_y))
    return "" if across == down == CENTRE else f"focal-point focal-x-{across} focal-y-{down}"


def backdrop(drawn: rx.Component, class_name: str) -> rx.Component:
    """A frame, shaped by `class_name`, that a decorative picture fills."""
    return rx.el.div(drawn, class_name=f"backdrop {class_name}")


def breadcrumb(*steps: tuple[str, str], here: Text) -> rx.Component:
    """The breadcrumb: (label, href) of each page above, then the page itself."""
    return rx.el.nav(
        rx.el.ol(
            *(rx.el.li(rx.el.a(label, href=href)) for label, href in steps),
            rx.el.li(rx.el.span(here, aria_current="page")),
        ),
        aria_label="Breadcrumb",
        class_name="crumbs mb-6",
    )


def disclosure(summary: Text, *children: rx.Component, **props: object) -> rx.Component:
    """A heading that hides and shows its content; a native element, so it works before scripts."""
    extra = str(props.pop("class_name", ""))
    # With an id, focus returns to it when scripts replace the server's markup.
    named = {"id": f"{props['id']}-summary"} if "id" in props else {}
    return rx.el.details(
        rx.el.summary(rx.el.span(summary), icon("chevron-down", size=20), **named),
        rx.el.div(*children, class_name="pb-5"),
        class_name=f"disclosure {extra}",
        **props,
    )


NoticeTone = Literal["success", "error", "info"]
_NOTICE_ICONS: dict[NoticeTone, str] = {"success": "check", "error": "alert", "info": "info"}


def notice(*children: rx.Component | Text, tone: NoticeTone = "info", **props: object) -> rx.Component:
    """A prominent message. Screen readers announce errors at once, others when they pause."""
    extra = str(props.pop("class_name", ""))
    props.setdefault("role", "alert" if tone == "error" else "status")
    return rx.el.div(
        icon(_NOTICE_ICONS[tone]),
        rx.el.div(*children, class_name="grow min-w-0"),
        class_name=f"notice notice-{tone} {extra}",
        **props,
    )


def announced(words: Text) -> rx.Component:
    """A success message in a green box. The live region around it always exists: some screen readers do not announce one
    that is inserted with its text."""
    message = cond(words != "", notice(rx.el.p(words), tone="success", role="group", class_name="mb-5"))
    return rx.el.div(message, role="status")


def live_notice(*children: rx.Component, tone: Text, is_shown: bool | rx.Var[bool]) -> rx.Component:
    """A message box whose live regions exist before their text: some screen readers do not announce regions that are
    inserted with it. While `is_shown` is false the box is not visible, and its children must have no text."""

    def of_tone(success: Any, error: Any, info: Any) -> Any:
        return cond(tone == "success", success, cond(tone == "error", error, info))

    classes = of_tone("notice notice-success", "notice notice-error", "notice notice-info")
    return rx.el.div(
        cond(is_shown, of_tone(icon("check"), icon("alert"), icon("info"))),
        rx.el.div(*children, class_name="grow min-w-0"),
        class_name=cond(is_shown, classes, ""),
        role="group",
    )


def skeleton(class_name: str) -> rx.Component:
    """A placeholder of content that is being loaded."""
    return rx.el.div(class_name=f"skeleton {class_name}", aria_hidden="true")


def this_year() -> rx.Component:
    """The present year. The build writes it; publishing (`web/build/publish.py`), then `site/layout/menus.js` correct it."""
    return rx.el.time(str(clock.today().year), class_name=THIS_YEAR)


def stars(rating: float) -> rx.Component:
    """Five stars: full ones, a half one if the rating has a fraction, then empty ones (specification, Academy)."""
    full, half = int(rating), rating % 1 > 0
    kinds = ["star"] * full + ["star-half"] * half + ["star-empty"] * (5 - full - half)
    return rx.el.span(
        *(icon(kind, size=18) for kind in kinds),
        class_name="stars",
        role="img",
        aria_label=f"{rating:g} out of 5 stars",
    )


def pattern_edge(name: str) -> rx.Component:
    """A strip of pattern; `name` is a file of `assets/art/bands`."""
    return rx.el.div(
        # A class, not a style: the content security policy allows styles of stylesheets only.
        class_name=f"pattern-edge bg-[url(/art/bands/{name}.svg)]",
        aria_hidden="true",
    )


def page_head(
    title: Text | rx.Component,
    lead: Text,
    *below: rx.Component,
    band: str,
    crumbs: rx.Component | None = None,
) -> rx.Component:
    """The head of an inner page: heading, one sentence, and a band of pattern below."""
    return rx.el.div(
        rx.el.div(
            crumbs or rx.fragment(),
            rx.el.h1(title, class_name="max-w-[10.6em]"),
            rx.el.p(lead, class_name="text-lead mt-5 max-w-[33.3em]"),
            *below,
            class_name="wrap pt-[clamp(40px,6vw,72px)] pb-[clamp(32px,4vw,44px)]",
        ),
        pattern_edge(band),
        class_name="page-head",
    )


def portrait(src: str, alt: str, initials: str, side: int = 400) -> rx.Component:
    """A person's square picture, in front of the initials: a script in the head hides a picture that fails to load.

    Without a picture, `src` is empty."""
    return rx.el.div(
        rx.el.span(initials, aria_hidden="true", class_name="portrait-initials"),
        picture(src, alt, side, side, custom_attrs={"data-photo": ""}) if src else rx.fragment(),
        class_name="portrait",
    )
