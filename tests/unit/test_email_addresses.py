"""Which mailbox an address reaches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.email_addresses import mailbox_of


@pytest.mark.parametrize(
    ("address", "mailbox"),
    [
        ("Amina@Shop.example", "amina@shop.example"),
        (" amina+news@shop.example ", "amina@shop.example"),
        ("a.mina@shop.example", "a.mina@shop.example"),
        ("A.Mi.Na+x+y@GMail.com", "amina@gmail.com"),
        ("amina@googlemail.com", "amina@gmail.com"),
        ("amina@gmail.com.", "amina@gmail.com"),
        ("\u200bam\u00adina@gmail.com", "amina@gmail.com"),
        ("Amina <a.mina@gmail.com>", "amina@gmail.com"),
        ("mailto:amina@m\u00fcnchen.de", "amina@xn--mnchen-3ya.de"),
        ("amina .@gmail.com", "amina@gmail.com"),
        ("+@shop.example", "+@shop.example"),
        ("nobody", "nobody"),
        ("", ""),
    ],
)
def test_spellings_of_one_mailbox_are_one(address: str, mailbox: str) -> None:
    assert mailbox_of(address) == mailbox


@given(st.text(max_size=30))
def test_a_mailbox_is_its_own_mailbox_whatever_was_typed(text: str) -> None:
    assert mailbox_of(mailbox_of(f"a{text}@gmail.com")) == mailbox_of(f"a{text}@gmail.com")
    mailbox_of(text)
