"""The store of counts for each kind of address that the settings accept."""

from collections.abc import Callable

import pytest

from agency_site.antispam.limiter import shared_store
from agency_site.settings import Settings


@pytest.mark.parametrize(
    "address",
    ["redis://:pw@127.0.0.1:6379/0", "rediss://127.0.0.1:6379/0", "unix:///run/redis/agency.sock?db=0"],
)
async def test_each_kind_of_address_has_a_store(
    configure: Callable[..., Settings], fresh_limits: None, address: str
) -> None:
    configure(redis_url=address)
    assert shared_store() is not None
