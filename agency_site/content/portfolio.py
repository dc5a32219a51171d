"""Work for clients, by the four categories of the home page's tabs (specification, section 2, Home 4)."""

from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Link, Record, Slug
from agency_site.picture_addresses import share_address_of

EMPTY_CATEGORY = "Currently preparing showcase projects for {category}. Check back soon!"
"""Specification, section 8."""


class PortfolioItem(Record):
    """One project: every page that names it takes its facts from here."""

    id: Slug
    """Last part of the path of its page, and its anchor on `/portfolio`."""
    group: Slug
    """The id of its tab."""
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
    asked: str = ""
    """What the client wanted, in one or two sentences."""
    story: str
    """What was made, in two or three sentences about its users and the main decision."""
    outcome: str = ""
    """What came of it."""
    image: str
    alt: str
    """Description of the picture."""
    detail: str = ""
    """A second picture, for its own page."""
    detail_alt: str = ""

    @property
    def href(self) -> str:
        """Path of the project's page."""
        return f"/portfolio/{self.id}"

    @property
    def share_image(self) -> str:
        """The address of its picture if messengers can have it, otherwise the name of the portfolio's."""
        return self.image if share_address_of(self.image) else "portfolio"

    @property
    def facts(self) -> str:
        """Trade, place and year."""
        return f"{self.category}, {self.place}, {self.year}"

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


