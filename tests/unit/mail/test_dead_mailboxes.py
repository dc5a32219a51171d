"""Which rejections say that a mailbox does not exist, in the words of large providers and small servers."""

import aiosmtplib
import pytest

from agency_site.mail.delivery import _classify_failure, _PermanentFailure

DEAD = (
    "5.1.1 <a@b.example>: Recipient address rejected: User unknown in virtual mailbox table",
    "5.1.1 The email account that you tried to reach does not exist. Please try double-checking it",
    "5.2.1 The email account that you tried to reach is disabled. Learn more",
    "5.2.1 The email account that you tried to reach is inactive",
    "5.5.0 Requested action not taken: mailbox unavailable (S2017062302).",
    "5.4.1 Recipient address rejected: Access denied. AS(201806281)",
    "5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup",
    "30 Sorry, your message cannot be delivered. This mailbox is disabled (554.30).",
    "delivery error: dd This user doesn't have a yahoo.com account (a@yahoo.com) [0]",
    "Requested mail action aborted, mailbox not found",
    "5.0.0 <a@b.example>... User unknown",
    "No such user here",
    "Unknown user",
    "Unrouteable address",
    "User not found: a@b.example",
    "Invalid recipient a@b.example",
    "Mailbox does not exist!",
    "sorry, no mailbox here by that name (#5.1.1)",
    "Account a@b.example has been suspended",
)
NOT_DEAD = (
    "5.7.1 This message is likely unsolicited mail, mailbox unavailable",
    "5.7.26 This mail is unauthenticated",
    "5.7.606 Access denied, banned sending IP",
    "5.2.2 The email account that you tried to reach is over quota",
    "5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages",
    "5.3.4 Message too big",
    "5.1.0 Sender rejected",
    "5.1.8 Sender address rejected: Domain not found",
    "5.4.14 Hop count exceeded",
    "Mailbox is full",
    "Message rejected as spam",
    "relay not permitted",
    "IP blocked by policy, mailbox unavailable",
    "Administrative prohibition",
)


def classify(text: str) -> _PermanentFailure:
    failure = _classify_failure(aiosmtplib.SMTPRecipientRefused(550, text, "a@b.example"))
    assert isinstance(failure, _PermanentFailure)
    return failure


@pytest.mark.parametrize("text", DEAD)
def test_a_mailbox_that_does_not_exist_or_is_disabled_is_dead(text: str) -> None:
    assert classify(text).is_dead_mailbox


@pytest.mark.parametrize("text", NOT_DEAD)
def test_a_full_mailbox_a_policy_and_a_rejected_sender_are_no_dead_mailbox(text: str) -> None:
    assert not classify(text).is_dead_mailbox
