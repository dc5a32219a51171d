"""Text messages: the account at Africa's Talking, the sender, quiet hours and limits."""

from datetime import time
from functools import cached_property
from typing import ClassVar

from pydantic import Field, SecretStr

from agency_site.settings.limits import Unless
from agency_site.settings.site import Address, SiteSettings

SMS_SIMULATOR_PATH = "/simulator/sms"
_CLOCK = r"^([01]\d|2[0-3]):[0-5]\d$"


class SmsSettings(SiteSettings):
    """Settings of text messages."""

    sms_username: str = Field("", max_length=80, description="user name of the app at Africa's Talking")
    sms_api_key: SecretStr = Field(SecretStr(""))
    """API key of that app; if empty, development uses the built-in simulator, and production sends no text message"""
    sms_sender: str = Field("", pattern=r"^([A-Za-z0-9][A-Za-z0-9 _.-]{0,10})?$")
    """registered sender of text messages, at most 11 characters; if empty, Africa's Talking's shared one"""
    sms_sandbox: bool = Field(False, description="use Africa's Talking's sandbox; its user name is sandbox")
    sms_base_url: Address = Field("")
    """Africa's Talking's address; if empty, live, or the sandbox, or the simulator without an API key"""
    sms_callback_secret: SecretStr = Field(SecretStr(""))
    """secret part of the paths of delivery reports and incoming texts; if empty, derived from the secret key"""
    sms_foreign_numbers: bool = Field(False, description="send text messages to numbers outside Kenya too")
    sms_price: str = Field("0.80", pattern=r"^\d{1,3}(\.\d{1,4})?$")
    """price of one part of a text message in KES, which staff see before they send one"""
    sms_quiet_from: str = Field("21:00", pattern=_CLOCK)
    """time of day in Nairobi from which text messages wait, except those that answer what a customer has just done"""
    sms_quiet_until: str = Field("07:00", pattern=_CLOCK)
    """time of day in Nairobi until which they wait; the same time twice: they never wait"""
    sms_per_number_day: int = Field(0, ge=0)
    """most text messages about bookings and orders that one number gets in 24 hours, because visitors type numbers; 0 means 10,
    on a laptop 1000"""
    sms_site_day: int = Field(0, ge=0)
    """most text messages about bookings and orders that the whole site sends in 24 hours; further ones go out as mails alone, and
    an alert says so; 0 means 500, on a laptop 20000"""
    sms_link_days: int = Field(
        120, ge=1, le=3650, description="days for which short links in text messages work"
    )

    sms_daily_limit: ClassVar = Unless("sms_per_number_day", 10, 1000)
    """Most text messages about bookings and orders that one number gets in 24 hours."""
    sms_site_limit: ClassVar = Unless("sms_site_day", 500, 20_000)
    """Most text messages about bookings and orders of the whole site in 24 hours."""

    @property
    def sms_simulator(self) -> bool:
        """Return whether text messages go to the built-in simulator: development without an API key."""
        return not self.production and not self.sms_api_key.get_secret_value()

    @property
    def has_sms_provider(self) -> bool:
        """Return whether text messages are sent. If not, they stay in the outbox."""
        return self.sms_simulator or bool(self.sms_api_key.get_secret_value())

    @property
    def sms_url(self) -> str:
        """Base address of Africa's Talking, or of the simulator that this server carries (sms.md, section 1)."""
        if self.sms_base_url:
            return self.sms_base_url
        if self.sms_simulator:
            return f"http://127.0.0.1:{self.port}{SMS_SIMULATOR_PATH}"
        return f"https://api.{'sandbox.' if self.sms_sandbox else ''}africastalking.com"

    @property
    def sms_quiet_hours(self) -> tuple[time, time]:
        """The time of day in Nairobi at which quiet hours begin, and the one at which they end."""
        return time.fromisoformat(self.sms_quiet_from), time.fromisoformat(self.sms_quiet_until)

    @property
    def sms_callback_secrets(self) -> tuple[str, ...]:
        """All accepted secret parts of callback paths, the present one first."""
        chosen = self.sms_callback_secret.get_secret_value()
        return (chosen,) if chosen else self._derived_sms_secrets

    @cached_property
    def _derived_sms_secrets(self) -> tuple[str, ...]:
        return self.derived_keys("sms-callback")
