"""Design tokens: colours and fonts of the brand, sizes, radii and motion.

`stylesheet()` returns them as CSS variables for `assets/styles/tokens.css` (`make art`; a test compares), and `TAILWIND`
hands the same variables to Tailwind's utility classes.
"""

from agency_site.brand import (
    BLUSH,
    BRAND,
    DANGER,
    DEEP,
    DISPLAY_FONT,
    INK,
    LAKE,
    LEAF,
    LINE,
    MARIGOLD,
    PAPER,
    SAND,
    TEXT_FONT,
    tint,
)
from agency_site.web.reflex_internals.configuration import TailwindConfig

_COLOURS: dict[str, str] = {
    "brand": BRAND,
    "deep": DEEP,
    "ink": INK,
    "paper": PAPER,
    "sand": SAND,
    "line": LINE,
    "blush": BLUSH,
    "marigold": MARIGOLD,
    "leaf": LEAF,
    "lake": LAKE,
    # Secondary text: 7.3:1 on paper, 6.3:1 on sand.
    "muted": "#5F4A40",
    # Borders of inputs: 3:1 against white (WCAG 1.4.11).
    "edge": "#9A7F70",
    # Backgrounds of notices and chosen fields.
    "leaf-wash": "#E3F1EA",
    "brand-wash": tint(BRAND, 0.12),
    "brand-faint": tint(BRAND, 0.05),
    "marigold-wash": "#FDF0D8",
    "danger": DANGER,
    "danger-deep": "#7A241B",
    "danger-wash": "#FBE7E3",
}

_FONTS: dict[str, str] = {
    "display": f"'{DISPLAY_FONT}','{DISPLAY_FONT} Fallback',Georgia,serif",
    "body": f"'{TEXT_FONT}','{TEXT_FONT} Fallback',system-ui,sans-serif",
}

_SHADES: dict[str, str] = {
    str(percent): f"{INK}{round(percent * 2.55):02X}" for percent in (12, 14, 15, 16, 19, 20, 35, 65)
}
"""Dark text colour by opacity in percent, for shadows."""

_PICTURES: dict[str, str] = {
    "select-arrow": (
        "url(\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' "
        f"stroke='%23{INK[1:]}' stroke-width='2' stroke-linecap='round'%3E%3Cpath d='m6 9 6 6 6-6'/%3E%3C/svg%3E\")"
    )
}

_SIZES: dict[str, str] = {
    # Of large text too, the longest words of headings fit the window.
    "hero": "min(clamp(2.6rem, 1.55rem + 4.6vw, 5.1rem), 11.5vw)",
    "title": "min(clamp(2.35rem, 1.6rem + 3.2vw, 4.2rem), 11.5vw)",
    "heading": "min(clamp(1.9rem, 1.4rem + 2.1vw, 3.3rem), 10.5vw)",
    "subheading": "min(clamp(1.3rem, 1.15rem + 0.6vw, 1.7rem), 8.5vw)",
    "card": "min(clamp(1.6rem, 1.3rem + 1.3vw, 2.3rem), 8.5vw)",
    "numeral": "min(clamp(2.4rem, 5vw, 4rem), 10vw)",
    "lead": "clamp(1.08rem, 1.02rem + 0.3vw, 1.22rem)",
    "body": "1.0625rem",
    "small": "0.94rem",
}

_RADII: dict[str, str] = {"field": "14px", "card": "24px", "panel": "28px", "pill": "999px"}

_MOTION: dict[str, str] = {"quick": "160ms", "gentle": "240ms", "fade": "1000ms"}


def stylesheet() -> str:
    """Return all tokens as custom properties of the root element."""
    groups = (
        ("color", _COLOURS),
        ("shade", _SHADES),
        ("picture", _PICTURES),
        ("font", _FONTS),
        ("size", _SIZES),
        ("radius", _RADII),
        ("motion", _MOTION),
    )
    lines = [f"  --{group}-{name}: {value};" for group, values in groups for name, value in values.items()]
    return "\n".join(
        (
            "/* Written by `make art` from agency_site/brand.py and agency_site/ui/tokens.py. */",
            ":root {",
            *lines,
            "}",
            "",
        )
    )


TAILWIND: TailwindConfig = {
    "theme": {
        "extend": {
            "colors": {name: f"var(--color-{name})" for name in _COLOURS},
            "fontFamily": {name: [f"var(--font-{name})"] for name in _FONTS},
            "fontSize": {name: f"var(--size-{name})" for name in _SIZES},
            "borderRadius": {name: f"var(--radius-{name})" for name in _RADII},
        }
    },
    "plugins": [],
}
"""Tailwind's theme: utilities such as `bg-sand` or `text-lead` use the variables above."""
