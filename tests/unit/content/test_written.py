"""Staff's texts on a page: HTML is escaped, and only allowed links are kept."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.content.markdown import PAGE_IDS, find_text_problem, render, render_staff_text


def test_html_is_shown_as_text() -> None:
    assert "<script" not in render_staff_text("<script>alert(1)</script> <b onclick=x>y</b>")


def test_a_first_heading_counts_as_a_second() -> None:
    assert render_staff_text("# Title") == '<h2 id="title">Title</h2>\n'


def test_links_lead_to_pages_mailboxes_and_telephones_and_the_words_of_others_stay() -> None:
    html = render_staff_text(
        "[a](/book) [b](https://x.example) [c](tel:+254) [d](ftp://x) [e](//evil.example) [f](#top) [g](http://[2001:db8::1)"
    )
    assert html.count("<a ") == 4
    assert all(f">{letter}</a>" in html for letter in "abcf")
    assert "d e" in html


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
    assert render_staff_text("```html\n<b>x</b>\n```") == f"{frame}&lt;b&gt;x&lt;/b&gt;\n</code></pre>\n"


@pytest.mark.parametrize("indent", ["\t", "    ", "\t\t", "  \t"])
def test_an_indented_paragraph_is_no_code(indent: str) -> None:
    assert render_staff_text(f"{indent}A paragraph of Word.") == "<p>A paragraph of Word.</p>\n"


@pytest.mark.parametrize(
    "typed",
    [
        "(a) one, (b) two, (c) three",
        "4(b), 4(c)",
        "(C) (r) (R) (tm) (TM) (p)",
        "+-5",
        "Really?????",
        "1,,2",
        "--force",
        "..",
    ],
)
def test_abbreviations_stay_as_typed(typed: str) -> None:
    assert render_staff_text(typed) == f"<p>{typed}</p>\n"


def test_dashes_ellipses_and_quotes_are_those_of_printers() -> None:
    html = render_staff_text('9 -- 5, a---b, Mon--Fri ... "so"')
    assert html == "<p>9 \u2013 5, a\u2014b, Mon\u2013Fri … “so”</p>\n"


@pytest.mark.parametrize(
    ("headings", "ids"),
    [
        (("Summary", "Summary", "Summary 2"), ["summary", "summary-2", "summary-2-2"]),
        (("Content", "Comments", "Comment form"), ["content-2", "comments-2", "comment-form-2"]),
        (('"What?" & <b>', "Say where, once", "A  \u2013  B"), ["what-b", "say-where-once", "a-b"]),
        (("🎉", "!!!", "**Bold** `code`"), ["section", "section-2", "bold-code"]),
        (("Wàtoto", "Bei: 3,300/="), ["wàtoto", "bei-3300"]),
        (("", "\u200b", "Last"), ["last"]),
    ],
)
def test_each_heading_with_words_has_an_id_of_its_own_without_punctuation(
    headings: tuple[str, ...], ids: list[str]
) -> None:
    html, marked = render("".join(f"## {heading}\n\n" for heading in headings))
    assert [heading.id for heading in marked] == ids
    assert html.count("<h2 ") == len(ids)
    assert PAGE_IDS.isdisjoint(ids)


def test_columns_are_aligned_by_class_because_pages_allow_no_inline_style() -> None:
    html = render_staff_text("| a | b | c |\n|--:|:-:|---|\n| 1 | 2 | 3 |")
    assert "style=" not in html
    assert html.count('class="align-right"') == html.count('class="align-center"') == 2


@pytest.mark.parametrize(
    ("typed", "address", "rest"),
    [
        ("See https://example.co.ke/a--b.", "https://example.co.ke/a--b", "."),
        ("(http://x.example/a_(b))", "http://x.example/a_(b)", ")"),
        ("**https://youtu.be/abc_def?t=1**", "https://youtu.be/abc_def?t=1", ""),
        ("HTTPS://X.EXAMPLE, yes", "HTTPS://X.EXAMPLE", ", yes"),
    ],
)
def test_a_bare_address_is_a_link_and_stays_as_typed(typed: str, address: str, rest: str) -> None:
    html = render_staff_text(typed)
    assert html.count("<a ") == 1
    assert f">{address}</a>{rest}" in html


@pytest.mark.parametrize(
    "typed", ["`https://x.example`", "https://[your-site].co.ke", "https://", "[https://x.example](/book)"]
)
def test_no_other_address_becomes_a_link_of_its_own(typed: str) -> None:
    assert 'href="http' not in render_staff_text(typed)


def test_struck_words_are_struck() -> None:
    assert render_staff_text("~~old~~ new") == "<p><s>old</s> new</p>\n"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("<!-- check with Achieng -->", "the comment “<!-- check with Achieng -->”"),
        ("Text <!-- to be continued", "the comment “<!-- to be continued”"),
        ("so <b>bold</b>", "would see <b> as you typed it"),
        ("<div>\nx\n</div>", "would see <div> as you typed it"),
        ("| a |\n|---|\n| x<br>y |", "would see <br> as you typed it"),
        ("A claim[^1]", "no footnotes here"),
        ("- [ ] ring Achieng\n- [x] done", "Lists have no boxes"),
        ("Term\n: its meaning", "“: its meaning” as you typed it"),
        ("[our work](/my page)", "[our work](/my page) is no link"),
        ("[a](javascript:alert(1))", "A link leads to javascript:alert(1)."),
        ("[a](data:text/html,x)", "A link leads to data:text/html,x."),
        ("[a](bok)", "A link leads to bok. Use a path"),
        ("[a]()", "A link leads to nowhere."),
        ("[a](http://[2001:db8::1)", "A link leads to http://"),
        ("## Prices\n\n[a](#price)", "A link leads to #price, but no heading has this address. The headings here are #prices."),
        ("[a](#prices)", "A link leads to #prices, but no heading"),
        ("![a](https://x.example/a.png)", "The picture https://x.example/a.png is not in the library."),
        ("![](/art/a.svg)", "Please describe the picture /art/a.svg"),
    ],
)  # fmt: skip
def test_what_visitors_would_not_see_as_meant_is_said(typed: str, words: str) -> None:
    assert words in find_text_problem(typed)


@pytest.mark.parametrize(
    "typed",
    [
        "## Prices\n\n[a](#prices) [b](/book) [c](https://x.example) [d](mailto:a@b.example) [e](tel:+254)",
        "## Bei gani?\n\n[a](#bei-gani)",
        "```\n<!-- a comment -->\n[^1]\n```",
        "`<b>`, `[^1]` and `[a](b c)`",
        "\\<your name>, 1 < 2 > 0, A --> B, a[0]",
        "Ratio\n12:1",
        "<https://x.example>",
        "![A stall](/art/a.svg)",
        "`code`: words",
    ],
)
def test_what_works_is_not_complained_about(typed: str) -> None:
    assert find_text_problem(typed) == ""
