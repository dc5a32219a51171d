"""Where the pages of one person are. Everything about such an address follows from this list: it is kept by no cache and no
service worker, prefetched by no browser, closed to search engines, and logged without its token."""

PRIVATE_PATHS = (
    "/booking/", "/certificate/", "/comment/", "/learner/", "/order/", "/registration/", "/waiting/", "/waiting-list/",
)  # fmt: skip
"""Beginnings of the paths; a token follows. Each `PrivatePage` lies below one of them."""
PRIVATE_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow",
}
"""Headers of one person's page: kept by no cache, found by no search, and its address goes nowhere."""