PROJECTS: tuple[PortfolioItem, ...] = (
    PortfolioItem(
        id="shamba-fresh",
        group="web",
        title="Shamba Fresh",
        category="Fresh produce",
        type="Online shop",
        place="Limuru to Nairobi",
        year=2024,
        asked=(
            "Forty-one farmers sold through three middlemen and a WhatsApp group, and threw away what "
            "nobody had counted."
        ),
        story=(
            "Farmers list what they picked, and households order until ten at night for the next evening's "
            "supper. Stock is counted by the crate, so nobody pays for sukuma that is already gone."
        ),
        outcome=(
            "By the second rains seven crates of ten were ordered before they were picked, and the group "
            "went back to sharing jokes."
        ),
        image="/photographs/shamba-fresh/960x720.jpg",
        alt=(
            "A laptop reads “Farm to door by six” on a sunny table beside a crate of tomatoes and two "
            "mangoes, made in 3D."
        ),
        detail="/photographs/shamba-fresh-close/960x720.jpg",
        detail_alt="A crate of tomatoes and two mangoes in the sun, the shop's page out of focus behind them, made in 3D.",
    ),
    PortfolioItem(
        id="mara-lodge",
        group="web",
        title="Mara Lodge",
        category="Safari camp",
        type="Website with enquiries and rates",
        place="Talek",
        year=2023,
        asked="Guests wrote five mails before they knew a price, and most stopped after the second.",
        story=(
            "A ranger keeps the sightings page from his phone. Resident and visitor rates are on one page, "
            "in shillings and in dollars, and the form asks only what the camp needs for an honest answer."
        ),
        outcome=(
            "Enquiries come with dates and numbers, and the manager answers them from the mess tent before "
            "breakfast."
        ),
        image="/photographs/mara-lodge/960x720.jpg",
        alt=(
            "A tablet reads “Mara Lodge, Wake up with the herd” by a lit lantern, mug and red shuka at "
            "dusk, made in 3D."
        ),
        detail="/photographs/mara-lodge-close/960x720.jpg",
        detail_alt="A lit lantern and an enamel mug at dusk, beside them the page with the rates for residents, made in 3D.",
    ),
    PortfolioItem(
        id="baraka-hardware",
        group="web",
        title="Baraka Hardware",
        category="Building supplies",
        type="Catalogue and quotations",
        place="Nakuru",
        year=2024,
        asked=(
            "Prices lived in one exercise book behind the counter, and every quotation waited for its owner."
        ),
        story=(
            "3,200 items whose prices the counter staff change themselves. A fundi sends a list, gets the "
            "quotation in minutes and pays the deposit by M-Pesa before the lorry is loaded."
        ),
        outcome=(
            "Quotations take nine minutes instead of a day, and the exercise book is in a frame above the "
            "till."
        ),
        image="/photographs/baraka-hardware/960x720.jpg",
        alt=(
            "A phone reads “Baraka Hardware, From nail to roof” between bolts, nails and a quotation "
            "slip, made in 3D."
        ),
        detail="/photographs/baraka-hardware-close/960x720.jpg",
        detail_alt="Tins of bolts and nails on a counter, the phone with its prices at their side, made in 3D.",
    ),
    PortfolioItem(
        id="nyota-school",
        group="web",
        title="Nyota School",
        category="Primary school",
        type="School website",
        place="Kikuyu",
        year=2022,
        asked=(
            "The office telephone rang two hundred times in the first week of each term, always with the "
            "same four questions."
        ),
        story=(
            "Fees, term dates and the uniform list are two taps away, because that is what parents ring "
            "about. The diary is written in the staff room, in English and Kiswahili."
        ),
        outcome=(
            "The telephone rings forty times now, and the secretary has time for the questions that are new."
        ),
        image="/photographs/nyota-school/960x720.jpg",
        alt=(
            "A laptop reads “Nyota School, Small classes, big sky” on a desk with pencils, books and a "
            "slate, made in 3D."
        ),
        detail="/photographs/nyota-school-close/960x720.jpg",
        detail_alt="Coloured pencils in a tin and a composition book for grade 4 before a laptop, made in 3D.",
    ),
    PortfolioItem(
        id="bahari-dive",
        group="web",
        title="Bahari Dive",
        category="Dive club",
        type="Bookings and deposits",
        place="Watamu",
        year=2025,
        asked=(
            "Boats went out half empty while people who had been promised a place by telephone stood on the "
            "beach."
        ),
        story=(
            "Each boat is a list of places that can be taken once. The tide decides the departure, the "
            "deposit holds the place, and the skipper reads the names on a page that needs no network."
        ),
        outcome=(
            "Every place on a boat is paid for before the engine starts, and bad weather is one message "
            "with one button: another day, or the money back."
        ),
        image="/photographs/bahari-dive/960x720.jpg",
        alt=(
            "A phone reads “Bahari Dive, Down with the turtles” in sand by a diving mask, shells and "
            "rope, made in 3D."
        ),
        detail="/photographs/bahari-dive-close/960x720.jpg",
        detail_alt="A diving mask and two cowries on the sand, the booking page behind them, made in 3D.",
    ),
    PortfolioItem(
        id="maua-market",
        group="web",
        title="Maua Market",
        category="Flower sellers",
        type="Online shop",
        place="City Market, Nairobi",
        year=2025,
        asked=(
            "Eleven stalls sold roses in the morning and threw them away in the evening, three streets from "
            "offices that ordered from abroad."
        ),
        story=(
            "The stalls say at six what was cut, and offices order by nine. A bunch has one price at all "
            "stalls, and the rider collects from whoever has the freshest."
        ),
        outcome=(
            "Two thirds of a morning's roses are sold before the gates open, and the market pays for its "
            "own website."
        ),
        image="/photographs/maua-market/960x720.jpg",
        alt=(
            "A tablet reads “Maua Market, Roses cut this morning” beside buckets of roses and a "
            "wrapped bunch, made in 3D."
        ),
        detail="/photographs/maua-market-close/960x720.jpg",
        detail_alt="A bunch of pink roses in brown paper before the shop's page on a tablet, made in 3D.",
    ),
    PortfolioItem(
        id="tamu-bakes-mornings",
        group="social",
        title="Tamu Bakes: first tray",
        category="Bakery",
        type="Short films, four weeks",
        place="Kawangware, Nairobi",
        year=2025,
        asked="A bakery that had painted its wall wanted people to come before the school run, not after it.",
        story=(
            "The oven at ten to five, every morning, filmed by the night baker on her own phone. We cut "
            "nothing but the waiting, and answered every comment by six."
        ),
        outcome=(
            "The first tray sold out on nineteen of twenty mornings. The baker keeps the series without us."
        ),
        image="/photographs/tamu-bakes-mornings/960x720.jpg",
        alt="A phone on a tripod shows “First tray at 4:50” before a tray of buns in an oven's glow at dawn, made in 3D.",
        detail="/photographs/tamu-bakes-mornings-close/960x720.jpg",
        detail_alt="A tray of glazed mandazi before the glow of the oven, with the next two trays in it, made in 3D.",
    ),
    PortfolioItem(
        id="ziwa-coffee-cups",
        group="social",
        title="Ziwa Coffee: whose cup is it?",
        category="Coffee bars",
        type="Customers' own pictures",
        place="Naivasha",
        year=2024,
        asked="Three branches with a good app and hardly anything to say about themselves.",
        story=(
            "Regulars drew on their cups. The best cup of the week went on the wall of the Naivasha branch, "
            "with the name of whoever drew it and of whoever had made the coffee."
        ),
        outcome=(
            "412 cups in twelve weeks, eleven of them by one boda rider, and a wall that visitors photograph."
        ),
        image="/photographs/ziwa-coffee-cups/960x720.jpg",
        alt="Cups with drawings under “Whose cup is it?”; in front a hippo cup, “Cup of the week”, made in 3D.",
        detail="/photographs/ziwa-coffee-cups-close/960x720.jpg",
        detail_alt="Paper cups with customers' drawings on a shelf; the place of cup number 7 is empty, made in 3D.",
    ),
    PortfolioItem(
        id="pamoja-sacco-chama",
        group="social",
        title="Pamoja SACCO: our chama, our roof",
        category="Savings and credit",
        type="Member stories",
        place="Thika",
        year=2024,
        asked=(
            "Young members took loans elsewhere, because nobody had told them what their mothers had built "
            "with theirs."
        ),
        story=(
            "Seven chamas, seven roofs. Treasurers told it themselves, with the figures in their exercise "
            "books, and we only held the camera still."
        ),
        outcome=(
            "A third of the accounts opened that season belong to people under thirty, most of them sent by "
            "their mothers."
        ),
        image="/photographs/pamoja-sacco-chama/960x720.jpg",
        alt=(
            "An open exercise book with “Chama ya Upendo” and “Paa letu”, a cash box and a "
            "model house, made in 3D."
        ),
        detail="/photographs/pamoja-sacco-chama-close/960x720.jpg",
        detail_alt="The model of a house with an iron roof and a blue door, low sun on its wall, made in 3D.",
    ),
    PortfolioItem(
        id="pamoja-sacco",
        group="software",
        title="Pamoja SACCO",
        category="Savings and credit",
        platform="Android and USSD",
        languages=("Kotlin", "Python"),
        place="Thika",
        year=2023,
        asked="A member who wanted to know her shares lost a morning at the counter in Thika.",
        story=(
            "4,800 members follow shares, loans and guarantors without a morning at the counter. The same "
            "menus run over USSD for everyone who keeps a kabambe, and both read one ledger."
        ),
        outcome=(
            "The queue at the Thika branch is now a bench, and six of ten look-ups come from phones without "
            "a touch screen."
        ),
        image="/photographs/pamoja-sacco/960x720.jpg",
        alt=(
            "A phone reads “Pamoja SACCO, Shares, Loan” beside a red keypad phone with “*384#”, "
            "before a beaded disc, made in 3D."
        ),
        detail="/photographs/pamoja-sacco-close/960x720.jpg",
        detail_alt="A red phone with keys shows “*384#, 1 Shares, 2 Loans” before a wheel of beads, made in 3D.",
    ),
    PortfolioItem(
        id="soko-ledger",
        group="software",
        title="Soko Ledger",
        category="Market fees",
        platform="Web and receipt printers",
        languages=("Python", "PostgreSQL"),
        place="Six county markets",
        year=2023,
        asked=(
            "Six county markets collected stall fees in cash and could not say in the evening what the "
            "morning had brought."
        ),
        story=(
            "Stall fees are paid by phone and receipted before the tomatoes are sold. The collector's "
            "printer works without a network and sends what it has printed when it finds one."
        ),
        outcome=(
            "The county reads the day's fees at noon of the same day, and a stall that has paid is asked "
            "only once."
        ),
        image="/photographs/soko-ledger/960x720.jpg",
        alt=(
            "A till slip, “Soko Ledger, Stall 14, Tomatoes, Paid by M-Pesa”, curls from a printer beside "
            "crates of tomatoes, made in 3D."
        ),
        detail="/photographs/soko-ledger-close/960x720.jpg",
        detail_alt="The slip from near: “Stall 14, Tomatoes, Monday, 6:40, Paid by M-Pesa”, made in 3D.",
    ),
    PortfolioItem(
        id="afya-plus",
        group="software",
        title="Afya Plus",
        category="Private clinics",
        platform="Android and iOS",
        languages=("Kotlin", "Swift"),
        place="Kisumu",
        year=2024,
        asked=(
            "Patients crossed the town to learn that the doctor was full, with a card that they had lost on "
            "the way."
        ),
        story=(
            "Patients speak to a clinician the same day or book a room for the next morning. When the line "
            "drops, the queue stays on the nurse's tablet and catches up afterwards."
        ),
        outcome=(
            "Nobody has a card to lose: the file follows the patient, and the waiting room has chairs to "
            "spare."
        ),
        image="/photographs/afya-plus/960x720.jpg",
        alt=(
            "A tablet reads “Afya Plus, A doctor today” on a wooden counter with a stethoscope, a "
            "lamp, a plant and cards, made in 3D."
        ),
        detail="/photographs/afya-plus-close/960x720.jpg",
        detail_alt="A stethoscope on a desk before the tablet with the day's four patients, made in 3D.",
    ),
    PortfolioItem(
        id="safiri-shuttle",
        group="software",
        title="Safiri Shuttle",
        category="Passenger transport",
        platform="Android and web",
        languages=("Dart", "Python"),
        place="Nairobi to Nakuru",
        year=2025,
        asked="The stage and the telephone sold the same seat, and the quarrel took place at departure.",
        story=(
            "Choose a seat, pay by M-Pesa, show the code. Drivers carry the manifest down the escarpment "
            "with no signal, and the office still knows who is on board."
        ),
        outcome="Stage and phone sell from one list. No seat has been sold twice since the first week.",
        image="/photographs/safiri-shuttle/960x720.jpg",
        alt=(
            "A phone reads “Safiri Shuttle, Seat 7” on a dashboard at dusk, with glowing "
            "dials and blurred lights, made in 3D."
        ),
        detail="/photographs/safiri-shuttle-close/960x720.jpg",
        detail_alt="The app's plan of seats in its holder: seat 7 is red, seats 4, 6 and 9 are white, made in 3D.",
    ),
    PortfolioItem(
        id="mizigo-desk",
        group="software",
        title="Mizigo Desk",
        category="Road freight",
        platform="Web",
        languages=("Python", "React"),
        place="Mombasa to Malaba",
        year=2022,
        asked="Forty lorries were a wall of paper slips, and the border hours were in one man's head.",
        story=(
            "Forty lorries between Mombasa and Malaba, with fuel, waybills and border hours on one screen. "
            "A driver sends a photograph of the stamp, and the invoice writes itself."
        ),
        outcome=(
            "Invoices leave on the day of delivery, and the man with the border hours has had two holidays."
        ),
        image="/photographs/mizigo-desk/960x720.jpg",
        alt=(
            "A laptop by night, “Mizigo Desk”, with lorries on a map from Mombasa to Malaba; a toy "
            "lorry stands before it, made in 3D."
        ),
        detail="/photographs/mizigo-desk-close/960x720.jpg",
        detail_alt="A wooden lorry that reads “MIZIGO” in the light of a desk lamp, the map behind it, made in 3D.",
    ),
    PortfolioItem(
        id="ziwa-coffee",
        group="software",
        title="Ziwa Coffee",
        category="Coffee bars",
        platform="iOS and Android",
        languages=("TypeScript", "Python"),
        place="Naivasha",
        year=2022,
        asked=(
            "At eight in the morning the queue reached the road, and half of it left for the kiosk next door."
        ),
        story=(
            "Order from the desk and collect on the way past. Ten stamps buy the eleventh cup, and the "
            "baristas of three branches work from one queue."
        ),
        outcome="The barista sees the order before the boda stops, and the queue ends at the door.",
        image="/photographs/ziwa-coffee/960x720.jpg",
        alt=(
            "A paper cup of Ziwa Coffee beside a phone that reads “Your cup is ready”, with ten "
            "stamps, the lake behind, made in 3D."
        ),
        detail="/photographs/ziwa-coffee-close/960x720.jpg",
        detail_alt="A paper cup with the sleeve of Ziwa Coffee, its card of stamps on a phone behind it, made in 3D.",
    ),
    PortfolioItem(
        id="kericho-leaf",
        group="identity",
        title="Kericho Leaf",
        category="Tea growers",
        type="Identity and packaging",
        place="Kericho",
        year=2023,
        asked=(
            "Five growers who had sold to one factory wanted a shelf of their own, under a name that all "
            "five could sign."
        ),
        story=(
            "Two leaves and a bud became a flower that can be stamped on a chest, embossed on a tin and "
            "sewn on an apron. Three cuts of it tell the blends apart, in a print that needs one colour "
            "fewer than the packet before it."
        ),
        outcome=(
            "The tea is in nine shops of three towns, and the printer has asked whether he may show the "
            "packet."
        ),
        image="/photographs/kericho-leaf/960x720.jpg",
        alt="A green tin and a carton, “Kericho Leaf, Picked at dawn”, a glass of tea and loose tea on slate, made in 3D.",
        detail="/images/services/kericho-leaf-identity.svg",
        detail_alt=(
            "Brand sheet of Kericho Leaf: a green flower mark, leaf pattern, colours, a yellow card and a "
            "sign."
        ),
    ),
    PortfolioItem(
        id="jua-solar",
        group="identity",
        title="Jua Solar",
        category="Home solar",
        type="Identity and agent kit",
        place="Garissa",
        year=2022,
        asked="Lamps that are paid in daily instalments needed a face that people trust at the door.",
        story=(
            "A sun over its own reflection works on a poster, on a payment card and stamped into the metal "
            "of the box. Painters whom we never met put it on shop walls, so the guide fits on one sheet, "
            "with the grid drawn in bricks."
        ),
        outcome=(
            "Walls from Migori to Marsabit carry it, all of them painted by somebody who had only the sheet."
        ),
        image="/photographs/jua-solar/960x720.jpg",
        alt="A yellow box stamped “Jua Solar” with a sunrise, a lit lamp, a panel and a card “Paid by the sun”, made in 3D.",
        detail="/images/services/jua-solar-identity.svg",
        detail_alt=(
            "Brand sheet of Jua Solar: a black sun mark on yellow, sun pattern, colours, white cards and a "
            "sign."
        ),
    ),
    PortfolioItem(
        id="lamu-arts-week",
        group="identity",
        title="Lamu Arts Week",
        category="Festival",
        type="Identity and poster series",
        place="Lamu",
        year=2024,
        asked=(
            "A festival that looked like another one each year, because each year another cousin drew the "
            "poster."
        ),
        story=(
            "The star comes from a carved door on the seafront. It carries the posters, the wristbands and "
            "the sail of the opening dhow, and any sign writer can set it out with a string and a nail."
        ),
        outcome=(
            "Each year the same four shapes are laid anew, and the island knows at once that it is the "
            "festival."
        ),
        image="/photographs/lamu-arts-week/960x720.jpg",
        alt="Posters “Lamu Arts Week” and “Dhows, drums, doors” on a white wall by a carved door in palm shadow, made in 3D.",
        detail="/images/services/lamu-arts-week-identity.svg",
        detail_alt=(
            "Brand sheet of Lamu Arts Week: a star mark on blue, arch pattern, colours, a red card and a "
            "sign."
        ),
    ),
    PortfolioItem(
        id="tamu-bakes",
        group="identity",
        title="Tamu Bakes",
        category="Bakery",
        type="Identity and street campaign",
        place="Kawangware, Nairobi",
        year=2025,
        asked=(
            "A bakery at a stage where forty thousand people pass, and where nobody could have said its name."
        ),
        story=(
            "A mandazi cut in half, four colours and one sentence. The wall by the stage was painted in a "
            "morning, and the bags are the same print, folded."
        ),
        outcome="Passengers ask the conductor for “the rainbow”, and the shop has a second oven.",
        image="/photographs/tamu-bakes/960x720.jpg",
        alt="A pink wall with “TAMU BAKES”, “Mandazi from five” and a quarter rainbow behind three paper bags, made in 3D.",
        detail="/images/portfolio/tamu-bakes.svg",
        detail_alt="Poster and paper bag of Tamu Bakes: a quarter rainbow, and the line Mandazi from five.",
    ),
)


def projects() -> tuple[PortfolioItem, ...]:
    """Return the projects that visitors see."""
    return published(Kind.PROJECT, PROJECTS)


def works(service: Slug) -> tuple[PortfolioItem, ...]:
    """Return the projects of the kind of work that a service does."""
    groups = {group.service.href.rpartition("/")[2]: group for group in PORTFOLIO}
    return groups[service].images


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
