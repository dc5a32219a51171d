"""Texts of mails to customers that staff change: their placeholders, and that each mail takes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, EntryInvalid, Overlay, lay_over
from agency_site.content.mail_texts import MAIL_TEXTS, MailText, mail_text, write_words
from agency_site.content.published import previewed

TEXT = MailText(
    key="k", label="Mail", subject="Hello {name}", opening="{name}, {day}", placeholders=("name", "day")
)


def publish(key: str, subject: str, opening: str) -> dict[Kind, tuple[MailText, ...]]:
    fields = {"subject": subject, "opening": opening}
    return lay_over([Overlay(Kind.MAIL_TEXT, key, fields)])  # type: ignore[return-value]


@pytest.mark.parametrize("text", MAIL_TEXTS, ids=lambda text: text.key)
def test_delivered_words_contain_their_placeholders_and_fit_their_fields(text: MailText) -> None:
    definition = KINDS[Kind.MAIL_TEXT]
    assert (text.find_problem(text.subject), text.find_problem(text.opening)) == ("", "")
    assert definition.build(text.key, definition.fields_of(text)) == text
    assert text.fill(dict.fromkeys(text.placeholders, "x")).subject


def test_each_mail_has_its_own_key_and_label() -> None:
    assert (
        len({text.key for text in MAIL_TEXTS}) == len({text.label for text in MAIL_TEXTS}) == len(MAIL_TEXTS)
    )


@pytest.mark.parametrize(
    "attack",
    [
        "{name.__class__}", "{name.__class__.__mro__}", "{name[0]}", "{name!r}", "{name!s:>999}", "{name:>999999999}",
        "{name:{day}}", "{}", "{0}", "{ name }", "{name }", "{unknown}", "{__class__}", "{name.format}", "{day.year}",
    ],
)  # fmt: skip
def test_a_placeholder_that_is_no_plain_name_is_refused(attack: str) -> None:
    assert TEXT.find_problem(f"Dear {attack}").endswith("The known ones are: {name}, {day}.")


@pytest.mark.parametrize("text", ["{name", "name}", "{", "}", "{name!}", "{na{me}"])
def test_half_a_bracket_is_refused(text: str) -> None:
    assert TEXT.find_problem(text) != ""


@given(st.text(alphabet=st.sampled_from("{}!:.[]0 namedy_")), st.text(), st.text())
def test_an_accepted_text_shows_nothing_but_the_values(text: str, name: str, day: str) -> None:
    if TEXT.find_problem(text):
        return
    halves = text.replace("{{", "\0").replace("}}", "\1")
    expected = halves.replace("{name}", "\2").replace("{day}", "\3").replace("\0", "{").replace("\1", "}")
    values = {"name": name, "day": day}
    (subject, _) = TEXT.model_copy(update={"subject": text}).fill(values)
    if "{{" not in text and "}}" not in text:
        assert subject == "".join({"\2": name, "\3": day}.get(character, character) for character in expected)


def test_values_are_not_read_as_text_with_placeholders() -> None:
    assert TEXT.fill({"name": "{day} {0.__class__}", "day": "{name}"}).subject == "Hello {day} {0.__class__}"


def test_empty_lines_of_the_opening_separate_paragraphs() -> None:
    text = TEXT.model_copy(update={"opening": "One\ntwo {name}\r\n \r\n\n{day}"})
    assert text.fill({"name": "a\n\nb", "day": "c"}).opening == ("One\ntwo a\n\nb", "c")


def test_published_words_replace_the_delivered_ones_and_others_stay() -> None:
    with previewed(publish("booking-reminder", "See you at {time}", "Bring a question.")):
        assert write_words("booking-reminder", time="11:00") == ("See you at 11:00", ("Bring a question.",))
        assert mail_text("booking-moved") in MAIL_TEXTS
    assert write_words("booking-reminder", time="11:00").subject == "Reminder: your consultation at 11:00"


def test_an_unknown_placeholder_is_refused_at_its_field() -> None:
    with pytest.raises(EntryInvalid) as refused:
        KINDS[Kind.MAIL_TEXT].build("booking-reminder", {"subject": "{time}", "opening": "{time.year}"})
    assert list(refused.value.problems) == ["opening"]


def test_a_text_message_has_its_own_placeholders_and_only_some_mails_have_one() -> None:
    fields = {"subject": "x", "opening": "x", "text_message": "See {link} at {amount}"}
    with pytest.raises(EntryInvalid) as refused:
        KINDS[Kind.MAIL_TEXT].build("booking-reminder", fields)
    assert refused.value.problems == {
        "text_message": "This text has an unknown placeholder. "
        "The known ones are: {agency}, {time}, {link}, {reference}, {person}, {way}."
    }
    with pytest.raises(EntryInvalid, match="has no text message"):
        KINDS[Kind.MAIL_TEXT].build("comment-received", fields)
    emptied = KINDS[Kind.MAIL_TEXT].build("booking-reminder", fields | {"text_message": " "})
    assert isinstance(emptied, MailText)
    assert emptied.text_message == ""


def test_an_entry_that_was_stored_without_a_text_message_has_the_delivered_one() -> None:
    with previewed(publish("booking-reminder", "See you at {time}", "Bring a question.")):
        changed = mail_text("booking-reminder")
    assert changed.subject == "See you at {time}"
    assert changed.text_message.startswith("{agency}: your consultation is at {time}")


def test_a_stored_text_that_is_no_longer_valid_leaves_the_delivered_one() -> None:
    with previewed(publish("booking-reminder", "{secret}", "x")):
        assert mail_text("booking-reminder") in MAIL_TEXTS
    with previewed(publish("no-such-mail", "x", "x")):
        assert mail_text("booking-reminder") in MAIL_TEXTS
