"""Settings: the example file is correct, and production refuses dangerous settings."""

import secrets
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from agency_site.settings import (
    DEFAULT_SECRET,
    ROOT,
    Settings,
    SettingsRefused,
    UnsafeSettings,
    describe_unknown,
    example,
    load_settings,
)
from agency_site.settings.site import STAFF_ROLES
from tests.servers import SECRET_KEY

Configure = Callable[..., Settings]

SAFE = {
    "env": "production",
    "secret_key": SECRET_KEY,
    "public_url": "https://mwanga.example",
    "database_url": "postgresql+psycopg://site@db/site",
    "redis_url": "redis://redis:6379/0",
    "workers": 4,
    "mpesa_consumer_key": "key",
    "mpesa_consumer_secret": "secret",
    "mpesa_passkey": "passkey",
}


def test_the_example_file_lists_every_setting_with_its_default_and_meaning() -> None:
    assert (ROOT / ".env.example").read_text() == example()


def test_every_setting_says_what_it_means() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_the_example_file_can_be_loaded_and_gives_the_defaults() -> None:
    loaded = Settings(_env_file=ROOT / ".env.example")
    fresh = Settings(_env_file=None)
    # Paths are absolute only where nothing is configured.
    paths = {"database_url": "", "journal_folder": "", "backup_folder": "", "published_folder": ""}
    assert loaded.model_copy(update=paths) == fresh.model_copy(update=paths)


def test_safe_production_settings_start(configure: Configure) -> None:
    configure(**SAFE).require_safe()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"secret_key": "development-only-secret"}, "AGENCY_SECRET_KEY"),
        ({"secret_key": "short"}, "AGENCY_SECRET_KEY"),
        ({"secret_key": "a" * 64}, "AGENCY_SECRET_KEY"),
        ({"secret_key": "password" * 8}, "AGENCY_SECRET_KEY"),
        ({"secret_key": "0123456789" * 4}, "AGENCY_SECRET_KEY"),
        ({"old_secret_keys": f"{SECRET_KEY}, short"}, "AGENCY_OLD_SECRET_KEYS"),
        ({"old_secret_keys": "b" * 40}, "AGENCY_OLD_SECRET_KEYS"),
        ({"mpesa_callback_secret": "c" * 40}, "AGENCY_MPESA_CALLBACK_SECRET"),
        ({"old_secret_keys": "development-only-secret"}, "AGENCY_OLD_SECRET_KEYS"),
        ({"public_url": ""}, "AGENCY_PUBLIC_URL"),
        ({"public_url": "http://mwanga.example"}, "AGENCY_PUBLIC_URL does not begin with https://"),
        ({"allowed_origins": "https://mwanga.example,http://mwanga.example"}, "AGENCY_ALLOWED_ORIGINS"),
        ({"mpesa_callback_url": "http://mwanga.example"}, "AGENCY_MPESA_CALLBACK_URL"),
        ({"database_url": "sqlite+aiosqlite:///x.db"}, "AGENCY_WORKERS is more than 1 on SQLite"),
        ({"redis_url": ""}, "AGENCY_REDIS_URL"),
        ({"allowed_origins": "https://mwanga.example,*"}, "wildcard"),
        ({"mpesa_consumer_key": ""}, "simulator is on"),
        ({"mpesa_passkey": ""}, "AGENCY_MPESA_PASSKEY"),
        ({"mpesa_callback_secret": "guess"}, "AGENCY_MPESA_CALLBACK_SECRET"),
        ({"sms_callback_secret": "guess"}, "AGENCY_SMS_CALLBACK_SECRET"),
        ({"sms_api_key": SECRET_KEY}, "AGENCY_SMS_USERNAME"),
    ],
)
def test_production_refuses_each_danger(configure: Configure, change: dict[str, str], reason: str) -> None:
    with pytest.raises(UnsafeSettings, match=reason):
        configure(**{**SAFE, **change}).require_safe()


def test_production_names_all_dangers_at_once(configure: Configure) -> None:
    with pytest.raises(UnsafeSettings) as refused:
        configure(env="production", allowed_origins="*", workers=2).require_safe()
    assert len(str(refused.value).splitlines()) == 7


