"""One address leads to whichever of two Redis servers is the primary (`deploy/redis/haproxy.cfg`)."""

from redis import Redis as Client
from redis.exceptions import RedisError

from tests.redis_pair import RedisPair, client_of, redis_pair, role_of
from tests.waiting import wait_until


def leads_to(pair: RedisPair, port: int) -> bool:
    with client_of(pair.address) as client:
        try:
            return int(client.info("server")["tcp_port"]) == port
        except RedisError:
            return False


def writes(client: Client) -> bool:
    try:
        return bool(client.set("name", "value"))
    except RedisError:
        return False


def test_the_address_follows_the_primary_and_closes_connections_to_the_one_before() -> None:
    with redis_pair() as pair:
        item, two = pair.ports
        wait_until(lambda: pair.roles() == ["master", "slave"])
        wait_until(lambda: leads_to(pair, item))
        cached_client = client_of(pair.address)
        # HAProxy treats both as primaries until its first check.
        wait_until(lambda: writes(cached_client))
        with client_of(two) as replica, client_of(item) as primary:
            replica.replicaof("NO", "ONE")
            primary.replicaof("127.0.0.1", str(two))
        # Its connection leads to a server that cannot write any more, until HAProxy closes it.
        wait_until(lambda: writes(cached_client))
        assert leads_to(pair, two)
        cached_client.close()


def test_the_address_leads_to_the_replica_that_takes_over() -> None:
    with redis_pair() as pair:
        item, two = pair.ports
        wait_until(lambda: leads_to(pair, item))
        pair.primary.kill()
        wait_until(lambda: role_of(item) == "")
        with client_of(two) as replica:
            replica.replicaof("NO", "ONE")
        wait_until(lambda: leads_to(pair, two))
