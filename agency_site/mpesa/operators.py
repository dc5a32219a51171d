"""Encrypt the password of an API operator with Safaricom's certificate, as Daraja requires (daraja.md, section 9)."""

import base64

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.x509 import Certificate, load_der_x509_certificate, load_pem_x509_certificate

_PEM = b"-----BEGIN CERTIFICATE-----"


def encrypt_password(password: str, certificate: bytes) -> str:
    """Return the SecurityCredential. Raises ValueError if the certificate, PEM or DER, is unreadable or has no RSA key."""
    key = _load(certificate).public_key()
    if not isinstance(key, RSAPublicKey):
        raise ValueError("the certificate has no RSA key")
    return base64.b64encode(key.encrypt(password.encode(), PKCS1v15())).decode()


def _load(certificate: bytes) -> Certificate:
    return (load_pem_x509_certificate if _PEM in certificate else load_der_x509_certificate)(certificate)
