"""The fields of an entry's form, drawn from the declaration of its kind."""

from typing import Any

import reflex as rx

from agency_site.content.entry_kinds import KindDefinition
from agency_site.features.editing.admin.entries.detail import EntryPage
from agency_site.features.editing.admin.entries.editor import MarkdownTools, PictureTools
from agency_site.features.editing.admin.entries.forms import choice_name
from agency_site.fields import Control, Field
from agency_site.form_input import YES
from agency_site.ui.forms import field, field_error, select_field, text_area

_TYPES = {Control.DATE: "date", Control.TIME: "time", Control.MOMENT: "datetime-local"}
_ROWS = {Control.MARKDOWN: "24", Control.TEXT: "4", Control.LINES: "5"}
_MARKDOWN_HINT = (
    "In Markdown: ## for a heading, **bold**, - for a list, [text](/book) for a link, > for a quotation. Pictures can be "
    "dropped or pasted. Text of word processors and web pages keeps its structure; Shift+Ctrl+V pastes it plain."
)


def entry_fields(definition: KindDefinition) -> rx.Component:
    """Return the fields of a kind."""
    return rx.fragment(*(_entry_field(each, f"entry-{definition.kind}") for each in definition.fields))


def _entry_field(entry_field: Field, form: str) -> rx.Component:
    match entry_field.control:
        case Control.TICK:
            return _tick_field(entry_field, form)
        case Control.CHOICES:
            return _choices_field(entry_field, form)
        case Control.CHOICE:
            return _choice_field(entry_field, form)
        case Control.MARKDOWN:
            return _markdown_field(entry_field, form)
        case Control.TEXT | Control.LINES:
            return text_area(rows=_ROWS[entry_field.control], **_field_props(entry_field, form))
        case Control.TEXT_MESSAGE:
            return _text_message_field(entry_field, form)
        case Control.PICTURE:
            return rx.el.div(
                field(kind="exact", **_field_props(entry_field, form)),
                PictureTools.create(
                    target=f"{form}-{entry_field.name}",
                    pictures=EntryPage.library,
                    on_open=EntryPage.open_library,
                ),
            )
        case Control.NUMBER:
            return field(kind="number", **_field_props(entry_field, form))
    kind = _TYPES.get(entry_field.control, "text")
    return field(type=kind, **_field_props(entry_field, form))


def _field_props(entry_field: Field, form: str) -> dict[str, Any]:
    draft: Any = EntryPage.draft
    return {
        "label": entry_field.label,
        "name": entry_field.name,
        "form": form,
        "error": EntryPage.errors[entry_field.name],
        "hint": _write_hint(entry_field),
        "optional": "" if entry_field.is_required else "optional",
        "default_value": draft[entry_field.name],
        "auto_complete": "off",
        # Not the prop `id`: with it Reflex sends each value twice, and a long text would not fit into a message.
        "id": None,
        "custom_attrs": {"id": f"{form}-{entry_field.name}"},
    }


def _write_hint(entry_field: Field) -> str:
    if entry_field.control is not Control.TEXT:
        return entry_field.hint
    return f"{entry_field.hint} At most {entry_field.longest:,} characters.".lstrip()


def _markdown_field(entry_field: Field, form: str) -> rx.Component:
    props = _field_props(entry_field, form) | {"hint": _MARKDOWN_HINT}
    return rx.el.div(
        MarkdownTools.create(
            target=f"{form}-{entry_field.name}", pictures=EntryPage.library, on_open=EntryPage.open_library,
            on_draw=EntryPage.draw_text.temporal,
        ),
        text_area(rows=_ROWS[Control.MARKDOWN], **props),
        rx.el.details(
            rx.el.summary("How visitors see the text"),
            rx.el.div(
                class_name="article-body entries-text",
                # The server's own HTML: what staff type is escaped in it.
                custom_attrs={"dangerouslySetInnerHTML": rx.Var.create({"__html": EntryPage.html})},
            ),
            open=True,
            class_name="office-fold",
        ),
        class_name="entries-writing",
    )  # fmt: skip


def _text_message_field(entry_field: Field, form: str) -> rx.Component:
    props = _field_props(entry_field, form)
    return rx.el.div(
        text_area(rows=_ROWS[Control.TEXT], on_change=EntryPage.measure_text.debounce(300), **props),
        rx.el.p(EntryPage.text_length, role="status", class_name="field-hint"),
        class_name="entries-writing",
    )


def _choice_field(entry_field: Field, form: str) -> rx.Component:
    none = [] if entry_field.is_required else [rx.el.option("None", value="")]
    options = none + [rx.el.option(option, value=option) for option in entry_field.options]
    props = _field_props(entry_field, form)
    return select_field(props.pop("label"), props.pop("name"), options, **props)


def _tick_field(entry_field: Field, form: str) -> rx.Component:
    draft: Any = EntryPage.draft
    return rx.el.div(
        _tick(entry_field.name, entry_field.label, draft[entry_field.name] == YES),
        rx.el.p(entry_field.hint, class_name="field-hint") if entry_field.hint else rx.fragment(),
        field_error(EntryPage.errors[entry_field.name], f"{form}-{entry_field.name}-error"),
        class_name="field",
    )


def _choices_field(entry_field: Field, form: str) -> rx.Component:
    draft: Any = EntryPage.draft
    chosen = rx.Var.create("\n") + draft[entry_field.name].to(str) + "\n"
    return rx.el.fieldset(
        rx.el.legend(entry_field.label, class_name="field-label"),
        *(
            _tick(choice_name(entry_field, option), option, chosen.contains(f"\n{option}\n"))
            for option in entry_field.options
        ),
        field_error(EntryPage.errors[entry_field.name], f"{form}-{entry_field.name}-error"),
        class_name="field entries-ticks",
    )


def _tick(name: str, label: str, is_ticked: Any) -> rx.Component:
    return rx.el.label(
        rx.el.input(type="checkbox", name=name, value=YES, default_checked=is_ticked),
        label,
        class_name="office-tick",
    )
