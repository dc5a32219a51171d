"""The cup of `ziwa_coffee`."""

from tools.studio.light import camera
from tools.studio.scenes import ziwa_coffee


def build() -> None:
    """Set the scene again, and move the camera."""
    ziwa_coffee.build()
    camera((-0.25, -0.52, 0.115), (-0.015, -0.06, 0.068), 88, 5.0, focus=(-0.06, -0.1, 0.06))
