"""The seats of `safiri_shuttle`."""

from tools.studio.light import camera
from tools.studio.scenes import safiri_shuttle


def build() -> None:
    """Set the scene again, and move the camera."""
    safiri_shuttle.build()
    camera((-0.16, -0.48, 0.16), (0.075, -0.12, 0.122), 76, 2.8, focus=(0.055, -0.135, 0.12))
