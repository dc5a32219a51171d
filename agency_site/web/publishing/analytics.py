"""Counting services of other companies, by setting: one script in public pages loads them, those with cookies after consent.

The build does not know them. Publishing adds the script, whose attributes name all that the services load, so the policy of the
page (`web/build/content_policy.py`) follows from its markup.
"""

import html
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from agency_site.settings import Settings, settings
from agency_site.site.layout.page_scripts import read_script
from agency_site.site.layout.path_rules import Rule, paths_with

_SCRIPT = Path("analytics.js")
_UNCOUNTED = ("/not-found", *paths_with(Rule.UNCRAWLED))
_GOOGLE_TAGS = "https://*.googletagmanager.com"
_GOOGLE_FIGURES = ("https://*.google-analytics.com", "https://*.analytics.google.com")
_META = "https://connect.facebook.net"
_META_PICTURES = "https://www.facebook.com"
_UMAMI_CLOUD = "cloud.umami.is"
_UMAMI_GATEWAYS = ("https://gateway.umami.is", "https://api-gateway.umami.dev")


@dataclass(frozen=True)
class _Loads:
    """The addresses from which a service loads scripts and pictures, and to which it connects (docs/analytics.md)."""

    script: tuple[str, ...]
    connect: tuple[str, ...]
    img: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Service:
    """A service as the script gets it."""

    src: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    """Attributes of its script element."""
    start: str = ""
    """The function of `analytics.js` that prepares it."""
    identity: str = ""
    """The site's id at the service."""
    name: str = ""
    """Its name in the question for consent; empty if it sets no cookies and needs none."""


def list_services(chosen: Settings) -> tuple[tuple[_Service, _Loads], ...]:
    """Return the services of the settings with what they load."""
    candidates = (
        (chosen.plausible_domain, _plausible(chosen)),
        (chosen.umami_website, _umami(chosen)),
        (chosen.ga4_id, _google(chosen.ga4_id)),
        (chosen.meta_pixel_id, _meta(chosen.meta_pixel_id)),
    )
    return tuple(service for identity, service in candidates if identity)


def _plausible(chosen: Settings) -> tuple[_Service, _Loads]:
    origin = _origin(chosen.plausible_script)
    return (
        _Service(chosen.plausible_script, {"data-domain": chosen.plausible_domain}),
        _Loads((origin,), (origin,)),
    )


def _umami(chosen: Settings) -> tuple[_Service, _Loads]:
    origin = _origin(chosen.umami_script)
    gateways = _UMAMI_GATEWAYS if urlsplit(chosen.umami_script).hostname == _UMAMI_CLOUD else ()
    return (
        _Service(chosen.umami_script, {"data-website-id": chosen.umami_website}),
        _Loads((origin,), (origin, *gateways)),
    )


def _google(identity: str) -> tuple[_Service, _Loads]:
    return (
        _Service(
            f"https://www.googletagmanager.com/gtag/js?id={identity}",
            start="google",
            identity=identity,
            name="Google Analytics",
        ),
        _Loads((_GOOGLE_TAGS,), (*_GOOGLE_FIGURES, _GOOGLE_TAGS), (_GOOGLE_FIGURES[0], _GOOGLE_TAGS)),
    )


def _meta(identity: str) -> tuple[_Service, _Loads]:
    return (
        _Service(f"{_META}/en_US/fbevents.js", start="meta", identity=identity, name="Meta Pixel"),
        _Loads((_META,), (_META, _META_PICTURES), (_META_PICTURES,)),
    )


def _origin(address: str) -> str:
    return "{0.scheme}://{0.netloc}".format(urlsplit(address))


def analytics_files(files: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """Return the public pages among the finished `files` with the script, and the script; nothing if no service is configured."""
    if not list_services(settings()):
        return {}
    pages = {name: add_analytics(body.decode()).encode() for name, body in files.items() if _is_counted(name)}
    return pages | {_SCRIPT: read_script(Path(__file__).with_name("analytics.js")).encode()}


def _is_counted(name: Path) -> bool:
    path = f"/{name.parent.as_posix()}".removesuffix("/.")
    return name.name == "index.html" and not path.startswith(_UNCOUNTED)


def add_analytics(page: str) -> str:
    """Return the page with the script that loads the services; unchanged if none is configured."""
    services = list_services(settings())
    return page.replace("</body>", f"{_element(services)}</body>", 1) if services else page


def _element(services: tuple[tuple[_Service, _Loads], ...]) -> str:
    listed = json.dumps([asdict(service) for service, _ in services], separators=(",", ":"))
    sources = {
        f"data-{kind}-src": " ".join(
            dict.fromkeys(address for _, loads in services for address in getattr(loads, kind))
        )
        for kind in ("script", "connect", "img")
    }
    attributes = {"data-services": listed, **sources}
    rest = " ".join(f'{name}="{html.escape(value)}"' for name, value in attributes.items())
    return f'<script defer="" src="/{_SCRIPT}" {rest}></script>'
