"""Which address may subscribe."""

from email_validator import EmailNotValidError, validate_email

from agency_site.errors import FieldError, InputRejected

INVALID = "Please enter a valid email address, such as name@company.co.ke."


def subscriber_email(typed: str) -> str | None:
    """The address that was typed, in lower case; none when nothing was (specification, section 5).

    Raises InputRejected for text that is no e-mail address.
    """
    trimmed = typed.strip()
    if not trimmed:
        return None
    try:
        checked = validate_email(trimmed, check_deliverability=False)
    except EmailNotValidError as invalid:
        raise InputRejected(INVALID, (FieldError("email", INVALID),)) from invalid
    return checked.normalized.lower()
