"""The words of the audit log: labels of actions, the page of a record, changed fields. No I/O."""

from collections.abc import Mapping
from urllib.parse import quote

from agency_site.backoffice.records import find_record, records

ACTIONS: Mapping[str, str] = {
    "blackout.added": "Blackout added",
    "blackout.removed": "Blackout removed",
    "booking.assigned": "Booking given to another consultant",
    "booking.booked": "Booking created by staff",
    "booking.cancelled": "Booking cancelled",
    "booking.completed": "Booking marked as completed",
    "booking.confirmed": "Booking reinstated",
    "booking.corrected": "Client's details edited",
    "booking.moved": "Booking moved",
    "booking.no_show": "Booking marked as no-show",
    "booking.noted": "Note added to a booking",
    "booking.restored": "Booking reinstated",
    "calendar.added": "Busy calendar added",
    "calendar.removed": "Busy calendar removed",
    "certificate.issued": "Certificate issued",
    "certificate.revoked": "Certificate revoked",
    "choices.saved": "Booking policy changed",
    "discrepancy.closed": "Discrepancy closed",
    "enrolment.moved": "Learners moved to another course run",
    "enrolment.waits": "Paid order put on a waiting list",
    "entry.created": "Content written",
    "entry.hidden": "Content hidden",
    "entry.shown": "Shown again",
    "entry.preview_renewed": "Preview link renewed",
    "entry.published": "Content published",
    "entry.reset": "Content returned to the delivered text",
    "entry.restored": "Earlier version of content restored",
    "entry.saved": "Draft of content saved",
    "entry.scheduled": "Content scheduled",
    "entry.unscheduled": "Content unscheduled",
    "issue.created": "Newsletter issue created",
    "issue.saved": "Newsletter issue changed",
    "issue.scheduled": "Newsletter issue scheduled",
    "issue.sent": "Newsletter issue sent",
    "issue.tested": "Newsletter issue sent as a test",
    "issue.unscheduled": "Newsletter issue unscheduled",
    "learner.correction": "Learner's name or address corrected",
    "learner.handover": "Place transferred to another learner",
    "learner.named": "Learner named",
    "learner.place_ended": "One place of an order cancelled",
    "learner.link_sent": "Link sent to a learner again",
    "link.copied": "Private link opened to copy or send",
    "list.exported": "List exported as CSV",
    "notice.channel_chosen": "Channel of a notice chosen",
    "office.two_step_required": "Second factor for all staff: rule changed",
    "order.placed": "Order placed for a client",
    "order.charged": "Order placed for a client, prompt requested",
    "order.contact_corrected": "Contact of an order edited",
    "order.credit_note_read": "Credit note opened",
    "order.invoice_read": "Invoice opened",
    "order.link_sent": "Payment link sent",
    "order.noted": "Note added to an order",
    "order.payment_recorded": "Manual payment recorded",
    "order.prompted": "New payment prompt requested",
    "order.receipt_read": "Receipt opened",
    "order.receipt_resent": "Receipt resent",
    "payment.asked": "Payment status queried",
    "payment.decided_failed": "Payment reviewed: not paid",
    "payment.decided_paid": "Payment reviewed: paid",
    "payment.receipt_entered": "Receipt number entered",
    "payment.refunded": "Payment marked as refunded",
    "payment.return_requested": "Refund through M-Pesa requested",
    "payment.return_given_up": "Refund through M-Pesa recorded as failed",
    "person.erased": "Personal data erased",
    "person.exported": "Personal data exported",
    "person.looked_up": "Personal data looked up",
    "run.attendance": "Attendance marked",
    "run.cancelled": "Course run cancelled",
    "run.certificates": "Certificates of a course run issued",
    "run.created": "Course run created",
    "run.edited": "Course run edited",
    "run.generated": "Sessions of a course run generated",
    "run.material_added": "Material or recording added to a course run",
    "run.material_removed": "Material or recording removed from a course run",
    "run.message": "Message sent to all learners of a course run",
    "run.open": "Enrolment for a course run opened",
    "run.place_offered": "Place of a course run offered to the waiting list",
    "run.planned": "Enrolment for a course run closed",
    "run.session_removed": "Session of a course run removed",
    "run.session_saved": "Session of a course run changed",
    "run.places_released": "Places kept for an unpaid order released",
    "run.waiting_removed": "Person removed from a waiting list",
    "registration.cancelled": "Webinar registration cancelled",
    "special.removed": "Schedule exception removed",
    "special.saved": "Schedule exception saved",
    "staff.calendar_link_made": "Calendar link created",
    "staff.calendar_link_revoked": "Calendar link revoked",
    "staff.code_refused": "Wrong code rejected",
    "staff.disabled": "Account disabled",
    "staff.enabled": "Account enabled",
    "staff.invited": "Invited",
    "staff.invited_again": "Invitation sent again",
    "staff.joined": "Invitation accepted",
    "staff.made": "Account created from the shell",
    "staff.password_changed": "Password changed",
    "staff.password_refused": "Wrong password rejected",
    "staff.password_reset": "New password chosen by link",
    "staff.recovery_code_used": "Recovery code used",
    "staff.recovery_codes_renewed": "Recovery codes replaced",
    "staff.renamed": "Name changed",
    "staff.reset": "Account reset from the shell",
    "staff.reset_sent": "Link for a new password sent",
    "staff.right_refused": "Access refused",
    "staff.role_changed": "Role changed",
    "staff.session_ended": "One session ended",
    "staff.sessions_ended": "Signed out everywhere by an owner",
    "staff.set_up": "First owner's account created",
    "staff.sign_in_blocked": "Sign-in blocked: too many attempts",
    "staff.sign_in_refused": "Sign-in refused",
    "staff.signed_in": "Signed in",
    "staff.signed_out": "Signed out",
    "staff.signed_out_everywhere": "Signed out everywhere",
    "staff.two_step_dropped": "Second factor removed by an owner",
    "staff.two_step_off": "Second factor turned off",
    "staff.two_step_on": "Second factor turned on",
    "staff.two_step_replaced": "Second factor replaced",
    "statement.imported": "M-Pesa statement imported",
    "text.sent": "Text message sent",
}
"""Labels of actions that no declared record has; an action without a label shows its own name in words."""

