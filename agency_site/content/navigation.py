"""Menus of header and footer (specification, section 2)."""

from agency_site.content.brand import BRAND
from agency_site.content.schema import Link

HEADER: tuple[Link, ...] = (
    Link(label="Home", href="/"),
    Link(label="About", href="/about"),
    Link(label="Services", href="/services"),
    Link(label="Academy", href="/academy"),
    Link(label="Resources", href="/resources"),
    Link(label="Contact", href="/contact"),
    Link(label="Blog", href="/blog"),
)
"""At most seven, because at 1,024 px they share one line with the logo and the button."""

RESOURCES: tuple[Link, ...] = (
    Link(label="Blog", href="/blog"),
    Link(label="Video channel", href=str(BRAND.video_channel)),
)

QUICK_LINKS: tuple[Link, ...] = (
    Link(label="About", href="/about"),
    Link(label="Services", href="/services"),
    Link(label="Portfolio", href="/portfolio"),
    Link(label="Academy", href="/academy"),
    Link(label="Insights", href="/insights"),
)

SMALL_PRINT: tuple[Link, ...] = (
    Link(label="Privacy", href="/privacy"),
    Link(label="Terms", href="/terms"),
)
"""At the very end of every page."""

ALIASES: dict[str, str] = {
    "/web-design": "/services/web-design",
    "/privacy-policy": "/privacy",
    "/terms-and-conditions": "/terms",
}
"""Permanent redirects from other spellings to a registered path (readings, 2). Case and trailing slashes need no entry."""
