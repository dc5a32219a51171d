"""Content strategy."""

from agency_site.content.schema import Link
from agency_site.content.services.schema import Closing, Intro, Offer, Service, Step

CONTENT_STRATEGY = Service(
    slug="content-strategy",
    icon="strategy",
    name="Content Strategy",
    summary="What to say, to whom, where and when, written down so that the intern, the director and the agency all say "
    "the same thing.",
    features=(
        "One message everyone can repeat",
        "A year of topics on one wall",
        "A voice for English and for Kiswahili",
        "Articles that keep working",
    ),
    heading="Content strategy",
    lead="Find the sentence your customers repeat to each other. Then write everything else so that it leads there.",
    seo_title="Content strategy for Kenyan brands",
    seo_description="Research, messages, editorial calendars, writing and measuring: a plan for what your brand says in English "
    "and Kiswahili all year.",
    offers_intro=Intro(title="Four pieces of work", text="Bought together or one at a time."),
    offers=(
        Offer(
            title="Listening to the audience",
            text="We sit in the waiting room, read the complaints book and ring twelve of your customers. You get their words "
            "for what you sell, and the three worries that keep them from buying.",
            points=("Twelve interviews", "Search and inbox read through", "A page per kind of customer"),
        ),
        Offer(
            title="Message and voice",
            text="One line, three proofs, and a list of words that you never use again. Tested on people who do not love you "
            "yet, in both languages.",
            points=(
                "A line that fits on a boda vest",
                "Voice guide of six pages",
                "Kiswahili written, not translated",
            ),
        ),
        Offer(
            title="Editorial calendar",
            text="A year of topics around planting, exams, tax day and December in the village, with a name beside every date.",
            points=("Twelve months at a glance", "Who writes, who signs", "Room for the news"),
        ),
        Offer(
            title="Writing and editing",
            text="Articles, scripts, captions, tenders and the e-mail nobody wants to write. Read aloud, checked for facts, "
            "signed off once.",
            points=("Writers who know the trade", "Facts with a source", "Old pages mended first"),
        ),
    ),
    steps_intro=Intro(
        title="From the first question to the next one",
        text="The last two run side by side, which is why they share a number.",
    ),
    steps=(
        Step(
            number="1", title="Ask", text="Goals, limits, and who can say yes. One morning around your table."
        ),
        Step(
            number="2",
            title="Read and listen",
            text="Two weeks with your customers, your archive and what the others in your trade publish.",
        ),
        Step(
            number="3",
            title="Decide",
            text="One message, four themes, a calendar. Presented to everyone who will have to live with it.",
        ),
        Step(
            number="4",
            title="Publish",
            text="We write the first quarter with your team, so that they can write the second without us.",
        ),
        Step(
            number="4",
            title="Measure",
            text="At the same time: what was read, forwarded, asked about and bought. The calendar follows.",
        ),
    ),
    closing=Closing(
        title="Tell us what you are tired of repeating.",
        text="It is usually the page that is missing. Half an hour, and you leave with a first line.",
        link=Link(label="Book a Consultation", href="/book"),
    ),
)
