"""The stethoscope of `afya_plus` before the day's list."""

from tools.studio.light import camera
from tools.studio.scenes import afya_plus


def build() -> None:
    """Set the scene again, and move the camera."""
    afya_plus.build()
    camera((-0.34, -0.64, 0.22), (-0.075, -0.06, 0.068), 64, 5.6, focus=(-0.12, -0.11, 0.02))
