"""The text message that staff write, parsed and validated."""

from typing import Annotated

from pydantic import BeforeValidator

from agency_site.form_input import InputModel, text

TEXT_LENGTH = 600
"""The most characters that staff type."""


def _parse_text(value: object) -> str:
    return text(value, "The text", TEXT_LENGTH, "Please write the text first.")


class TextRequest(InputModel):
    """A text message to one person."""

    text: Annotated[str, BeforeValidator(_parse_text)]
