"""The signed link in the notice to staff."""

from urllib.parse import parse_qs, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.comments.emails import is_notice_signature, notice_link


def test_the_signature_is_valid_for_its_comment_only() -> None:
    query = parse_qs(urlsplit(notice_link("CM-7F3K9Q")).query)
    assert query["ref"] == ["CM-7F3K9Q"]
    [signature] = query["signed"]
    assert is_notice_signature("CM-7F3K9Q", signature)
    assert not is_notice_signature("CM-7F3K9R", signature)


@given(st.text())
def test_no_other_text_is_a_signature(signature: str) -> None:
    assert not is_notice_signature("CM-7F3K9Q", signature)
