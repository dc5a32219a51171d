"""The configuration of the simulator, and the outcome that the last digits of a number choose."""

from dataclasses import dataclass
from enum import StrEnum

from agency_site.settings import Settings


@dataclass(frozen=True)
class SmsSimulatorConfig:
    """The fixed settings of a simulator. Times are in seconds."""

    callbacks: str
    """The address of the site's callbacks, with its secret, without a trailing slash."""
    delay: float = 1.0
    """The time from a message to its delivery report."""
    late: float = 45.0
    """The same for a late report."""
    silence: float = 60.0
    """The time for which a request gets no answer."""


def sms_simulator_config_from(settings: Settings) -> SmsSimulatorConfig:
    """Return a configuration for the site that carries the simulator."""
    return SmsSimulatorConfig(f"http://127.0.0.1:{settings.port}/api/sms/{settings.sms_callback_secrets[0]}")


class Outcome(StrEnum):
    """The fate of a message, by the last three digits of its number."""

    DELIVERED = ""
    """Any other digits."""
    INVALID_NUMBER = "001"
    BLACKLISTED = "002"
    REJECTED_LATER = "003"
    """The number does not exist, which only the delivery report says."""
    LATE_REPORT = "004"
    THREE_REPORTS = "005"
    NO_ANSWER = "006"
    """The message is sent, but the request gets no answer."""
    GATEWAY_ERROR = "007"
    """The first two attempts of a message fail."""
    ABSENT = "008"
    """The phone is off until the network gives up."""
    EMPTY_ACCOUNT = "009"
    """The account is empty as for all messages after `/control/empty`, but for this number alone."""
    EARLY_REPORT = "010"
    """The delivery report comes before the answer to the request."""


def outcome_of(number: str) -> Outcome:
    """Return the outcome that a number chooses."""
    last = number[-3:]
    return Outcome(last) if last in set(Outcome) else Outcome.DELIVERED
