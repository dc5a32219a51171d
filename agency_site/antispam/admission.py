"""Admission of public forms: honeypot, minimum fill time, limits."""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol

from agency_site.antispam.limiter import rule_of, seconds_to_wait, seconds_to_wait_for_new
from agency_site.antispam.rules import (
    FORM_RULES,
    HONEYPOT_FIELD,
    HONEYPOT_FILLED,
    INPUT_KEPT,
    STAMP_FIELD,
    STAMP_MISSING,
    Form,
    NotAdmitted,
    minimum_fill_time_message,
)
from agency_site.antispam.stamps import read_stamp
from agency_site.client_address import UNKNOWN, client_network, wide_network
from agency_site.clock import format_wait, now
from agency_site.email_addresses import mailbox_of
from agency_site.errors import TooManyRequests
from agency_site.settings import settings

_PER_RECIPIENT = rule_of("10/day")
"""Submits of one form that send a mail to one e-mail address."""


class Admission(Protocol):
    """`admit` or `admit_post`."""

    async def __call__(self, form: Form, submitted: object, address: str, recipient: str = "") -> None: ...


async def admit(form: Form, submitted: object, address: str, recipient: str = "") -> None:
    """Check `submitted`, the fields of a form as the browser sent them. Raises NotAdmitted with the reason.

    `address` is the client's. `recipient` is the e-mail address that each submit sends a mail to, if nothing else limits
    these mails.
    """
    fields = _text_fields(submitted)
    _check_honeypot(form, fields)
    await _enforce_limits(form, fields, address, recipient)


async def admit_post(form: Form, submitted: object, address: str, recipient: str = "") -> None:
    """Check the form like `admit`, for one that the browser posts itself: its stamp must show when the form was opened."""
    fields = _text_fields(submitted)
    _check_honeypot(form, fields)
    if FORM_RULES[form].needs_stamp:
        _check_stamp(form, fields)
    await _enforce_limits(form, fields, address, recipient)


async def enforce_form_limits(form: Form, address: str, recipient: str = "") -> None:
    """Count one submit, as a form or as JSON, against the daily limits. Raises TooManyRequests.

    `address` is the client's, `recipient` the e-mail address that the submit names.
    """
    await _enforce_network_limit(form, address)
    key = _key_of(recipient)
    wait = await seconds_to_wait(_PER_RECIPIENT, "recipient", form, key) if key else None
    if wait is not None:
        raise _too_many(form, "with this e-mail address today", wait)


async def enforce_recipient_limits(form: Form, address: str, *recipients: str) -> None:
    """Count the different mailboxes that one network names in all forms within a day. Raises TooManyRequests.

    A mailbox that was named already counts nothing.
    """
    network, limit = wide_network(address) or UNKNOWN, rule_of(settings().recipients_limit)
    for key in dict.fromkeys(filter(None, map(_key_of, recipients))):
        wait = await seconds_to_wait_for_new(limit, key, "recipients", network)
        if wait is not None:
            raise _too_many(form, "for different e-mail addresses from your network today", wait)


async def _enforce_network_limit(form: Form, address: str) -> None:
    """Keep one network from exhausting a shared resource, such as the slots of the calendar."""
    limits = {Form.BOOKING: settings().bookings_limit, Form.PAYMENT: settings().payments_limit}
    if form not in limits:
        return
    network = wide_network(address) or UNKNOWN
    wait = await seconds_to_wait(rule_of(limits[form]), "network", form, network)
    if wait is not None:
        raise _too_many(form, "from your network today", wait)


def _too_many(form: Form, source: str, wait: int) -> TooManyRequests:
    message = f"Too many {FORM_RULES[form].submit_noun} {source}. Please try again in {format_wait(wait)}, or call us."
    return TooManyRequests(message, wait)


def _text_fields(submitted: object) -> dict[str, str]:
    if not isinstance(submitted, Mapping):
        return {}
    return {str(name): value for name, value in submitted.items() if isinstance(value, str)}


def _check_honeypot(form: Form, fields: Mapping[str, str]) -> None:
    if fields.get(HONEYPOT_FIELD, "").strip():
        raise NotAdmitted(form, HONEYPOT_FILLED)


def _check_stamp(form: Form, fields: Mapping[str, str]) -> None:
    sent_at = read_stamp(fields.get(STAMP_FIELD, ""))
    if sent_at is None:
        raise NotAdmitted(form, STAMP_MISSING)
    least = settings().form_minimum_seconds
    if now() - sent_at < timedelta(seconds=least):
        raise NotAdmitted(form, minimum_fill_time_message(least))


async def _enforce_limits(form: Form, fields: Mapping[str, str], address: str, recipient: str) -> None:
    noun, network = FORM_RULES[form].submit_noun, wide_network(address) or UNKNOWN
    for limit, key, source in (
        (settings().sends_limit, ("send", form, client_network(address)), "connection"),
        (settings().form_network_limit, ("form", form, network), "network"),
    ):
        wait = await seconds_to_wait(rule_of(limit), *key)
        if wait is not None:
            raise NotAdmitted(
                form,
                f"Too many {noun} from your {source}. Please try again in {format_wait(wait)}. {INPUT_KEPT}",
            )
    try:
        await enforce_form_limits(form, address, recipient)
        await enforce_recipient_limits(form, address, *_list_recipients(form, fields))
    except TooManyRequests as full:
        raise NotAdmitted(form, f"{full.message} {INPUT_KEPT}") from None


def _list_recipients(form: Form, fields: Mapping[str, str]) -> list[str]:
    wanted = FORM_RULES[form].recipient_field
    is_prefix = wanted.endswith("-")
    return [
        text for field, text in fields.items() if field == wanted or (is_prefix and field.startswith(wanted))
    ]


def _key_of(recipient: str) -> str:
    """Hash the mailbox, because the counter needs no address."""
    mailbox = mailbox_of(recipient)
    return hashlib.sha256(mailbox.encode(errors="replace")).hexdigest()[:32] if mailbox else ""
