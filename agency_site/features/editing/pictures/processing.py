"""Decodes an uploaded file, and draws the forms in which the site serves it. Nothing but the pixels is kept of a photo.

Files are untrusted: the type comes from the content, sizes are checked before anything is decoded, and one file at a time is
decoded in each process, because 50 million pixels take 200 MB of memory.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from io import BytesIO
from typing import Any

from PIL import ExifTags, Image, ImageCms, ImageOps, UnidentifiedImageError

from agency_site.errors import InputRejected
from agency_site.features.editing.pictures.drawings import is_drawing, process_drawing
from agency_site.features.editing.pictures.forms import PictureForm, ProcessedPicture
from agency_site.features.editing.pictures.rules import (
    MOST_PIXELS,
    SHARE_SIZE,
    fit_size,
    picture_problem,
    require_accepted_length,
    require_accepted_pixels,
)
from agency_site.picture_addresses import CENTRE, PICTURES, SHARE_FORM, PictureAddress

log = logging.getLogger(__name__)

_FORMATS = ("JPEG", "PNG", "WEBP", "AVIF")
_WITH_PREVIEWS = "MPO"
"""A JPEG of a phone with further pictures behind the first one, such as a smaller copy. It is no animation."""
_WEBP: dict[str, Any] = {"quality": 78, "method": 4}
_JPEG: dict[str, Any] = {"quality": 82, "progressive": True, "optimize": True}
_COLOURS_OF_PNG = 256
"""The PNG form is for browsers that do not show WebP: with all colours it would have megabytes."""
_WHITE = (255, 255, 255)
_UPRIGHT: dict[int, Image.Transpose] = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""The operation that turns a picture upright, by its orientation in EXIF."""
_ON_ITS_SIDE = frozenset({5, 6, 7, 8})
"""Orientations whose width becomes the height."""
_UNREADABLE = "This file could not be read as a picture. It may be damaged: please save it again and retry."
_UNKNOWN = "This is not a picture that we can show. Please choose a JPEG, PNG, WebP, AVIF or SVG file."

Image.MAX_IMAGE_PIXELS = MOST_PIXELS
_decoder = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pictures")


async def process_picture(content: bytes, digest: str) -> ProcessedPicture:
    """Return the forms of an uploaded file. Raises InputRejected with words for staff."""
    require_accepted_length(content)
    process: Callable[[bytes, str], ProcessedPicture] = (
        process_drawing if is_drawing(content) else _process_photo
    )
    return await asyncio.get_running_loop().run_in_executor(_decoder, process, content, digest)


async def redraw_share_form(largest_form: bytes, focus_x: int, focus_y: int) -> PictureForm:
    """Return the picture for messengers, cropped around another focal point, from the largest WebP form."""
    # Not behind uploads: a transaction waits for it, and the form has a limited size.
    return await asyncio.to_thread(_redraw_share_form, largest_form, focus_x, focus_y)


def _redraw_share_form(largest_form: bytes, focus_x: int, focus_y: int) -> PictureForm:
    with Image.open(BytesIO(largest_form), formats=("WEBP",)) as image:
        return _share_form(image, focus_x, focus_y)


def _process_photo(content: bytes, digest: str) -> ProcessedPicture:
    with _explained():
        _check_file(content)
        with _open_file(content) as file:
            picture = _draw_largest(file)
        suffix = "png" if picture.mode == "RGBA" else "jpg"
        address = PictureAddress(PICTURES + digest, *picture.size, suffix)
        return ProcessedPicture(address, tuple(_draw_forms(picture, address)))


@contextmanager
def _explained() -> Iterator[None]:
    """Raise InputRejected instead of the errors of the decoders, which are of any type."""
    try:
        yield
    except InputRejected:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise picture_problem(
            f"This picture has more than {MOST_PIXELS // 1_000_000} million pixels. Please make it smaller first."
        ) from None
    except UnidentifiedImageError:
        raise picture_problem(_UNKNOWN) from None
    except Exception as error:
        log.info("an uploaded picture was refused, because it could not be decoded: %r", error)
        raise picture_problem(_UNREADABLE) from None


def _open_file(content: bytes) -> Image.Image:
    return Image.open(BytesIO(content), formats=_FORMATS)


