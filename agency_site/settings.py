"""The one frozen settings object. Nobody else reads the environment.

Every field is an environment variable with the prefix `AGENCY_` (only `PORT` and `STAFF_PASSWORD` have none), and may stand in a
file `.env`. `.env.example` lists all of them; a test compares it with this class.
"""

import hashlib
import hmac
from datetime import timedelta
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, HttpUrl, SecretStr, TypeAdapter, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_SECRET = "development-only-secret"  # noqa: S105 - refused in production
SIMULATOR_PATH = "/simulator/mpesa"
_RATE = r"^(\d+ ?(/|per) ?(\d+ ?)?(second|minute|hour|day)s?)?$"
PLACEHOLDER_ORIGIN = "https://origin.invalid"
"""Stands for the site's own address in the build; publishing fills in the real one, so that one build fits all."""


class Environment(StrEnum):
    """Where the site runs; production refuses unsafe settings."""

    DEVELOPMENT = "development"
    PRODUCTION = "production"


class UnsafeSettings(RuntimeError):
    """Production was asked to start with settings that would harm it; the message names each reason."""


def _kept(days: int, since: str) -> Any:
    """How long personal data is kept. What a visitor reads about it stands in `content/legal.py`."""
    return Field(days, ge=0, le=36_500, description=f"days that data is kept {since}; 0: for good")


