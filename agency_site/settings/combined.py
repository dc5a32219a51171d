"""The one frozen settings object, combined from its groups. No other module reads the environment.

Every field is an environment variable with the prefix `AGENCY_` (only `PORT` and `STAFF_PASSWORD` have none), and may be set in a
file `.env`. `.env.example` lists all of them; a test compares it with this class.
"""

from functools import lru_cache
from pathlib import Path

from annotated_types import Ge, Le
from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict

from agency_site.settings.academy import AcademySettings
from agency_site.settings.analytics import AnalyticsSettings
from agency_site.settings.backup import BackupSettings
from agency_site.settings.booking import BookingSettings
from agency_site.settings.environment_file import load_environment_file
from agency_site.settings.forms import FormSettings
from agency_site.settings.limits import LimitSettings
from agency_site.settings.mail import MailSettings
from agency_site.settings.payments import PaymentSettings
from agency_site.settings.retention import RetentionSettings
from agency_site.settings.site import DEFAULT_SECRET, ROOT, STAFF_ROLES, Environment, SiteSettings
from agency_site.settings.sms import SmsSettings

_LEAST_PAIRS = 16
"""Minimum of different pairs of neighbouring characters; a random key of 32 hexadecimal digits has 25 or more."""


class UnsafeSettings(RuntimeError):
    """The site must not start with these settings; the message names each reason."""


# Pydantic lists the fields of the last class first: `.env.example` begins with the site and ends with backups.
class Settings(
    BackupSettings,
    AnalyticsSettings,
    RetentionSettings,
    FormSettings,
    LimitSettings,
    SmsSettings,
    MailSettings,
    PaymentSettings,
    AcademySettings,
    BookingSettings,
    SiteSettings,
    BaseSettings,
):
    """All settings; their defaults run on a laptop without any configuration."""

    model_config = SettingsConfigDict(
        env_prefix="AGENCY_", env_file=ROOT / ".env", frozen=True, extra="ignore", populate_by_name=True
    )

    def dangers(self) -> list[str]:
        """Return every reason why a site must not start with these settings; empty if only this machine reaches it."""
        if self.is_local:
            return []
        checks = {
            "AGENCY_ENV is missing, and other machines reach this address: set production, or development to try the site": (
                self.env is Environment.UNNAMED
            ),
            "AGENCY_SECRET_KEY is the default, shorter than 32 characters or repeats itself: openssl rand -hex 32": (
                _is_weak(self.secret_key.get_secret_value())
            ),
            "AGENCY_OLD_SECRET_KEYS contains the default, or one that is shorter than 32 characters or repeats itself": any(
                map(_is_weak, self.secret_keys[1:])
            ),
            "AGENCY_CALENDAR_LOOPBACK is on": self.calendar_loopback,
            "AGENCY_ALLOWED_ORIGINS contains a wildcard": any(
                "*" in origin for origin in self.allowed_origins
            ),
        }
        if self.production:
            checks |= self._dangers_of_production()
        return [reason for reason, bad in checks.items() if bad]

    def _dangers_of_production(self) -> dict[str, bool]:
        return {
            "AGENCY_PUBLIC_URL is missing": not self.public_url,
            "AGENCY_PUBLIC_URL does not begin with https://": self.public_url.startswith("http://"),
            "AGENCY_ALLOWED_ORIGINS contains an address that does not begin with https://": any(
                origin.startswith("http://") for origin in self.allowed_origins
            ),
            "AGENCY_MPESA_CALLBACK_URL does not begin with https://": (
                self.mpesa_callback_url.startswith("http://") and not self.simulator
            ),
            "AGENCY_WORKERS is more than 1 on SQLite": self.workers > 1 and self.sqlite,
            "AGENCY_WORKERS is more than 1 without AGENCY_REDIS_URL": self.workers > 1 and not self.redis_url,
            "the M-Pesa simulator is on: set AGENCY_MPESA_CONSUMER_KEY, or AGENCY_MPESA_SIMULATOR_IN_PRODUCTION=true": (
                self.simulator and not self.mpesa_simulator_in_production
            ),
            "AGENCY_MPESA_CONSUMER_SECRET or AGENCY_MPESA_PASSKEY is missing": not self.simulator
            and not (self.mpesa_consumer_secret.get_secret_value() and self.mpesa_passkey.get_secret_value()),
            "AGENCY_MPESA_INITIATOR_PASSWORD or the file of AGENCY_MPESA_CERTIFICATE is missing": bool(
                self.mpesa_initiator
            )
            and not (
                self.mpesa_initiator_password.get_secret_value() and Path(self.mpesa_certificate).is_file()
            ),
            "AGENCY_MPESA_CALLBACK_SECRET is shorter than 32 characters or repeats itself": (
                bool(self.mpesa_callback_secret.get_secret_value())
                and _is_weak(self.mpesa_callback_secret.get_secret_value())
            ),
            "AGENCY_SMS_CALLBACK_SECRET is shorter than 32 characters or repeats itself": (
                bool(self.sms_callback_secret.get_secret_value())
                and _is_weak(self.sms_callback_secret.get_secret_value())
            ),
            "AGENCY_SMS_USERNAME is missing": (
                bool(self.sms_api_key.get_secret_value()) and not self.sms_username
            ),
        }

    def require_safe(self) -> None:
        """Raise UnsafeSettings with every danger."""
        if dangers := self.dangers():
            raise UnsafeSettings("\n".join(["The site refuses to start:", *(f"  - {d}" for d in dangers)]))

    def list_outlets(self) -> list[str]:
        """Return the variables by which this site reaches people or moves money."""
        outlets = {
            "smtp_host": self.smtp_host,
            "sms_api_key": self.sms_api_key.get_secret_value(),
            "mpesa_consumer_key": self.mpesa_consumer_key.get_secret_value(),
        }
        return [variable(name) for name, value in outlets.items() if value]

    def describe_risks(self) -> list[str]:
        """Return a line for each setting that is allowed, but weakens what protects a public site."""
        exempt = [role for role in STAFF_ROLES if role not in self.second_factor_roles]
        if self.is_local or not exempt:
            return []
        return [f"AGENCY_STAFF_SECOND_FACTOR_ROLES lets {', '.join(exempt)} sign in with a password alone."]


