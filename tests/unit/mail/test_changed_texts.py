"""Every mail to customers takes the words that staff have published."""

from agency_site.content.entries import Kind
from agency_site.content.mail_texts import MAIL_TEXTS, MailText
from agency_site.content.published import previewed
from tests.every_mail import Texts, every_mail

_NOT_IN_EVERY_MAIL = {
    "booking-confirmed-now", "session-added", "session-changed", "learner-moved", "waiting-offer-several", "payment-refunded",
}  # fmt: skip
"""Variants of mails, of which `every_mail` has another one."""


def _changed(text: MailText) -> MailText:
    words = " ".join((text.key, *(f"{{{name}}}" for name in text.placeholders)))
    return text.model_copy(update={"subject": f"S {words}", "opening": f"O {words}\n\nP"})


def test_every_mail_takes_the_published_words_with_all_of_its_placeholders() -> None:
    with previewed({Kind.MAIL_TEXT: tuple(map(_changed, MAIL_TEXTS))}):
        mails = every_mail(Texts()).values()
    by_subject = {mail.subject.split()[1]: mail for mail in mails if mail.subject.startswith("S ")}
    assert set(by_subject) == {text.key for text in MAIL_TEXTS} - _NOT_IN_EVERY_MAIL
    for key, mail in by_subject.items():
        assert mail.paragraphs[1] == f"O{mail.subject[1:]}", key
        assert mail.paragraphs[2] == "P", key
        assert "{" not in mail.subject, key
