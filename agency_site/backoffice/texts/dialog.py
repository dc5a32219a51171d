"""The dialogs in which staff write to the person of a record, or copy its private link.

A feature subclasses `MessageDialog` and `StaffState` for each kind of record, and draws the buttons and the dialogs on its page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.behaviours import WhatsAppLink
from agency_site.backoffice.dialogs import dialog
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import button_row, small_button, small_note, unvalidated_form
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.content.brand import BRAND
from agency_site.content.mail_texts import find_placeholder_problem
from agency_site.content.staff_texts import LINK, LINK_NAME, StaffText
from agency_site.db.engine import session_scope
from agency_site.errors import Conflict, NotFound
from agency_site.form_input import read_form
from agency_site.ids import clean_reference, reference_in
from agency_site.phone_numbers import format_foreign_number, format_phone_number
from agency_site.settings import settings
from agency_site.sms.rules import Length, TextState
from agency_site.sms.staff_request import TEXT_LENGTH, TextRequest
from agency_site.sms.staff_usecases import (
    StaffMessage,
    explain_refusal,
    measure_text,
    send_text,
)
from agency_site.sms.tables import SmsMessage
from agency_site.ui.elements import Text, button, notice
from agency_site.ui.forms import Option, select_field, state_options, text_area
from agency_site.ui.icon import icon
from agency_site.ui.sharing import CopyButton

MESSAGE, COPY = "message", "copy"
"""The dialogs."""


@dataclass(frozen=True)
class TextTarget:
    """The person of a record, and the private link of the record."""

    kind: str
    """The kind of record in the audit log, such as `booking`."""
    reference: str
    """The record's name in the audit log."""
    name: str
    number: str = ""
    """In E.164; empty if none is known."""
    link: str = ""
    """Absolute address; empty if there is none, or if it can no longer be computed."""
    about: str = ""
    """The reference that the message is stored with; empty for none."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Further values for placeholders."""

    def list_values(self) -> dict[str, str]:
        """Return the value of each placeholder that a text to this person may contain."""
        values = {
            "name": self.name,
            "first_name": self.name.partition(" ")[0],
            "agency": BRAND.name,
            "reference": self.about,
            **self.values,
            LINK_NAME: self.link,
        }
        return {name: value for name, value in values.items() if value}


def _permission_to_work(page: Any, *_sent: object, **_named: object) -> Permission:
    return page.WORK  # type: ignore[no-any-return]


