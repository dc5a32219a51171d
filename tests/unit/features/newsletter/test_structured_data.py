"""Structured data of issues: it is valid, and no title ends its script element."""

import json
from datetime import date

from agency_site.features.newsletter.archive import PastIssue
from agency_site.features.newsletter.page import archive_sitemap, issue_graph
from tests.schema_org import problems

ISSUE = PastIssue("one", 1, date(2026, 11, 18), "The queue is the advert", "What a queue says.", "Text.")


def test_the_structured_data_of_an_issue_validates() -> None:
    graph = json.loads(issue_graph(ISSUE))
    assert problems(graph) == []
    assert graph["@graph"][-1]["datePublished"] == "2026-11-18"


def test_no_title_of_an_issue_ends_the_script_element() -> None:
    title = 'Buy </script><script>alert("1")</script> & sell'
    graph = issue_graph(PastIssue("one", 1, ISSUE.sent_on, title, ""))
    assert not set(graph) & set("<>&")
    assert json.loads(graph)["@graph"][-1]["headline"] == title


def test_the_sitemap_of_the_archive_changes_with_its_newest_issue() -> None:
    older = PastIssue("zero", 0, date(2026, 11, 11), "Older", "")
    sitemap = archive_sitemap([ISSUE, older]).decode()
    assert (
        sitemap.index("/newsletter/archive</loc>")
        < sitemap.index("2026-11-18")
        < sitemap.index("/newsletter/one</loc>")
    )
    assert "2026-11-11" in sitemap


def test_the_sitemap_without_issues_has_no_date() -> None:
    assert b"lastmod" not in archive_sitemap([])