def test_text_messages_go_to_the_simulator_in_development_and_nowhere_in_production_without_a_key(
    configure: Configure,
) -> None:
    config = configure()
    assert config.has_sms_provider
    assert config.sms_url == "http://127.0.0.1:3000/simulator/sms"
    live = configure(sms_api_key=SECRET_KEY, sms_username="mwanga")
    assert live.sms_url == "https://api.africastalking.com"
    assert configure(sms_sandbox=True).sms_url == "https://api.sandbox.africastalking.com"
    assert not configure(**SAFE, sms_api_key="").has_sms_provider


def test_random_secrets_are_accepted(configure: Configure) -> None:
    for make in (secrets.token_hex, secrets.token_urlsafe):
        for _ in range(50):
            configure(**{**SAFE, "secret_key": make(32)}).require_safe()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"sms_sender": "Mwanga Digital"}, "AGENCY_SMS_SENDER: "),
        ({"sms_quiet_from": "24:00"}, "AGENCY_SMS_QUIET_FROM: "),
        ({"port": "http"}, "PORT: Input should be a valid integer"),
        ({"smtp_port": "70000"}, "AGENCY_SMTP_PORT: "),
        ({"public_url": "mwanga"}, "AGENCY_PUBLIC_URL: Input should be a valid URL"),
        ({"database_url": "postgres://site:pw@db/site"}, "AGENCY_DATABASE_URL: must begin with postgresql+psycopg:// instead"),
        ({"database_url": "postgresql+asyncpg://site:pw@db/site"}, "AGENCY_DATABASE_URL: must begin with postgresql+psycopg://"),
        ({"database_url": "sqlite:///site.db"}, "AGENCY_DATABASE_URL: must begin with sqlite+aiosqlite:// instead"),
        ({"database_url": "mysql://site:pw@db/site"}, "AGENCY_DATABASE_URL: must begin with sqlite+aiosqlite:// or"),
        ({"database_url": "postgresql+psycopg://site:pw@db:port/site"}, "AGENCY_DATABASE_URL: is no address such as"),
        ({"redis_url": "redis:6379"}, "AGENCY_REDIS_URL: must begin with redis://"),
        ({"redis_url": "rediss://redis/0?ssl_ca_cert=/ca.pem"}, "AGENCY_REDIS_URL: is no address such as redis://"),
        ({"redis_url": "redis://:pass/word@redis:6379/0"}, "AGENCY_REDIS_URL: is no address such as redis://"),
        ({"redis_url": "unix:///run/redis/agency.sock?db=one"}, "AGENCY_REDIS_URL: is no address such as redis://"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_read_is_one_line_with_its_variable(
    configure: Configure, change: dict[str, str], line: str
) -> None:
    with pytest.raises(ValidationError):
        configure(**change)
    with pytest.raises(SettingsRefused) as refused:
        load_settings()
    heading, problem = str(refused.value).splitlines()
    assert heading == "The settings cannot be used:"
    assert problem.startswith(f"  - {line}")
    assert "pydantic" not in problem
    assert "pw" not in problem


def test_values_and_dangers_are_named_together(configure: Configure) -> None:
    with pytest.raises(ValidationError):
        configure(**{**SAFE, "env": "prod", "secret_key": "short", "drain_seconds": "soon"})
    with pytest.raises(SettingsRefused) as refused:
        load_settings()
    wrong = "  - AGENCY_ENV: Input should be '', 'development' or 'production', not 'prod' ("
    assert any(line.startswith(wrong) for line in str(refused.value).splitlines())
    names = [line.split(":")[0].split()[1] for line in str(refused.value).splitlines()[1:]]
    assert sorted(names) == ["AGENCY_DRAIN_SECONDS", "AGENCY_ENV", "AGENCY_SECRET_KEY"]


def test_variables_that_are_no_settings_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("AGENCY_SMTP_HOTS=mail.example\nagency_workers=2\nSITE_ADDRESS=x\n")
    monkeypatch.setitem(Settings.model_config, "env_file", file)
    monkeypatch.setenv("AGENCY_WRONG", "1")
    monkeypatch.setenv("AGENCY_DRAIN_MARK", "/tmp/mark")
    assert describe_unknown() == [
        "AGENCY_SMTP_HOTS is no setting and has no effect: did you mean AGENCY_SMTP_HOST?",
        "AGENCY_WRONG is no setting and has no effect.",
    ]


def test_a_policy_for_https_that_browsers_would_not_understand_is_refused(configure: Configure) -> None:
    assert configure(hsts="max-age=300; includeSubDomains; preload").hsts
    for wrong in ("includeSubDomains", "max-age=1y", "max-age=300\r\nSet-Cookie: a=b"):
        with pytest.raises(ValidationError):
            configure(hsts=wrong)


def test_a_setting_allows_the_simulator_in_production(configure: Configure) -> None:
    configure(**{**SAFE, "mpesa_consumer_key": "", "mpesa_simulator_in_production": "true"}).require_safe()


@pytest.mark.parametrize(
    "local",
    [{}, {"port": 4321}, {"host": "::1"}, {"public_url": "http://127.0.0.1:8000"}, {"public_url": "http://site.localhost:3000"},
     {"env": "development", "allowed_origins": "http://localhost:3000,http://[::1]:3000"}],
)  # fmt: skip
def test_on_this_machine_alone_development_refuses_nothing_and_is_relaxed(
    configure: Configure, local: dict[str, str]
) -> None:
    now = configure(**local)
    now.require_safe()
    assert now.is_local
    assert now.describe_risks() == []
    assert (now.api_limit, now.second_factor_roles) == ("3000/minute", frozenset())


BEYOND = [
    {"public_url": "https://shop.example"}, {"public_url": "http://shop.example"}, {"public_url": "http://192.168.1.7:3000"},
    {"public_url": "https://localhost"}, {"public_url": "http://localhost.shop.example"}, {"trusted_proxy_hops": 1},
    {"host": "0.0.0.0"}, {"host": "::"}, {"host": "192.168.1.7"}, {"allowed_origins": "https://partner.example"},
]  # fmt: skip
"""Settings that say that other machines reach the site."""


@pytest.mark.parametrize("beyond", BEYOND)
def test_a_site_that_other_machines_reach_needs_a_named_environment_and_a_key(
    configure: Configure, beyond: dict[str, str]
) -> None:
    with pytest.raises(UnsafeSettings, match=r"AGENCY_ENV is missing[\s\S]*AGENCY_SECRET_KEY is the default"):
        configure(**beyond).require_safe()
    with pytest.raises(UnsafeSettings, match="AGENCY_SECRET_KEY"):
        configure(**beyond, env="development").require_safe()
    with pytest.raises(UnsafeSettings, match="AGENCY_OLD_SECRET_KEYS"):
        configure(**beyond, secret_key=SECRET_KEY, old_secret_keys=DEFAULT_SECRET).require_safe()
    now = configure(**beyond, old_secret_keys="")
    now.require_safe()
    assert (now.api_limit, now.second_factor_roles) == ("60/minute", frozenset(STAFF_ROLES))


@pytest.mark.parametrize(
    ("roles", "exempt"),
    [
        ("none", "owner, front_desk, finance, editor, viewer, trainer"),
        ("owner,finance,front_desk", "editor, viewer, trainer"),
    ],
)
def test_roles_without_a_second_factor_are_named_when_production_starts(
    configure: Configure, roles: str, exempt: str
) -> None:
    [line] = configure(**SAFE, staff_second_factor_roles=roles).describe_risks()
    assert f" {exempt} " in line
    assert configure(staff_second_factor_roles="").describe_risks() == []


def test_every_address_follows_the_port(configure: Configure) -> None:
    now = configure(port=4321)
    assert now.site_url == "http://localhost:4321"
    assert now.origins == ("http://localhost:4321", "http://127.0.0.1:4321")
    assert now.daraja_url.startswith("http://127.0.0.1:4321/")
    assert now.callback_base_url == "http://127.0.0.1:4321"


def test_live_credentials_choose_live_daraja(configure: Configure) -> None:
    assert configure(**SAFE).daraja_url == "https://api.safaricom.co.ke"
    assert (
        configure(mpesa_consumer_key="key", env="development").daraja_url == "https://sandbox.safaricom.co.ke"
    )


def test_the_public_origin_is_the_only_one_in_production(configure: Configure) -> None:
    assert configure(**SAFE).origins == ("https://mwanga.example",)


def test_s9_the_waits_are_those_of_the_specification() -> None:
    fresh = Settings(_env_file=None)
    assert fresh.payment_poll_seconds == 3
    assert fresh.payment_poll_retries == 10
    assert fresh.booking_placeholder_ms == 800


def test_secrets_are_not_shown(configure: Configure) -> None:
    representation = repr(configure(**{**SAFE, "old_secret_keys": "o" * 40}))
    assert SECRET_KEY not in representation
    assert "o" * 40 not in representation


def test_an_invalid_port_is_refused(configure: Configure) -> None:
    with pytest.raises(ValidationError):
        configure(port="http")
