"""Why somebody is not let in, in words that tell a stranger nothing."""

from agency_site.errors import NotFound, SiteError


class SignInRefused(SiteError):
    """Unknown account, wrong password or disabled account: nobody learns which."""

    status = 401

    def __init__(self, message: str = "The e-mail address or the password is not right.") -> None:
        super().__init__(message)


class CodeRefused(SignInRefused):
    """The code does not fit, or was used before."""

    def __init__(self) -> None:
        super().__init__("This code is not right, or it was used before. Please type the one shown now.")


class PendingOver(SignInRefused):
    """The time between password and code is over."""

    def __init__(self) -> None:
        super().__init__("That took longer than five minutes. Please sign in again.")


class LinkGone(NotFound):
    """A link that is unknown, used or too old."""

    def __init__(self) -> None:
        super().__init__("This link has been used already, or its time is over.")