def _is_weak(secret: str) -> bool:
    """Return whether a secret can be guessed: the default, a short one, or one with few different pairs of characters."""
    pairs = {secret[place : place + 2] for place in range(len(secret) - 1)}
    return secret == DEFAULT_SECRET or len(secret) < 32 or len(pairs) < _LEAST_PAIRS


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the settings of this process, read once."""
    load_environment_file()
    return Settings()


def variable(name: str) -> str:
    """Return the environment variable of the setting `name`."""
    alias = Settings.model_fields[name].validation_alias
    return str(alias.choices[0]) if isinstance(alias, AliasChoices) else f"AGENCY_{name.upper()}"


def _describe_bounds(field: FieldInfo) -> str:
    """Return the least and the largest value of a number, if the setting has both."""
    least = next((bound.ge for bound in field.metadata if isinstance(bound, Ge)), None)
    largest = next((bound.le for bound in field.metadata if isinstance(bound, Le)), None)
    return "" if least is None or largest is None else f" ({least} to {largest})"


def example() -> str:
    """Return the text of `.env.example`: every setting with its meaning and default."""
    lines = [
        "# Every setting with its default, which works on a laptop. Copy to .env and change what you need,",
        "# or set the same names in the environment, which takes precedence.",
    ]
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, SecretStr):
            default = default.get_secret_value()
        text = ",".join(default) if isinstance(default, tuple) else str(default).replace(f"{ROOT}/", "")
        text = text.lower() if isinstance(default, bool) else text
        lines += [
            "",
            f"# {field.description}{_describe_bounds(field)}",
            f"{variable(name)}={text}",
        ]
    return "\n".join([*lines, ""])
