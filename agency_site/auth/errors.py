"""Reasons why a sign-in is rejected, in words that disclose nothing to strangers."""

from agency_site.errors import NotFound, SiteError


class SignInRefused(SiteError):
    """Unknown account, wrong password or disabled account: the message does not say which."""

    status = 401

    def __init__(self, message: str = "The e-mail address or password is incorrect.") -> None:
        super().__init__(message)


class CodeRefused(SignInRefused):
    """The code is wrong or was used before."""

    def __init__(self) -> None:
        super().__init__("This code is incorrect or was already used. Enter the current code.")


class PendingOver(SignInRefused):
    """The time between password and code has passed."""

    def __init__(self) -> None:
        super().__init__("The sign-in expired after five minutes. Please sign in again.")


class LinkGone(NotFound):
    """A link that is unknown, used or too old."""

    def __init__(self) -> None:
        super().__init__("This link has expired or was already used.")
