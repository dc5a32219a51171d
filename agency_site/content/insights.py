"""Insights: shorter pieces in `insights/*.md`, the featured one first."""

from pathlib import Path

from agency_site.content.article_schema import Insight
from agency_site.content.entries import Kind
from agency_site.content.markdown import load
from agency_site.content.published import published

INSIGHTS: tuple[Insight, ...] = load(Path(__file__).with_name("insights"), Insight)


def insights() -> tuple[Insight, ...]:
    """Return the insights that visitors see, the featured one first, then the newest."""
    return published(Kind.INSIGHT, INSIGHTS)
