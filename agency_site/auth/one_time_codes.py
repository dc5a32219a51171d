"""Codes of the second factor: those of an authenticator, and recovery codes that replace it. No database."""

import base64
import hmac
import re
import secrets
from datetime import datetime

import pyotp
import segno

from agency_site import brand
from agency_site.content.brand import BRAND
from agency_site.signing import signatures

_STEP_SECONDS = 30
RECOVERY_CODES = 10
_GROUPS = 7
"""Groups of four characters, with more than 128 random bits in all."""
_ALPHABET = "23456789abcdefghjkmnpqrstvwxyz"
"""Without 0/o, 1/i/l and u, which are easily confused in handwriting."""
_TOTP_CODE = re.compile(r"[0-9]{6}")


def new_seed() -> str:
    """Return the random part of a TOTP secret that the database stores: useless without the secret key."""
    return secrets.token_urlsafe(24)


def totp_secret(seed: str) -> str:
    """Return the secret for a new authenticator, in base32."""
    return _totp_secrets(seed)[0]


def _totp_secrets(seed: str) -> tuple[str, ...]:
    """Return the possible secrets of an authenticator: one for each secret key, the present one first."""
    return tuple(base64.b32encode(bytes.fromhex(digest)[:20]).decode() for digest in signatures("totp", seed))


def totp_uri(seed: str, email: str) -> str:
    """Return the `otpauth:` address for the QR code."""
    return pyotp.TOTP(totp_secret(seed)).provisioning_uri(name=email, issuer_name=BRAND.name)


def qr_picture(uri: str) -> str:
    """Return the QR code as an SVG element, ink on white with its quiet zone."""
    return segno.make(uri, error="m", micro=False).svg_inline(
        scale=4, border=4, dark=brand.INK, light=brand.WHITE, omitsize=True, svgclass="qr", lineclass=None
    )


def matching_step(seed: str, code: str, moment: datetime, used: int) -> int | None:
    """Return the time step of this code: the present one or a neighbour, later than the last one `used`."""
    plain_code = _plain(code)
    if not seed or not _TOTP_CODE.fullmatch(plain_code):
        return None
    present = int(moment.timestamp()) // _STEP_SECONDS
    for secret in _totp_secrets(seed):
        totp = pyotp.TOTP(secret)
        for step in (present - 1, present, present + 1):
            if step > used and hmac.compare_digest(totp.generate_otp(step), plain_code):
                return step
    return None


def new_recovery_codes() -> tuple[str, ...]:
    """Return ten codes, in groups of four characters."""
    return tuple(
        "-".join("".join(secrets.choice(_ALPHABET) for _ in range(4)) for _ in range(_GROUPS))
        for _ in range(RECOVERY_CODES)
    )


def recovery_hash(account_id: int, code: str) -> str:
    """Return the hash of a recovery code for storage: useless without the secret key."""
    return recovery_hashes(account_id, code)[0]


def recovery_hashes(account_id: int, code: str) -> tuple[str, ...]:
    """Return the hash under each secret key, the present one first."""
    return signatures("recovery", f"{account_id}.{_plain(code)}")


def _plain(code: str) -> str:
    return re.sub(r"[\s\-\u2010-\u2015]+", "", code).lower()[:40]
