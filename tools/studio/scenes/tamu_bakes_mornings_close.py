"""The tray of `tamu_bakes_mornings` before its oven."""

from tools.studio.light import camera
from tools.studio.scenes import tamu_bakes_mornings


def build() -> None:
    """Set the scene again, and move the camera."""
    tamu_bakes_mornings.build()
    camera((0.06, -0.42, 0.19), (0.13, 0.27, 0.07), 61, 4.0, focus=(0.11, 0.2, 0.03))
