"""Addresses of uploaded pictures and of scenes that were made in 3D (`tools/studio`).

All that a page needs to show a picture is in its address, so that no page looks it up.
"""

import re
from dataclasses import dataclass

PICTURES = "/pictures/"
SCENES = "/photographs/"
SCENE_WIDTHS = (480, 960)
"""Widths of a scene's AVIF and JPEG forms, in pixels."""
SCENE_CAPTION = "Made in 3D"
"""The words below a scene, which is never taken for a photograph."""
WIDTHS = (480, 960, 1600)
"""Widths of the WebP forms, in pixels; a picture also has one of its own width if that is below the last of these."""
LARGEST_WIDTH, LARGEST_HEIGHT = WIDTHS[-1], 4000
"""Pixels of the largest form. An infographic may be higher than wide."""
CENTRE = 50
SHARE_FORM = "share.jpg"
OWN_PICTURE = re.compile(r"/(art|images|photographs|pictures)/\S+")
"""Addresses of the site's own pictures, drawings and scenes as well."""
VECTOR = "svg"
_ADDRESS = re.compile(
    r"(/pictures/[0-9a-f]{16}|/photographs/[a-z0-9-]+)/"
    r"([1-9][0-9]{0,3})x([1-9][0-9]{0,3})\.(jpg|png|svg)(?:#([0-9]{1,3}),([0-9]{1,3}))?"
)


@dataclass(frozen=True)
class PictureAddress:
    """The parts of an address such as `/pictures/0123456789abcdef/1600x900.jpg#30,60`."""

    folder: str
    """`/pictures/` and the first 16 hexadecimal digits of the SHA-256 of the uploaded file, or `/photographs/` and a scene."""
    width: int
    height: int
    suffix: str
    """`jpg`; `png` if the picture has transparent parts; `svg`."""
    focus_x: int = CENTRE
    focus_y: int = CENTRE
    """The part that crops keep, in per cent from the left and from the top."""

    @property
    def digest(self) -> str:
        """The part of the folder that names the picture."""
        return self.folder.rpartition("/")[2]

    @property
    def is_scene(self) -> bool:
        """Return whether the picture was made in 3D."""
        return self.folder.startswith(SCENES)

    @property
    def name(self) -> str:
        """The name of the file for browsers that do not show WebP, and for messengers."""
        return f"{self.width}x{self.height}.{self.suffix}"

    @property
    def src(self) -> str:
        """The address that browsers request."""
        return f"{self.folder}/{self.name}"

    @property
    def text(self) -> str:
        """The address with the focal point, as records store it."""
        is_central = (self.focus_x, self.focus_y) == (CENTRE, CENTRE)
        return self.src if is_central else f"{self.src}#{self.focus_x},{self.focus_y}"

    @property
    def webp_widths(self) -> tuple[int, ...]:
        """The widths of the WebP forms, the smallest first; empty for a vector drawing."""
        if self.suffix == VECTOR or self.is_scene:
            return ()
        return (*(width for width in WIDTHS if width < self.width), self.width)

    @property
    def srcset(self) -> str:
        """The WebP forms as the attribute `srcset`, or a scene's JPEG forms; empty for a vector drawing."""
        if self.is_scene:
            return self._list_scene_forms("jpg")
        return ", ".join(f"{self.folder}/{width}.webp {width}w" for width in self.webp_widths)

    @property
    def avif_srcset(self) -> str:
        """The AVIF forms of a scene as the attribute `srcset`; empty for any other picture."""
        return self._list_scene_forms("avif") if self.is_scene else ""

    def _list_scene_forms(self, suffix: str) -> str:
        heights = ((width, round(self.height * width / self.width)) for width in SCENE_WIDTHS)
        return ", ".join(f"{self.folder}/{width}x{height}.{suffix} {width}w" for width, height in heights)

    @property
    def share_src(self) -> str:
        """The address of the picture for messengers, 1200x630 pixels; empty for a vector drawing."""
        return "" if self.suffix == VECTOR else f"{self.folder}/{SHARE_FORM}"


def share_address_of(text: str) -> str:
    """Return the path of the picture for messengers of an address; empty if it has none."""
    address = parse_picture_address(text)
    return address.share_src if address else ""


def parse_picture_address(text: str) -> PictureAddress | None:
    """Return the parts of the address of an uploaded picture; None for any other text."""
    match = _ADDRESS.fullmatch(text)
    if match is None:
        return None
    folder, width, height, suffix, focus_x, focus_y = match.groups(default=str(CENTRE))
    address = PictureAddress(folder, int(width), int(height), suffix, int(focus_x), int(focus_y))
    fits = address.width <= LARGEST_WIDTH and address.height <= LARGEST_HEIGHT
    return address if fits and address.focus_x <= 100 and address.focus_y <= 100 else None
