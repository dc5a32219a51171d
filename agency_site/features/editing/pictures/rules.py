"""Limits of uploaded pictures, and the names of their forms. No I/O."""

import hashlib

from agency_site.errors import FieldError, InputRejected
from agency_site.picture_addresses import LARGEST_HEIGHT, LARGEST_WIDTH

LARGEST_FILE_MB = 15
LARGEST_FILE = LARGEST_FILE_MB * 1024 * 1024
"""Bytes of an uploaded file."""
LARGEST_UPLOAD = LARGEST_FILE + 16 * 1024
"""Bytes of the request: the file, and the other fields of its form."""
LARGEST_DRAWING = 1024 * 1024
"""Bytes of an SVG file."""
MOST_PIXELS = 50_000_000
SHARE_SIZE = (1200, 630)
DIGEST_LENGTH = 16
NAME_LENGTH, ALT_LENGTH = 120, 200
_HEIC = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"})
"""Brands of HEIF files (ISO/IEC 23008-12)."""
PICTURE_FIELD = "picture"
ACCEPTED_FILES = ".jpg,.jpeg,.png,.webp,.avif,.svg,image/jpeg,image/png,image/webp,image/avif,image/svg+xml"
"""The file types that the browser offers."""


def digest_of(content: bytes) -> str:
    """Return the name of the picture that a file contains: the same file is always the same picture."""
    return hashlib.sha256(content).hexdigest()[:DIGEST_LENGTH]


def fit_size(width: float, height: float) -> tuple[int, int]:
    """Return the size of the largest form of a picture, which is never larger than the picture."""
    scale = min(1.0, LARGEST_WIDTH / width, LARGEST_HEIGHT / height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def picture_problem(message: str) -> InputRejected:
    """Return the error of a file that is not accepted as a picture."""
    return InputRejected(message, (FieldError(PICTURE_FIELD, message),))


def require_accepted_length(content: bytes) -> None:
    """Raise InputRejected for an empty file, for one above the limit, and for a photo that browsers do not show."""
    if not content:
        raise picture_problem("This file is empty. Please choose another one, or save it again.")
    if len(content) > LARGEST_FILE:
        raise picture_problem(f"This file is larger than {LARGEST_FILE_MB} MB. Please choose a smaller one.")
    if content[4:8] == b"ftyp" and content[8:12] in _HEIC and b"avif" not in content[8:64]:
        raise picture_problem(
            "This is a photo in HEIC, the format of iPhones, which browsers do not show. Please export it as JPEG."
        )


def require_accepted_pixels(width: int, height: int) -> None:
    """Raise InputRejected for more pixels than the server decodes."""
    if width * height > MOST_PIXELS:
        raise picture_problem(
            f"This picture has {width:,} by {height:,} pixels. At most {MOST_PIXELS // 1_000_000} million are possible: "
            "please make it smaller first."
        )
