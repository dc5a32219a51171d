"""A text of the content with its phrases of other languages marked, for the views that show one."""

import reflex as rx

from agency_site.content.languages import Said, by_language


def in_its_languages(text: str) -> rx.Component:
    """The text as it stands; each phrase of another language says which one."""
    return rx.fragment(*map(_stretch, by_language(text)))


def _stretch(said: Said) -> rx.Component | str:
    return rx.el.span(said.words, lang=said.language) if said.language else said.words
