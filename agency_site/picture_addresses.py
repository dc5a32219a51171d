"""Addresses of uploaded pictures. All that a page needs to show a picture is in its address, so that no page looks it up."""

import re
from dataclasses import dataclass

PICTURES = "/pictures/"
WIDTHS = (480, 960, 1600)
"""Widths of the WebP forms, in pixels; a picture also has one of its own width if that is below the last of these."""
LARGEST_WIDTH, LARGEST_HEIGHT = WIDTHS[-1], 4000
"""Pixels of the largest form. An infographic may be higher than wide."""
CENTRE = 50
SHARE_FORM = "share.jpg"
VECTOR = "svg"
_ADDRESS = re.compile(
    r"/pictures/([0-9a-f]{16})/([1-9][0-9]{0,3})x([1-9][0-9]{0,3})\.(jpg|png|svg)(?:#([0-9]{1,3}),([0-9]{1,3}))?"
)


@dataclass(frozen=True)
class PictureAddress:
    """The parts of an address such as `/pictures/0123456789abcdef/1600x900.jpg#30,60`."""

    digest: str
    """The first 16 hexadecimal digits of the SHA-256 of the uploaded file."""
    width: int
    height: int
    suffix: str
    """`jpg`; `png` if the picture has transparent parts; `svg`."""
    focus_x: int = CENTRE
    focus_y: int = CENTRE
    """The part that crops keep, in per cent from the left and from the top."""

    @property
    def name(self) -> str:
        """The name of the file for browsers that do not show WebP, and for messengers."""
        return f"{self.width}x{self.height}.{self.suffix}"

    @property
    def src(self) -> str:
        """The address that browsers request."""
        return f"{PICTURES}{self.digest}/{self.name}"

    @property
    def text(self) -> str:
        """The address with the focal point, as records store it."""
        is_central = (self.focus_x, self.focus_y) == (CENTRE, CENTRE)
        return self.src if is_central else f"{self.src}#{self.focus_x},{self.focus_y}"

    @property
    def webp_widths(self) -> tuple[int, ...]:
        """The widths of the WebP forms, the smallest first; empty for a vector drawing."""
        if self.suffix == VECTOR:
            return ()
        return (*(width for width in WIDTHS if width < self.width), self.width)

    @property
    def srcset(self) -> str:
        """The WebP forms as the attribute `srcset`; empty for a vector drawing."""
        return ", ".join(f"{PICTURES}{self.digest}/{width}.webp {width}w" for width in self.webp_widths)

    @property
    def share_src(self) -> str:
        """The address of the picture for messengers, 1200x630 pixels; empty for a vector drawing."""
        return "" if self.suffix == VECTOR else f"{PICTURES}{self.digest}/{SHARE_FORM}"


def parse_picture_address(text: str) -> PictureAddress | None:
    """Return the parts of the address of an uploaded picture; None for any other text."""
    match = _ADDRESS.fullmatch(text)
    if match is None:
        return None
    digest, width, height, suffix, focus_x, focus_y = match.groups(default=str(CENTRE))
    address = PictureAddress(digest, int(width), int(height), suffix, int(focus_x), int(focus_y))
    fits = address.width <= LARGEST_WIDTH and address.height <= LARGEST_HEIGHT
    return address if fits and address.focus_x <= 100 and address.focus_y <= 100 else None
