"""The lantern and the mug of `mara_lodge`, the rates beside them."""

from tools.studio.light import camera
from tools.studio.scenes import mara_lodge


def build() -> None:
    """Set the scene again, and move the camera."""
    mara_lodge.build()
    camera((-0.02, -0.84, 0.2), (-0.145, 0.03, 0.092), 86, 4.5, focus=(-0.155, 0.05, 0.1))
