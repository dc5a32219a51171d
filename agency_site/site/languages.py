"""A text of the content with its phrases of other languages marked, for the views that show one."""

import reflex as rx

from agency_site.content.languages import TextRun, split_by_language


def in_its_languages(text: str) -> rx.Component:
    """The text unchanged; each phrase of another language says which one."""
    return rx.fragment(*map(_stretch, split_by_language(text)))


def _stretch(run: TextRun) -> rx.Component | str:
    return rx.el.span(run.text, lang=run.language) if run.language else run.text
