"""The mails to staff about their own access."""

from agency_site.auth.rules import LINK_LIFETIME, ROLE_NAMES
from agency_site.auth.tables import StaffAccount
from agency_site.content.brand import BRAND
from agency_site.mail.rules import Message

_HOURS = int(LINK_LIFETIME.total_seconds() // 3600)


def invitation(account: StaffAccount, link: str, by: str) -> Message:
    """Return the mail for the holder of a new account."""
    return Message(
        kind="staff-invitation",
        to=account.email,
        to_name=account.name,
        subject=f"Your staff account at {BRAND.name}",
        heading="Welcome to the back office",
        paragraphs=(
            f"Hello {account.name},",
            f"{by} has created a staff account for you. Choose a password to sign in.",
        ),
        facts=(("Sign in as", account.email), ("Role", ROLE_NAMES[account.role])),
        actions=(("Choose a password", link),),
        closing=(
            f"The link works once, within {_HOURS} hours. If you did not expect this invitation, please ignore this e-mail.",
        ),
    )


def reset(account: StaffAccount, link: str, by: str) -> Message:
    """Return the mail for a member of staff who has to choose a new password."""
    return Message(
        kind="staff-reset",
        to=account.email,
        to_name=account.name,
        subject=f"Choose a new password for {BRAND.name}",
        heading="Choose a new password",
        paragraphs=(
            f"Hello {account.name},",
            f"{by} has sent you a link to choose a new password for the back office.",
        ),
        actions=(("Choose a new password", link),),
        closing=(
            f"The link works once, within {_HOURS} hours. Until you use it, your current password "
            f"remains valid. If you did not request a new password, please contact {by}.",
        ),
    )
