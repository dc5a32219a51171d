"""An issue on its way, as its page shows it: when it leaves, a test beforehand, how far it has left, where it stays."""

import reflex as rx

from agency_site.backoffice.detail_page import fact
from agency_site.backoffice.drafts import keep_draft
from agency_site.features.newsletter.admin.issue_detail import IssueFile
from agency_site.features.newsletter.rules import IssueState
from agency_site.ui.elements import button, outside_link
from agency_site.ui.forms import field

LETTER = "letter-form"
"""The id of the form; what acts on the saved letter is disabled while it holds something unsaved."""


def departure() -> rx.Component:
    """When the draft leaves: at a time, or now."""
    return rx.cond(
        IssueFile.reference != "",
        rx.el.section(
            rx.el.h2("Schedule"),
            rx.el.form(
                field("Day and time in Nairobi", "moment", form="leave", error=IssueFile.errors["moment"],
                      type="datetime-local", default_value=IssueFile.moment,
                      hint="Issues are usually sent on Wednesdays at 07:00."),
                button("Schedule it", type="submit", tone="ink", class_name="button-small"),
                keep_draft("leave", IssueFile.reference),
                key=IssueFile.moment + IssueFile.reference,
                on_submit=IssueFile.schedule,
                custom_attrs={"noValidate": True},
                class_name="letters-form",
            ),
            rx.el.button("Send it now", type="button", class_name="office-quiet", on_click=IssueFile.ask),
            _saved_first(),
            custom_attrs={"data-saved-only": LETTER},
            class_name="office-card",
        ),
        rx.el.section(
            rx.el.h2("Schedule"),
            rx.el.p("Save it first. Then you can look at it, try it out and schedule it.", class_name="office-note"),
            class_name="office-card",
        ),
    )  # fmt: skip


def standing() -> rx.Component:
    """When the finished letter leaves."""
    return rx.el.section(
        rx.el.h2("Schedule"),
        rx.el.p(rx.el.strong(IssueFile.facts["scheduled"]), ", Nairobi time."),
        rx.el.p("To change the letter or the time, take it back first.", class_name="office-note"),
        button("Take it back", tone="ghost", class_name="button-small", on_click=IssueFile.unschedule),
        class_name="office-card letters-form",
    )


def trial() -> rx.Component:
    """A test mail to whoever presses."""
    return rx.el.section(
        rx.el.h2("Test e-mail"),
        rx.el.p("One mail, to you alone.", class_name="office-note"),
        button("Send me a test", tone="ghost", class_name="button-small", on_click=IssueFile.test),
        _saved_first(),
        custom_attrs={"data-saved-only": LETTER},
        class_name="office-card letters-form",
    )


def _saved_first() -> rx.Component:
    return rx.el.p("Save the letter first: this acts on what is saved.", class_name="letters-first")


def leaving() -> rx.Component:
    """What stands in place of the form once the letter is finished: how far it has left."""
    progress = IssueFile.progress
    return rx.cond(
        begun(),
        rx.el.section(
            rx.el.h2(rx.cond(IssueFile.stage == IssueState.SENT.value, "Sent", "Sending")),
            rx.el.div(
                rx.el.div(
                    custom_attrs={"style": rx.Var.create({"width": progress["percent"].to_string() + "%"})}
                ),
                role="progressbar",
                aria_label="Subscribers processed",
                aria_valuenow=progress["percent"],
                aria_valuemin=0,
                aria_valuemax=100,
                class_name="letters-bar",
            ),
            rx.el.dl(
                fact("Subscribers", progress["audience"]),
                fact("Processed", progress["looked_at"]),
                fact("E-mails created", progress["handed"]),
                fact("Delivered to the mail server", progress["delivered"]),
                rx.cond(
                    progress["kept"] > 0,
                    fact("Not sent; kept in the outbox", progress["kept"]),
                    rx.fragment(),
                ),
                fact("Queued", progress["waiting"]),
                fact("Failed", progress["failed"]),
                fact("Invalid addresses", progress["refused"]),
                class_name="office-facts",
            ),
            class_name="office-card letters-form",
        ),
        rx.el.section(
            rx.el.h2("Ready"),
            rx.el.p("The issue is finished and is sent automatically. See the preview below."),
            class_name="office-card",
        ),
    )


def begun() -> rx.Var[bool]:
    """Whether the letter is leaving or has left."""
    return (IssueFile.stage == IssueState.SENDING.value) | (IssueFile.stage == IssueState.SENT.value)


def archived() -> rx.Component:
    """Where everybody can read the letter."""
    facts = IssueFile.facts
    return rx.el.section(
        rx.el.h2("Public page"),
        rx.el.p(
            outside_link("Issue ", facts["number"], " in the archive", href=facts["href"], class_name="link")
        ),
        rx.cond(
            facts["sent"] != "",
            rx.el.p("Sent on ", facts["sent"], ".", class_name="office-note"),
            rx.fragment(),
        ),
        class_name="office-card letters-form",
    )
