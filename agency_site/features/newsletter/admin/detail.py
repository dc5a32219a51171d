"""One subscriber as staff see it, and taking the address off the list.

Everything acts on the subscriber and the version that the page shows, never on the address bar.
"""

from typing import Any

import reflex as rx

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.detail_page import (
    HistoryLine,
    fact,
    history_card,
    nothing_chosen,
    read_reference,
    record_head,
)
from agency_site.backoffice.dialogs import dialog
from agency_site.backoffice.drafts import DISCARDS, keep_draft
from agency_site.backoffice.edit_conflicts import Difference, conflict_panel, differences
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.event_log import events_of_reference
from agency_site.errors import StaleRecord
from agency_site.features.newsletter import staff_usecases
from agency_site.features.newsletter.admin.labels import (
    STATE_NAMES,
    SUBSCRIBER,
    SUBSCRIBERS,
    facts_of,
    log_of,
)
from agency_site.features.newsletter.records import SubscriberRecord
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.features.newsletter.tables import Subscriber, SubscriberEvent
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import button, notice, text_link
from agency_site.ui.forms import field, submitted

LABELS = {"state": "State"}


class SubscriberPage(StaffState):
    """The subscriber that is open."""

    reference: rx.Field[str] = rx.field("")
    version: rx.Field[int] = rx.field(0)
    facts: dict[str, str] = {}
    lines: rx.Field[list[HistoryLine]] = rx.field(default_factory=list)
    asking: rx.Field[bool] = rx.field(False)
    """Taking it off the list is asked about."""
    found: rx.Field[list[Difference]] = rx.field(default_factory=list)
    """What somebody else has changed meanwhile, beside what is about to be stored."""
    _reason: str = ""
    _asked_of: int = 0
    """The version that was shown when the question was asked."""

    @staff_page(Permission.SEE_SUBSCRIBERS)
    async def open_subscriber(self, _who: Staff) -> None:
        """Show the subscriber that the address names."""
        self.reference, self.version, self.facts, self.lines = "", 0, {}, []
        self._close()
        asked = read_reference(self)
        if asked:
            await self._load(asked)

    @staff_watch(Permission.SEE_SUBSCRIBERS)
    async def refresh(self, _who: Staff) -> None:
        """Show what others do to it."""
        if self.reference:
            await self._load(self.reference)

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def ask(self, _who: Staff) -> None:
        """Ask before the address is taken off the list."""
        self._close()
        self.asking, self._asked_of = bool(self.reference), self.version

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def dismiss(self, _who: Staff) -> None:
        """Leave it on the list."""
        self._close()

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def unsubscribe(self, who: Staff, form: dict[str, Any]) -> None:
        """Take it off the list."""
        self._reason = submitted(form).get("reason", "")
        await self._do(who, self._asked_of or self.version)

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def keep_theirs(self, _who: Staff) -> None:
        """Leave it as the other left it."""
        self._close()
        await self._load(self.reference)
        self._say("Nothing changed.")

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def save_mine(self, who: Staff, _form: dict[str, Any]) -> None:
        """Take it off the list all the same."""
        if self.found:
            await self._do(who, self.version)

    async def _do(self, who: Staff, version: int) -> None:
        reference = self.reference
        try:
            async with session_scope() as session:
                done = await staff_usecases.unsubscribe(session, reference, version, self._reason, who.email)
                if done.version != version:
                    await audit.record(session, who, "subscriber.unsubscribed", "subscriber", reference)
        except StaleRecord as changed:
            await self._compare(changed.current)
            return
        self._close()
        await self._load(reference)
        self._say("Unsubscribed; no more issues are sent to this address.")

    async def _compare(self, current: SubscriberRecord) -> None:
        await self._load(current.reference)
        self.asking = False
        mine = {"state": STATE_NAMES[SubscriberState.UNSUBSCRIBED]}
        self.found = differences(LABELS, {"state": STATE_NAMES[current.state]}, mine)
        if not self.found:
            self._close()
            self._say("Somebody else has already made the same change.")

    def _close(self) -> None:
        self.asking, self.found, self.errors, self._asked_of = False, [], {}, 0

    async def _load(self, reference: str) -> None:
        async with read_scope() as session:
            subscriber = await staff_usecases.find(session, reference)
            lines = log_of(await events_of_reference(session, SubscriberEvent, Subscriber, reference))
        facts = facts_of(subscriber)
        if (facts, lines) != (self.facts, self.lines):
            self.facts, self.lines = facts, lines
        self.reference, self.version = subscriber.reference, subscriber.version


