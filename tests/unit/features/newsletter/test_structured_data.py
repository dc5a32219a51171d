"""Facts of a letter for search engines: valid, and no way out of their element."""

import json
from datetime import date

from agency_site.features.newsletter.archive import PastIssue
from agency_site.features.newsletter.page import archive_sitemap, issue_graph
from tests.schema_org import problems

ISSUE = PastIssue("one", 1, date(2026, 11, 18), "The queue is the advert", "What a queue says.", "Text.")


def test_the_facts_of_a_letter_validate() -> None:
    graph = json.loads(issue_graph(ISSUE))
    assert problems(graph) == []
    assert graph["@graph"][-1]["datePublished"] == "2026-11-18"


def test_no_title_of_a_letter_ends_its_facts() -> None:
    title = 'Buy </script><script>alert("1")</script> & sell'
    told = issue_graph(PastIssue("one", 1, ISSUE.sent, title, ""))
    assert not set(told) & set("<>&")
    assert json.loads(told)["@graph"][-1]["headline"] == title


def test_the_list_of_letters_changes_with_its_newest() -> None:
    older = PastIssue("zero", 0, date(2026, 11, 11), "Older", "")
    told = archive_sitemap([ISSUE, older]).decode()
    assert (
        told.index("/newsletter/archive</loc>")
        < told.index("2026-11-18")
        < told.index("/newsletter/one</loc>")
    )
    assert "2026-11-11" in told


def test_without_letters_the_list_claims_no_day() -> None:
    assert b"lastmod" not in archive_sitemap([])
