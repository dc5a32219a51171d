"""The menu of `pamoja_sacco` on a phone with keys."""

from tools.studio.light import camera
from tools.studio.scenes import pamoja_sacco


def build() -> None:
    """Set the scene again, and move the camera."""
    pamoja_sacco.build()
    camera((0.25, -0.52, 0.13), (0.075, -0.04, 0.075), 105, 4.5, focus=(0.078, -0.05, 0.08))
