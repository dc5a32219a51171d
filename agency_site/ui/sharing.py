"""Sharing a page: the browser's own share sheet, or plain links."""

from urllib.parse import quote

import reflex as rx

from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.ui.elements import outside_link
from agency_site.ui.icon import icon


class _Sharing(rx.Component):
    library = "$/agency_site/ui/sharing.jsx"


class ShareMenu(_Sharing):
    """A disclosure of links; its summary opens the browser's share sheet if there is one."""

    tag = "ShareMenu"
    title: rx.Var[str]
    text: rx.Var[str]
    path: rx.Var[str]
    summary: rx.Var[rx.Component]


class CopyButton(_Sharing):
    """A button that copies `text`, or the address of `path`, and confirms it; its children are shown before its label."""

    tag = "CopyButton"
    text: rx.Var[str]
    path: rx.Var[str]
    label: rx.Var[str]
    done: rx.Var[str] = rx.Var.create("Copied")


def share_menu(label: str, title: str, text: str, path: str) -> rx.Component:
    """A control that shares the page at `path`."""
    return ShareMenu.create(
        rx.el.ul(
            *(
                rx.el.li(outside_link(name, href=href, class_name="share-link"))
                for name, href in _share_links(title, path).items()
            ),
            rx.el.li(
                CopyButton.create(path=path, label="Copy link", done="Link copied", class_name="share-link")
            ),
            class_name="share-list",
        ),
        title=title,
        text=text,
        path=path,
        summary=rx.fragment(icon("share", size=20), label),
        class_name="share-menu",
    )


def _share_links(title: str, path: str) -> dict[str, str]:
    """Return the addresses that share the page at `path`, by name of the network."""
    # Slashes and colons are not escaped: publishing has to find the placeholder to replace it by the site's address.
    address = quote(f"{PLACEHOLDER_ORIGIN}{path}", safe=":/")
    text = quote(title)
    return {
        "WhatsApp": f"https://wa.me/?text={text}%20{address}",
        "Facebook": f"https://www.facebook.com/sharer/sharer.php?u={address}",
        "X": f"https://twitter.com/intent/tweet?text={text}&url={address}",
        "LinkedIn": f"https://www.linkedin.com/sharing/share-offsite/?url={address}",
        "E-mail": f"mailto:?subject={text}&body={address}",
    }