class MessageDialog(StaffState, mixin=True):
    """The dialog that is open for a record."""

    WORK: ClassVar[Permission]
    """The permission to work on the record, and so to use its private link."""
    TEXTS: ClassVar[tuple[StaffText, ...]] = ()

    panel: rx.Field[str] = rx.field("")
    """`MESSAGE` or `COPY`; empty if no dialog is open."""
    record: rx.Field[str] = rx.field("")
    """The reference of the record."""
    about: rx.Field[str] = rx.field("")
    recipient: rx.Field[str] = rx.field("")
    """Name and number."""
    digits: rx.Field[str] = rx.field("")
    """The number without its plus."""
    link: rx.Field[str] = rx.field("")
    values: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    """The value of each placeholder."""
    placeholders: rx.Field[str] = rx.field("")
    """The placeholders in a row."""
    why_not: rx.Field[str] = rx.field("")
    """Why no SMS can be sent; empty if one can."""
    templates: rx.Field[list[Option]] = rx.field(default_factory=list)
    template: rx.Field[str] = rx.field("")
    first_text: rx.Field[str] = rx.field("")
    """The text of the template with the record's values."""
    length: rx.Field[str] = rx.field("")
    """The length and the price of the text in words."""
    _filled: dict[str, str] = {}
    """The texts of all templates."""

    async def _find_target(self, session: AsyncSession, who: Staff, reference: str) -> TextTarget:
        """Return the person and the link of that record. Raises NotFound if `who` may not see it."""
        raise NotImplementedError

    @staff_event(_permission_to_work)
    async def write_message(self, who: Staff, reference: str) -> None:
        """Open the dialog with a text for the person of the record."""
        await self._open(who, MESSAGE, reference)

    @staff_event(_permission_to_work)
    async def show_link(self, who: Staff, reference: str) -> None:
        """Open the dialog with the private link of the record."""
        await self._open(who, COPY, reference)

    @staff_event(_permission_to_work)
    async def choose_template(self, _who: Staff, key: str) -> None:
        if isinstance(key, str) and key in self._filled:
            self._begin_text(key)

    @staff_event(_permission_to_work)
    async def measure(self, _who: Staff, text: str) -> None:
        """Show the length of the typed text."""
        if isinstance(text, str) and self.panel:
            self.length = self._describe_length(text[:TEXT_LENGTH])

    @staff_event(_permission_to_work)
    async def close_message(self, _who: Staff) -> None:
        self._close()

    @staff_event(Permission.WORK_MAIL)
    async def send_message(self, who: Staff, form: dict[str, Any]) -> None:
        """Send the text as SMS to the number that the dialog shows."""
        if not (self.panel == MESSAGE and who.has_permission(self.WORK)):
            raise NotFound("The dialog is not open any more. Please open it again.")
        request = read_form(TextRequest, form)
        async with session_scope() as session:
            target = await self._find_target(session, who, self.record)
            if target.number.removeprefix("+") != self.digits:
                raise Conflict("The phone number has changed in the meantime. Please open the dialog again.")
            message = StaffMessage(target.number, request.text, target.list_values(), target.about)
            row = await send_text(session, message, who.email)
            await audit.record(session, who, "text.sent", "text", str(row.id), target.reference)
        self._close()
        self._say(_describe_sending(row))

    async def _open(self, who: Staff, panel: str, reference: str) -> None:
        self._close()
        async with session_scope() as session:
            target = await self._find_target(session, who, _read_reference(reference))
            if target.link:
                # From here on the link is in the browser, whatever is clicked next.
                await audit.record(session, who, "link.copied", target.kind, target.reference)
            self.why_not = await explain_refusal(session, target.number) if panel == MESSAGE else ""
        if panel == COPY and not target.link:
            raise Conflict("This record has no private link.")
        self.record, self.about, self.link = target.reference, target.about, target.link
        self.recipient = ", ".join(filter(None, (target.name, _format_number(target.number))))
        self.digits = target.number.removeprefix("+")
        self.values = target.list_values()
        self.placeholders = ", ".join(f"{{{name}}}" for name in self.values)
        self._filled = _fill_texts(self.TEXTS, self.values)
        self.templates = [Option(text.key, text.label) for text in self.TEXTS if text.key in self._filled]
        self.panel, self.problem, self.errors = panel, "", {}
        self._begin_text(next(iter(self._filled), ""))

    def _begin_text(self, key: str) -> None:
        self.template, self.first_text = key, self._filled.get(key, "")
        self.length = self._describe_length(self.first_text)

    def _describe_length(self, text: str) -> str:
        return describe_length(measure_text(text, self.values), settings().sms_price)

    def _close(self) -> None:
        self.panel = self.link = ""
        self.values = {}


def _read_reference(sent: object) -> str:
    """Return the reference in an event, which a program may have sent; empty for anything else."""
    return reference_in(clean_reference(sent)).upper() if isinstance(sent, str) else ""


