"""Memory after drawing a document."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from agency_site.features.academy.certificates.drawing import draw_certificate
from agency_site.features.academy.learners.records import CertificateRecord
from agency_site.features.checkout.documents.invoice import draw_invoice
from agency_site.features.checkout.documents.receipt import draw_receipt
from tests.garbage import left_behind
from tests.unit.features.checkout.documents.test_invoice import FACTS as INVOICE
from tests.unit.features.checkout.documents.test_receipt import FACTS as RECEIPT

CERTIFICATE = CertificateRecord(
    serial="CT-7F3K9Q-2M4XWA", fullname="Wanjikũ Ng'ang'a", course_name="Google Ads Masterclass", minutes=450,
    is_name_shown=True, issued_at=datetime(2026, 11, 20, 22, 30, tzinfo=UTC), revoked_at=None, revoke_reason="",
)  # fmt: skip


@pytest.mark.parametrize(
    "draw",
    [
        lambda: draw_receipt(RECEIPT),
        lambda: draw_invoice(INVOICE),
        lambda: draw_certificate(CERTIFICATE, "https://mwanga.example/certificate/CT-7F3K9Q-2M4XWA"),
    ],
    ids=["receipt", "invoice", "certificate"],
)
def test_a_drawn_document_leaves_nothing_for_a_full_collection(draw: Callable[[], bytes]) -> None:
    assert left_behind(draw) == []
