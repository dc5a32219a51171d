"""The newsletter page: facts, benefits, recent issues and questions (specification, sections 2 and 9)."""

from datetime import date, timedelta

from agency_site.clock import format_date, today
from agency_site.content.schema import Benefit, Question, Record, Slug


class Interest(Record):
    """A topic that a subscriber can choose."""

    name: str
    """The stored value."""
    label: str
    chosen: bool
    """Ticked by default."""


class Issue(Record):
    """A sent issue with its points for the page."""

    id: Slug
    number: int
    sent: date
    title: str
    summary: str
    points: tuple[str, ...]
    text: str = ""
    """The whole issue in Markdown, for the archive; empty if it is not archived."""

    @property
    def href(self) -> str:
        """The path of the issue in the archive."""
        return f"/newsletter/{self.id}"

    @property
    def day(self) -> str:
        """The date, such as `18 November 2026`."""
        return format_date(self.sent)


CONSENT = "I agree that you send me this newsletter by e-mail. I can leave at any time."
"""The text of the consent, which is stored with every consent."""

INTERESTS: tuple[Interest, ...] = (
    Interest(name="marketing", label="Marketing", chosen=True),
    Interest(name="seo", label="SEO", chosen=False),
    Interest(name="social", label="Social media", chosen=False),
    Interest(name="email", label="Email marketing", chosen=False),
    Interest(name="analytics", label="Analytics", chosen=False),
)

FACTS: tuple[tuple[str, str], ...] = (
    ("Wednesdays", "Sent weekly, before the ten o'clock tea"),
    ("Free", "No paid tier, no sponsor's letter in between"),
    ("One click", "An unsubscribe link in each issue"),
)

BENEFITS: tuple[Benefit, ...] = (
    Benefit(
        title="One thing to try by Friday",
        text="A small experiment with the steps, the cost in shillings and how to tell whether it worked.",
    ),
    Benefit(
        title="A Kenyan case, with its numbers",
        text=(
            "A hardware shop in Thika, a dental clinic in Nakuru: what they spent, what came back, what they "
            "would not do again."
        ),
    ),
    Benefit(
        title="What changed this week",
        text="New rules from Google, Meta and the regulator in three lines each, and whether they concern you at all.",
    ),
    Benefit(
        title="First word on courses and webinars",
        text="Readers hear of new dates two days before the website does. Small classes fill quickly.",
    ),
)

