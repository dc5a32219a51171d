"""Connections to PostgreSQL and Redis with the certificates that `deploy/tls.sh` makes."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from agency_site.antispam.limiter import close_limiters, rule_of, seconds_to_wait
from agency_site.db.backups.stores import PostgresStore
from agency_site.db.engine import dispose_engine, read_scope
from agency_site.db.migrations import migrate
from agency_site.settings import ROOT, Settings
from agency_site.web.serving.health import find_redis_problem
from tests.servers import Postgres, end, free_port, missing, program, wait_for_port

pytestmark = pytest.mark.thorough

SCRIPT = ROOT / "deploy" / "tls.sh"
Configure = Callable[..., Settings]


def make_certificates(folder: Path) -> Path:
    """The folder with certificates, readable by the account of this machine's PostgreSQL."""
    subprocess.run([SCRIPT, folder], check=True, capture_output=True)
    account = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
    if account:
        os.chown(folder / "db.key", account.pw_uid, account.pw_gid)
    return folder


@pytest.fixture(scope="module")
def certificates() -> Iterator[Path]:
    """Created once, outside of pytest's folder, which only its own account may enter."""
    folder = Path(tempfile.mkdtemp(prefix="agency-tls-"))
    folder.chmod(0o755)
    yield make_certificates(folder / "tls")
    shutil.rmtree(folder)


@pytest.fixture
def encrypted(postgres: Postgres, certificates: Path) -> Iterator[str]:
    """The address of a migrated database of a server with TLS, as a client that verifies it writes it."""
    for name, value in {"ssl_cert_file": "db.crt", "ssl_key_file": "db.key"}.items():
        postgres._execute(f"ALTER SYSTEM SET {name} = '{certificates / value}'")
    postgres._execute("ALTER SYSTEM SET ssl = on")
    postgres._execute("SELECT pg_reload_conf()")
    with postgres.empty_database() as url:
        yield f"{url.replace('127.0.0.1', 'localhost')}?sslmode=verify-full&sslrootcert={certificates / 'ca.crt'}"
    postgres._execute("ALTER SYSTEM SET ssl = off")
    postgres._execute("SELECT pg_reload_conf()")


@pytest.fixture
async def fresh_connections() -> AsyncIterator[None]:
    """Close all connections before and after each test."""
    await close_limiters()
    yield
    await close_limiters()
    await dispose_engine()


@pytest.mark.usefixtures("fresh_connections")
async def test_the_database_is_reached_over_tls_alone(
    configure: Configure, encrypted: str, tmp_path: Path
) -> None:
    configure(database_url=encrypted)
    async with read_scope() as session:
        query = text("SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        assert (await session.exec(query)).one() == (True, "TLSv1.3")  # type: ignore[call-overload]
    migrate(encrypted)
    assert PostgresStore(encrypted).dump(tmp_path / "dump").tables


@pytest.mark.usefixtures("fresh_connections")
async def test_a_database_with_a_certificate_of_another_authority_is_refused(
    configure: Configure, encrypted: str, certificates: Path, tmp_path: Path
) -> None:
    other = make_certificates(tmp_path / "other")
    configure(database_url=encrypted.replace(str(certificates), str(other)))
    with pytest.raises(OperationalError, match="certificate verify failed"):
        async with read_scope() as session:
            await session.exec(text("SELECT 1"))  # type: ignore[call-overload]


@pytest.fixture
def redis_address(certificates: Path) -> Iterator[str]:
    """The address of a Redis server that speaks TLS alone, with the options of compose.yaml."""
    port, binary = free_port(), program("redis-server") or missing("Redis")
    options = {
        "--port": "0", "--tls-port": str(port), "--tls-cert-file": certificates / "redis.crt",
        "--tls-key-file": certificates / "redis.key", "--tls-ca-cert-file": certificates / "ca.crt",
        "--tls-auth-clients": "no", "--requirepass": "secret", "--bind": "127.0.0.1", "--save": "",
    }  # fmt: skip
    command = [binary, *(str(part) for pair in options.items() for part in pair)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=tempfile.gettempdir())
    try:
        wait_for_port(port, process)
        yield f"rediss://:secret@localhost:{port}/0?ssl_ca_certs={certificates / 'ca.crt'}"
    finally:
        end(process)


@pytest.mark.usefixtures("fresh_connections")
async def test_redis_is_reached_over_tls(configure: Configure, redis_address: str) -> None:
    configure(redis_url=redis_address)
    assert await find_redis_problem() == ""
    rule = rule_of("1/minute")
    assert [await seconds_to_wait(rule, "tls", "a") is None for _ in range(2)] == [True, False]


@pytest.mark.usefixtures("fresh_connections")
async def test_redis_with_a_certificate_of_another_authority_is_refused(
    configure: Configure, redis_address: str, certificates: Path, tmp_path: Path
) -> None:
    other = make_certificates(tmp_path / "other")
    configure(redis_url=redis_address.replace(str(certificates), str(other)))
    assert "certificate verify failed" in await find_redis_problem()


def test_certificates_are_never_replaced_and_the_authority_signs_no_more(certificates: Path) -> None:
    again = subprocess.run([SCRIPT, certificates], check=False, capture_output=True, text=True)
    assert (again.returncode, "has certificates already" in again.stderr) == (1, True)
    assert {path.name for path in certificates.iterdir()} == {
        "ca.crt",
        "db.crt",
        "db.key",
        "redis.crt",
        "redis.key",
    }
    assert {oct(path.stat().st_mode & 0o777) for path in certificates.glob("*.key")} == {"0o600"}
