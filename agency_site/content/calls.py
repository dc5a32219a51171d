"""The home page's two calls to action: brand communication and the academy (specification, section 2, Home 3)."""

from agency_site.content.schema import Link, Record


class ReceiptLine(Record):
    """One line of the till slip in the example."""

    item: str
    shillings: int


class _BrandCall(Record):
    """The call for brand communication, with an example: a client's sentence in three places."""

    eyebrow: str
    title: str
    text: str
    link: Link
    image: str
    image_alt: str
    caption: str
    sender: str
    message: str
    sent_at: str
    receipt: tuple[ReceiptLine, ...]
    receipt_foot: str

    @property
    def receipt_total(self) -> int:
        """The total in KES."""
        return sum(line.shillings for line in self.receipt)


class _AcademyCall(Record):
    """The banner that leads to the academy."""

    title: str
    text: str
    link: Link
    images: tuple[str, ...]


BRAND_CALL = _BrandCall(
    eyebrow="Brand communication",
    title="Say one thing. Say it well. Say it everywhere.",
    text=(
        "We find the sentence your customers repeat for you, then build the posts, pages, walls and wrappers that carry "
        "it. Three words did it for a bakery in Kawangware. Yours may need five."
    ),
    link=Link(label="Plan your content strategy", href="/services/content-strategy"),
    image="/images/portfolio/tamu-bakes.svg",
    image_alt="Poster and paper bag of Tamu Bakes with the line Mandazi from five.",
    caption="One sentence for Tamu Bakes: on the wall, in the chat, on the till slip.",
    sender="Tamu Bakes",
    message="Mandazi from five. Reply with how many and we keep them warm till seven.",
    sent_at="05:12",
    receipt=(ReceiptLine(item="12 mandazi", shillings=120), ReceiptLine(item="2 chai", shillings=60)),
    receipt_foot="Mandazi from five. See you tomorrow.",
)

ACADEMY_CALL = _AcademyCall(
    title="Eyeing that career in the digital space?",
    text=(
        "Learn the work that agencies hire for, two hours a week and online. You finish with hands-on projects to show and "
        "a Certification of Completion to go with them."
    ),
    link=Link(label="Visit the academy", href="/academy"),
    images=(
        "/photographs/course-graphic-design/960x640.jpg",
        "/photographs/course-google-ads/960x640.jpg",
        "/photographs/course-digital-skills/960x640.jpg",
    ),
)