_PAGES: Mapping[str, str] = {
    "booking": "/admin/booking?ref=",
    "order": "/admin/order?ref=",
    "entry": "/admin/entry?kind=",
    "issue": "/admin/newsletter?id=",
    "registration": "/admin/registrations?q=",
    "run": "/admin/run?ref=",
    "learner": "/admin/learner?ref=",
    "staff": "/admin/staff?q=",
    "statement": "/admin/statements?import=",
    "waiting": "/admin/waiting-lists?q=",
}
"""The address of a record's page, or of the list that finds it, by the kind of record; the reference is appended."""
_SCREENS: Mapping[str, str] = {
    "blackout": "/admin/hours",
    "calendar": "/admin/calendars",
    "special": "/admin/hours",
    "choices": "/admin/hours",
    "notice": "/admin/notices",
    "callback": "/admin/reconciliation",
}
"""The screen of records without a page of their own."""


def action_labels() -> Mapping[str, str]:
    """Return the label of every action that has one."""
    own = (
        (f"{record.kind}.{step}", words) for record in records() for step, words in record.log_words.items()
    )
    return {**ACTIONS, **dict(own)}


def action_label(action: str) -> str:
    """Return the label of an action."""
    kind, _, verb = action.partition(".")
    record = find_record(kind)
    own = record.log_words.get(verb) if record else None
    return own or ACTIONS.get(action) or f"{kind} {verb}".replace("_", " ").strip().capitalize()


def record_page(kind: str, reference: str) -> str:
    """Return the address of the page that shows the record; empty if there is none."""
    if record := find_record(kind):
        return record.address(quote(reference, safe=""))
    if kind == "entry":
        own_kind, _, slug = reference.partition("/")
        return f"{_PAGES[kind]}{quote(own_kind, safe='')}&slug={quote(slug, safe='')}"
    if kind in _PAGES:
        return _PAGES[kind] + quote(reference, safe="")
    return _SCREENS.get(kind, "")


def changed_fields(labels: Mapping[str, str], before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Return the labels of the fields that differ, such as `Name, Phone`; never their values, which may be personal."""
    return ", ".join(label for name, label in labels.items() if before.get(name, "") != after.get(name, ""))
