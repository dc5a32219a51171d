"""Readers of a request's negotiation headers: encodings with their weights, the cached version, HTML or not.

RFC 9110, sections 12.4.2 (weights), 12.5.3 (Accept-Encoding) and 13.1.2 (If-None-Match).
"""

import gzip
import re
from collections.abc import Iterable

import brotli

_WEIGHT = re.compile(r"q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)", re.IGNORECASE)


def weights(header: str) -> dict[str, float]:
    """Return each name of an Accept header with its weight from 0 to 1; an invalid weight counts as 0."""
    weight_by_name: dict[str, float] = {}
    for part in header.split(","):
        name, _, rest = part.partition(";")
        if name.strip():
            weight_by_name[name.strip().lower()] = _weight(rest)
    return weight_by_name


def _weight(parameters: str) -> float:
    for parameter in parameters.split(";"):
        if parameter.strip().lower().startswith("q="):
            match = _WEIGHT.fullmatch(parameter.strip())
            return float(match[1]) if match else 0.0
    return 1.0


def best_encoding(header: str, offered: Iterable[str]) -> str:
    """Return the offered encoding with the highest weight, the first of equals; empty if uncompressed is preferred."""
    wanted = weights(header)
    everything_else = wanted.get("*", 0.0)
    plain = wanted.get("identity", 0.0)
    best, highest = "", 0.0
    for name in offered:
        weight = wanted.get(name, everything_else)
        if weight > highest:
            best, highest = name, weight
    # Send uncompressed only if the browser explicitly prefers that.
    return best if highest >= plain else ""


def has_etag(header: str, etag: str) -> bool:
    """Return whether If-None-Match names this version, by weak comparison, or any version."""
    if header.strip() == "*":
        return True
    current = etag.removeprefix("W/")
    return any(part.strip().removeprefix("W/") == current for part in header.split(","))


def wants_html(header: str) -> bool:
    """Return whether the client is a browser that shows a page."""
    return weights(header).get("text/html", 0.0) > 0


def compress_html(body: bytes, accepted: str) -> tuple[bytes, dict[str, str]]:
    """Return the body of a dynamic page, compressed if the browser accepts that, and the headers for it."""
    headers = {"Vary": "Accept-Encoding"}
    if best_encoding(accepted, ["br"]):
        return bytes(brotli.compress(body, mode=brotli.MODE_TEXT, quality=5)), headers | {
            "Content-Encoding": "br"
        }
    if best_encoding(accepted, ["gzip"]):
        return gzip.compress(body, 6, mtime=0), headers | {"Content-Encoding": "gzip"}
    return body, headers
