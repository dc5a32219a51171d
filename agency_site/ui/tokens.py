"""Design tokens: the one source of colours, type, spacing and motion.

`stylesheet()` writes them as CSS variables into `assets/styles/tokens.css` (`make art`; a test compares), and `TAILWIND`
hands the same variables to Tailwind's utility classes.
"""

from reflex_base.plugins.shared_tailwind import TailwindConfig

from agency_site.brand import (
    BLUSH,
    BRAND,
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
)

COLOURS: dict[str, str] = {
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
    # Grounds of notices.
    "leaf-wash": "#E3F1EA",
    "brand-wash": "#FBE7E3",
    "marigold-wash": "#FDF0D8",
}

FONTS: dict[str, str] = {
    "display": f"'{DISPLAY_FONT}','Bricolage Fallback',Georgia,serif",
    "body": f"'{TEXT_FONT}','Figtree Fallback',system-ui,sans-serif",
}

FONT_FILES: dict[str, str] = {"display": "bricolage-grotesque-700.woff2", "body": "figtree-400-700.woff2"}
"""Below `assets/fonts/`; the names tell the weights that they carry (`artwork/typefaces.py`)."""

SIZES: dict[str, str] = {
    "hero": "clamp(2.6rem, 1.55rem + 4.6vw, 5.1rem)",
    "title": "clamp(2.35rem, 1.6rem + 3.2vw, 4.2rem)",
    "heading": "clamp(1.9rem, 1.4rem + 2.1vw, 3.3rem)",
    "subheading": "clamp(1.3rem, 1.15rem + 0.6vw, 1.7rem)",
    "lead": "clamp(1.08rem, 1.02rem + 0.3vw, 1.22rem)",
    "body": "1.0625rem",
    "small": "0.94rem",
}

RADII: dict[str, str] = {"field": "14px", "card": "24px", "panel": "28px", "pill": "999px"}

MOTION: dict[str, str] = {"quick": "160ms", "gentle": "240ms", "fade": "1000ms"}


def stylesheet() -> str:
    """All tokens as custom properties of the root element."""
    groups = (("color", COLOURS), ("font", FONTS), ("size", SIZES), ("radius", RADII), ("motion", MOTION))
    lines = [f"  --{group}-{name}: {value};" for group, values in groups for name, value in values.items()]
    return "\n".join(
        ("/* Written by `make art` from agency_site/ui/tokens.py. */", ":root {", *lines, "}", "")
    )


TAILWIND: TailwindConfig = {
    "theme": {
        "extend": {
            "colors": {name: f"var(--color-{name})" for name in COLOURS},
            "fontFamily": {name: [f"var(--font-{name})"] for name in FONTS},
            "fontSize": {name: f"var(--size-{name})" for name in SIZES},
            "borderRadius": {name: f"var(--radius-{name})" for name in RADII},
        }
    },
    "plugins": [],
}
"""Tailwind's theme: utilities such as `bg-sand` or `text-lead` use the variables above."""
