"""Serial numbers of certificates."""

import pytest

from agency_site.features.academy.certificates.usecases import new_serial
from agency_site.features.academy.learners.rules import read_serial


def test_the_log_has_the_first_group_of_a_serial_and_none_of_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    serial = new_serial()
    assert read_serial(serial.lower()) == serial
    prefix, first, *others = serial.split("-")
    assert len(others) == 4
    assert caplog.messages == [f"new reference {prefix}-{first}"]
