"""Health checks: the process runs, and it can serve."""

import logging
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from redis.asyncio import Redis
from redis.exceptions import RedisError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from agency_site.content.published import is_awaited
from agency_site.db.engine import is_writable, read_scope
from agency_site.settings import settings
from agency_site.web.serving.shutdown import is_draining

log = logging.getLogger(__name__)

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """The status: `ok`; with the missing parts `degraded` (Redis) or `unavailable` (the database, writing to it, or the content
    that staff have published); `draining` before the server stops."""

    status: str
    missing: list[str] = []


@router.get("/healthz")
async def healthz() -> Health:
    """Report that the process is running."""
    return Health(status="ok")


@router.get("/readyz", responses={503: {"model": Health}})
async def readyz() -> JSONResponse:
    """Report whether database and Redis can be reached; 503 without the database, if it cannot be written, until the process
    has read what staff have published, and before the server stops.

    Without Redis the status stays 200: pages, forms, bookings and payments work, and a proxy must not remove the server.
    """
    if is_draining():
        return _answer(Health(status="draining"), 503)
    missing = [name for name, works in _PARTS if not await works()]
    if set(missing) - {"redis"}:
        return _answer(Health(status="unavailable", missing=missing), 503)
    return _answer(Health(status="degraded" if missing else "ok", missing=missing))


@router.get("/readyz/callbacks", include_in_schema=False)
async def ready_for_callbacks() -> JSONResponse:
    """Report whether M-Pesa's callbacks are accepted: until the server drains, even without the database (the journal)."""
    return _answer(Health(status="draining"), 503) if is_draining() else _answer(Health(status="ok"))


def _answer(health: Health, status: int = 200) -> JSONResponse:
    return JSONResponse(health.model_dump(), status_code=status)


async def _database() -> bool:
    try:
        async with read_scope() as session:
            await session.exec(text("SELECT 1"))  # type: ignore[call-overload]
    except (SQLAlchemyError, OSError):
        return False
    return True


async def _redis() -> bool:
    return not await find_redis_problem()


async def _writing() -> bool:
    return is_writable()


async def _content() -> bool:
    return not is_awaited()


_PARTS = (("database", _database), ("writing", _writing), ("content", _content), ("redis", _redis))


async def find_redis_problem() -> str:
    """Return why Redis does not respond, such as a wrong password; empty if it does, or if none is configured."""
    return await _ask_redis() if settings().redis_url else ""


@dataclass
class _LastProblem:
    """The problem of the job's last request to Redis; empty if it responded."""

    text: str = ""


_last = _LastProblem()


async def watch_redis() -> int:
    """Log when Redis goes away and when it comes back. Return 0, because nothing remains to be done."""
    problem = await find_redis_problem()
    if problem and not _last.text:
        log.error(
            "Redis is unavailable; live pages and the back office do not respond until it is back: %s",
            problem,
        )
    if _last.text and not problem:
        log.warning("Redis is available again")
    _last.text = problem
    return 0


async def _ask_redis() -> str:
    try:
        client = Redis.from_url(settings().redis_url, socket_connect_timeout=2, socket_timeout=2)
    except ValueError as error:
        return str(error)
    try:
        await client.echo("ready")
    except (RedisError, OSError) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        await client.aclose()
    return ""
