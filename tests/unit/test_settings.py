"""Settings: the example file is true, and production refuses what would harm it."""

from collections.abc import Callable

import pytest
from pydantic import ValidationError

from agency_site.settings import ROOT, Settings, UnsafeSettings, example

Configure = Callable[..., Settings]

SAFE = {
    "env": "production",
    "secret_key": "k" * 40,
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
        ({"old_secret_keys": f"{'o' * 40}, short"}, "AGENCY_OLD_SECRET_KEYS"),
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
    ],
)
def test_production_refuses_each_danger(configure: Configure, change: dict[str, str], reason: str) -> None:
    with pytest.raises(UnsafeSettings, match=reason):
        configure(**{**SAFE, **change}).require_safe()


def test_production_names_all_dangers_at_once(configure: Configure) -> None:
    with pytest.raises(UnsafeSettings) as refused:
        configure(env="production", allowed_origins="*", workers=2).require_safe()
    assert len(str(refused.value).splitlines()) == 7


def test_a_policy_for_https_that_browsers_would_not_understand_is_refused(configure: Configure) -> None:
    assert configure(hsts="max-age=300; includeSubDomains; preload").hsts
    for wrong in ("includeSubDomains", "max-age=1y", "max-age=300\r\nSet-Cookie: a=b"):
        with pytest.raises(ValidationError):
            configure(hsts=wrong)


def test_a_setting_allows_the_simulator_in_production(configure: Configure) -> None:
    configure(**{**SAFE, "mpesa_consumer_key": "", "mpesa_simulator_in_production": "true"}).require_safe()


def test_development_refuses_nothing(configure: Configure) -> None:
    configure().require_safe()


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
    shown = repr(configure(**{**SAFE, "old_secret_keys": "o" * 40}))
    assert "k" * 40 not in shown
    assert "o" * 40 not in shown


def test_a_port_that_is_none_is_refused(configure: Configure) -> None:
    with pytest.raises(ValidationError):
        configure(port="http")
