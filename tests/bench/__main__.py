"""`python -m tests.bench`: run every bench and print its figures."""

import asyncio

from tests.bench import (
    bookings,
    developer,
    failover,
    load,
    office,
    paint,
    redis_failover,
    replicas,
    restore,
    simulation,
    weight,
)
from tests.bench.soak import __main__ as soak

if __name__ == "__main__":
    asyncio.run(bookings.main())
    asyncio.run(office.main())
    restore.main()
    failover.main()
    redis_failover.main()
    simulation.main()
    weight.main()
    load.main()
    replicas.main((1, 2))
    paint.main()
    developer.main()
    soak.main()
