"""Facts about a page for machines: JSON-LD in the prerendered HTML."""

import json
from collections.abc import Mapping

import reflex as rx


def structured(facts: Mapping[str, object]) -> rx.Component:
    """A script element that holds `facts` about a thing of schema.org; it runs nothing."""
    return rx.el.script(
        type="application/ld+json", custom_attrs={"dangerouslySetInnerHTML": {"__html": script_text(facts)}}
    )


def script_text(facts: Mapping[str, object]) -> str:
    """The JSON of `facts`, with no character that could end the script element or begin another."""
    told = json.dumps({"@context": "https://schema.org", **facts}, ensure_ascii=False)
    return told.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
