"""The pencils and the composition book of `nyota_school`."""

from tools.studio.light import camera
from tools.studio.scenes import nyota_school


def build() -> None:
    """Set the scene again, and move the camera."""
    nyota_school.build()
    camera((-0.22, -0.76, 0.26), (-0.085, -0.1, 0.066), 72, 4.5, focus=(-0.12, -0.12, 0.05))
