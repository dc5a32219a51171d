"""Texts to customers that staff can change: subject and first paragraph of each mail, and the text message of some."""

import re
from collections.abc import Collection, Mapping
from string import Formatter
from types import MappingProxyType
from typing import NamedTuple

from agency_site.content.brand import BRAND
from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Record

_EMPTY_LINES = re.compile(r"\s*\n\s*\n\s*")


class MailWords(NamedTuple):
    """The words of one mail with all values."""

    subject: str
    opening: tuple[str, ...]
    """Paragraphs: the text may have empty lines."""


class MailText(Record):
    """The words of one mail. `{name}` in them is replaced by a value."""

    key: str
    label: str
    """The mail's name in the back office."""
    subject: str
    opening: str
    placeholders: tuple[str, ...] = ()
    """The names that subject and opening may contain."""
    text_message: str = ""
    """The text message of the same notice; empty if the notice is a mail only."""
    text_placeholders: tuple[str, ...] = ()
    """The names that the text message may contain."""

    def find_problem(self, text: str) -> str:
        """Return what is wrong with a changed subject or opening; empty if nothing is."""
        return find_placeholder_problem(text, self.placeholders)

    def find_text_problem(self, text: str) -> str:
        """Return what is wrong with a changed text message; empty if nothing is."""
        if not self.text_placeholders:
            return "This mail has no text message. Please leave the field empty." if text else ""
        return find_placeholder_problem(text, self.text_placeholders)

    def fill(self, values: Mapping[str, str]) -> MailWords:
        """Return the words with these values, one for each placeholder."""
        paragraphs = _EMPTY_LINES.split(self.opening)
        return MailWords(
            self.subject.format_map(values), tuple(paragraph.format_map(values) for paragraph in paragraphs)
        )

    def fill_text(self, values: Mapping[str, str]) -> str:
        """Return the text message with these values, one for each of its placeholders but that of the agency."""
        return self.text_message.format_map({"agency": BRAND.name, **values})


TYPICAL_VALUES: Mapping[str, str] = MappingProxyType(
    {
        "agency": BRAND.name,
        "amount": "KES 15,000",
        "balance": "KES 15,000",
        "course": "Digital Marketing Masterclass",
        "link": "https://mwangadigital.co.ke/s/AB12CD34EF56",
        "places": "3",
        "person": "Wanjiru Kamau",
        "previous_start": "Tuesday 12 January 2027, 18:30",
        "receipt": "TKL4H2XQ7P",
        "reference": "BK-7F3K9Q",
        "start": "Tuesday 12 January 2027, 18:30",
        "time": "11:00 on Tuesday 24 November",
        "until": "Tuesday 12 January 2027, 18:30",
        "way": "by phone",
    }
)
"""A value of usual length for each placeholder of text messages."""


def find_placeholder_problem(text: str, placeholders: Collection[str]) -> str:
    """Return why a text by staff cannot be filled with values for these placeholders; empty if it can."""
    try:
        parts = list(Formatter().parse(text))
    except ValueError:
        return "A curly bracket is open or closed without its other half."
    # Only plain names: attributes, indexes, conversions and formats of values would read more than the value.
    if all(
        name is None or (name in placeholders and not (spec or conversion))
        for _, name, spec, conversion in parts
    ):
        return ""
    known = ", ".join(f"{{{name}}}" for name in placeholders) or "none"
    return f"This text has an unknown placeholder. The known ones are: {known}."


_OF_TEXTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "booking": ("time", "reference", "person", "way", "link"),
        "enrolment": ("course", "amount", "receipt", "link"),
        "payment": ("course", "link"),
    }
)
"""The names that text messages may contain beside those that are delivered in them, by the first word of the mail's key: each
has a value for them."""


def _text(key: str, label: str, subject: str, opening: str, *placeholders: str, sms: str = "") -> MailText:
    """Build the words of a mail. `sms` is its text message."""
    delivered = (name for _, name, _, _ in Formatter().parse(sms) if name)
    names = (*delivered, *_OF_TEXTS.get(key.partition("-")[0], ("course", "link"))) if sms else ()
    return MailText(
        key=key,
        label=label,
        subject=subject,
        opening=opening,
        placeholders=placeholders,
        text_message=sms,
        text_placeholders=tuple(dict.fromkeys(names)),
    )


