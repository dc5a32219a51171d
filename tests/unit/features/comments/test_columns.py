"""Every accepted comment fits the columns of its table."""

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.tables import Comment
from agency_site.features.comments.usecases import comment_values
from agency_site.form_input import read_form, search_text
from tests.example_records import ARTICLE, OTHER_ARTICLE
from tests.unit.fitting import assert_fits

TEXTS = st.text(max_size=200) | st.text("\ufdfa\U0001f600a \n", max_size=200)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None)
@given(
    st.fixed_dictionaries(
        {
            "article": st.sampled_from([ARTICLE.slug, OTHER_ARTICLE.slug]),
            "comment": TEXTS,
            "name": TEXTS,
            "email": st.emails(domains=st.sampled_from(["shop.example", "büro.example"])),
            "website": st.sampled_from(["", "example.co.ke/" + "a" * 1900]) | TEXTS,
        }
    )
)
def test_every_accepted_comment_fits_its_columns(form: dict[str, str]) -> None:
    try:
        comment = read_form(CommentRequest, form)
    except InputRejected:
        assume(False)
    values = comment_values(comment)
    assert_fits(
        Comment,
        values | {"search": search_text("CM-7F3K9Q", comment.email, comment.name, comment.article)},
    )
    assert (values["text"], values["website"]) == (comment.comment, comment.website)
