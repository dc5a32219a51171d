"""Inline SVG icons: no font, no library, no request."""

import reflex as rx

from agency_site.ui.icons import ICONS, SOCIAL


def icon(name: str, size: int = 24, class_name: str = "") -> rx.Component:
    """The icon of that name in the colour of the text; decorative, so hidden from screen readers.

    Raises KeyError for a name that is neither in ICONS nor in SOCIAL.
    """
    social = name in SOCIAL
    paint = (
        {"fill": "currentColor"}
        if social
        else {
            "fill": "none",
            "stroke": "currentColor",
            "strokeWidth": "1.75",
            "strokeLinecap": "round",
            "strokeLinejoin": "round",
        }
    )
    return rx.el.svg(
        view_box="0 0 24 24",
        width=str(size),
        height=str(size),
        class_name=f"icon-{name} flex-none {class_name}".strip(),
        custom_attrs={
            **paint,
            "aria-hidden": "true",
            "focusable": "false",
            "dangerouslySetInnerHTML": {"__html": SOCIAL[name] if social else ICONS[name]},
        },
    )