_BOOKINGS = (
    _text(
        "booking-confirmed", "Booking: confirmation",
        "Booking confirmed: {time}",
        "We look forward to meeting you at {time} (Nairobi time).",
        "time",
        sms="{agency}: booked for {time}, Nairobi time. {reference}. Move or cancel: {link}",
    ),
    _text(
        "booking-confirmed-now", "Booking: confirmation for a client who is already here",
        "Booking confirmed: {time}",
        "Your consultation at {time} (Nairobi time) is booked.",
        "time",
        sms="{agency}: your consultation at {time}, Nairobi time, is booked. {reference}. See it: {link}",
    ),
    _text(
        "booking-moved", "Booking: moved",
        "Booking moved: {time}",
        "Your consultation has moved from {previous_time} to {time} (Nairobi time).",
        "time", "previous_time",
        sms="{agency}: your consultation is now at {time}, Nairobi time. {reference}. Change: {link}",
    ),
    _text(
        "booking-assigned", "Booking: another consultant",
        "Another consultant: {time}",
        "{person} takes your consultation at {time} (Nairobi time). The time stays the same.",
        "time", "person",
        sms="{agency}: {person} takes your consultation at {time}, Nairobi time. {reference}: {link}",
    ),
    _text(
        "booking-way", "Booking: another way to meet",
        "Another way to meet: {time}",
        "Your consultation at {time} (Nairobi time) now takes place {way}. The time stays the same.",
        "time", "way",
        sms="{agency}: your consultation at {time}, Nairobi time, is now {way}. {reference}: {link}",
    ),
    _text(
        "booking-restored", "Booking: confirmed again after a cancellation",
        "Booking confirmed again: {time}",
        "Your consultation at {time} (Nairobi time) was cancelled and is now confirmed again.",
        "time",
        sms="{agency}: your consultation at {time}, Nairobi time, is confirmed again. {reference}: {link}",
    ),
    _text(
        "booking-reminder", "Booking: reminder",
        "Reminder: your consultation at {time}",
        "This is a reminder of your consultation at {time} (Nairobi time).",
        "time",
        sms="{agency}: your consultation is at {time}, Nairobi time. Move or cancel: {link}",
    ),
    _text(
        "booking-cancelled", "Booking: cancelled",
        "Booking cancelled: {time}",
        "Your consultation at {time} (Nairobi time) is cancelled.",
        "time",
        sms="{agency}: your consultation at {time}, Nairobi time, is cancelled. {reference}. Rebook: {link}",
    ),
)  # fmt: skip

_ORDERS = (
    _text(
        "enrolment-confirmed", "Order: paid and enrolled",
        "You are enrolled: {course}",
        "Your payment of {amount} has arrived, and you are enrolled in {course}. We will e-mail you {details}.",
        "course", "amount", "details",
        sms="{agency}: {amount} received, receipt {receipt}. You are enrolled in {course}. Order: {link}",
    ),
    _text(
        "enrolment-confirmed-free", "Order: enrolled in a free course",
        "You are enrolled: {course}",
        "You are enrolled in {course}. There is nothing to pay. We will e-mail you {details}.",
        "course", "details",
    ),
    _text(
        "enrolment-asked", "Order: please confirm a free place",
        "Confirm your place: {course}",
        "You (or someone using this address) asked for a place in {course}. It is free. "
        "Please confirm it on the page of your order to be enrolled.",
        "course",
    ),
    _text(
        "order-exists", "Order: there is one for this course already",
        "Your order for {course}",
        "Someone, probably you, has just tried to order {course} again with this e-mail address. "
        "Nothing was charged, because your earlier order is paid or is waiting for M-Pesa. "
        "You can see its state, and place another order for the course, on its page.",
        "course",
    ),
    _text(
        "payment-link", "Order: link to pay",
        "Your order for {course}",
        "You can pay for {course} with M-Pesa on the page of your order. "
        "Open it and enter your M-Pesa number; your phone then asks for your PIN. "
        "You can also pay to our {paybill}.",
        "course", "paybill",
        sms="{agency}: pay {amount} for {course} with M-Pesa here: {link}",
    ),
    _text(
        "payment-part", "Payment: part of the price",
        "Part of your payment has arrived: {course}",
        "{amount} has arrived for {course}. {balance}",
        "course", "amount", "balance",
        sms="{agency}: {amount} received for {course}, receipt {receipt}. To pay: {balance}: {link}",
    ),
    _text(
        "payment-unpaid", "Payment: not paid",
        "Not paid yet: {course}",
        "{reason}",
        "course", "reason",
        sms="{agency}: your payment for {course} did not go through. See why, and what to do now: {link}",
    ),
    _text(
        "payment-refunded", "Payment: refund",
        "Refund sent: {course}",
        "We have refunded your payment for {course}.",
        "course",
    ),
    _text(
        "payment-refunded-part", "Payment: partial refund",
        "Partial refund sent: {course}",
        "We have refunded {amount} of your payment of {paid} for {course}.",
        "course", "amount", "paid",
    ),
)  # fmt: skip

