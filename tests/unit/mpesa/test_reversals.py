"""Reversals on the wire: the encrypted password, M-Pesa's result, and the meaning of its codes."""

import base64
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.x509.oid import NameOID

from agency_site.mpesa.contract import Outcome
from agency_site.mpesa.operators import encrypt_password
from agency_site.mpesa.results import reversal_outcome
from agency_site.mpesa.wire import mask_body, parse_callback

Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


def certificate(key: Key) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Safaricom")])
    begins = datetime(2026, 1, 1, tzinfo=UTC)
    wanted = x509.CertificateBuilder(name, name, key.public_key(), 1, begins, begins + timedelta(days=1))
    return wanted.sign(key, hashes.SHA256())


@pytest.mark.parametrize("encoding", [serialization.Encoding.PEM, serialization.Encoding.DER])
def test_only_the_holder_of_the_key_reads_the_password(encoding: serialization.Encoding) -> None:
    key = rsa.generate_private_key(65537, 2048)
    sealed = encrypt_password("Sälama 1!", certificate(key).public_bytes(encoding))
    assert key.decrypt(base64.b64decode(sealed), PKCS1v15()).decode() == "Sälama 1!"


def test_a_certificate_without_an_rsa_key_is_refused() -> None:
    other = certificate(ec.generate_private_key(ec.SECP256R1()))
    with pytest.raises(ValueError, match="no RSA key"):
        encrypt_password("secret", other.public_bytes(serialization.Encoding.PEM))


RESULT = b"""{"Result": {"ResultType": 0, "ResultCode": 0, "ResultDesc": "The service request is processed successfully.",
"OriginatorConversationID": "8521-4298025-1", "ConversationID": "AG_20181005_00004d7ee675c0c7ee0b", "TransactionID": "MJ561H6X5O",
"ResultParameters": {"ResultParameter": [{"Key": "Amount", "Value": 100}, {"Key": "OriginalTransactionID", "Value": "MJ551H6X5D"},
{"Key": "CreditPartyPublicName", "Value": "254708374149 - John Doe"}]}}}"""


def test_a_result_is_read() -> None:
    callback = parse_callback(RESULT)
    assert (callback.merchant_request_id, callback.checkout_request_id) == (
        "8521-4298025-1",
        "AG_20181005_00004d7ee675c0c7ee0b",
    )
    assert (callback.outcome, callback.receipt, callback.amount) == (
        Outcome.RETURNED,
        "MJ561H6X5O",
        Decimal(100),
    )


def test_a_stored_result_contains_no_personal_data() -> None:
    assert "CreditPartyPublicName" in mask_body(RESULT)
    assert not {"John", "254708374149"} & set(mask_body(RESULT).replace('"', " ").split())


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("0", Outcome.RETURNED),
        ("1", Outcome.FAILED),
        ("R000002", Outcome.FAILED),
        ("R000001", Outcome.UNDECIDED),
        ("77", Outcome.UNDECIDED),
    ],
)
def test_only_codes_that_are_known_to_move_nothing_end_it(code: str, outcome: Outcome) -> None:
    assert reversal_outcome(code) is outcome