def _fill_texts(texts: tuple[StaffText, ...], values: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of a record by their keys, without those that need a value that it lacks, such as a link."""
    return {text.key: text.fill(values) for text in texts if not find_placeholder_problem(text.text, values)}


def _format_number(number: str) -> str:
    is_kenyan = number.startswith("+254")
    return (
        format_phone_number(number)
        if is_kenyan or not number
        else f"{format_foreign_number(number)}, outside Kenya"
    )


def describe_length(length: Length, price: str) -> str:
    """Describe a text that is being written; `price` is that of one part in KES."""
    if not length.characters:
        return "0 characters"
    parts = f"{length.parts} message{'' if length.parts == 1 else 's'}"
    cost = f"KES {length.parts * Decimal(price):.2f}"
    alphabet = "" if length.is_gsm7 else " It has a character, such as an emoji, that makes it longer."
    return f"{length.characters} characters, {length.left} left in {parts}, {cost}.{alphabet}"


def _describe_sending(row: SmsMessage) -> str:
    if row.state is TextState.KEPT:
        return "No provider is configured: the text message stays in the outbox."
    if row.due_at and row.due_at > row.created_at:
        return f"Quiet hours: the text message is sent on {when(row.due_at)}."
    return "The text message is being sent."


def message_button(state: type[MessageDialog], record: Any) -> rx.Component:
    """The button that opens the dialog with a message to the person of `record`, for staff who may work on it."""
    return _opening_button(state, "Send a message", "phone", state.write_message(record))


def link_button(state: type[MessageDialog], record: Any) -> rx.Component:
    """The button that opens the dialog with the private link of `record`."""
    return _opening_button(state, "Copy link", "share", state.show_link(record))


def _opening_button(state: type[MessageDialog], label: str, sign: str, on_click: Any) -> rx.Component:
    opener = small_button(icon(sign, size=18), label, tone="ghost", on_click=on_click)
    return rx.cond(has_permission(state.WORK), opener)


def message_dialogs(state: type[MessageDialog], form: str) -> rx.Component:
    """The dialogs of a page; `form` begins the ids of their fields."""
    return rx.fragment(
        _dialog(
            state,
            f"{form}-message",
            "Send a message",
            _message_form(state, form),
            is_open=state.panel == MESSAGE,
        ),
        link_dialog(state, form),
    )


def link_dialog(state: type[MessageDialog], form: str) -> rx.Component:
    """The dialog with the private link, for records whose person gets no messages from here."""
    return _dialog(
        state, f"{form}-copy", "Private link", _link_field(state, form), is_open=state.panel == COPY
    )


def _dialog(
    state: type[MessageDialog], identity: str, title: Text, body: rx.Component, *, is_open: Any
) -> rx.Component:
    return dialog(identity, title, rx.cond(is_open, body), is_open=is_open, on_cancel=state.close_message)


def _message_form(state: type[MessageDialog], form: str) -> rx.Component:
    box = f"{form}-text"
    recipient = rx.el.p("To ", rx.el.strong(state.recipient))
    earlier = rx.el.a(
        "Earlier text messages", href="/admin/texts?q=" + state.about, class_name="office-quiet"
    )
    whatsapp = WhatsAppLink.create(
        icon("external", size=18),
        "Open WhatsApp",
        rx.el.span(" (opens in a new tab)", class_name="sr-only"),
        number=state.digits,
        field=box,
        text=state.first_text,
        values=state.values,
        class_name="office-quiet",
    )
    return rx.fragment(
        recipient,
        # Outside the form: the choice itself is no draft.
        select_field(
            "Template", "template", [state_options(state.templates, state.template)], form=form,
            on_change=state.choose_template,
        ),
        unvalidated_form(
            text_area(
                "Text", "text", form=form, error=state.errors["text"], rows="6", max_length=TEXT_LENGTH,
                default_value=state.first_text, key=state.template, on_change=state.measure.debounce(300),
            ),
            small_note("Filled in when the text is sent: ", state.placeholders, "."),
            rx.cond(
                state.link != "",
                small_note(f"{LINK} becomes the private link, in an SMS a short one. Who has it can act as the recipient."),
            ),
            small_note(state.length, role="status"),
            rx.cond(state.why_not != "", notice(state.why_not)),
            rx.cond(state.problem != "", notice(state.problem, tone="error", class_name="office-problem")),
            button_row(
                rx.cond(
                    has_permission(Permission.WORK_MAIL) & (state.why_not == ""), button("Send SMS", type="submit")
                ),
                rx.cond(state.digits != "", whatsapp),
                button("Cancel", tone="ghost", on_click=state.close_message, type="reset"),
            ),
            keep_draft(form, state.record),
            on_submit=state.send_message,
        ),
        rx.cond((state.about != "") & has_permission(Permission.SEE_MAIL), rx.el.p(earlier)),
    )  # fmt: skip


def _link_field(state: type[MessageDialog], form: str) -> rx.Component:
    box = f"{form}-link"
    return rx.fragment(
        small_note("A person who has this link can act as the recipient. Give it to the recipient only."),
        rx.el.div(
            rx.el.label("Private link", html_for=box, class_name="field-label"),
            rx.el.input(
                value=state.link, read_only=True, custom_attrs={"id": box, "data-initial-focus": ""}, class_name="input"
            ),
            CopyButton.create(text=state.link, label="Copy", class_name="office-quiet"),
            class_name="office-copy",
        ),
        button_row(button("Close", tone="ghost", on_click=state.close_message)),
    )  # fmt: skip
