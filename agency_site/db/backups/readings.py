"""The last backup, for Prometheus and the status screen."""

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.backups.tables import CheckedBackup
from agency_site.metrics import Reading


async def find_last_backup(session: AsyncSession) -> CheckedBackup | None:
    """Return the last checked backup of this database, or None if there was none."""
    newest = select(CheckedBackup).order_by(col(CheckedBackup.taken_at).desc())
    return (await session.exec(newest.limit(1))).first()


async def read_backup(session: AsyncSession) -> list[Reading]:
    """Return the figures of the last checked backup. Without one its time is 1970, so that the alert fires."""
    last = await find_last_backup(session)
    at = last.taken_at.timestamp() if last else 0
    size, seconds = (last.size_bytes, last.seconds) if last else (0, 0)
    return [
        Reading(
            "agency_backup_last_success_timestamp_seconds", "When the last checked backup was taken.", at
        ),
        Reading("agency_backup_size_bytes", "Its size.", size),
        Reading("agency_backup_duration_seconds", "How long it took.", seconds),
    ]
