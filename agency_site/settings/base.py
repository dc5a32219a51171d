"""The base of all groups of settings."""

from typing import Any

from pydantic import BaseModel, ConfigDict


class SettingsBase(BaseModel):
    """Settings of one subject. A field is described by `description`, or below it where that takes a line of its own."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    @classmethod
    def __pydantic_init_subclass__(cls, **_options: Any) -> None:
        """Put each description on one line."""
        for field in cls.model_fields.values():
            field.description = " ".join((field.description or "").split())
