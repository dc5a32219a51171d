"""Work for clients, by the four categories of the home page's tabs (specification, section 2, Home 4)."""

from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Link, Record, Slug

EMPTY_CATEGORY = "Currently preparing showcase projects for {category}. Check back soon!"
"""Specification, section 8."""


class PortfolioItem(Record):
    """One project."""

    id: Slug
    """Also the anchor of the project on `/portfolio`."""
    group: Slug
    """The id of its tab."""
    image: str
    alt: str
    """Description of the picture."""
    title: str
    category: str
    """The client's trade."""
    type: str = ""
    """The kind of product."""
    platform: str = ""
    """The platform it runs on."""
    languages: tuple[str, ...] = ()
    """Programming languages."""
    place: str
    year: int
    story: str
    """Two or three sentences about its users and the main decision."""

    @property
    def label(self) -> str:
        """Type or platform, with the languages if there are any."""
        return " · ".join(part for part in (self.type, self.platform, ", ".join(self.languages)) if part)


class PortfolioGroup(Record):
    """One tab: a kind of work and the projects that show it."""

    id: Slug
    category: str
    """Label of the tab, exactly as the specification writes it."""
    title: str
    description: str
    service: Link
    """Where to read how this work is done."""
    cover: str
    """Picture for as long as there are no projects."""

    @property
    def images(self) -> tuple[PortfolioItem, ...]:
        """The projects of the tab."""
        return tuple(project for project in projects() if project.group == self.id)

    @property
    def empty_text(self) -> str:
        """Shown instead of projects while there are none."""
        return EMPTY_CATEGORY.format(category=self.category)


_WEB = (
    PortfolioItem(
        id="shamba-fresh",
        group="web",
        image="/images/portfolio/shamba-fresh.svg",
        alt="The Shamba Fresh shop in a browser: Farm to door by six.",
        title="Shamba Fresh",
        category="Fresh produce",
        type="Online shop",
        place="Limuru to Nairobi",
        year=2024,
        story=(
            "Forty-one farmers list what they picked, and households order until ten at night for the next evening's "
            "supper. Stock is counted by the crate, so nobody pays for sukuma that is already gone."
        ),
    ),
    PortfolioItem(
        id="mara-lodge",
        group="web",
        image="/images/portfolio/mara-lodge.svg",
        alt="The Mara Lodge website in a browser: Wake up with the herd.",
        title="Mara Lodge",
        category="Safari camp",
        type="Website with enquiries and rates",
        place="Talek",
        year=2023,
        story=(
            "A ranger keeps the sightings page from his phone. Resident and visitor rates are on one page, in shillings "
            "and in dollars, and the form asks only what the camp needs for an honest answer."
        ),
    ),
    PortfolioItem(
        id="baraka-hardware",
        group="web",
        image="/images/portfolio/baraka-hardware.svg",
        alt="The Baraka Hardware catalogue in a browser: From nail to roof.",
        title="Baraka Hardware",
        category="Building supplies",
        type="Catalogue and quotations",
        place="Nakuru",
        year=2024,
        story=(
            "3,200 items whose prices the counter staff change themselves. A fundi sends a list, gets the quotation in "
            "minutes and pays the deposit by M-Pesa before the lorry is loaded."
        ),
    ),
    PortfolioItem(
        id="nyota-school",
        group="web",
        image="/images/portfolio/nyota-school.svg",
        alt="The Nyota School website in a browser: Small classes, big sky.",
        title="Nyota School",
        category="Primary school",
        type="School website",
        place="Kikuyu",
        year=2022,
        story=(
            "Fees, term dates and the uniform list are two taps away, because that is what parents ring about. The diary "
            "is written in the staff room, in English and Kiswahili."
        ),
    ),
)

_SOFTWARE = (
    PortfolioItem(
        id="pamoja-sacco",
        group="software",
        image="/images/portfolio/pamoja-sacco.svg",
        alt="Two phones with the Pamoja SACCO app: Save together, and a list of accounts.",
        title="Pamoja SACCO",
        category="Savings and credit",
        platform="Android and USSD",
        languages=("Kotlin", "Python"),
        place="Thika",
        year=2023,
        story=(
            "4,800 members follow shares, loans and guarantors without a morning at the counter. The same menus run over "
            "USSD for everyone who keeps a kabambe, and both read one ledger."
        ),
    ),
    PortfolioItem(
        id="afya-plus",
        group="software",
        image="/images/portfolio/afya-plus.svg",
        alt="Two phones with the Afya Plus app: A doctor today, and a list of appointments.",
        title="Afya Plus",
        category="Private clinics",
        platform="Android and iOS",
        languages=("Kotlin", "Swift"),
        place="Kisumu",
        year=2024,
        story=(
            "Patients speak to a clinician the same day or book a room for the next morning. When the line drops, the "
            "queue stays on the nurse's tablet and catches up afterwards."
        ),
    ),
    PortfolioItem(
        id="safiri-shuttle",
        group="software",
        image="/images/portfolio/safiri-shuttle.svg",
        alt="Two phones with the Safiri Shuttle app: Nairobi to Nakuru, and a list of departures.",
        title="Safiri Shuttle",
        category="Passenger transport",
        platform="Android and web",
        languages=("Dart", "Python"),
        place="Nairobi to Nakuru",
        year=2025,
        story=(
            "Choose a seat, pay by M-Pesa, show the code. Drivers carry the manifest down the escarpment with no signal, "
            "and the office still knows who is on board."
        ),
    ),
    PortfolioItem(
        id="ziwa-coffee",
        group="software",
        image="/images/portfolio/ziwa-coffee.svg",
        alt="Two phones with the Ziwa Coffee app: Your cup is ready, and a list of orders.",
        title="Ziwa Coffee",
        category="Coffee bars",
        platform="iOS and Android",
        languages=("TypeScript", "Python"),
        place="Naivasha",
        year=2022,
        story=(
            "Order from the desk and collect on the way past. Ten stamps buy the eleventh cup, and the baristas of three "
            "branches work from one queue."
        ),
    ),
)

