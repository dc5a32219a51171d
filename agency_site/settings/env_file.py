"""The settings as lines of an env file."""

from pydantic import AliasChoices, SecretStr

from agency_site.settings.site import ROOT
from agency_site.settings.whole import Settings


def variable(name: str) -> str:
    """The environment variable of the setting `name`."""
    alias = Settings.model_fields[name].validation_alias
    return str(alias.choices[0]) if isinstance(alias, AliasChoices) else f"AGENCY_{name.upper()}"


def example() -> str:
    """The text of `.env.example`: every setting with its meaning and default."""
    lines = [
        "# Every setting with its default, which serves a laptop. Copy to .env and change what you need,",
        "# or set the same names in the environment, which wins.",
    ]
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, SecretStr):
            default = default.get_secret_value()
        shown = ",".join(default) if isinstance(default, tuple) else str(default).replace(f"{ROOT}/", "")
        shown = shown.lower() if isinstance(default, bool) else shown
        lines += [
            "",
            f"# {field.description}",
            f"{variable(name)}={shown}",
        ]
    return "\n".join([*lines, ""])
