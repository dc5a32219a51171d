"""Health checks: whether this process runs, and whether it can serve."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from redis.asyncio import Redis
from redis.exceptions import RedisError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from agency_site.db.engine import read_scope
from agency_site.settings import settings
from agency_site.web.serving.shutdown import is_draining

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """`ok`, or with the parts that cannot be reached: `degraded` without Redis, `unavailable` without the database; `draining`
    before the server stops."""

    status: str
    missing: list[str] = []


@router.get("/healthz")
async def healthz() -> Health:
    """The process is running."""
    return Health(status="ok")


@router.get("/readyz", responses={503: {"model": Health}})
async def readyz() -> JSONResponse:
    """Database, and Redis where configured, can be reached; 503 without the database, and before the server stops.

    Without Redis pages, forms, bookings and payments go on: a proxy that took the server away would end them.
    """
    if is_draining():
        return _answer(Health(status="draining"), 503)
    missing = [name for name, works in (("database", _database), ("redis", _redis)) if not await works()]
    if "database" in missing:
        return _answer(Health(status="unavailable", missing=missing), 503)
    return _answer(Health(status="degraded" if missing else "ok", missing=missing))


@router.get("/readyz/callbacks", include_in_schema=False)
async def ready_for_callbacks() -> JSONResponse:
    """M-Pesa's callbacks are taken: without the database too, because the journal keeps them, until the server drains."""
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
    if not settings().redis_url:
        return True
    client = Redis.from_url(settings().redis_url, socket_connect_timeout=2, socket_timeout=2)
    try:
        return bool(await client.echo("ready"))
    except (RedisError, OSError):
        return False
    finally:
        await client.aclose()
