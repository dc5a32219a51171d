"""The simulator of the provider, for notices that go out as text messages."""

from tests.integration.sms.conftest import sms

__all__ = ["sms"]
