"""Texts of the content whose phrases of other languages are marked."""

import reflex as rx

from agency_site.content.languages import TextRun, split_by_language


def in_its_languages(text: str) -> rx.Component:
    """The text, with the language of each foreign phrase in its markup."""
    return rx.fragment(*map(_marked_run, split_by_language(text)))


def _marked_run(run: TextRun) -> rx.Component | str:
    return rx.el.span(run.text, lang=run.language) if run.language else run.text
