"""The site itself: its address, processes, secrets, stores and logs."""

import hashlib
import hmac
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    AliasChoices,
    Field,
    HttpUrl,
    SecretStr,
    TypeAdapter,
    field_validator,
)
from pydantic_settings import NoDecode
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from agency_site.client_address import is_own_name
from agency_site.settings.base import SettingsBase

ROOT = Path(__file__).resolve().parents[2]
DEFAULT_SECRET = "development-only-secret"  # noqa: S105 - refused in production
PLACEHOLDER_ORIGIN = "https://origin.invalid"
"""Placeholder of the site's own address in the build; publishing fills in the real one, so that one build fits all."""


STAFF_ROLES = ("owner", "front_desk", "finance", "editor", "viewer", "trainer")
"""Every role of `auth.rules.Role`; all of them can see personal data."""
_ROLE = f"({'|'.join(STAFF_ROLES)})"


class Environment(StrEnum):
    """The environment of the site; production refuses unsafe settings."""

    UNNAMED = ""
    """Development that serves this machine alone."""
    DEVELOPMENT = "development"
    PRODUCTION = "production"


def _address(value: str) -> str:
    if not value:
        return value
    TypeAdapter(HttpUrl).validate_python(value)
    return value.rstrip("/")


Address = Annotated[str, AfterValidator(_address)]
"""An address without a trailing slash, or nothing."""


_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
}


def _database_address(value: str) -> str:
    scheme, separator, _ = value.partition("://")
    wanted = _DRIVERS.get(scheme.partition("+")[0])
    if not separator or not wanted:
        raise ValueError("must begin with sqlite+aiosqlite:// or postgresql+psycopg://")
    if scheme != wanted:
        raise ValueError(f"must begin with {wanted}:// instead of {scheme}://")
    try:
        make_url(value)
    except (ArgumentError, ValueError):
        raise ValueError(f"is no address such as {wanted}://user:password@host:5432/database") from None
    return value


def _redis_address(value: str) -> str:
    if not value:
        return value
    if not value.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("must begin with redis://, rediss:// or unix://")
    # Only for sites that use it: the library loads the SDK of OpenTelemetry as well.
    from redis import ConnectionPool
    from redis.exceptions import RedisError

    try:
        # Connects to nothing. The library checks the names of options only here.
        ConnectionPool.from_url(value).make_connection()
    except (TypeError, ValueError, RedisError):
        raise ValueError(
            "is no address such as redis://:password@host:6379/0 with a percent-encoded password and known options"
        ) from None
    return value