class Settings(BaseSettings):
    """All settings with their defaults, which serve a laptop without any configuration."""

    model_config = SettingsConfigDict(
        env_prefix="AGENCY_", env_file=ROOT / ".env", frozen=True, extra="ignore", populate_by_name=True
    )

    env: Environment = Field(Environment.DEVELOPMENT, description="development or production")
    host: str = Field("127.0.0.1", description="address the server listens on")
    port: int = Field(
        3000,
        ge=1,
        le=65535,
        validation_alias=AliasChoices("PORT", "port"),
        description="port the server listens on",
    )
    public_url: str = Field("", description="the site's own address; empty: http://localhost:PORT")
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="origins whose pages may open a socket and read the API, comma-separated; empty: the public URL's own",
    )
    trusted_proxy_hops: int = Field(0, ge=0, description="own proxies in front, for the client's address")
    workers: int = Field(1, ge=1, description="server processes; more than 1 needs PostgreSQL and Redis")
    secret_key: SecretStr = Field(
        SecretStr(DEFAULT_SECRET), description="signs links and the callback address"
    )
    database_url: str = Field(
        f"sqlite+aiosqlite:///{ROOT}/.data/agency.sqlite3",
        description="SQLite (sqlite+aiosqlite://) or PostgreSQL (postgresql+psycopg://)",
    )
    redis_url: str = Field("", description="Redis for sessions and limits shared by workers; empty: memory")

    booking_capacity: int = Field(1, ge=1, le=50, description="confirmed bookings that one slot takes")
    booking_horizon_days: int = Field(90, ge=1, le=366, description="how many days ahead one can book")
    booking_closed_on_holidays: bool = Field(True, description="close on Kenya's public holidays")
    booking_placeholder_ms: int = Field(800, ge=0, description="how long the slot placeholder stands, in ms")
    booking_reminder_hours: int = Field(24, ge=1, description="hours before the booking its reminder leaves")

    mpesa_consumer_key: SecretStr = Field(
        SecretStr(""), description="Daraja app key; empty: built-in simulator"
    )
    mpesa_consumer_secret: SecretStr = Field(SecretStr(""), description="Daraja app secret")
    mpesa_passkey: SecretStr = Field(SecretStr(""), description="Lipa na M-Pesa passkey of the shortcode")
    mpesa_shortcode: str = Field(
        "174379", pattern=r"^\d{5,7}$", description="paybill, or the till's store number"
    )
    mpesa_party_b: str = Field("", pattern=r"^\d{0,7}$", description="receiving till; empty: the shortcode")
    mpesa_transaction_type: str = Field(
        "CustomerPayBillOnline",
        pattern="^Customer(PayBill|BuyGoods)Online$",
        description="CustomerPayBillOnline or CustomerBuyGoodsOnline",
    )
    mpesa_base_url: str = Field(
        "", description="Daraja's address; empty: live with a consumer key in production, else the simulator"
    )
    mpesa_callback_url: str = Field("", description="address Daraja calls back; empty: the public URL")
    mpesa_callback_secret: SecretStr = Field(
        SecretStr(""), description="secret part of the callback path; empty: derived from the secret key"
    )
    mpesa_simulator_in_production: bool = Field(False, description="let production start with the simulator")
    mpesa_maximum_amount: int = Field(250_000, ge=1, description="most KES that one payment may carry")
    mpesa_connect_timeout_seconds: float = Field(5.0, gt=0, description="time to reach Daraja")
    mpesa_read_timeout_seconds: float = Field(20.0, gt=0, description="time to wait for Daraja's answer")
    mpesa_query_interval_seconds: float = Field(
        12.0,
        ge=0,
        description="least time between two status queries of the whole system (sandbox: 5 a minute)",
    )
    mpesa_first_query_seconds: float = Field(75.0, ge=0, description="when the first status query is due")
    mpesa_prompt_window_seconds: float = Field(
        90.0, ge=0, description="how long a prompt may still be open on the phone"
    )
    payment_poll_seconds: float = Field(3.0, gt=0, description="pause between two looks of the payment page")
    payment_poll_retries: int = Field(10, ge=1, description="looks after which the page gives up waiting")
    payment_repeat_window_seconds: float = Field(
        120.0, ge=0, description="an identical payment within this time after the first is the same payment"
    )

    smtp_host: str = Field("", description="SMTP server; empty: mail is kept in the outbox and listed")
    smtp_port: int = Field(587, ge=1, le=65535, description="SMTP port")
    smtp_user: str = Field("", description="SMTP user")
    smtp_password: SecretStr = Field(SecretStr(""), description="SMTP password")
    smtp_security: str = Field(
        "starttls", pattern="^(starttls|tls|none)$", description="starttls, tls or none"
    )
    mail_from: str = Field("", description="sender address; empty: the brand's")
    mail_staff: str = Field("", description="address that gets staff notices; empty: the brand's")

    rate_limit_api: str = Field(
        "",
        description="requests per address to /api, e.g. 60/minute; empty: 60/minute, 3000/minute in development",
    )
    rate_limit_forms: str = Field(
        "", description="bookings and payments per address; empty: 10/minute, 3000/minute in development"
    )

    rate_limit_sends: str = Field(
        "",
        pattern=_RATE,
        description="what one address may send through one form of the pages; empty: 20/10 minutes, "
        "3000/minute in development",
    )
    rate_limit_form: str = Field(
        "",
        pattern=_RATE,
        description="what all addresses together may send through one form that asks for a proof of work; "
        "empty: 600/hour, 3000/minute in development",
    )
    form_minimum_seconds: float = Field(
        2.0, ge=0, le=60, description="least time between the first press into a form and its sending"
    )
    proof_minutes: int = Field(
        60, ge=2, le=1440, description="how long a proof of work counts; a browser gets another one by itself"
    )
    proof_iterations: int = Field(
        5000, ge=1, le=1_000_000, description="iterations of PBKDF2 that one try of a proof of work takes"
    )
    proof_tries: int = Field(
        80, ge=1, le=100_000, description="tries that a proof of work takes at most; half of them on average"
    )
    mails_per_recipient_hour: int = Field(
        3, ge=1, description="automatic mails of one form that an address gets within an hour"
    )
    mails_per_recipient_day: int = Field(
        8, ge=1, description="automatic mails of one form that an address gets within a day"
    )
    rate_limit_connects: str = Field(
        "",
        pattern=_RATE,
        description="sockets that one address may open; empty: 600/minute, 60000/minute in development",
    )
    rate_limit_events: str = Field(
        "",
        pattern=_RATE,
        description="messages per address in one process, slowed down above; empty: 100/second, 5000/second in development",
    )
    open_sockets: int = Field(
        0,
        ge=0,
        description="sockets that one address may hold open in one process; 0: 1000, 10000 in development",
    )
    body_limit_kb: int = Field(64, ge=1, description="largest body of a request, in KiB")
    socket_message_kb: int = Field(256, ge=1, description="largest message on a socket, in KiB")

    retention_bookings_days: int = _kept(730, "after a consultation, held or cancelled")
    retention_paid_orders_days: int = _kept(2557, "after a paid order last changed; the law wants its books")
    retention_unpaid_orders_days: int = _kept(90, "after the last attempt to pay an order")
    retention_free_orders_days: int = _kept(730, "after an enrolment in a free course")
    retention_enquiries_days: int = _kept(365, "after an answered or closed enquiry last changed")
    retention_registrations_days: int = _kept(180, "after a webinar")
    retention_comments_days: int = _kept(90, "after a comment was rejected or withdrawn")
    retention_unconfirmed_days: int = _kept(30, "after a sign-up to the newsletter that was never confirmed")
    retention_unsubscribed_days: int = _kept(30, "after somebody left the newsletter")
    retention_mail_days: int = _kept(365, "after a mail was sent; what it said and to whom")
    retention_sign_ins_days: int = _kept(1, "after an attempt to sign in to the back office")
    retention_staff_sessions_days: int = _kept(
        90, "after staff signed out; fewer than 30 forget known browsers"
    )

    service_worker: bool = Field(
        True,
        description="let browsers keep public pages for when they have no network; false removes what they kept",
    )
    staff_password: SecretStr = Field(
        SecretStr(""),
        validation_alias=AliasChoices("STAFF_PASSWORD", "staff_password"),
        description="password that `make staff` gives without asking; leave it empty outside of scripts",
    )
    log_level: str = Field("info", pattern="^(debug|info|warning|error)$", description="how much is logged")
    log_format: str = Field(
        "",
        pattern="^(json|text|)$",
        description="json or text; empty: json in production, text in development",
    )
    access_log: str = Field(
        "",
        pattern="^(on|off|)$",
        description="on or off: a line per request; empty: on in production, off in development",
    )

    @field_validator("allowed_origins", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip().rstrip("/") for part in value.split(",") if part.strip())
        return value

    @field_validator("public_url", "mpesa_base_url", "mpesa_callback_url")
    @classmethod
    def _address(cls, value: str) -> str:
        if not value:
            return value
        TypeAdapter(HttpUrl).validate_python(value)
        return value.rstrip("/")

    @property
    def production(self) -> bool:
        """Whether this is the real site."""
        return self.env is Environment.PRODUCTION

    @property
    def site_url(self) -> str:
        """The site's own address without a trailing slash."""
        return self.public_url or f"http://localhost:{self.port}"

    @property
    def origins(self) -> tuple[str, ...]:
        """Origins that may talk to the site from a browser."""
        if self.allowed_origins:
            return self.allowed_origins
        own = "{0.scheme}://{0.netloc}".format(urlsplit(self.site_url))
        # On a laptop both spellings of the own machine are the site.
        return (own,) if self.public_url else (own, own.replace("localhost", "127.0.0.1"))

    @property
    def sqlite(self) -> bool:
        """Whether the database is SQLite."""
        return self.database_url.startswith("sqlite")

    @property
    def simulator(self) -> bool:
        """Whether M-Pesa is simulated: no Daraja credentials are configured."""
        return not self.mpesa_consumer_key.get_secret_value()

    @property
    def daraja_url(self) -> str:
        """Base address of Daraja, or of the simulator that this server carries (addresses: daraja.md, section 1)."""
        if self.mpesa_base_url:
            return self.mpesa_base_url
        if self.simulator:
            return f"http://127.0.0.1:{self.port}{SIMULATOR_PATH}"
        return "https://api.safaricom.co.ke" if self.production else "https://sandbox.safaricom.co.ke"

    @property
    def callback_base_url(self) -> str:
        """Where Daraja reaches us; the simulator calls over the loopback."""
        if self.mpesa_callback_url:
            return self.mpesa_callback_url
        return f"http://127.0.0.1:{self.port}" if self.simulator else self.site_url

    @cached_property
    def callback_secret(self) -> str:
        """The secret part of the callback path."""
        return self.mpesa_callback_secret.get_secret_value() or self.derived_key("mpesa-callback")

    def derived_key(self, purpose: str) -> str:
        """A key of its own for one purpose, made from the secret key: one that leaks opens nothing else."""
        return hmac.new(
            self.secret_key.get_secret_value().encode(), purpose.encode(), hashlib.sha256
        ).hexdigest()

    @property
    def api_limit(self) -> str:
        """Requests per address to the API, as the `limits` library writes them."""
        return self.rate_limit_api or ("60/minute" if self.production else "3000/minute")

    @property
    def form_limit(self) -> str:
        """Bookings and payments per address, as the `limits` library writes them."""
        return self.rate_limit_forms or ("10/minute" if self.production else "3000/minute")

    @property
    def sends_limit(self) -> str:
        """What one address may send through one form of the pages, as the `limits` library writes it."""
        return self.rate_limit_sends or ("20/10 minutes" if self.production else "3000/minute")

    @property
    def whole_form_limit(self) -> str:
        """What all addresses together may send through one form, as the `limits` library writes it."""
        return self.rate_limit_form or ("600/hour" if self.production else "3000/minute")

    @property
    def connect_limit(self) -> str:
        """Sockets that one address may open, as the `limits` library writes them."""
        return self.rate_limit_connects or ("600/minute" if self.production else "60000/minute")

    @property
    def event_limit(self) -> str:
        """Messages per address on its sockets, as the `limits` library writes them."""
        return self.rate_limit_events or ("100/second" if self.production else "5000/second")

    @property
    def sockets_per_address(self) -> int:
        """Sockets that one address may hold open in one process."""
        return self.open_sockets or (1000 if self.production else 10_000)

    @property
    def mpesa_query_backoff(self) -> tuple[timedelta, ...]:
        """Pauses between status queries after the first: about 2, 4, 8, 15, 30 min, then hourly (daraja.md, section 6)."""
        return tuple(timedelta(minutes=m) for m in (0.2, 1, 2, 4, 7, 15, 30, 60))

    def dangers(self) -> list[str]:
        """Every reason why production must not start with these settings; empty outside production."""
        if not self.production:
            return []
        checks = {
            "AGENCY_SECRET_KEY is the default or shorter than 32 characters": (
                self.secret_key.get_secret_value() == DEFAULT_SECRET
                or len(self.secret_key.get_secret_value()) < 32
            ),
            "AGENCY_PUBLIC_URL is missing": not self.public_url,
            "AGENCY_WORKERS is more than 1 on SQLite": self.workers > 1 and self.sqlite,
            "AGENCY_WORKERS is more than 1 without AGENCY_REDIS_URL": self.workers > 1 and not self.redis_url,
            "AGENCY_ALLOWED_ORIGINS contains a wildcard": any(
                "*" in origin for origin in self.allowed_origins
            ),
            "the M-Pesa simulator is on: set AGENCY_MPESA_CONSUMER_KEY, or AGENCY_MPESA_SIMULATOR_IN_PRODUCTION=true": (
                self.simulator and not self.mpesa_simulator_in_production
            ),
            "AGENCY_MPESA_CONSUMER_SECRET or AGENCY_MPESA_PASSKEY is missing": not self.simulator
            and not (self.mpesa_consumer_secret.get_secret_value() and self.mpesa_passkey.get_secret_value()),
            "AGENCY_MPESA_CALLBACK_SECRET is shorter than 32 characters": (
                0 < len(self.mpesa_callback_secret.get_secret_value()) < 32
            ),
        }
        return [reason for reason, bad in checks.items() if bad]

    def require_safe(self) -> None:
        """Raise UnsafeSettings naming every danger at once."""
        if dangers := self.dangers():
            raise UnsafeSettings("\n".join(["Production refuses to start:", *(f"  - {d}" for d in dangers)]))


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process, read once."""
    return Settings()


def variable(name: str) -> str:
    """The environment variable of the setting `name`."""
    alias = Settings.model_fields[name].validation_alias
    return str(alias.choices[0]) if isinstance(alias, AliasChoices) else f"AGENCY_{name.upper()}"


def example() -> str:
    """The text of `.env.example`: every setting with its meaning and default."""
    lines = [
        "# Every setting with its default, which serves a laptop. Copy to .env and change what you need,",
        "# or set the same names in the environment, which wins.",
    ]
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, SecretStr):
            default = default.get_secret_value()
        shown = ",".join(default) if isinstance(default, tuple) else str(default).replace(f"{ROOT}/", "")
        shown = shown.lower() if isinstance(default, bool) else shown
        lines += [
            "",
            f"# {field.description}",
            f"{variable(name)}={shown}",
        ]
    return "\n".join([*lines, ""])