_IDENTITY = (
    PortfolioItem(
        id="lamu-arts-week",
        group="identity",
        image="/images/portfolio/lamu-arts-week.svg",
        alt="Two posters of Lamu Arts Week: an eight-pointed star, and arches with the line Dhows, drums, doors.",
        title="Lamu Arts Week",
        category="Festival",
        type="Identity and poster series",
        place="Lamu",
        year=2024,
        story=(
            "The star comes from a carved door on the seafront. It carries the posters, the wristbands and the sail of the "
            "opening dhow, and any sign writer can set it out with a string and a nail."
        ),
    ),
    PortfolioItem(
        id="kericho-leaf",
        group="identity",
        image="/images/portfolio/kericho-leaf.svg",
        alt="Poster and tea packet of Kericho Leaf: a flower of leaves, and the line Picked at dawn.",
        title="Kericho Leaf",
        category="Tea growers",
        type="Identity and packaging",
        place="Kericho",
        year=2023,
        story=(
            "Five growers sell under one name. Three cuts of one leaf tell the blends apart on the shelf, in a print that "
            "needs one colour fewer than the packet before it."
        ),
    ),
    PortfolioItem(
        id="tamu-bakes",
        group="identity",
        image="/images/portfolio/tamu-bakes.svg",
        alt="Poster and paper bag of Tamu Bakes: a quarter rainbow, and the line Mandazi from five.",
        title="Tamu Bakes",
        category="Bakery",
        type="Identity and street campaign",
        place="Kawangware, Nairobi",
        year=2025,
        story=(
            "A mandazi cut in half, four colours and one sentence. The wall by the stage was painted in a morning, and the "
            "bags are the same print, folded."
        ),
    ),
    PortfolioItem(
        id="jua-solar",
        group="identity",
        image="/images/portfolio/jua-solar.svg",
        alt="Poster and leaflet of Jua Solar: a sunrise over its own reflection, and the line Paid by the sun.",
        title="Jua Solar",
        category="Home solar",
        type="Identity and agent kit",
        place="Garissa",
        year=2022,
        story=(
            "Lamps sold in daily instalments needed a face that people trust at the door. The sunrise works on a poster, on a "
            "payment card and stamped into the metal of the box."
        ),
    ),
)

PROJECTS: tuple[PortfolioItem, ...] = (*_WEB, *_SOFTWARE, *_IDENTITY)


def projects() -> tuple[PortfolioItem, ...]:
    """Return the projects that visitors see."""
    return published(Kind.PROJECT, PROJECTS)


PORTFOLIO: tuple[PortfolioGroup, ...] = (
    PortfolioGroup(
        id="web",
        category="Web design & development",
        title="Sites that open before the matatu moves",
        description=(
            "A shop, a lodge, a hardware store and a school whose visitors come on a four-year-old phone with 50 MB left. "
            "Light pages, clear prices, M-Pesa at the end."
        ),
        service=Link(label="How we build websites", href="/services/web-design"),
        cover="/art/covers/web-design.svg",
    ),
    PortfolioGroup(
        id="social",
        category="Social media management/marketing",
        title="Conversations that end at the till",
        description="Calendars, short films and replies for brands that would rather answer than shout.",
        service=Link(label="How we run social media", href="/services/social-media"),
        cover="/art/covers/social-media.svg",
    ),
    PortfolioGroup(
        id="software",
        category="Software Development",
        title="Apps that work where the network does not",
        description=(
            "Saving, seeing a doctor, catching a shuttle, fetching a coffee: built with the people at the counter and "
            "tested on the phones they own."
        ),
        service=Link(label="How we write software", href="/services/software-development"),
        cover="/art/covers/software-development.svg",
    ),
    PortfolioGroup(
        id="identity",
        category="Visual Identity & Branding",
        title="Marks you can draw from memory",
        description=(
            "Names, signs and labels that survive a hand-painted wall, a forwarded photograph and a rubber stamp."
        ),
        service=Link(label="How we shape a brand", href="/services/visual-identity"),
        cover="/art/covers/visual-identity.svg",
    ),
)