def _check_file(content: bytes) -> None:
    with _open_file(content) as file:
        require_accepted_pixels(*file.size)
        if file.format != _WITH_PREVIEWS and getattr(file, "is_animated", False):
            raise picture_problem("Animated pictures cannot be used. Please choose a still picture.")
        file.verify()


def _draw_largest(file: Image.Image) -> Image.Image:
    """Return the picture upright, in sRGB and in the size of its largest form, without anything beside its pixels."""
    orientation, (width, height) = _read_orientation(file), file.size
    if orientation in _ON_ITS_SIDE:
        upright_width, upright_height = fit_size(height, width)
        size = (upright_height, upright_width)
    else:
        size = fit_size(width, height)
    # A large JPEG is decoded at a half, a quarter or an eighth of its size.
    file.draft(None, size)
    profile = file.info.get("icc_profile")
    picture = _with_plain_mode(file).resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)
    if orientation in _UPRIGHT:
        picture = picture.transpose(_UPRIGHT[orientation])
    picture = _in_srgb(picture, profile)
    # Pillow writes some of this into new files: comments, colour profiles, resolutions.
    picture.info = {}
    return picture


def _read_orientation(file: Image.Image) -> int:
    with suppress(Exception):
        return int(file.getexif().get(ExifTags.Base.Orientation, 1))
    return 1


def _with_plain_mode(file: Image.Image) -> Image.Image:
    """Return the picture in mode RGB, RGBA, L or CMYK."""
    if file.has_transparency_data:
        picture = file.convert("RGBA")
        lowest, _ = picture.getchannel("A").getextrema()
        return picture if lowest != 255 else picture.convert("RGB")
    if file.mode.startswith("I"):
        # 16 bits per pixel.
        return file.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    file.load()
    return file if file.mode in {"RGB", "L", "CMYK"} else file.convert("RGB")


def _in_srgb(picture: Image.Image, profile: bytes | None) -> Image.Image:
    mode = "RGBA" if picture.mode == "RGBA" else "RGB"
    colours = picture.convert("RGB") if mode == "RGBA" else picture
    if profile:
        # A profile that does not fit, or is damaged, is ignored, as browsers do.
        with suppress(ImageCms.PyCMSError, OSError, ValueError, TypeError):
            source, target = ImageCms.ImageCmsProfile(BytesIO(profile)), ImageCms.createProfile("sRGB")
            converted = ImageCms.profileToProfile(colours, source, target, outputMode="RGB")
            colours = converted if converted is not None else colours
    colours = colours.convert("RGB")
    if mode == "RGBA":
        colours.putalpha(picture.getchannel("A"))
    return colours


def _draw_forms(picture: Image.Image, address: PictureAddress) -> Iterator[PictureForm]:
    for width in address.webp_widths:
        height = max(1, round(address.height * width / address.width))
        scaled = (
            picture if width == address.width else picture.resize((width, height), Image.Resampling.LANCZOS)
        )
        yield PictureForm(f"{width}.webp", "image/webp", _encode(scaled, "WEBP", _WEBP))
    if address.suffix == "png":
        plain = picture.quantize(_COLOURS_OF_PNG, Image.Quantize.FASTOCTREE)
        yield PictureForm(address.name, "image/png", _encode(plain, "PNG", {"optimize": True}))
    else:
        yield PictureForm(address.name, "image/jpeg", _encode(picture, "JPEG", _JPEG))
    yield _share_form(picture, CENTRE, CENTRE)


def _share_form(picture: Image.Image, focus_x: int, focus_y: int) -> PictureForm:
    centering = (focus_x / 100, focus_y / 100)
    cropped = ImageOps.fit(picture, SHARE_SIZE, Image.Resampling.LANCZOS, centering=centering)
    if cropped.mode == "RGBA":
        opaque = Image.new("RGB", SHARE_SIZE, _WHITE)
        opaque.paste(cropped, mask=cropped.getchannel("A"))
        cropped = opaque
    return PictureForm(SHARE_FORM, "image/jpeg", _encode(cropped, "JPEG", _JPEG))


def _encode(picture: Image.Image, format_name: str, options: dict[str, Any]) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, format_name, **options)
    return buffer.getvalue()
