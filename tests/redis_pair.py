"""Two real Redis servers, primary and replica, behind HAProxy with `deploy/redis/haproxy.cfg`."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from redis import Redis as Client
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from agency_site.settings import ROOT
from tests.servers import free_port, missing, program, running

_KEEPS_NOTHING = (
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--appendonly",
    "no",
    "--notify-keyspace-events",
    "K$sgxe",
)
_CONFIGURATION = ROOT / "deploy" / "redis" / "haproxy.cfg"


@dataclass(frozen=True)
class RedisPair:
    """The addresses of the servers."""

    address: int
    """HAProxy's port."""
    ports: tuple[int, int]
    """Ports of the first primary and of its replica."""
    primary: subprocess.Popen[bytes]

    def roles(self) -> list[str]:
        """Return the role that each server reports; empty if it does not respond."""
        return [role_of(port) for port in self.ports]


def client_of(port: int) -> Client:
    """A client that does not try again."""
    return Client(host="127.0.0.1", port=port, socket_timeout=1, retry=Retry(NoBackoff(), 0))


def role_of(port: int) -> str:
    """Return `master` or `slave`; empty if the server does not respond."""
    with client_of(port) as client:
        try:
            return str(client.info("replication")["role"])
        except RedisError:
            return ""


def redis_binary() -> str:
    """Path of the server, which is Sentinel too."""
    return program("redis-server") or missing("Redis")


@contextmanager
def redis_pair() -> Iterator[RedisPair]:
    """The servers and HAProxy; ended with the block."""
    haproxy = program("haproxy") or missing("HAProxy")
    item, two, address = free_port(), free_port(), free_port()
    variables = {
        "REDIS_BIND": f"127.0.0.1:{address}",
        "REDIS_ONE": f"127.0.0.1:{item}",
        "REDIS_TWO": f"127.0.0.1:{two}",
    }
    with ExitStack() as stack:
        # A replica writes what it copies to a file there, which any server that starts in the same folder would load.
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        common = [*_KEEPS_NOTHING, "--dir", folder]
        first = [redis_binary(), "--port", str(item), *common]
        second = [redis_binary(), "--port", str(two), *common, "--replicaof", f"127.0.0.1 {item}"]
        primary = stack.enter_context(running(first, item))
        stack.enter_context(running(second, two))
        stack.enter_context(running([haproxy, "-db", "-f", str(_CONFIGURATION)], address, **variables))
        yield RedisPair(address, (item, two), primary)
