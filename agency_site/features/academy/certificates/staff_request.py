"""The form with which staff revoke a certificate."""

from typing import Annotated

from pydantic import BeforeValidator

from agency_site.form_input import InputModel, line

REASON_LENGTH = 500


def _parse_reason(value: object) -> str:
    return line(value, "The reason", REASON_LENGTH, "Please say why.")


class RevocationRequest(InputModel):
    """The reason for revoking a certificate."""

    reason: Annotated[str, BeforeValidator(_parse_reason)]
