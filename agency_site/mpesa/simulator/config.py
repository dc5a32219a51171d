"""How the simulator is set up: credentials, timings and what it is allowed to do."""

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
"""Has the form of an encrypted password. The simulator looks at its form only: the real one takes a key to read it."""


@dataclass(frozen=True)
class SimulatorConfig:
    """Fixed for the life of one simulator; what changes while it runs is in `switches`. Times in seconds."""

    consumer_key: str = CONSUMER_KEY
    consumer_secret: str = field(default=CONSUMER_SECRET, repr=False)
    passkey: str = field(default=PASSKEY, repr=False)
    shortcode: str = SHORTCODE
    delay: float = 2.0
    """From the push to the customer's decision, and so to the callback (readings, "M-Pesa simulator")."""
    late: float = 45.0
    """How much later the callback of 700 comes."""
    silence: float = 30.0
    """How long the push of 503 gives no answer."""
    prompt_window: float = 60.0
    """How long a prompt that nobody answers stays open (daraja.md, section 6)."""
    callback_base: str = ""
    """The only address that callbacks may go to; empty: any, as Daraja itself allows."""
    control: bool = True
    """Whether `/control` is served; it shows telephone numbers and lets anyone change the outcomes."""


def simulator_config_from(settings: Settings) -> SimulatorConfig:
    """A simulator that fits the site: same shortcode and passkey, callbacks to the site only."""
    return SimulatorConfig(
        consumer_secret=settings.mpesa_consumer_secret.get_secret_value() or CONSUMER_SECRET,
        passkey=settings.mpesa_passkey.get_secret_value() or PASSKEY,
        shortcode=settings.mpesa_shortcode,
        callback_base=settings.callback_base_url,
        control=not settings.production,
    )
