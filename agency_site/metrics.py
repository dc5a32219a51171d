"""Metrics for Prometheus: every counter, gauge and histogram of the site, declared here and nowhere else.

Events are counted where they happen; figures of the database are read when Prometheus asks (`Reading`). Labels take values from
a bounded list only, and never anything that a visitor sent. Names and units follow Prometheus' conventions; times are in seconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from prometheus_client import Counter, Gauge, Histogram

_REQUEST_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_CALL_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30)

http_requests = Counter(
    "agency_http_requests", "Requests by route template, method and status.", ("route", "method", "status")
)
http_request_seconds = Histogram(
    "agency_http_request_seconds", "Time until a response was sent.", ("route",), buckets=_REQUEST_SECONDS
)
open_sockets = Gauge("agency_open_sockets", "Sockets of pages.", multiprocess_mode="livesum")
queued_events = Gauge(
    "agency_queued_events", "Events of pages that wait or run.", multiprocess_mode="livesum"
)
socket_event_seconds = Histogram(
    "agency_socket_event_seconds",
    "Time from an event's arrival until its handler has ended, waiting included.",
    ("handler",),
    buckets=_REQUEST_SECONDS,
)
handler_errors = Counter("agency_handler_errors", "Events whose handler raised an unhandled exception.")
page_failures = Counter(
    "agency_page_failures", "Pages on which React failed, so that their plain HTML was put back.", ("page",)
)
limits_met = Counter("agency_limits_met", "Requests, submits and sockets over a rate limit.", ("limit",))

bookings_made = Counter("agency_bookings_made", "Bookings that were confirmed.")
callbacks = Counter(
    "agency_callbacks",
    "M-Pesa's callbacks: handled, late (the payment was decided already), unmatched or malformed.",
    ("outcome",),
)
mpesa_requests = Counter(
    "agency_mpesa_requests",
    "Requests to Daraja: answered, failed (5xx) or unreachable.",
    ("operation", "outcome"),
)
mpesa_request_seconds = Histogram(
    "agency_mpesa_request_seconds", "Time of a request to Daraja.", ("operation",), buckets=_CALL_SECONDS
)
mpesa_last_answer = Gauge(
    "agency_mpesa_last_answer_timestamp_seconds", "When Daraja last answered.", multiprocess_mode="max"
)
mpesa_last_failure = Gauge(
    "agency_mpesa_last_failure_timestamp_seconds",
    "When Daraja last failed or could not be reached.",
    multiprocess_mode="max",
)

sms_requests = Counter(
    "agency_sms_requests",
    "Text messages handed to the provider: accepted, tried again later, rejected, or unknown (no answer came).",
    ("outcome",),
)

job_runs = Counter("agency_job_runs", "Rounds of the background jobs.", ("name", "outcome"))
job_last_success = Gauge(
    "agency_job_last_success_timestamp_seconds",
    "When a round last succeeded; before the first, when the loop began.",
    ("name",),
    multiprocess_mode="max",
)
job_bound = Gauge(
    "agency_job_bound_seconds",
    "Without a successful round for this long, the job has stopped.",
    ("name",),
    multiprocess_mode="max",
)
lease_takeovers = Counter(
    "agency_lease_takeovers", "Rows whose worker did not finish before its lease ended.", ("table",)
)

database_sessions = Gauge(
    "agency_database_sessions",
    "Sessions with the database, those that wait for a connection included.",
    multiprocess_mode="livesum",
)
database_write_wait_seconds = Histogram(
    "agency_database_write_wait_seconds",
    "Time that a transaction waited for its turn to write.",
    buckets=_REQUEST_SECONDS,
)
clock_offset = Gauge(
    "agency_clock_offset_seconds",
    "How far PostgreSQL's clock is ahead of this machine's.",
    multiprocess_mode="livemostrecent",
)
redis_connections = Gauge(
    "agency_redis_connections",
    "Connections to Redis when the process was last asked: a pool keeps as many as its busiest moment has used.",
    ("state",),
    multiprocess_mode="livesum",
)

CALLBACK_OUTCOMES = ("handled", "late", "unmatched", "malformed")
MPESA_OPERATIONS = ("token", "push", "query", "reversal", "pull", "register")
MPESA_OUTCOMES = ("answered", "failed", "unreachable")
SMS_OUTCOMES = ("accepted", "later", "rejected", "unknown")
LIMITS = (
    "connect", "sockets", "messages", "form", "api", "page", "network", "recipient", "recipients", "again", "post",
    "send",
)  # fmt: skip

# Prometheus sees no increase in a counter that appears with its first event: these begin at 0.
for _outcome in CALLBACK_OUTCOMES:
    callbacks.labels(_outcome)
for _operation in MPESA_OPERATIONS:
    for _outcome in MPESA_OUTCOMES:
        mpesa_requests.labels(_operation, _outcome)
for _outcome in SMS_OUTCOMES:
    sms_requests.labels(_outcome)
for _limit in LIMITS:
    limits_met.labels(_limit)


@dataclass(frozen=True)
class Reading:
    """One figure that is read from the database when Prometheus asks: the same for every process."""

    name: str
    meaning: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
