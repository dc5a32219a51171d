"""Texts of mails to customers that staff can change: the subject, and the paragraph before the facts."""

from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Record


class MailText(Record):
    """The words of one mail. `{name}` in them is replaced by a value."""

    key: str
    label: str
    """The mail's name in the back office."""
    subject: str
    opening: str
    placeholders: tuple[str, ...] = ()
    """The names that the words may contain."""

    def find_problem(self, text: str) -> str:
        """Return what is wrong with a changed text; empty if nothing is."""
        try:
            text.format_map(dict.fromkeys(self.placeholders, ""))
        except (KeyError, IndexError):
            known = ", ".join(f"{{{name}}}" for name in self.placeholders) or "none"
            return f"This text has a placeholder that the mail does not know. It knows: {known}."
        except (ValueError, AttributeError):
            return "A curly bracket is open or closed without its other half."
        return ""


MAIL_TEXTS: tuple[MailText, ...] = ()


def mail_text(key: str) -> MailText:
    """Return the words of the mail of that key."""
    return next(text for text in published(Kind.MAIL_TEXT, MAIL_TEXTS) if text.key == key)
