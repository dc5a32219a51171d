"""The content security policy of each page, worked out from its finished bytes.

Pages are files, so there is no fresh nonce for each answer. Every inline script is named by its hash
instead; nothing else runs but the site's own files. No page has styles outside of stylesheets, so `style-src` needs none.
"""

import base64
import hashlib
import re
from collections.abc import Sequence

_SCRIPT = re.compile(rb"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_STYLE = re.compile(rb"<style\b[^>]*>(.*?)</style>", re.DOTALL | re.IGNORECASE)
_DATA = re.compile(rb'type="application/(?:json|ld\+json)"')
"""Scripts of these kinds are data, which no browser runs."""
_FRAME = re.compile(rb'data-frame-origin="([^"]+)"')


def page_policy(page: bytes, origins: Sequence[str]) -> str:
    """The policy of a page that `origins` serve: the value of the header `Content-Security-Policy`.

    Frames of another site are allowed where the markup names that site in `data-frame-origin`.
    """
    scripts = [body for how, body in _SCRIPT.findall(page) if body and not _DATA.search(how)]
    frames = [origin.decode() for origin in _FRAME.findall(page)]
    rules = {
        "default-src": ["'self'"],
        "script-src": ["'self'", *_hashes(scripts)],
        "style-src": ["'self'", *_hashes(_STYLE.findall(page))],
        "connect-src": ["'self'", *map(_socket, origins)],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "worker-src": ["'self'"],
        "manifest-src": ["'self'"],
        "frame-src": ["'self'", *dict.fromkeys(frames)],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
    written = [f"{name} {' '.join(values)}" for name, values in rules.items()]
    if origins and all(origin.startswith("https:") for origin in origins):
        written.append("upgrade-insecure-requests")
    return "; ".join(written)


def _hashes(bodies: Sequence[bytes]) -> list[str]:
    found = (base64.b64encode(hashlib.sha256(body).digest()).decode() for body in bodies)
    return [f"'sha256-{one}'" for one in dict.fromkeys(found)]


def _socket(origin: str) -> str:
    # Older browsers do not take 'self' for the socket of the same address.
    return re.sub("^http", "ws", origin)
