"""Insights: shorter pieces in `insights/*.md`, the featured one first."""

from pathlib import Path

from agency_site.content.article_schema import Insight
from agency_site.content.markdown import load

INSIGHTS: tuple[Insight, ...] = load(Path(__file__).with_name("insights"), Insight)
