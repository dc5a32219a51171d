"""The configuration of the simulator: credentials, timings and permissions."""

import base64
from dataclasses import dataclass, field

from agency_site.settings import Settings

CONSUMER_KEY = "simulator-consumer-key"
CONSUMER_SECRET = "simulator-consumer-secret"  # noqa: S105 - opens nothing but the simulator
PASSKEY = "bfb279f9aa9bdbcf158e97dd71a467cd2e0c893059b10f78e6b72ada1ed2c919"
"""The public passkey of Daraja's sandbox (daraja.md, section 5)."""
SHORTCODE = "174379"
OPERATOR = "simulator"
CREDENTIAL = base64.b64encode(bytes(256)).decode()
"""A text in the form of an encrypted password. The simulator checks only the form, because it has no key to decrypt it."""


@dataclass(frozen=True)
class SimulatorConfig:
    """The fixed settings of a simulator; those that change at run time are in `switches`. Times are in seconds."""

    consumer_key: str = CONSUMER_KEY
    consumer_secret: str = field(default=CONSUMER_SECRET, repr=False)
    passkey: str = field(default=PASSKEY, repr=False)
    shortcode: str = SHORTCODE
    delay: float = 2.0
    """The time from the push to the customer's decision and its callback (readings, "M-Pesa simulator")."""
    late: float = 45.0
    """The additional delay of the callback for 700."""
    silence: float = 30.0
    """The time without an answer to the push for 503."""
    prompt_window: float = 60.0
    """The time for which an unanswered prompt stays open (daraja.md, section 6)."""
    callback_base: str = ""
    """The only address that callbacks may go to; empty for any address, as with Daraja itself."""
    control: bool = True
    """True if `/control` is served. It shows telephone numbers and lets every client change the outcomes."""


def simulator_config_from(settings: Settings) -> SimulatorConfig:
    """Return a configuration for the site: the same shortcode and passkey, and callbacks to the site only."""
    return SimulatorConfig(
        consumer_secret=settings.mpesa_consumer_secret.get_secret_value() or CONSUMER_SECRET,
        passkey=settings.mpesa_passkey.get_secret_value() or PASSKEY,
        shortcode=settings.mpesa_shortcode,
        callback_base=settings.callback_base_url,
        control=not settings.production,
    )