def _page() -> rx.Component:
    return rx.el.div(
        Interval.create(
            every=REFRESH_MS, active=SubscriberPage.reference != "", on_tick=SubscriberPage.refresh
        ),
        rx.cond(
            SubscriberPage.reference != "",
            _subscriber(),
            nothing_chosen(
                "This page shows one subscriber. Choose it in the list, or search for its address above.",
                "All subscribers",
                SUBSCRIBERS,
            ),
        ),
        class_name="record",
    )


def _subscriber() -> rx.Component:
    facts = SubscriberPage.facts
    found: Any = SubscriberPage.found
    return rx.fragment(
        record_head(
            SubscriberPage.reference, facts["standing"], facts["tone"], facts["name"], "Since " + facts["since"],
            rx.cond(
                has_permission(Permission.WORK_SUBSCRIBERS) & (facts["state"] != SubscriberState.UNSUBSCRIBED.value),
                button("Unsubscribe", tone="ghost", class_name="button-small", on_click=SubscriberPage.ask),
                rx.fragment(),
            ),
            label="Subscriber",
        ),
        conflict_panel(found, keep=SubscriberPage.keep_theirs, overwrite=SubscriberPage.save_mine),
        rx.el.div(_facts(), history_card(SubscriberPage.lines), class_name="office-columns"),
        _question(),
    )  # fmt: skip


def _facts() -> rx.Component:
    facts = SubscriberPage.facts
    return rx.el.section(
        rx.el.h2("Details"),
        rx.el.dl(
            fact("E-mail", text_link(facts["email"], "mailto:" + facts["email"]), shown=facts["email"] != ""),
            fact("Source", facts["source"]),
            fact("Interests", facts["interests"]),
            fact("Consent given", facts["consented"], shown=facts["consented"] != ""),
            fact("Consent given", "Not requested by this form", shown=facts["consented"] == ""),
            fact("Confirmed on", facts["confirmed"], shown=facts["confirmed"] != ""),
            fact("Unsubscribed on", facts["left"], shown=facts["left"] != ""),
            class_name="office-facts",
        ),
        class_name="office-card",
    )


def _question() -> rx.Component:
    return dialog(
        "subscriber-question",
        "Unsubscribe this address?",
        rx.el.p("No more issues are sent to ", SubscriberPage.facts["name"], ", and no e-mail about this."),
        rx.el.form(
            field(
                "How did they request it?", "reason", form="subscriber", max_length=500, auto_complete="off",
                error=SubscriberPage.errors.get("reason", "").to(str),
            ),
            rx.cond(
                (SubscriberPage.problem != "") & (SubscriberPage.errors.length() == 0),
                notice(SubscriberPage.problem, tone="error"),
                rx.fragment(),
            ),
            rx.el.div(
                button("Unsubscribe", type="submit"),
                button("Cancel", tone="ghost", on_click=SubscriberPage.dismiss, custom_attrs=DISCARDS),
                class_name="office-row",
            ),
            keep_draft("unsubscribe", SubscriberPage.reference),
            on_submit=SubscriberPage.unsubscribe,
            custom_attrs={"noValidate": True},
        ),
        is_open=SubscriberPage.asking,
        on_cancel=SubscriberPage.dismiss,
    )  # fmt: skip


SUBSCRIBER_PAGE = Screen(
    path=SUBSCRIBER,
    title="Subscriber",
    permission=Permission.SEE_SUBSCRIBERS,
    body=_page,
    on_load=(SubscriberPage.open_subscriber,),
    under=SUBSCRIBERS,
)
