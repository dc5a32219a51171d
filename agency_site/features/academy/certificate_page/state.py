"""State of the public page of a certificate."""

import reflex as rx

from agency_site.antispam.limiter import rule_of, seconds_to_wait
from agency_site.client_address import client_network
from agency_site.clock import in_nairobi
from agency_site.features.academy.certificates import find_certificate
from agency_site.features.academy.records import CertificateRecord
from agency_site.settings import settings
from agency_site.site.layout.private_link import PrivateLink


class CertificatePage(PrivateLink, rx.State):
    """Whether a certificate is valid, and what it says."""

    is_valid: rx.Field[bool] = rx.field(False)
    serial: rx.Field[str] = rx.field("")
    fullname: rx.Field[str] = rx.field("")
    """Empty where the learner does not show it, or it was erased."""
    course: rx.Field[str] = rx.field("")
    hours: rx.Field[str] = rx.field("")
    issued: rx.Field[str] = rx.field("")

    @rx.event
    async def open_page(self) -> None:
        self._reset_for_another_link()
        # The server has drawn the page already: whoever tries many numbers sees that one.
        network = client_network(self.router.session.client_ip)
        if await seconds_to_wait(rule_of(settings().api_limit), "api", network) is None:
            await self._open(self._token)

    async def _open(self, serial: str) -> None:
        self._opened = serial
        await self._load(find_certificate, serial)

    def _show(self, found: CertificateRecord) -> None:
        issued = in_nairobi(found.issued_at)
        self.is_valid, self.serial = found.is_valid, found.short_serial
        self.fullname = found.fullname if found.is_name_shown and found.is_valid else ""
        self.course, self.hours = found.course_name, found.hours
        self.issued = f"{issued.day} {issued:%B %Y}"
