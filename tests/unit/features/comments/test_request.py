"""Which comments are taken in (specification, section 5, comment forms)."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.comments.request import CommentRequest
from agency_site.form_input import CHECK_FIELDS, read_form

FORM = {
    "article": "video-blog",
    "comment": "We tried this in our shop.",
    "name": "Amina Odhiambo",
    "email": "amina@example.com",
    "website": "",
}


def complaints(**changes: object) -> dict[str, str]:
    with pytest.raises(InputRejected) as refused:
        read_form(CommentRequest, {**FORM, **changes})
    assert refused.value.message == CHECK_FIELDS
    return refused.value.by_field()


def test_a_whole_comment_is_taken_in_trimmed() -> None:
    taken = read_form(
        CommentRequest, {**FORM, "comment": "  First line\r\nsecond  ", "name": " Amina   Odhiambo "}
    )
    assert taken.comment == "First line\nsecond"
    assert taken.name == "Amina Odhiambo"
    assert taken.website == ""


def test_comment_name_and_email_are_required_and_each_says_so() -> None:
    assert complaints(comment=" ", name="", email="\t") == {
        "comment": "Please write your comment.",
        "name": "Please enter your full name.",
        "email": "Please enter your e-mail address.",
    }


def test_missing_keys_read_like_empty_boxes() -> None:
    with pytest.raises(InputRejected) as refused:
        read_form(CommentRequest, {"article": "video-blog"})
    assert set(refused.value.by_field()) == {"comment", "name", "email"}


@pytest.mark.parametrize("email", ["amina", "amina@", "@example.com", "a b@example.com", "amina@localhost"])
def test_the_email_must_have_the_format(email: str) -> None:
    assert set(complaints(email=email)) == {"email"}


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("https://example.co.ke/a?b=1", "https://example.co.ke/a?b=1"),
        ("example.co.ke", "https://example.co.ke"),
        (" http://example.com ", "http://example.com"),
    ],
)
def test_a_web_address_is_kept_with_its_scheme(typed: str, kept: str) -> None:
    assert read_form(CommentRequest, {**FORM, "website": typed}).website == kept


@pytest.mark.parametrize(
    "website",
    ["shop", "not a url", "javascript:alert(1)", "javascript://x.y/%0aalert(1)", "ftp://example.com",
     "https://", "https://user@example.com", "https://[bad", "https://example.com:port"],
)  # fmt: skip
def test_other_websites_are_refused(website: str) -> None:
    assert set(complaints(website=website)) == {"website"}


def test_only_articles_take_comments() -> None:
    assert set(complaints(article="about")) == {"article"}


def test_long_comments_are_welcome() -> None:
    assert len(read_form(CommentRequest, {**FORM, "comment": "word " * 3000}).comment) == 14_999


# The first text that Hypothesis draws makes it read its table of characters.
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([*FORM, "other"]), st.none() | st.integers() | st.text() | st.lists(st.text())
    )
)
def test_whatever_is_sent_gets_a_record_or_a_plain_refusal(form: dict[str, object]) -> None:
    try:
        taken = read_form(CommentRequest, {**FORM, **form})
    except InputRejected as refused:
        assert set(refused.by_field()) <= set(FORM)  # noqa: PT017 - both ends are right
    else:
        assert taken.comment == taken.comment.strip() != ""
