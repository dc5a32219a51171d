"""The middleware that every request passes first, in its order; production's proxy stands before it, nothing else does."""

from starlette.types import ASGIApp

from agency_site.web.middleware.access_log import LogRequests
from agency_site.web.middleware.forwarded import NameClients
from agency_site.web.middleware.paths import RefuseControlCharacters
from agency_site.web.middleware.request_bodies import LimitBodies
from agency_site.web.middleware.request_ids import NameRequests
from agency_site.web.middleware.security_headers import SecureHeaders
from agency_site.web.middleware.sockets import GuardSockets
from agency_site.web.middleware.unhandled_errors import CatchFaults


def guarded(app: ASGIApp) -> ASGIApp:
    """`app` behind the visitor's address, request ids, the access log, security headers, and limits on bodies and sockets."""
    for layer in (
        GuardSockets,
        RefuseControlCharacters,
        LimitBodies,
        CatchFaults,
        SecureHeaders,
        LogRequests,
        NameRequests,
        NameClients,
    ):
        app = layer(app)
    return app
