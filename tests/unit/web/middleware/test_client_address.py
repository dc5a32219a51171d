"""The visitor's address in the scope, for the site's own code and for Reflex's events."""

from collections.abc import Callable

from reflex.app import EventNamespace
from starlette.types import Message, Receive, Scope, Send

from agency_site.settings import Settings
from agency_site.web.middleware.stack import ResolveClientAddress

Configure = Callable[..., Settings]


async def passed_on(scope: Scope) -> Scope:
    """The scope as the application gets it."""
    seen: list[Scope] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append(scope)

    async def nothing(*_: object) -> Message:
        raise AssertionError

    await ResolveClientAddress(app)(scope, nothing, nothing)  # type: ignore[arg-type]
    return seen[0]


async def test_the_events_of_a_page_come_from_the_address_that_our_own_proxy_wrote(
    configure: Configure,
) -> None:
    configure(trusted_proxy_hops=1)
    scope = await passed_on(
        {
            "type": "websocket",
            "client": ("10.0.0.1", 5),
            "headers": [(b"x-forwarded-for", b"6.6.6.6"), (b"x-forwarded-for", b"::ffff:203.0.113.7")],
        }
    )
    namespace = EventNamespace.__new__(EventNamespace)
    connection = namespace._build_static_router_data("socket-id", {"asgi.scope": scope})
    assert connection["ip"] == "203.0.113.7"


async def test_a_server_without_an_address_for_its_peer_still_answers() -> None:
    assert (await passed_on({"type": "http", "headers": []}))["client"] == ("unknown", 0)
    assert (await passed_on({"type": "http", "client": None, "headers": []}))["client"] == ("unknown", 0)
    assert await passed_on({"type": "lifespan"}) == {"type": "lifespan"}