ISSUES: tuple[Issue, ...] = (
    Issue(
        id="issue-96",
        number=96,
        sent=date(2026, 11, 18),
        title="The December offer nobody asked for",
        summary="Why a bakery in Kilimani dropped its twenty per cent and sold more boxes.",
        points=(
            (
                "The bakery asked forty regulars what they wanted last December. Not one said a discount; most said a "
                "fixed delivery hour."
            ),
            "It sold three two-hour delivery windows instead, at full price, and put the booking link in its WhatsApp status.",
            "Try by Friday: ask ten customers one question, and write down the words they use.",
        ),
        text="""\
In October last year a bakery in Kilimani had its December offer ready: twenty per cent off every fruit cake, on a
poster with a red ribbon. Before she paid the printer, the owner asked forty of her regulars one question. *What would make
December easier for you?*

Not one of them said a discount.

## What they said instead

Most of them, 27 of 40, talked about the same thing: they never know when the rider comes. They stay home on a Saturday,
they send a cousin to the gate, they miss the cake and find it at the neighbour's. A fixed hour was worth more to them
than KES 400.

So she dropped the poster and sold three delivery windows: 8:00 to 10:00, 12:00 to 14:00 and
16:00 to 18:00. Full price. Twelve boxes to a
window, because that is what one boda boda carries with care. The booking link went into her WhatsApp status, and nowhere
else.

| The count | December 2024 | December 2025, with windows |
|---|---|---|
| Boxes sold | 212 | 268 |
| Price of a box | KES 1,600 | KES 2,000 |
| Calls to ask "where is it?" | every day | four in all |

## What she would not do again

The 16:00 to 18:00 window on a Friday. Ngong Road does not care what the box costs.

## Try by Friday

Ask ten customers one question about the month ahead, and write down the words they use. Not what you think they mean:
the words. If seven of the ten say the same thing, you have your offer. If they do not,
[book half an hour with us](/book) and bring the sheet.
""",
    ),
    Issue(
        id="issue-95",
        number=95,
        sent=date(2026, 11, 11),
        title="Your till number is a headline",
        summary="Where to print it, how large, and what to write beside it.",
        points=(
            "People who are ready to pay scan for the till number first. On most posters it is the smallest line.",
            "A petrol station in Naivasha moved it above the logo and halved the questions at the counter.",
            "Try by Friday: read your own poster from four metres and see what is left.",
        ),
        text="""\
Somebody at your counter with a phone in their hand has decided. All they want now is a number. On most posters we
photographed last month, in Naivasha, Thika and along Moi Avenue, that number was the smallest line.

## A petrol station that moved one line

The station had its logo on top, a slogan in the middle, and the till number under the fire exit sign. The attendants
answered "till ngapi?" some ninety times a day. We moved the number above the logo, set it as large as the pump prices,
and wrote the name that M-Pesa shows beside it, because people check it before they enter the PIN.

A week later the attendants counted again: 41 questions a day. Nobody missed the slogan.

## How large is large enough

Stand where the customer stands. A line can be read comfortably when its figures are a two-hundredth of that distance
tall: two centimetres at four metres. Double it for a counter that is badly lit.

1. The number first, in groups of three.
2. The name that the phone will show.
3. Your logo, if there is room.

## Try by Friday

Read your own poster from four metres and see what is left. There is more in
[What a till number teaches](/insights/what-a-till-number-teaches).
""",
    ),
    Issue(
        id="issue-94",
        number=94,
        sent=date(2026, 11, 4),
        title="Reviews, without begging",
        summary="The sentence that a clinic in Nakuru sends one hour after the visit.",
        points=(
            "Ask when the relief is fresh: an hour after the visit, by SMS, with one link and no rating suggested.",
            "Answer the bad review first, in two sentences, with a name and a number to call.",
            "Try by Friday: answer the three oldest reviews on your profile.",
        ),
    ),
    Issue(
        id="issue-93",
        number=93,
        sent=date(2026, 10, 28),
        title="A budget of KES 300 a day",
        summary="What a boda boda spares shop in Eldoret learned from its first two weeks of adverts.",
        points=(
            "One product, one radius of seven kilometres, one photograph taken by hand in daylight.",
            "Calls cost KES 41 each; half came between five and seven in the evening, so the adverts now run only then.",
            "Try by Friday: note the hour of every call for a week before you pay for the next advert.",
        ),
    ),
)

QUESTIONS: tuple[Question, ...] = (
    Question(
        question="How often will you write to me?",
        answer="Once a week, on Wednesdays. If there is nothing worth saying we say that in two lines and let you get on.",
    ),
    Question(
        question="What does it cost?",
        answer="Nothing. The newsletter is free, and it stays free.",
    ),
    Question(
        question="How do I unsubscribe?",
        answer=(
            "Every issue has an unsubscribe link at its foot. One click and you are unsubscribed; we won't "
            "ask why."
        ),
    ),
    Question(
        question="What do you do with my address?",
        answer=(
            "We keep it, with the interests you ticked and the moment you agreed, to send you the newsletter. We do "
            "not sell it, lend it or add it to other lists."
        ),
    ),
    Question(
        question="Can I change my interests later?",
        answer=(
            "Yes. Every issue has a link to them at its foot. Or subscribe again with the same address and other "
            "interests: once you have confirmed it, the newer choice replaces the older one."
        ),
    ),
)

_A_WEEK_AND_A_DAY = timedelta(days=8)


def warnings() -> tuple[str, ...]:
    """Return a warning for the owner if the newest issue is older than the newsletter promises."""
    newest = max(issue.sent for issue in ISSUES)
    late = f"ISSUES: the newest is of {format_date(newest)}, and the page promises one a week. Staff may have sent newer ones."
    return (late,) if today() - newest > _A_WEEK_AND_A_DAY else ()
