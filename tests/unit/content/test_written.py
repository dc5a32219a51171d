"""Staff's texts on a page: HTML is escaped, and only allowed links are kept."""

from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.content.markdown import render_staff_text


def test_html_is_shown_as_text() -> None:
    assert "<script" not in render_staff_text("<script>alert(1)</script> <b onclick=x>y</b>")


def test_a_first_heading_counts_as_a_second() -> None:
    assert render_staff_text("# Title") == "<h2>Title</h2>\n"


def test_links_lead_to_pages_mailboxes_and_telephones_and_the_words_of_others_stay() -> None:
    html = render_staff_text(
        "[a](/book) [b](https://x.example) [c](tel:+254) [d](ftp://x) [e](//evil.example) [f](#top)"
    )
    assert html.count("<a ") == 3
    assert all(letter in html for letter in "abcdef")


def test_pictures_are_the_sites_own() -> None:
    html = render_staff_text("![ours](/images/a.jpg) ![theirs](https://x.example/a.gif)")
    assert html.count("<img") == 1
    assert "theirs" in html


@settings(deadline=None)
@given(st.text(st.sampled_from("[]()!<>/\\:#javscriptdheo \n&;\"'`*"), max_size=120))
def test_no_text_makes_a_link_that_runs_something(text: str) -> None:
    html = render_staff_text(text).lower()
    assert "<script" not in html
    assert 'href="javascript' not in html
    assert 'href="//' not in html
    assert 'href="/\\' not in html


def test_code_scrolls_inside_its_own_frame_and_shows_html_as_text() -> None:
    frame = '<pre tabindex="0" role="group" aria-label="Code"><code>'
    for markdown in ("```html\n<b>x</b>\n```", "    <b>x</b>"):
        assert render_staff_text(markdown) == f"{frame}&lt;b&gt;x&lt;/b&gt;\n</code></pre>\n"
