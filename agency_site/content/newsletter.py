"""The newsletter page: facts, benefits, recent issues and questions (specification, sections 2 and 9)."""

from datetime import date

from agency_site.content.schema import Record, Slug


class Interest(Record):
    """Something a subscriber may want to read about."""

    name: str
    """As it is stored."""
    label: str
    chosen: bool
    """Ticked at first."""


class Benefit(Record):
    """What the letter brings."""

    title: str
    text: str


class Issue(Record):
    """A letter that went out; its points are readable on the page."""

    id: Slug
    number: int
    sent: date
    title: str
    summary: str
    points: tuple[str, ...]

    @property
    def day(self) -> str:
        """The date, such as `18 November 2026`."""
        return f"{self.sent.day} {self.sent:%B %Y}"


class Question(Record):
    """A question and its answer."""

    question: str
    answer: str


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
                "The bakery asked forty regulars what they wanted in December. Not one said a discount; most said a "
                "fixed delivery hour."
            ),
            "It sold three two-hour delivery windows instead, at full price, and put the booking link in its WhatsApp status.",
            "Try by Friday: ask ten customers one question, and write down the words they use.",
        ),
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
        title="A budget of 300 shillings a day",
        summary="What a boda boda spares shop in Eldoret learnt from its first two weeks of adverts.",
        points=(
            "One product, one radius of seven kilometres, one photograph taken by hand in daylight.",
            "Calls cost 41 shillings each; half came between five and seven in the evening, so the adverts now run only then.",
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
            "Every issue carries an unsubscribe link at its foot. One press and you are off the list; nobody "
            "rings you to ask why."
        ),
    ),
    Question(
        question="What do you do with my address?",
        answer=(
            "We keep it, with the interests you ticked and the moment you agreed, to send you this letter. We do "
            "not sell it, lend it or add it to other lists."
        ),
    ),
    Question(
        question="Can I change my interests later?",
        answer="Yes. Subscribe again with the same address and other interests: the newer choice replaces the older one.",
    ),
)
