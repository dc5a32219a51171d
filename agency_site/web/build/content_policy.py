"""The content security policy of each page, computed from its final bytes.

Pages are files, so responses cannot have a fresh nonce. The policy has the hash of every inline script instead and
otherwise allows the site's own files only.
"""

import base64
import hashlib
import re
from collections.abc import Sequence

_SCRIPT = re.compile(rb"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_STYLE = re.compile(rb"<style\b[^>]*>(.*?)</style>", re.DOTALL | re.IGNORECASE)
_DATA = re.compile(rb'type="application/(?:json|ld\+json)"')
"""Scripts of these types are data, which browsers do not run."""
_ADDED_SCRIPT = re.compile(rb'<script defer="" src="/analytics\.js" [^>]*>')
"""The element of `web/publishing/analytics.py`, whose attributes name what its scripts load."""
_FRAME = re.compile(rb'data-frame-origin="([^"]+)"')


def page_policy(page: bytes, origins: Sequence[str]) -> str:
    """Return the header `Content-Security-Policy` of a page that `origins` serve.

    Frames of another site are allowed if the markup names that site in `data-frame-origin`. So are counting services, by the
    attributes of their script.
    """
    scripts = [body for how, body in _SCRIPT.findall(page) if body and not _DATA.search(how)]
    added = b"".join(_ADDED_SCRIPT.findall(page))
    frames = [origin.decode() for origin in _FRAME.findall(page)]
    rules = {
        "default-src": ["'self'"],
        "script-src": ["'self'", *_hashes(scripts), *_list_sources("script", added)],
        "style-src": ["'self'", *_hashes(_STYLE.findall(page))],
        "connect-src": ["'self'", *map(_socket, origins), *_list_sources("connect", added)],
        "img-src": ["'self'", "data:", *_list_sources("img", added)],
        "font-src": ["'self'"],
        "worker-src": ["'self'"],
        "manifest-src": ["'self'"],
        "frame-src": ["'self'", *dict.fromkeys(frames)],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
    directives = [f"{name} {' '.join(values)}" for name, values in rules.items()]
    if origins and all(origin.startswith("https:") for origin in origins):
        directives.append("upgrade-insecure-requests")
    return "; ".join(directives)


def _hashes(bodies: Sequence[bytes]) -> list[str]:
    digests = (base64.b64encode(hashlib.sha256(body).digest()).decode() for body in bodies)
    return [f"'sha256-{digest}'" for digest in dict.fromkeys(digests)]


def _list_sources(kind: str, element: bytes) -> list[str]:
    """Return the addresses that an added script may load as scripts, connections or pictures."""
    named = re.search(rb'data-%s-src="([^"]*)"' % kind.encode(), element)
    return named[1].decode().split() if named else []


def _socket(origin: str) -> str:
    # In older browsers 'self' does not include sockets.
    return re.sub("^http", "ws", origin)
