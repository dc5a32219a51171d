"""The bolts and nails of `baraka_hardware`."""

from tools.studio.light import camera
from tools.studio.scenes import baraka_hardware


def build() -> None:
    """Set the scene again, and move the camera."""
    baraka_hardware.build()
    camera((-0.28, -0.6, 0.17), (-0.08, 0.03, 0.062), 105, 4.0, focus=(-0.083, -0.03, 0.05))
