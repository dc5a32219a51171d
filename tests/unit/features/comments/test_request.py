"""Which comments are accepted in (specification, section 5, comment forms)."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.comments.request import CommentRequest
from agency_site.form_input import CHECK_FIELDS, read_form
from tests.example_records import ARTICLE

FORM = {
    "article": ARTICLE.slug,
    "comment": "We tried this in our shop.",
    "name": "Amina Odhiambo",
    "email": "amina@example.com",
    "website": "",
}


def errors_of(**changes: object) -> dict[str, str]:
    with pytest.raises(InputRejected) as refused:
        read_form(CommentRequest, {**FORM, **changes})
    assert refused.value.message == CHECK_FIELDS
    return refused.value.by_field()


def test_the_fields_of_a_comment_are_trimmed() -> None:
    accepted = read_form(
        CommentRequest, {**FORM, "comment": "  First line\r\nsecond  ", "name": " Amina   Odhiambo "}
    )
    assert accepted.comment == "First line\nsecond"
    assert accepted.name == "Amina Odhiambo"
    assert accepted.website == ""


def test_comment_name_and_email_are_required_and_each_says_so() -> None:
    assert errors_of(comment=" ", name="", email="\t") == {
        "comment": "Please write your comment.",
        "name": "Please enter your full name.",
        "email": "Please enter your e-mail address.",
    }


def test_missing_keys_are_read_as_empty_fields() -> None:
    with pytest.raises(InputRejected) as refused:
        read_form(CommentRequest, {"article": ARTICLE.slug})
    assert set(refused.value.by_field()) == {"comment", "name", "email"}


@pytest.mark.parametrize("email", ["amina", "amina@", "@example.com", "a b@example.com", "amina@localhost"])
def test_the_email_must_have_the_format(email: str) -> None:
    assert set(errors_of(email=email)) == {"email"}


@pytest.mark.parametrize(
    ("value", "website"),
    [
        ("https://example.co.ke/a?b=1", "https://example.co.ke/a?b=1"),
        ("example.co.ke", "https://example.co.ke"),
        (" http://example.com ", "http://example.com"),
    ],
)
def test_a_web_address_is_stored_with_its_scheme(value: str, website: str) -> None:
    assert read_form(CommentRequest, {**FORM, "website": value}).website == website


@pytest.mark.parametrize(
    "website",
    ["shop", "not a url", "javascript:alert(1)", "javascript://x.y/%0aalert(1)", "ftp://example.com",
     "https://", "https://user@example.com", "https://[bad", "https://example.com:port"],
)  # fmt: skip
def test_other_websites_are_rejected(website: str) -> None:
    assert set(errors_of(website=website)) == {"website"}


def test_only_articles_take_comments() -> None:
    assert set(errors_of(article="about")) == {"article"}


def test_long_comments_are_welcome() -> None:
    assert len(read_form(CommentRequest, {**FORM, "comment": "word " * 3000}).comment) == 14_999


# The first text that Hypothesis draws makes it read its table of characters.
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([*FORM, "other"]), st.none() | st.integers() | st.text() | st.lists(st.text())
    )
)
def test_any_input_is_accepted_or_rejected_without_another_error(form: dict[str, object]) -> None:
    try:
        accepted = read_form(CommentRequest, {**FORM, **form})
    except InputRejected as refused:
        assert set(refused.by_field()) <= set(FORM)  # noqa: PT017 - both ends are right
    else:
        assert accepted.comment == accepted.comment.strip() != ""
