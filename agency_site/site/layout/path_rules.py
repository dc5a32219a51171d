"""The paths that are no public pages or files, and the rules for each. A path without a rule is public: the edge serves it from
memory, search engines index it, and browsers may cache and prefetch it."""

from enum import Flag, auto


class Rule(Flag):
    """A way in which paths are treated differently from public pages."""

    INNER = auto()
    """The application behind the edge answers, even if it has no such path."""
    UNCRAWLED = auto()
    """`robots.txt` closes the path to search engines."""
    UNCACHED = auto()
    """The service worker leaves the path to the browser."""
    UNPREFETCHED = auto()
    """Browsers do not prefetch the path."""
    PRIVATE = auto()
    """A token follows that opens one person's page: logs omit it. Each `PrivatePage` is below such a path."""


_HIDDEN = Rule.UNCRAWLED | Rule.UNCACHED | Rule.UNPREFETCHED
_STAFF_ROUTES = (
    "/admin/export/", "/admin/people/export", "/admin/pictures/upload", "/admin/statements/import", "/admin/sign-in",
    "/admin/sign-out", "/admin/set-up/", "/admin/invitation/", "/admin/reset/",
)  # fmt: skip
_PAGES_OF_ONE_PERSON = (
    "/booking/", "/certificate/", "/comment/", "/learner/", "/order/", "/preview/", "/registration/",
    "/s/", "/waiting/", "/waiting-list/",
)  # fmt: skip
_RULES = {
    "/admin": _HIDDEN,
    **dict.fromkeys(_STAFF_ROUTES, Rule.INNER),
    **dict.fromkeys(("/api/", "/calendar/", "/outbox", "/simulator/"), _HIDDEN | Rule.INNER),
    # Search engines index the archive of the newsletter, but no page of a subscriber.
    "/newsletter/": Rule.INNER | Rule.UNCACHED | Rule.UNPREFETCHED,
    **dict.fromkeys(
        ("/newsletter/confirm/", "/newsletter/preferences/", "/newsletter/unsubscribe/"), Rule.UNCRAWLED
    ),
    **dict.fromkeys(("/healthz", "/readyz", "/metrics"), Rule.INNER | Rule.UNCACHED),
    **dict.fromkeys(("/_event/", "/pictures/"), Rule.INNER),
    **dict.fromkeys(("/_event", "/_upload"), Rule.UNCRAWLED | Rule.UNCACHED),
    **dict.fromkeys(("/_health", "/ping", "/styles/office", "/service-worker.js"), Rule.UNCACHED),
    **dict.fromkeys(_PAGES_OF_ONE_PERSON, _HIDDEN | Rule.PRIVATE),
}
"""The rules of the paths that begin with each key."""


def paths_with(rule: Rule) -> tuple[str, ...]:
    """Return the beginnings of the paths that have a rule."""
    return tuple(path for path, rules in _RULES.items() if rule in rules)


RULED_PATHS = tuple(_RULES)
"""The beginnings of all paths that have a rule."""
PRIVATE_PATHS = paths_with(Rule.PRIVATE)
PRIVATE_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow",
}
"""Headers of a private page: no cache stores it, no search engine indexes it, and its links do not send its address."""
