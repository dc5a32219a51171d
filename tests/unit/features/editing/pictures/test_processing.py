"""An uploaded file becomes a picture that contains nothing but its pixels, or is refused with words."""

import struct
import zlib
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms

from agency_site.errors import InputRejected
from agency_site.features.editing.pictures.forms import ProcessedPicture
from agency_site.features.editing.pictures.processing import process_picture, redraw_share_form
from agency_site.features.editing.pictures.rules import LARGEST_FILE, digest_of
from tests.pictures import BLUE, RED, decoded, drawing, encoded, is_near, photo, two_colours


async def process(content: bytes) -> ProcessedPicture:
    return await process_picture(content, digest_of(content))


def files(picture: ProcessedPicture) -> dict[str, bytes]:
    return {form.name: form.body for form in picture.forms}


async def refusal(content: bytes) -> str:
    with pytest.raises(InputRejected) as refused:
        await process(content)
    assert set(refused.value.by_field()) == {"picture"}
    return refused.value.message


async def test_a_photo_gets_three_widths_a_fallback_and_a_picture_for_messengers() -> None:
    picture = await process(photo((2400, 1350)))
    assert picture.address.src == f"/pictures/{picture.address.digest}/1600x900.jpg"
    sizes = {name: decoded(body).size for name, body in files(picture).items()}
    assert sizes == {
        "480.webp": (480, 270),
        "960.webp": (960, 540),
        "1600.webp": (1600, 900),
        "1600x900.jpg": (1600, 900),
        "share.jpg": (1200, 630),
    }
    assert {form.media_type for form in picture.forms} == {"image/webp", "image/jpeg"}


async def test_a_small_picture_is_never_enlarged() -> None:
    assert list(files(await process(photo((300, 200))))) == ["300.webp", "300x200.jpg", "share.jpg"]


async def test_a_picture_of_one_pixel_and_a_very_high_one_have_sizes() -> None:
    assert (await process(encoded(two_colours((1, 1)), "PNG"))).address.name == "1x1.jpg"
    assert (await process(encoded(two_colours((100, 9000)), "PNG"))).address.name == "44x4000.jpg"


@pytest.mark.parametrize("orientation", range(1, 9))
async def test_a_photo_is_turned_upright(orientation: int) -> None:
    """The camera stores the same scene turned, and says so: red must be on the left again."""
    stored = {
        1: [], 2: [Image.Transpose.FLIP_LEFT_RIGHT], 3: [Image.Transpose.ROTATE_180], 4: [Image.Transpose.FLIP_TOP_BOTTOM],
        5: [Image.Transpose.TRANSPOSE], 6: [Image.Transpose.ROTATE_90], 7: [Image.Transpose.TRANSVERSE],
        8: [Image.Transpose.ROTATE_270],
    }[orientation]  # fmt: skip
    scene = two_colours((2000, 1000))
    for operation in stored:
        scene = scene.transpose(operation)
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = await process(encoded(scene, exif=exif, quality=95))
    decoded_form = decoded(files(picture)[picture.address.name])
    assert decoded_form.size == (1600, 800)
    assert is_near(decoded_form.getpixel((100, 400)), RED)
    assert is_near(decoded_form.getpixel((1500, 400)), BLUE)


async def test_place_model_comment_and_profile_are_removed_from_every_file() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    plain = photo()
    assert b"SECRET-PHONE" in plain
    assert b"SECRET-COMMENT" in plain
    with_profile = encoded(
        decoded(plain), "PNG", icc_profile=profile, exif=decoded(plain).getexif(), dpi=(300, 300)
    )
    for content in (plain, with_profile):
        for body in files(await process(content)).values():
            image = decoded(body)
            assert dict(image.getexif()) == {}
            assert {"exif", "icc_profile", "comment", "xmp", "dpi"} & set(image.info) == set()
            assert b"SECRET" not in body


async def test_colours_of_another_space_become_those_of_the_web() -> None:
    lab_like = two_colours().convert("CMYK")
    picture = await process(encoded(lab_like))
    decoded_form = decoded(files(picture)[picture.address.name])
    assert decoded_form.mode == "RGB"
    assert is_near(decoded_form.getpixel((20, 20)), RED)


async def test_a_damaged_profile_is_ignored() -> None:
    picture = await process(encoded(two_colours(), "PNG", icc_profile=b"no profile"))
    assert is_near(decoded(files(picture)[picture.address.name]).getpixel((20, 20)), RED)


@pytest.mark.parametrize("mode", ["L", "P", "1", "I;16"])
async def test_grey_and_indexed_pictures_are_accepted(mode: str) -> None:
    bright = (
        Image.new("I;16", (60, 40), 60_000) if mode == "I;16" else Image.new("L", (60, 40), 255).convert(mode)
    )
    picture = await process(encoded(bright, "PNG"))
    decoded_form = decoded(files(picture)[picture.address.name])
    assert (decoded_form.mode, decoded_form.size) == ("RGB", (60, 40))
    assert decoded_form.getpixel((30, 20))[0] > 200  # type: ignore[index]


