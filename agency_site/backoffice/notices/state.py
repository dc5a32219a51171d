"""The state of the screen of notices: the channel of each kind."""

from collections.abc import Mapping
from dataclasses import dataclass

import reflex as rx

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected
from agency_site.members import names
from agency_site.notices.rules import NOTICE_NAMES, REMINDERS, Channel, NoticeKind
from agency_site.notices.staff_usecases import ChosenChannel, choose_channel, list_channels
from agency_site.settings import settings

CHANNEL_NAMES: Mapping[Channel, str] = names(
    {
        Channel.MAIL: "E-mail",
        Channel.SMS: "SMS",
        Channel.BOTH: "E-mail and SMS",
    }
)


@dataclass
class NoticeLine:
    """One kind of notice."""

    kind: str
    name: str
    note: str
    """Who gets its text message."""
    channel: str
    version: int
    author: str
    """The owner who chose the channel; empty if none did."""


class NoticesPage(StaffState):
    """The content of the screen."""

    lines: rx.Field[list[NoticeLine]] = rx.field(default_factory=list)
    has_provider: rx.Field[bool] = rx.field(True)
    """Text messages are sent, and not only stored in the outbox."""

    @staff_page(Permission.SET_NOTICES)
    async def open_notices(self, _who: Staff) -> None:
        await self._load_lines()

    @staff_watch(Permission.SET_NOTICES)
    async def refresh(self, _who: Staff) -> None:
        await self._load_lines()

    @staff_event(Permission.SET_NOTICES)
    async def choose(self, who: Staff, kind: str, version: int, channel: str) -> None:
        """Store the channel of a kind. `version` is the one that the page showed."""
        if kind not in list(NoticeKind) or channel not in list(Channel) or not isinstance(version, int):
            raise InputRejected("Please choose one of the channels.")
        try:
            async with session_scope() as session:
                await choose_channel(session, NoticeKind(kind), version, Channel(channel), who.email)
                await audit.record(session, who, "notice.channel_chosen", "notice", kind, channel)
        finally:
            # After a conflict too: the owner then sees what the other one chose.
            await self._load_lines()
        self._say(f"{NOTICE_NAMES[NoticeKind(kind)]}: {CHANNEL_NAMES[Channel(channel)]}.")

    async def _load_lines(self) -> None:
        async with read_scope() as session:
            lines = [_describe_line(chosen) for chosen in await list_channels(session)]
        if lines != self.lines:
            self.lines = lines
        self.has_provider = settings().has_sms_provider


def _describe_line(chosen: ChosenChannel) -> NoticeLine:
    needs_consent = chosen.kind in REMINDERS
    return NoticeLine(
        chosen.kind.value,
        NOTICE_NAMES[chosen.kind],
        "SMS only with consent" if needs_consent else "",
        chosen.channel.value,
        chosen.version,
        chosen.author,
    )
