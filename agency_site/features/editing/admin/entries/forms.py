"""Forms of entries: the text of each field as a form sends it. No I/O."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta

from agency_site.clock import NAIROBI, in_nairobi
from agency_site.content.entry_kinds import KindDefinition
from agency_site.errors import FieldError, InputRejected
from agency_site.fields import Control, Field, split_lines
from agency_site.form_input import CHECK_FIELDS, YES, parse_moment, text

LONGEST = 100_000
"""Characters of a field of a draft. What is published has the limits of its kind."""


def choice_name(field: Field, option: str) -> str:
    """Return the name of the checkbox of one option."""
    return f"{field.name}-{field.options.index(option)}"


def read_fields(
    definition: KindDefinition, form: Mapping[str, str], before: Mapping[str, str]
) -> dict[str, str]:
    """Return the fields of a submitted form; a draft may be incomplete. Raises InputRejected for text that cannot be stored.

    Choices keep the order that they had `before`.
    """
    values, errors = {}, []
    for field in definition.fields:
        try:
            values[field.name] = _read_field(field, form, before.get(field.name, ""))
        except ValueError as problem:
            errors.append(FieldError(field.name, str(problem)))
    if errors:
        raise InputRejected(CHECK_FIELDS, tuple(errors))
    return values


def _read_field(field: Field, form: Mapping[str, str], before: str) -> str:
    if field.control is Control.CHOICES:
        known = (option for option in split_lines(before) if option in field.options)
        ordered = dict.fromkeys((*known, *field.options))
        return "\n".join(option for option in ordered if form.get(choice_name(field, option)))
    if field.control is Control.TICK:
        return YES if form.get(field.name) else ""
    return text(form.get(field.name, ""), f"“{field.label}”", LONGEST)


def fill_fields(definition: KindDefinition, values: Mapping[str, str]) -> dict[str, str]:
    """Return a value for each field of the kind, empty where there is none."""
    return {field.name: values.get(field.name, "") for field in definition.fields}


def read_moment(form: Mapping[str, str]) -> datetime:
    """Return the moment of publishing in a form. Raises InputRejected."""
    try:
        return parse_moment(form.get("moment", ""))
    except ValueError as problem:
        raise InputRejected(CHECK_FIELDS, (FieldError("moment", str(problem)),)) from None


def next_morning(moment: datetime) -> datetime:
    """Return eight o'clock in Nairobi on the day after a moment: the proposed time of publishing."""
    return datetime.combine(in_nairobi(moment).date() + timedelta(days=1), time(8), NAIROBI)
