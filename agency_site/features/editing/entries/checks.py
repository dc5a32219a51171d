"""What is checked before visitors see the fields of an entry: when it is published, scheduled, published on time, shown again."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from urllib.parse import unquote

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, ORDER, EntryInvalid, KindDefinition
from agency_site.content.link_targets import list_dead_links
from agency_site.errors import FieldError, InputRejected
from agency_site.features.editing.entries.addresses import is_reserved
from agency_site.features.editing.entries.records import EntryRecord, read_address
from agency_site.features.editing.entries.text_messages import find_length_problem
from agency_site.features.editing.pictures.usecases import find_missing_pictures
from agency_site.fields import Control, read_number
from agency_site.form_input import parse_date, parse_moment

_FAR_CHANGE = 10
"""A number that rises or falls so many times may have a digit too many or too few."""
_FAR_DAYS = timedelta(days=2 * 365)
Fields = Mapping[str, str]


class AnswerNeeded(InputRejected):
    """Publishing waits until the editor has answered the questions, which are the messages of `errors`."""

    def __init__(self, questions: Sequence[FieldError]) -> None:
        super().__init__(" ".join(question.message for question in questions), tuple(questions))


def require_answers(questions: Sequence[FieldError], answered: Collection[str]) -> None:
    """Raise AnswerNeeded for the questions that the editor has not answered with yes."""
    if any(question.message not in answered for question in questions):
        raise AnswerNeeded(questions)


async def list_problems(
    session: AsyncSession, entry: EntryRecord, fields: Fields, others: Sequence[EntryRecord], moment: datetime
) -> list[FieldError]:
    """Return why these fields of an entry cannot be published at that moment. `others` are the other entries of its kind."""
    definition = KINDS[entry.kind]
    if obstacles := await list_obstacles(session, entry, fields, others):
        return obstacles
    return [
        *_check_text_message(fields),
        *_check_days(definition, fields, in_nairobi(moment).date()),
        *(FieldError(*problem) for problem in definition.find_text_problems(fields).items()),
        *(FieldError(*problem) for problem in definition.find_small_pictures(fields).items()),
        *_check_links(definition, fields, definition.path_of(definition.build(entry.slug, fields))),
    ]


async def list_obstacles(
    session: AsyncSession, entry: EntryRecord, fields: Fields, others: Sequence[EntryRecord]
) -> list[FieldError]:
    """Return why there can be no page with these fields, also if visitors have seen them before."""
    definition = KINDS[entry.kind]
    try:
        path = definition.path_of(definition.build(entry.slug, fields))
    except EntryInvalid as invalid:
        return [FieldError(name, problem) for name, problem in invalid.problems.items()]
    return [
        *await _check_pictures(session, definition, fields),
        *_check_address(definition, entry.slug, fields, path, others),
    ]


def list_questions(
    entry: EntryRecord, fields: Fields, others: Sequence[EntryRecord], moment: datetime
) -> list[FieldError]:
    """Return what an editor must confirm before these fields are published at that moment."""
    definition, before = KINDS[entry.kind], entry.published_fields or {}
    return [
        *_ask_about_address(definition, entry.slug, fields, others),
        *_ask_about_numbers(definition, before, fields),
        *_ask_about_days(entry.kind, before, fields, moment),
    ]


def _check_text_message(fields: Fields) -> Iterator[FieldError]:
    if problem := find_length_problem(fields.get("text_message", "")):
        yield FieldError("text_message", problem)


def _check_days(definition: KindDefinition, fields: Fields, day: date) -> Iterator[FieldError]:
    """Yield the dates of a text that are still to come: feeds and sitemaps would be wrong until then."""
    for each in definition.fields:
        value = fields.get(each.name, "").strip()
        if each.is_past and value and parse_date(value) > day:
            reason = "This day is still to come. Choose an earlier one, or schedule the text for that day."
            yield FieldError(each.name, reason)


def _check_links(definition: KindDefinition, fields: Fields, path: str) -> Iterator[FieldError]:
    field_of = {address: name for name, address in definition.list_links(fields)}
    for address in list_dead_links(field_of, path):
        reason = f"A link leads to {unquote(address)}, where this site has no page."
        yield FieldError(field_of[address], reason)


async def _check_pictures(
    session: AsyncSession, definition: KindDefinition, fields: Fields
) -> list[FieldError]:
    field_of = {address: name for name, address in definition.list_pictures(fields)}
    return [
        FieldError(field_of[address], f"The picture {address} is not in the library. Please upload it.")
        for address in await find_missing_pictures(session, field_of)
    ]


def _check_address(
    definition: KindDefinition, slug: str, fields: Fields, path: str, others: Sequence[EntryRecord]
) -> Iterator[FieldError]:
    if not definition.has_own_page:
        return
    field = "address" if "address" in fields else definition.fields[0].name
    address = read_address(slug, fields)
    # Pages of delivered records are among the entries: one that has moved has left its address.
    delivered = {definition.path_of(record) for record in definition.delivered}
    if (path not in delivered and is_reserved(path)) or any(
        read_address(other.slug, other.visible_fields) == address for other in others if other.visible_fields
    ):
        yield FieldError(field, f"Another page has the address {path}. Please choose another one.")
        return
    for other in others:
        if other.publish_at and read_address(other.slug, other.fields) == address:
            yield FieldError(
                field, f"“{other.title}” is scheduled with the address {path}. Please choose another one."
            )


def _ask_about_address(
    definition: KindDefinition, slug: str, fields: Fields, others: Sequence[EntryRecord]
) -> Iterator[FieldError]:
    if not definition.has_own_page:
        return
    address = read_address(slug, fields)
    for other in others:
        if other.is_hidden and address == read_address(other.slug, other.published_fields or {}):
            question = f"“{other.title}” is hidden and has the address “{address}”. It could not be shown again there."
            yield FieldError("address", question)
        elif other.visible_fields and address in {other.slug, *other.addresses}:
            question = f"Links to “{address}” lead to “{other.title}”, which was there before. They would lead to this text."
            yield FieldError("address", question)


def _ask_about_numbers(definition: KindDefinition, before: Fields, fields: Fields) -> Iterator[FieldError]:
    """Yield prices that become nothing or change tenfold, and other numbers that change tenfold, but places in a list."""
    for each in definition.fields:
        texts = [values.get(each.name, "").strip() for values in (before, fields)]
        if each.control is not Control.NUMBER or each.name == ORDER or not all(texts):
            continue
        old, new = map(read_number, texts)
        if old != new and max(old, new) >= _FAR_CHANGE * min(old, new):
            unit = "KES " if each.is_price else f"{each.label}: "
            meaning = "Is no digit missing or too many?" if new else "Everybody gets it for nothing."
            yield FieldError(
                each.name, f"{unit}{old:,} becomes {unit if each.is_price else ''}{new:,}. {meaning}"
            )


def _ask_about_days(kind: Kind, before: Fields, fields: Fields, moment: datetime) -> Iterator[FieldError]:
    day = in_nairobi(moment).date()
    if kind is Kind.WEBINAR and fields["date"] != before.get("date"):
        webinar_day = parse_date(fields["date"])
        if webinar_day < day:
            yield FieldError(
                "date", f"{webinar_day:%-d %B %Y} has passed: the webinar is listed with the recordings."
            )
        elif webinar_day > day + _FAR_DAYS:
            yield FieldError("date", f"{webinar_day:%-d %B %Y} is more than two years away.")
    ends = fields.get("shows_until", "").strip() if kind is Kind.ANNOUNCEMENT else ""
    if ends and parse_moment(ends) <= moment:
        yield FieldError("shows_until", "The end has passed, so visitors do not see this.")
