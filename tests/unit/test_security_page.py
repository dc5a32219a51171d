"""docs/security.md lists every key, every stored secret and every kind of audit entry."""

import re

import pytest
from pydantic import SecretStr

import agency_site.staff_application  # noqa: F401 - it registers the records, whose actions the log names
from agency_site.backoffice.audit_labels import action_labels
from agency_site.db.tables import metadata
from agency_site.settings import ROOT, Settings, variable

PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
SOURCES = {path: path.read_text(encoding="utf-8") for path in (ROOT / "agency_site").rglob("*.py")}
_CALL = re.compile(
    r"\b(?:sign|signatures|is_signed|seal|unseal|derived_keys?|private_token|find_private_token)\("
    r'\s*(?:match\[2\], |self\.seal, )?"([\w-]+)"'
)
_CONSTANT = re.compile(r"^(?:\w*PURPOSE|\w*LINK)(?:, \w+)* = ((?:\"[\w-]+\"(?:, )?)+)$", re.MULTILINE)
_SECRET_COLUMN = re.compile(r"(token|code|password)_(hash|seed)|totp\w*_seed|\w*token_hash")


def purposes() -> set[str]:
    """Return the purposes of derived keys in the code."""
    called = {match for text in SOURCES.values() for match in _CALL.findall(text)}
    named = {
        name
        for text in SOURCES.values()
        if "signing" in text or "derived_key" in text or "private_token" in text
        for group in _CONSTANT.findall(text)
        for name in re.findall(r"[\w-]+", group)
    }
    return called | named


def test_the_purposes_are_those_of_the_code() -> None:
    assert {
        "totp",
        "outbox",
        "mpesa-token",
        "mpesa-callback",
        "form-stamp",
        "two-step",
        "newsletter",
    } <= purposes()


@pytest.mark.parametrize("purpose", sorted(purposes()))
def test_every_key_is_listed(purpose: str) -> None:
    assert f"`{purpose}`" in PAGE


def test_every_secret_setting_is_listed() -> None:
    secrets = {
        variable(name) for name, field in Settings.model_fields.items() if field.annotation is SecretStr
    }
    assert {name for name in secrets if f"`{name}`" not in PAGE} == set()


def test_every_column_with_a_secret_is_listed_with_its_table() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("|")]
    missing = [
        f"{table.name}.{column.name}"
        for table in metadata.sorted_tables
        for column in table.columns
        if _SECRET_COLUMN.fullmatch(column.name)
        and not any(f"`{table.name}`" in row and f"`{column.name}`" in row for row in rows)
    ]
    assert missing == []


@pytest.mark.parametrize("kind", sorted({action.partition(".")[0] for action in action_labels()}))
def test_every_kind_of_audit_entry_is_listed(kind: str) -> None:
    assert f"`{kind}.*`" in PAGE
