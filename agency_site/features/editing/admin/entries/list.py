"""The list of the records of each kind: the delivered ones with their changes, and those that staff have added."""

from dataclasses import dataclass

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_page, staff_watch
from agency_site.backoffice.elements import card
from agency_site.backoffice.lists.view import new_record_link
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.backoffice.state import StaffState
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS
from agency_site.db.engine import read_scope
from agency_site.features.editing.admin.entries.labels import (
    CONTENT,
    ENTRY,
    can_add,
    describe_changes,
    describe_state,
    entry_address,
    find_kind,
)
from agency_site.features.editing.entries.records import EntryRecord
from agency_site.features.editing.entries.staff_usecases import list_entries
from agency_site.features.editing.entries.usecases import (
    count_failed_entries,
    list_failed_entries,
    read_stamp,
)
from agency_site.ui.behaviours import Interval


@dataclass
class EntryLine:
    """One record of the list."""

    title: str
    state: str
    tone: str
    changes: str
    href: str


class ContentPage(StaffState):
    """The records of the kind that the address names, otherwise of articles."""

    kind: rx.Field[str] = rx.field("")
    heading: rx.Field[str] = rx.field("")
    new_label: rx.Field[str] = rx.field("")
    """Label of the link to a new record; empty if the reader cannot add one."""
    entries: rx.Field[list[EntryLine]] = rx.field(default_factory=list)
    problems: rx.Field[list[EntryLine]] = rx.field(default_factory=list)
    """The records of all kinds that were not published at their moment."""
    _stamp: int = 0
    """Rises with every change of an entry."""

    @staff_page(Permission.SEE_CONTENT)
    async def open_content(self, who: Staff) -> None:
        definition = find_kind(str(self.router.url.query_parameters.get("kind", ""))) or KINDS[Kind.ARTICLE]
        self.kind, self.heading = definition.kind.value, definition.plural
        self.new_label = f"New {definition.name.lower()}" if can_add(definition, who) else ""
        async with read_scope() as session:
            await self._load(session)

    @staff_watch(Permission.SEE_CONTENT)
    async def refresh(self, _who: Staff) -> None:
        """Show what others have changed."""
        if not self.kind:
            return
        async with read_scope() as session:
            if await read_stamp(session) != self._stamp:
                await self._load(session)

    async def _load(self, session: AsyncSession) -> None:
        self._stamp = await read_stamp(session)
        self.entries = [_build_line(record) for record in await list_entries(session, Kind(self.kind))]
        self.problems = [_build_line(record) for record in await list_failed_entries(session)]


def _build_line(entry: EntryRecord) -> EntryLine:
    state, tone = describe_state(entry)
    return EntryLine(entry.title, state, tone, describe_changes(entry), entry_address(entry.kind, entry.slug))


def _content_page() -> rx.Component:
    return rx.el.div(
        Interval.create(every=REFRESH_MS, active=ContentPage.kind != "", on_tick=ContentPage.refresh),
        rx.cond(
            ContentPage.problems,
            card(
                "Not published on time",
                rx.el.ul(
                    rx.foreach(
                        ContentPage.problems, lambda line: rx.el.li(rx.el.a(line.title, href=line.href))
                    )
                ),
            ),
        ),
        rx.el.nav(
            rx.el.ul(*(_kind_link(kind, definition.plural) for kind, definition in KINDS.items())),
            aria_label="Kinds of content",
            class_name="office-views entries-kinds",
        ),
        rx.cond(
            ContentPage.new_label != "",
            new_record_link(ContentPage.new_label, f"{ENTRY}?kind=" + ContentPage.kind),
        ),
        rx.cond(
            ContentPage.entries,
            rx.el.div(
                rx.el.table(
                    rx.el.caption(ContentPage.heading, class_name="sr-only"),
                    rx.el.thead(
                        rx.el.tr(
                            rx.el.th("Title", scope="col"),
                            rx.el.th("State", scope="col"),
                            rx.el.th("Changes", scope="col"),
                        )
                    ),
                    rx.el.tbody(rx.foreach(ContentPage.entries, _entry_row)),
                    class_name="office-table office-list entries-list",
                ),
                class_name="office-scroll",
                custom_attrs={"tabIndex": 0},
            ),
            rx.el.p("Nothing here yet.", class_name="office-empty"),
        ),
    )


def _kind_link(kind: Kind, label: str) -> rx.Component:
    return rx.el.li(
        rx.el.a(
            label,
            href=f"{CONTENT}?kind={kind}",
            aria_current=rx.cond(ContentPage.kind == kind.value, "true", "false"),
        )
    )


def _entry_row(line: EntryLine) -> rx.Component:
    return rx.el.tr(
        rx.el.td(rx.el.a(line.title, href=line.href)),
        rx.el.td(rx.el.span(line.state, class_name="office-tone office-tone-" + line.tone)),
        rx.el.td(line.changes, class_name=rx.cond(line.changes != "", "", "office-blank")),
        key=line.href,
    )


CONTENT_LIST = Screen(
    path=CONTENT,
    title="Content",
    permission=Permission.SEE_CONTENT,
    body=_content_page,
    on_load=(ContentPage.open_content,),
    icon="web",
    count_attention=count_failed_entries,
    attention_href=CONTENT,
)
