"""How an event describes an edit."""

from agency_site.db.event_log import NOTE_LENGTH, describe_edit


def test_a_long_edit_is_shortened_but_no_part_of_an_e_mail_address_is_stored() -> None:
    address = f"{'a' * 60}@{'b' * 60}.example"
    before = {"message": "x" * 600, "email": address, "name": "Amina"}
    edit = describe_edit(before, {"message": "y" * 600, "email": "amina@example.com", "name": "Amina"})
    assert len(edit) <= NOTE_LENGTH
    assert "aaa" not in edit.replace(address, "")
    assert "email: " in edit
    assert "name" not in edit


def test_a_short_edit_is_stored_as_it_is() -> None:
    assert (
        describe_edit({"email": "a@b.example"}, {"email": "c@d.example"})
        == "email: a@b.example → c@d.example"
    )
