"""The Resources page: where to read, watch and join in, and check-lists to take away (readings, 2)."""

from agency_site.content.schema import Link, Record, Slug


class CheckList(Record):
    """A short list that a reader can work through at once."""

    id: Slug
    title: str
    purpose: str
    items: tuple[str, ...]


BLOG = (
    "Long reads from the desk and the field: digital marketing, pictures that tell, e-mail, short films and telling the "
    "truth about your business."
)

VIDEO = (
    "Shop visits, screen recordings without the waffle, and every past webinar in full. New films most Fridays, in "
    "English with a good deal of Kiswahili."
)

NEWSLETTER = "One useful letter, every Wednesday: a case with its numbers and one thing to try by Friday."

CHECK_LISTS: tuple[CheckList, ...] = (
    CheckList(
        id="before-you-brief",
        title="Eight questions before you brief an agency",
        purpose="Fifteen minutes with these saves a week of meetings, with us or with anyone.",
        items=(
            "What should people do after they have seen it: call, visit, order, apply?",
            "Who decides here, and who has to be asked?",
            "Which customer would you like ten more of?",
            "What have you tried, and what did it cost?",
            "What may the work cost in total, tax included?",
            "Which date cannot move, and why?",
            "Who answers the phone when it works?",
            "How will you know in three months that it was worth it?",
        ),
    ),
    CheckList(
        id="ten-minute-website",
        title="The ten-minute website check",
        purpose="Take the oldest phone in the office, switch off the Wi-Fi and go through your own site.",
        items=(
            "Does the first screen say what you sell and where you are?",
            "Can you call with one press?",
            "Does it open before you have counted to five?",
            "Are the opening hours this year's?",
            "Does every form answer, and does somebody read what it sends?",
            "Is the till or paybill number where a buyer looks for it?",
            "Does the last post date from this quarter?",
        ),
    ),
    CheckList(
        id="before-an-advert",
        title="Before you pay for an advert",
        purpose="Five lines that keep a small budget from leaking.",
        items=(
            "One product, one place, one reason to act this week.",
            "A photograph that you took, not one that everybody has.",
            "A page or a chat that continues the advert's own sentence.",
            "A daily limit that you can lose without losing sleep.",
            "A note of today's calls and orders, to compare with next week's.",
        ),
    ),
)

MORE: tuple[tuple[Link, str], ...] = (
    (
        Link(label="Insights", href="/insights"),
        "Shorter pieces on what we see in Kenyan markets this season.",
    ),
    (
        Link(label="A first course", href="/digital-skills"),
        "Grow Your Business with Digital Skills: four weeks, two hours a week.",
    ),
    (
        Link(label="The portfolio", href="/portfolio"),
        "Finished work, category by category, to steal ideas from.",
    ),
    (Link(label="Half an hour with us", href="/book"), "Bring one question. You leave with a next step."),
)