class SiteSettings(SettingsBase):
    """The settings that other groups build upon."""

    env: Environment = Field(Environment.UNNAMED)
    """development or production; if empty, development for this machine alone: no public address, no proxy"""
    host: str = Field("127.0.0.1", description="address the server listens on")
    port: int = Field(3000, ge=1, le=65535, validation_alias=AliasChoices("PORT", "port"))
    """port the server listens on"""
    public_url: Address = Field("", description="the site's own address; if empty, http://localhost:PORT")
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = Field(())
    """origins whose pages may open a socket and read the API, comma-separated; if empty, the public URL's own"""
    hsts: str = Field("max-age=63072000", pattern=r"^max-age=\d{1,10}(; includeSubDomains)?(; preload)?$")
    """Strict-Transport-Security of responses over https; add '; includeSubDomains' once all subdomains have https permanently"""
    trusted_proxy_hops: int = Field(
        0, ge=0, description="number of own proxies in front, for the client's address"
    )
    workers: int = Field(1, ge=1, description="server processes; more than 1 needs PostgreSQL and Redis")
    drain_seconds: float = Field(0, ge=0, le=60)
    """seconds for which a server still serves after SIGTERM while /readyz fails; must be longer than the proxy's health
    checks need to notice it"""
    secret_key: SecretStr = Field(SecretStr(DEFAULT_SECRET))
    """signs links and the callback address"""
    old_secret_keys: SecretStr = Field(SecretStr(""))
    """earlier secret keys, comma-separated: their signatures stay valid, and nothing new is signed with them"""
    database_url: Annotated[str, AfterValidator(_database_address)] = Field(
        f"sqlite+aiosqlite:///{ROOT}/.data/agency.sqlite3"
    )
    """SQLite (sqlite+aiosqlite://) or PostgreSQL (postgresql+psycopg://); with TLS: ?sslmode=verify-full&sslrootcert=FILE"""
    database_prepares: bool = Field(True)
    """prepare statements on PostgreSQL; false behind PgBouncer before 1.22 with pool_mode = transaction"""
    database_lock_seconds: float = Field(5.0, ge=0, le=600)
    """how long a statement on PostgreSQL waits for a lock before its request is refused; 0 means no limit"""
    database_statement_seconds: float = Field(60.0, ge=0, le=3600)
    """how long a statement on PostgreSQL may run; 0 means no limit"""
    database_report_seconds: float = Field(600.0, ge=0, le=86_400)
    """how long a statement of a list, report or export may run on PostgreSQL; 0 means no limit"""
    journal_folder: str = Field(f"{ROOT}/.data/journal")
    """folder for M-Pesa's callbacks while the database is away; must survive a restart"""
    published_folder: str = Field(f"{ROOT}/.build/sites")
    """folder for the pages that a server writes when it starts; it can be deleted afterwards"""
    redis_url: Annotated[str, AfterValidator(_redis_address)] = Field("")
    """Redis for sessions and limits shared by workers; if empty, memory; with TLS: rediss://…?ssl_ca_certs=FILE"""
    service_worker: bool = Field(True)
    """let browsers store public pages for reading without a network; false removes the stored pages"""
    visits: bool = Field(True)
    """count views by referring site and campaign, and store the origin of bookings, orders and enquiries; false counts pages
    only and sets no cookie"""
    staff_password: SecretStr = Field(
        SecretStr(""), validation_alias=AliasChoices("STAFF_PASSWORD", "staff_password")
    )
    """password that `make staff` sets without asking; leave it empty outside of scripts"""
    staff_second_factor_roles: str = Field("", pattern=rf"^(none|{_ROLE}(,{_ROLE})*)?$")
    """roles that need a second factor whatever owners decide, comma-separated, or none; if empty, every role, on a
    laptop none"""
    log_level: str = Field("info", pattern="^(debug|info|warning|error)$", description="how much is logged")
    log_format: str = Field("", pattern="^(json|text|)$")
    """json or text; if empty, json, on a laptop text"""
    otlp_endpoint: Address = Field("")
    """collector of traces and unhandled exceptions by OTLP over HTTP, such as http://localhost:4318; if empty, none"""
    access_log: str = Field("", pattern="^(on|off|)$")
    """on or off: a log line per request; if empty, on, on a laptop off"""

    @field_validator("allowed_origins", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip().rstrip("/") for part in value.split(",") if part.strip())
        return value

    @property
    def production(self) -> bool:
        """Return whether this is the real site."""
        return self.env is Environment.PRODUCTION

    @cached_property
    def is_local(self) -> bool:
        """Return whether only this machine reaches the site. Whatever is safe on a laptop alone asks this."""
        addresses = (self.site_url, *self.allowed_origins)
        return (
            not self.production
            and not self.trusted_proxy_hops
            and is_own_name(self.host)
            and all(url.startswith("http://") and is_own_name(urlsplit(url).netloc) for url in addresses)
        )

    @property
    def site_url(self) -> str:
        """Return the site's own address without a trailing slash."""
        return self.public_url or f"http://localhost:{self.port}"

    @property
    def origins(self) -> tuple[str, ...]:
        """Origins that may call the site from a browser."""
        if self.allowed_origins:
            return self.allowed_origins
        own = "{0.scheme}://{0.netloc}".format(urlsplit(self.site_url))
        # On a laptop browsers use both names of the local machine.
        return (own,) if self.public_url else (own, own.replace("localhost", "127.0.0.1"))

    @property
    def second_factor_roles(self) -> frozenset[str]:
        """Names of the roles that need a second factor."""
        if not self.staff_second_factor_roles:
            return frozenset(() if self.is_local else STAFF_ROLES)
        return frozenset(self.staff_second_factor_roles.split(",")) - {"none"}

    @property
    def host_names(self) -> frozenset[str]:
        """Host names under which the site is requested."""
        return frozenset(filter(None, (urlsplit(origin).hostname for origin in self.origins)))

    @cached_property
    def _own_hosts(self) -> frozenset[str]:
        return frozenset(name.removeprefix("www.") for name in self.host_names)

    def is_own_host(self, name: str) -> bool:
        """Return whether a host name, with or without `www.`, is one of `host_names`."""
        return name.removeprefix("www.") in self._own_hosts

    @property
    def sqlite(self) -> bool:
        """Return whether the database is SQLite."""
        return self.database_url.startswith("sqlite")

    @cached_property
    def secret_keys(self) -> tuple[str, ...]:
        """The secret key, then the earlier ones, which only verify (`agency_site.signing`)."""
        earlier = (key.strip() for key in self.old_secret_keys.get_secret_value().split(","))
        return tuple(dict.fromkeys((self.secret_key.get_secret_value(), *filter(None, earlier))))

    def derived_key(self, purpose: str) -> str:
        """Return a separate key for one purpose, derived from the secret key: if it leaks, the others stay safe."""
        return self.derived_keys(purpose)[0]

    def derived_keys(self, purpose: str) -> tuple[str, ...]:
        """Return the key of one purpose for each secret key, the present one first."""
        return tuple(
            hmac.new(key.encode(), purpose.encode(), hashlib.sha256).hexdigest() for key in self.secret_keys
        )
