"""HTTP clients that reach an application without a network."""

import httpx
from starlette.types import ASGIApp

ORIGIN = "http://localhost:3000"
"""The site's origin if the settings have no public URL."""
ADDRESS = "203.0.113.9"
"""The address of all clients that are not given another one."""
PAGE_HEADERS = {"Accept": "text/html", "Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"}
"""Headers that a browser sends when a form of one of the site's pages is submitted."""
CHROME = "Mozilla/5.0 (Linux; Android 14; TECNO KL5) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36"
NAVIGATION = {"User-Agent": CHROME, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
"""Headers that a browser sends when a person opens a page."""


def client_of(application: ASGIApp, address: str = ADDRESS) -> httpx.AsyncClient:
    """Return a client at that address. An error in the application is a response of status 500, as over a network."""
    transport = httpx.ASGITransport(application, raise_app_exceptions=False, client=(address, 1))
    return httpx.AsyncClient(transport=transport, base_url=ORIGIN)
