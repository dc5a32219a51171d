"""The lorry of `mizigo_desk`."""

from tools.studio.light import camera
from tools.studio.scenes import mizigo_desk


def build() -> None:
    """Set the scene again, and move the camera."""
    mizigo_desk.build()
    camera((0.3, -0.64, 0.12), (0.105, -0.11, 0.04), 70, 4.5, focus=(0.12, -0.15, 0.03))
