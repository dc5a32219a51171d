"""Rotation of the secret key: the present one signs, earlier ones still verify, others do nothing."""

from collections.abc import Callable

import pytest

from agency_site import signing
from agency_site.auth import tokens
from agency_site.features.comments.emails import is_notice_signature as is_notice
from agency_site.features.comments.emails import notice_link
from agency_site.ids import token_hash
from agency_site.settings import Settings, settings

Configure = Callable[..., Settings]
OLD, NEW = "o" * 40, "n" * 40


@pytest.fixture
def rotate(configure: Configure) -> Callable[[], Settings]:
    """Begin under the old key; calling it changes to the new one, which remembers the old."""
    configure(secret_key=OLD)
    return lambda: configure(secret_key=NEW, old_secret_keys=f" {OLD} ,, {'e' * 40}")


def test_what_an_earlier_key_signed_verifies_and_new_signatures_are_the_new_keys(
    rotate: Callable[[], Settings],
) -> None:
    before = signing.sign("device", "amina")
    rotate()
    after = signing.sign("device", "amina")
    assert after != before
    assert signing.is_signed(before, "device", "amina")
    assert signing.is_signed(after, "device", "amina")
    assert signing.signatures("device", "amina")[:2] == (after, before)
    for wrong in (
        signing.is_signed(before, "device", "brian"),
        signing.is_signed(before, "recovery", "amina"),
    ):
        assert not wrong
    assert not signing.is_signed("\ud800", "device", "amina")


def test_a_removed_key_verifies_nothing(configure: Configure) -> None:
    configure(secret_key=OLD)
    signed, token = signing.sign("device", "amina"), signing.private_token("booking", "seed")
    configure(secret_key=NEW)
    assert not signing.is_signed(signed, "device", "amina")
    assert signing.find_private_token("booking", "seed", token_hash(token)) is None


def test_a_private_link_is_made_again_under_the_key_of_its_record(rotate: Callable[[], Settings]) -> None:
    token = signing.private_token("booking", "seed")
    rotate()
    assert signing.find_private_token("booking", "seed", token_hash(token)) == token
    assert signing.find_private_token("comment", "seed", token_hash(token)) is None
    assert signing.private_token("booking", "seed") != token


def test_cookies_of_known_browsers_and_links_of_notices_stay_valid(rotate: Callable[[], Settings]) -> None:
    note = tokens.seal_device("amina@mwanga.example")
    signed = notice_link("CM-7F3K9Q").rpartition("=")[2]
    rotate()
    assert tokens.open_device(note, "amina@mwanga.example")
    assert not tokens.open_device(note, "brian@mwanga.example")
    assert is_notice("CM-7F3K9Q", signed)
    assert not is_notice("CM-7F3K9R", signed)
    assert notice_link("CM-7F3K9Q").rpartition("=")[2] != signed


def test_callbacks_of_payments_that_were_begun_before_are_taken(rotate: Callable[[], Settings]) -> None:
    before = settings().callback_secret
    now = rotate()
    assert now.callback_secret != before
    assert before in now.callback_secrets


def test_a_chosen_callback_secret_is_the_only_one(configure: Configure) -> None:
    chosen = configure(secret_key=NEW, old_secret_keys=OLD, mpesa_callback_secret="c" * 40)
    assert chosen.callback_secrets == ("c" * 40,)


def test_what_is_sealed_is_read_with_the_same_purpose_and_an_earlier_key(configure: Configure) -> None:
    configure(secret_key="first")
    sealed = signing.seal("one", "Wanjirũ")
    assert "Wanjir" not in sealed
    assert (signing.unseal("one", sealed), signing.unseal("another", sealed)) == ("Wanjirũ", None)
    configure(secret_key="second", old_secret_keys="first")
    assert signing.unseal("one", sealed) == "Wanjirũ"
    configure(old_secret_keys="")
    for unknown in (sealed, "", "plain", "ũ"):
        assert signing.unseal("one", unknown) is None
