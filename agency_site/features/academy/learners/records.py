"""Certificates as staff and learners read them."""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.read_models import ReadModel
from agency_site.features.academy.learners.rules import shorten_serial
from agency_site.features.academy.learners.tables import Certificate


@dataclass(frozen=True)
class CertificateRecord(ReadModel):
    """A certificate with the name and course that it was issued for."""

    serial: str
    fullname: str
    course_name: str
    minutes: int
    is_name_shown: bool
    issued_at: datetime
    revoked_at: datetime | None
    revoke_reason: str

    @property
    def is_valid(self) -> bool:
        return self.revoked_at is None

    @property
    def short_serial(self) -> str:
        """The part of the serial number that people read and compare. It is too short to open the public page."""
        return shorten_serial(self.serial)

    @property
    def hours(self) -> str:
        """The hours of the attended sessions, such as `7.5`."""
        return f"{self.minutes / 60:.1f}".removesuffix(".0")


async def find_latest_certificate(session: AsyncSession, learner_id: int) -> CertificateRecord | None:
    """Return the last certificate of a learner, even if it was revoked."""
    query = (
        select(Certificate).where(Certificate.learner_id == learner_id).order_by(col(Certificate.id).desc())
    )
    certificate = (await session.exec(query.limit(1).execution_options(populate_existing=True))).first()
    return CertificateRecord.of(certificate) if certificate else None


async def has_valid_certificate(session: AsyncSession, learner_id: int) -> bool:
    """Return whether a learner has a certificate that is not revoked."""
    certificate = await find_latest_certificate(session, learner_id)
    return certificate is not None and certificate.is_valid
