"""What is read of a stored entry."""

import pytest

from agency_site.clock import now
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS
from agency_site.content.portfolio import PROJECTS
from agency_site.features.editing.entries.records import read_entry
from agency_site.features.editing.entries.tables import ContentEntry

PROJECT = PROJECTS[0]
DELIVERED = KINDS[Kind.PROJECT].fields_of(PROJECT)
LOST = {"image": "/images/portfolio/of-an-earlier-release.svg#30,60", "alt": "What it had."}
UPLOADED = {"image": "/pictures/0123456789abcdef/1600x900.jpg", "alt": "A photograph."}


def read(slug: str, document: dict[str, str]) -> dict[str, str]:
    row = ContentEntry(
        kind=Kind.PROJECT, slug=slug, title="A project", document=document, published_document=document,
        editor="editor@example.com", created_at=now(), updated_at=now(),
    )  # fmt: skip
    entry = read_entry(row)
    assert entry.published_fields == entry.fields
    return dict(entry.fields)


@pytest.mark.parametrize(
    ("stored", "picture"),
    [
        (LOST, {"image": PROJECT.image, "alt": PROJECT.alt}),
        (UPLOADED, UPLOADED),
        ({"detail": "", "detail_alt": ""}, {"detail": "", "detail_alt": ""}),
    ],
)
def test_a_picture_that_is_delivered_no_longer_is_the_one_that_is(
    stored: dict[str, str], picture: dict[str, str]
) -> None:
    fields = read(PROJECT.id, {"story": "What staff have written.", **stored})
    assert fields == {**DELIVERED, "story": "What staff have written.", **picture}


def test_a_record_that_staff_have_added_keeps_what_it_has() -> None:
    assert read("of-staff", LOST) == LOST


def test_a_picture_that_was_never_published_stays_in_the_draft() -> None:
    row = ContentEntry(
        kind=Kind.PROJECT, slug=PROJECT.id, title="A project", document=LOST, published_document=None,
        editor="editor@example.com", created_at=now(), updated_at=now(),
    )  # fmt: skip
    entry = read_entry(row)
    assert (entry.fields["image"], entry.published_fields) == (LOST["image"], DELIVERED)
