"""Pictures as staff may upload them, made here: photos with what cameras write into them, drawings, files that are none."""

from io import BytesIO
from typing import Any

from PIL import ExifTags, Image, ImageDraw

RED, BLUE = (220, 30, 30), (30, 30, 220)
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="#f63"/></svg>'


def two_colours(size: tuple[int, int] = (640, 360), mode: str = "RGB") -> Image.Image:
    """A picture whose left half is red, and whose right half is blue."""
    picture = Image.new("RGB", size, RED)
    ImageDraw.Draw(picture).rectangle((size[0] // 2, 0, *size), fill=BLUE)
    return picture.convert(mode)


def encoded(picture: Image.Image, format_name: str = "JPEG", **options: Any) -> bytes:
    """The picture as a file."""
    buffer = BytesIO()
    picture.save(buffer, format_name, **options)
    return buffer.getvalue()


def photo(size: tuple[int, int] = (640, 360), orientation: int = 1) -> bytes:
    """A JPEG with the metadata of a phone: place, model, comment, orientation."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    exif[ExifTags.Base.Model] = "SECRET-PHONE"
    exif.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitude] = (1.0, 17.0, 24.5)
    return encoded(two_colours(size), exif=exif, comment=b"SECRET-COMMENT", quality=95)


def decoded(body: bytes) -> Image.Image:
    """The picture in a file, decoded."""
    picture = Image.open(BytesIO(body))
    picture.load()
    return picture


def is_near(colour: Any, expected: tuple[int, int, int]) -> bool:
    """Return whether a pixel has a colour, but for what compression changes."""
    return all(abs(part - wanted) < 24 for part, wanted in zip(colour[:3], expected, strict=True))


def drawing(inside: str = "", attributes: str = 'viewBox="0 0 40 20"', before: str = "") -> bytes:
    """An SVG file with these elements inside of its root."""
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f"{before}<svg {names} {attributes}>{inside}</svg>".encode()