async def test_transparent_parts_stay_transparent_and_are_white_for_messengers() -> None:
    clear = Image.new("RGBA", (600, 400), (0, 0, 0, 0))
    clear.paste((*RED, 255), (0, 0, 100, 400))
    picture = await process(encoded(clear, "PNG"))
    assert picture.address.suffix == "png"
    for name in (picture.address.name, "600.webp"):
        decoded_form = decoded(files(picture)[name]).convert("RGBA")
        assert decoded_form.getpixel((500, 200))[3] == 0  # type: ignore[index]
        assert is_near(decoded_form.getpixel((20, 200)), RED)
    assert is_near(decoded(files(picture)["share.jpg"]).getpixel((1100, 300)), (255, 255, 255))


async def test_a_picture_with_an_unused_alpha_channel_is_a_photo() -> None:
    assert (await process(encoded(two_colours(mode="RGBA"), "PNG"))).address.suffix == "jpg"


@pytest.mark.parametrize("format_name", ["JPEG", "PNG", "WEBP", "AVIF", "MPO"])
async def test_the_type_comes_from_the_content(format_name: str) -> None:
    assert (await process(encoded(two_colours(), format_name))).address.name == "640x360.jpg"


async def test_a_photo_with_a_preview_behind_it_is_no_animation() -> None:
    content = encoded(two_colours(), "MPO", save_all=True, append_images=[two_colours((160, 90))])
    assert (await process(content)).address.name == "640x360.jpg"


@pytest.mark.parametrize("format_name", ["PNG", "WEBP", "AVIF"])
async def test_an_animation_is_refused(format_name: str) -> None:
    frames = [Image.new("RGB", (40, 40), RED), Image.new("RGB", (40, 40), BLUE)]
    content = encoded(frames[0], format_name, save_all=True, append_images=frames[1:])
    assert "Animated" in await refusal(content)


@pytest.mark.parametrize(
    "content",
    [
        b"GIF89a" + b"\0" * 40, encoded(two_colours(), "BMP"), encoded(two_colours(), "TIFF"), encoded(two_colours(), "GIF"),
        b"%PDF-1.7 ...", b"MZ\x90\x00", b"\x00", b"plain words", b"<html><script>alert(1)</script></html>",
    ],
)  # fmt: skip
async def test_files_of_other_types_are_refused(content: bytes) -> None:
    message = await refusal(content)
    assert "not a picture that we can show" in message or "could not be read" in message


async def test_an_empty_file_and_one_above_the_limit_are_refused() -> None:
    assert await refusal(b"") == "This file is empty. Please choose another one, or save it again."
    for brand in (b"heic", b"mif1"):
        assert "HEIC, the format of iPhones" in await refusal(b"\0\0\0\x18ftyp" + brand + b"\0" * 60)
    assert "larger than 15 MB" in await refusal(b"x" * (LARGEST_FILE + 1))


@pytest.mark.parametrize("format_name", ["JPEG", "PNG", "WEBP", "AVIF"])
async def test_a_damaged_file_is_refused(format_name: str) -> None:
    content = encoded(two_colours(), format_name)
    message = await refusal(content[: len(content) // 2])
    assert "could not be read" in message or "not a picture that we can show" in message


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes that claims to have this size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("sides", [(7072, 7072), (30_000, 30_000), (2**31 - 1, 2**31 - 1), (50_000_001, 1)])
async def test_a_decompression_bomb_is_refused_before_it_is_decoded(sides: tuple[int, int]) -> None:
    message = await refusal(bomb(*sides))
    assert "million" in message


async def test_the_largest_number_of_pixels_is_accepted() -> None:
    content = encoded(Image.new("L", (10_000, 5_000), 200))
    assert (await process(content)).address.name == "1600x800.jpg"


async def test_the_focal_point_decides_what_messengers_see() -> None:
    content = photo((1600, 400))
    picture = await process(content)
    largest = files(picture)["1600.webp"]
    left, right = [decoded((await redraw_share_form(largest, x, 50)).body) for x in (0, 100)]
    assert left.size == right.size == (1200, 630)
    assert is_near(left.getpixel((600, 300)), RED)
    assert is_near(right.getpixel((600, 300)), BLUE)


async def test_the_same_file_is_the_same_picture() -> None:
    assert (await process(photo())).address.digest == (await process(photo())).address.digest
    assert digest_of(photo()) != digest_of(photo((641, 360)))


@given(st.integers(0, 2000), st.binary(min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
async def test_no_damaged_file_raises_anything_but_words(position: int, noise: bytes) -> None:
    content = bytearray(encoded(two_colours((64, 64)), "PNG" if position % 2 else "JPEG"))
    position %= len(content)
    content[position : position + len(noise)] = noise
    picture = None
    with suppress(InputRejected):
        picture = await process(bytes(content))
    assert picture is None or all(decoded(form.body) for form in picture.forms)


async def test_a_drawing_is_stored_as_a_drawing() -> None:
    picture = await process(b"\xef\xbb\xbf\n" + drawing('<path d="M0 0h40v20z"/>'))
    assert picture.address.name == "40x20.svg"
    assert [form.media_type for form in picture.forms] == ["image/svg+xml"]
    assert picture.forms[0].body.startswith(b"<svg")
