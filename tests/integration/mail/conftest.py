"""An SMTP server that the settings refer to."""

from collections.abc import AsyncIterator, Callable

import pytest

from agency_site.settings import Settings
from tests.smtp_server import SmtpServer, smtp_server


@pytest.fixture
async def smtp(configure: Callable[..., Settings], database: str) -> AsyncIterator[SmtpServer]:
    async with smtp_server() as server:
        configure(smtp_host="127.0.0.1", smtp_port=server.port, smtp_security="none")
        yield server