_COURSES = (
    _text(
        "learner-confirmed", "Course: a place for the learner",
        "Your place: {course}",
        "You have a place in {course}. {dates}",
        "course", "dates",
        sms="{agency}: you have a place in {course}. Your dates and how to join: {link}",
    ),
    _text(
        "learner-link", "Course: the learner's link again",
        "Your link: {course}",
        "Here is the link to your course page again. Anyone with this link can open the page, so please keep it to yourself.",
        "course",
    ),
    _text(
        "learner-replaced", "Course: the place was transferred",
        "Your place has been transferred: {course}",
        "Your place in {course} has been transferred to another person by the buyer. Your link no longer works.",
        "course",
    ),
    _text(
        "session-added", "Course: another session",
        "Session changed: {course}",
        "{course} has an additional session on {start}.",
        "course", "start",
        sms="{agency}: {course} has an additional session: {start}. Your dates: {link}",
    ),
    _text(
        "session-changed", "Course: a session changed",
        "Session changed: {course}",
        "The session in {course} on {start} has changed. Its time stays the same.",
        "course", "start",
        sms="{agency}: the session of {course} on {start} has changed. Details: {link}",
    ),
    _text(
        "session-moved", "Course: a session moved",
        "Session changed: {course}",
        "A session in {course} has moved from {previous_start} to {start}.",
        "course", "start", "previous_start",
        sms="{agency}: a session of {course} has moved to {start}. Your dates: {link}",
    ),
    _text(
        "session-cancelled", "Course: a session was cancelled",
        "Session cancelled: {course}",
        "The session in {course} on {start}, has been cancelled. Open the attached file to remove it from your calendar.",
        "course", "start",
        sms="{agency}: the session of {course} on {start} is cancelled. Dates: {link}",
    ),
    _text(
        "session-cancelled-buyer", "Course: a session was cancelled, for the buyer",
        "Session cancelled: {course}",
        "The session in {course} on {start}, has been cancelled.",
        "course", "start",
    ),
    _text(
        "course-rescheduled", "Course: new dates",
        "New dates: {course}",
        "The sessions of {course} have new dates, listed below. Open the attached files to update your calendar.",
        "course",
        sms="{agency}: the sessions of {course} have new dates: {link}",
    ),
    _text(
        "course-rescheduled-buyer", "Course: new dates, for the buyer",
        "New dates: {course}",
        "The sessions of {course} have new dates, listed below.",
        "course",
    ),
    _text(
        "run-cancelled", "Course: the run was cancelled",
        "Cancelled: {course}",
        "The run of {course} that was to start on {start}, has been cancelled. We are sorry. "
        "We will write to you about another date; if none suits you, please reply to this e-mail.",
        "course", "start",
        sms="{agency}: sorry, {course} from {start} is cancelled. See {link}",
    ),
    _text(
        "session-reminder", "Course: reminder of a session",
        "Reminder: {course}, {date}",
        "This is a reminder of your session in {course} on {start}.{topic}",
        "course", "date", "start", "topic",
        sms="{agency}: {course} begins {start}, Nairobi time. Join: {link}",
    ),
    _text(
        "certificate-issued", "Course: certificate",
        "Your certificate: {course}",
        "You have completed {course}. Your certificate is on your page, as a PDF to keep or to print.",
        "course",
    ),
    _text(
        "recording-added", "Course: a recording",
        "Recording: {recording}",
        "We have added a recording to {course}: {recording}.",
        "course", "recording",
    ),
    _text(
        "learner-placed", "Course: a place in a run",
        "Your dates: {course}",
        "You have a place in a run of {course}. {dates}",
        "course", "dates",
        sms="{agency}: you have a place in a run of {course}. Your dates: {link}",
    ),
    _text(
        "learner-moved", "Course: a place in another run",
        "Your dates: {course}",
        "You now have a place in another run of {course}. {dates}",
        "course", "dates",
        sms="{agency}: you are now in another run of {course}. Your dates: {link}",
    ),
    _text(
        "learner-moved-buyer", "Course: dates of the places, for the buyer",
        "Dates of your order: {course}",
        "The places that you bought are in a run of {course}. {dates}",
        "course", "dates",
    ),
    _text(
        "place-ended", "Course: the place has ended",
        "Your place has ended: {course}",
        "Your place in {course} has ended. If you did not expect this, please call us.",
        "course",
    ),
)  # fmt: skip

