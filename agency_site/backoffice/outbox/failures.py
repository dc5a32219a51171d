"""The panel above the list of mail: the number of failed mails, and resending all of them after an outage."""

import reflex as rx

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.dialogs import confirm_dialog
from agency_site.backoffice.elements import small_button
from agency_site.backoffice.screens import COUNT_MS
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.db.engine import report_scope, session_scope
from agency_site.mail.staff_usecases import RESENT_AT_ONCE, count_resendable_failures, resend_failures
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import notice


class MailFailures(StaffState):
    """Failed mails that can be resent."""

    summary: rx.Field[str] = rx.field("")
    """The number of failed mails in words; empty if there are none."""
    question: rx.Field[str] = rx.field("")
    """The title of the dialog before anything is sent; empty if it is closed."""

    @staff_page(Permission.SEE_MAIL)
    async def open_failures(self, _who: Staff) -> None:
        """Count the failed mails."""
        self.question = ""
        await self._count()

    @staff_watch(Permission.SEE_MAIL)
    async def refresh_failures(self, _who: Staff) -> None:
        await self._count()

    @staff_event(Permission.WORK_MAIL)
    async def ask(self, _who: Staff) -> None:
        """Ask before anything is sent."""
        count = await self._count()
        self.question = f"Resend {describe_mails(min(count, RESENT_AT_ONCE))}?" if count else ""

    @staff_event(Permission.WORK_MAIL)
    async def dismiss(self, _who: Staff) -> None:
        """Close the dialog without sending."""
        self.question = ""

    @staff_event(Permission.WORK_MAIL)
    async def send_all_again(self, who: Staff) -> None:
        """Resend the failed mails."""
        self.question = ""
        async with session_scope() as session:
            resent = await resend_failures(session, who.email)
            for reference in resent:
                await audit.record(session, who, "mail.resent", "mail", reference)
        left = await self._count()
        self._say(
            f"{describe_mails(len(resent))} queued again."
            + (f" {describe_mails(left)} left." if left else "")
        )

    async def _count(self) -> int:
        async with report_scope() as session:
            count = await count_resendable_failures(session)
        summary = f"{describe_mails(count)} not delivered" if count else ""
        if summary != self.summary:
            self.summary = summary
        return count


def describe_mails(count: int) -> str:
    """Return a count in words, such as `1 mail` and `12 mails`."""
    return f"{count:,} {'mail' if count == 1 else 'mails'}"


def failures_panel() -> rx.Component:
    """The number of failed mails, with a button for staff who may send; empty if none failed."""
    panel = notice(
        rx.el.p(MailFailures.summary, ". After an outage of the mail server you can resend all of them."),
        small_button("Resend all …", tone="ink", on_click=MailFailures.ask),
        tone="error",
        role="status",
    )
    return rx.fragment(
        Interval.create(every=COUNT_MS, active=True, on_tick=MailFailures.refresh_failures),
        rx.cond((MailFailures.summary != "") & has_permission(Permission.WORK_MAIL), panel),
        confirm_dialog(
            "send-all-again",
            MailFailures.question,
            "Each is sent to its original recipient. Mails with a one-time link are left out: an owner can send a new link. "
            f"More than {RESENT_AT_ONCE} are sent in several batches, the oldest first.",
            is_open=MailFailures.question != "",
            confirm=("Resend all", MailFailures.send_all_again),
            cancel=("Cancel", MailFailures.dismiss),
        ),
    )
