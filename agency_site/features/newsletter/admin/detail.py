"""The detail page of a subscriber, where staff unsubscribe an address."""

from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.clients import client_fact
from agency_site.backoffice.detail_page import (
    DetailPage,
    Edit,
    detail_page,
    detail_screen,
    history_card,
    panel_form,
    record_head,
)
from agency_site.backoffice.elements import card, columns, fact, fact_list, small_button
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.db.event_log import events_of_reference
from agency_site.features.newsletter import staff_usecases
from agency_site.features.newsletter.admin.labels import (
    STATES,
    SUBSCRIBER,
    SUBSCRIBERS,
    facts_of,
    history_lines,
)
from agency_site.features.newsletter.records import SubscriberRecord
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.features.newsletter.tables import Subscriber, SubscriberEvent
from agency_site.ui.elements import mail_link
from agency_site.ui.forms import field, submitted

UNSUBSCRIBE = "unsubscribe"


class SubscriberPage(DetailPage, StaffState):
    """The subscriber that is open."""

    VIEW: ClassVar = Permission.SEE_SUBSCRIBERS
    EDIT: ClassVar = Permission.WORK_SUBSCRIBERS
    FIELDS: ClassVar = {"state": "State"}

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def ask_to_unsubscribe(self, _who: Staff) -> None:
        self._open_panel(UNSUBSCRIBE)
        self._draft_version = self.version

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def unsubscribe(self, who: Staff, form: dict[str, Any]) -> None:
        options = {"reason": submitted(form).get("reason", "")}
        edit = Edit(UNSUBSCRIBE, {"state": STATES[SubscriberState.UNSUBSCRIBED].text}, options=options)
        await self._store(who, edit, self._draft_version or self.version)

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        reason = edit.options["reason"]
        subscriber = await staff_usecases.unsubscribe(session, self.reference, version, reason, who.email)
        if subscriber.version != version:
            await audit.record(session, who, "subscriber.unsubscribed", "subscriber", self.reference)
        return "Unsubscribed. No more issues are sent to this address."

    async def _compare(self, who: Staff, edit: Edit, current: SubscriberRecord) -> None:
        self.panel = ""
        await super()._compare(who, edit, current)

    def _fields_of(self, record: SubscriberRecord) -> dict[str, str]:
        return {"state": STATES[record.state].text}

    async def _read(self, session: AsyncSession, _who: Staff, reference: str) -> dict[str, Any]:
        subscriber = await staff_usecases.find(session, reference)
        return {
            "reference": subscriber.reference,
            "version": subscriber.version,
            "facts": facts_of(subscriber),
            "lines": history_lines(
                await events_of_reference(session, SubscriberEvent, Subscriber, reference)
            ),
        }


def _subscriber_page() -> rx.Component:
    facts = SubscriberPage.facts
    return detail_page(
        SubscriberPage,
        record_head(
            SubscriberPage.reference, facts["state_name"], facts["tone"], facts["name"], "Since " + facts["since"],
            rx.cond(
                has_permission(Permission.WORK_SUBSCRIBERS) & (facts["state"] != SubscriberState.UNSUBSCRIBED.value),
                small_button("Unsubscribe", tone="ghost", on_click=SubscriberPage.ask_to_unsubscribe),
            ),
            label="Subscriber",
        ),
        columns(_details(), history_card(SubscriberPage.lines)),
        _unsubscribe_dialog(),
        empty=(
            "This page shows one subscriber. Choose it in the list, or search for its address above.",
            "All subscribers",
            SUBSCRIBERS,
        ),
    )  # fmt: skip


def _details() -> rx.Component:
    facts = SubscriberPage.facts
    return card(
        "Details",
        fact_list(
            fact("E-mail", mail_link(facts["email"]), is_shown=facts["email"] != ""),
            client_fact("subscribers", SubscriberPage.reference, is_shown=facts["email"] != ""),
            fact("Source", facts["source"]),
            fact("Came from", facts["origin"], is_shown=facts["origin"] != ""),
            fact("Interests", facts["interests"]),
            fact("Consent given", facts["consented"], is_shown=facts["consented"] != ""),
            fact("Consent given", "Not requested by this form", is_shown=facts["consented"] == ""),
            fact("Confirmed on", facts["confirmed"], is_shown=facts["confirmed"] != ""),
            fact("Mailbox does not exist since", facts["bounced"], is_shown=facts["bounced"] != ""),
            fact("Unsubscribed on", facts["left"], is_shown=facts["left"] != ""),
        ),
    )


def _unsubscribe_dialog() -> rx.Component:
    errors = SubscriberPage.errors
    return panel_form(
        SubscriberPage,
        UNSUBSCRIBE,
        "Unsubscribe this address?",
        field(
            "How did they ask for it?", "reason", form="subscriber", max_length=500, auto_complete="off",
            error=errors.get("reason", "").to(str),
        ),
        text=rx.el.p("No more issues will be sent to ", SubscriberPage.facts["name"], ", and no e-mail about this."),
        submit=("Unsubscribe", SubscriberPage.unsubscribe),
        draft=UNSUBSCRIBE,
    )  # fmt: skip


SUBSCRIBER_PAGE = detail_screen(SubscriberPage, SUBSCRIBER, "Subscriber", _subscriber_page, under=SUBSCRIBERS)
