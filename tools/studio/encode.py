"""Pictures for the web: AVIF and JPEG in two widths, and one for share previews."""

from io import BytesIO
from pathlib import Path

from PIL import Image

FOLDER = Path(__file__).parents[2] / "assets" / "photographs"
LIMITS = {960: 40 * 1024, 480: 18 * 1024}
"""Most bytes of an AVIF by its width."""
_SHARE = (1200, 630)


def encode(path: Path) -> None:
    """Write `assets/photographs/<scene>/` from a rendered PNG: `960x720.avif`, `.jpg`, the same at half size, `share.jpg`."""
    picture = Image.open(path).convert("RGB")
    folder = FOLDER / path.stem.replace("_", "-")
    folder.mkdir(parents=True, exist_ok=True)
    for width, limit in LIMITS.items():
        height = round(picture.height * width / picture.width)
        small = picture.resize((width, height), Image.Resampling.LANCZOS)
        (folder / f"{width}x{height}.avif").write_bytes(_press(small, "AVIF", limit, speed=6))
        (folder / f"{width}x{height}.jpg").write_bytes(
            _press(small, "JPEG", limit * 3 // 2, optimize=True, progressive=True)
        )
    width, height = _SHARE
    scaled = picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
    top = (scaled.height - height) // 2
    share = scaled.crop((0, top, width, top + height))
    (folder / "share.jpg").write_bytes(_press(share, "JPEG", 80 * 1024, optimize=True, progressive=True))


def _press(picture: Image.Image, kind: str, limit: int, **options: object) -> bytes:
    """Return the picture in the best of a few qualities that is within the limit."""
    for quality in (80, 72, 65, 58, 52, 46, 40, 34):
        file = BytesIO()
        picture.save(file, kind, quality=quality, **options)
        if file.tell() <= limit:
            break
    return file.getvalue()
