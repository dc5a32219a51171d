"""The screen on which owners choose the channels of notices."""

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.elements import card, small_note
from agency_site.backoffice.notices.state import CHANNEL_NAMES, NoticeLine, NoticesPage
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.backoffice.scrolling_table import labelled_cell, scrolling_table
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import text_link


def _notices_page() -> rx.Component:
    return rx.fragment(
        Interval.create(every=REFRESH_MS, active=True, on_tick=NoticesPage.refresh),
        card(
            "How customers are notified",
            small_note(
                rx.cond(
                    NoticesPage.has_provider,
                    "",
                    "No SMS provider is configured: text messages stay in the outbox, and every notice goes by e-mail. ",
                ),
                "A choice is saved at once, and counts for notices from then on. If the chosen way does not reach a customer, "
                "the other one is used: an SMS needs a Kenyan number that works, and reminders by SMS need consent. "
                "The words are in ",
                text_link("Mail texts", "/admin/content?kind=mail_text"),
                ".",
            ),
            scrolling_table(
                "Channels",
                ("Notice", "Goes out by", "Chosen by"),
                rx.foreach(NoticesPage.lines, _notice_row),
            ),
        ),
    )  # fmt: skip


def _notice_row(line: NoticeLine) -> rx.Component:
    options = [rx.el.option(name, value=channel.value) for channel, name in CHANNEL_NAMES.items()]
    return rx.el.tr(
        labelled_cell(
            "Notice",
            rx.el.div(rx.el.strong(line.name), rx.cond(line.note != "", small_note(line.note))),
        ),
        labelled_cell(
            "Goes out by",
            rx.el.select(
                *options,
                value=line.channel,
                on_change=lambda channel: NoticesPage.choose(line.kind, line.version, channel),
                aria_label="Channel: " + line.name.to(str),
                class_name="input",
            ),
        ),
        labelled_cell("Chosen by", rx.cond(line.author != "", line.author, "Default")),
        key=line.kind,
    )  # fmt: skip


SCREENS = (
    Screen(
        path="/admin/notices",
        title="Notices",
        icon="phone",
        permission=Permission.SET_NOTICES,
        body=_notices_page,
        on_load=(NoticesPage.open_notices,),
    ),
)
