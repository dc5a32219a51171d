"""The bunch of `maua_market`, ready for its buyer."""

from tools.studio.light import camera
from tools.studio.scenes import maua_market


def build() -> None:
    """Set the scene again, and move the camera."""
    maua_market.build()
    camera((-0.3, -0.75, 0.2), (-0.115, -0.05, 0.085), 80, 4.5, focus=(-0.17, -0.09, 0.05))
