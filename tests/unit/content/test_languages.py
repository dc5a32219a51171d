"""Phrases of other languages are found in texts, and marked in what is written in Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.content.languages import PHRASES, TextRun, split_by_language
from agency_site.content.markdown import render, render_staff_text
from agency_site.content.newsletter import ISSUES
from agency_site.mail.markdown_body import markdown_to_html, markdown_to_text


@pytest.mark.parametrize(
    ("text", "stretches"),
    [
        ("Plain words.", (TextRun("Plain words.", ""),)),
        ("Sawa. Two loaves.", (TextRun("Sawa", "sw"), TextRun(". Two loaves.", ""))),
        (
            "types Fundi wa bomba, now",
            (TextRun("types ", ""), TextRun("Fundi wa bomba", "sw"), TextRun(", now", "")),
        ),
        ("Sawasawa and NGAPI", (TextRun("Sawasawa and ", ""), TextRun("NGAPI", "sw"))),
        ("", ()),
    ],
)
def test_a_phrase_is_found_as_whole_words_in_any_letter_case(
    text: str, stretches: tuple[TextRun, ...]
) -> None:
    assert split_by_language(text) == stretches


@given(st.lists(st.sampled_from([*PHRASES, " ", ", ", "a word", "“", "é"]), max_size=12))
def test_splitting_by_language_keeps_the_text(parts: list[str]) -> None:
    text = "".join(parts)
    assert "".join(said.text for said in split_by_language(text)) == text


def test_markdown_marks_phrases_in_text_headings_and_links_but_not_in_code() -> None:
    html, (heading,) = render("## Say sawa\n\nAsk [bei ya](/book) or `ngapi`.")
    assert '<h2 id="say-sawa">Say <span lang="sw">sawa</span></h2>' in html
    assert '<a href="/book"><span lang="sw">bei ya</span></a> or <code>ngapi</code>' in html
    assert (heading.id, heading.text) == ("say-sawa", "Say sawa")


def test_phrases_are_marked_on_an_issues_page_and_in_its_mail_and_the_text_part_reads_plainly() -> None:
    (issue_text,) = (issue.text for issue in ISSUES if "ngapi" in issue.text)
    marked = 'till <span lang="sw">ngapi</span>?'
    assert marked in render_staff_text(issue_text)
    assert marked in markdown_to_html(issue_text, "https://x.example")
    assert "till ngapi?" in markdown_to_text(issue_text, "https://x.example")
