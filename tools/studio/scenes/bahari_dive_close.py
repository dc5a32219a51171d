"""The mask and the cowries of `bahari_dive`."""

from tools.studio.light import camera
from tools.studio.scenes import bahari_dive


def build() -> None:
    """Set the scene again, and move the camera."""
    bahari_dive.build()
    camera((-0.2, -0.58, 0.13), (-0.082, -0.02, 0.034), 86, 4.5, focus=(-0.1, -0.03, 0.03))