_WAITING_LISTS = (
    _text(
        "waiting-asked", "Waiting list: please confirm",
        "Please confirm: waiting list for {course}",
        "This address was entered on the waiting list for {course}, which starts on {start}. "
        "You are on the list once you have confirmed.",
        "course", "start",
    ),
    _text(
        "waiting-joined", "Waiting list: joined",
        "On the waiting list: {course}",
        "You are on the waiting list for {course}, which starts on {start}.",
        "course", "start",
    ),
    _text(
        "waiting-offer", "Waiting list: a place is free",
        "A place is free: {course}",
        "A place in {course}, which starts on {start}, has become free. We will keep it for you until {until}, Nairobi time. "
        "After that it goes to the next person.",
        "course", "start", "until",
        sms="{agency}: a place in {course} is yours until {until}, Nairobi: {link}",
    ),
    _text(
        "waiting-offer-several", "Waiting list: several places are free",
        "Places are free: {course}",
        "{places} places in {course}, which starts on {start}, have become free. We will keep them for you until {until}, "
        "Nairobi time. After that they go to the next person. You can take fewer.",
        "course", "start", "until", "places",
        sms="{agency}: {places} places in {course} are yours until {until}, Nairobi: {link}",
    ),
)  # fmt: skip

_WEBINARS = (
    _text(
        "registration-confirmed", "Webinar: seat reserved",
        "Your seat on {date}: {webinar}",
        "You have a seat in our webinar “{webinar}” on {day} at {time}.",
        "webinar", "date", "day", "time",
    ),
    _text(
        "registration-reminder", "Webinar: reminder",
        "Reminder: {webinar}, {date} at {time}",
        "This is a reminder of our webinar “{webinar}” on {day} at {time}.",
        "webinar", "date", "day", "time",
    ),
    _text(
        "webinar-changed", "Webinar: changed",
        "Changed: {webinar}, {date} at {time}",
        "Our webinar “{webinar}” has changed. It takes place on {day} at {time}, and your seat stays reserved.",
        "webinar", "date", "day", "time",
    ),
    _text(
        "webinar-cancelled", "Webinar: cancelled",
        "Cancelled: {webinar}",
        "We are sorry: our webinar “{webinar}” on {day} has been cancelled.",
        "webinar", "date", "day", "time",
    ),
    _text(
        "registration-cancelled", "Webinar: seat cancelled",
        "Seat cancelled: {webinar}",
        "You have cancelled your seat in our webinar “{webinar}” on {day}.",
        "webinar", "date", "day", "time",
    ),
)  # fmt: skip

_MESSAGES = (
    _text(
        "message-received", "Message: received",
        "We have your message ({reference})",
        "Thank you for writing to us. We have your message, and one of us will reply to this address.",
        "reference",
    ),
    _text(
        "signup-received", "Hosting: sign-up received",
        "Your sign-up for our {plan} plan ({reference})",
        "Thank you for choosing our {plan} plan. We will call you within one working day to confirm it. "
        "Nothing has been charged.",
        "plan", "reference",
    ),
    _text(
        "comment-received", "Comment: received",
        "We have your comment ({reference})",
        "Thank you for your comment on “{article}”. One of our editors will read it, and we will write to you once it is "
        "published.",
        "article", "reference",
    ),
    _text(
        "comment-published", "Comment: published",
        "Your comment is published ({reference})",
        "Your comment on “{article}” is now published under the article. Thank you for adding to it.",
        "article", "reference",
    ),
)  # fmt: skip

MAIL_TEXTS: tuple[MailText, ...] = (
    *_BOOKINGS, *_ORDERS, *_COURSES, *_WAITING_LISTS, *_WEBINARS, *_MESSAGES,
)  # fmt: skip


def mail_text(key: str) -> MailText:
    """Return the words of the mail of that key."""
    return next(text for text in published(Kind.MAIL_TEXT, MAIL_TEXTS) if text.key == key)


def write_words(key: str, **values: str) -> MailWords:
    """Return the words of the mail of that key with these values."""
    return mail_text(key).fill(values)
