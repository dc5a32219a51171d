"""The About page: story, mission, vision, values, reasons and the team (specification, section 2)."""

from agency_site.content.brand import BRAND
from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Portrait, Record


class Milestone(Record):
    """One step of the story."""

    year: int
    title: str
    text: str


class Statement(Record):
    """A short title and what it means: a value, or a reason to choose us."""

    title: str
    text: str


class TeamMember(Record):
    """A member of the team."""

    id: str
    name: str
    position: str
    bio: str
    image_url: str
    """A square picture; the initials show when it cannot be loaded."""
    portrait: Portrait | None = None
    """The portrait that `make art` draws for `image_url`; None for a photograph."""

    @property
    def initials(self) -> str:
        """First letters of the first and the last name."""
        names = self.name.split()
        return names[0][0] + names[-1][0]


STORY: tuple[Milestone, ...] = (
    Milestone(
        year=BRAND.since,
        title="Two desks above a hardware shop",
        text=(
            "Wanjiku and Brian rent a room off Ngong Road and knock on doors. The first client is a baker in Kawangware "
            "who wants one thing: that people who see the cake can order it. The page takes orders by SMS, and the baker "
            "pays in two instalments and a birthday cake."
        ),
    ),
    Milestone(
        year=2018,
        title="Karen Road",
        text=(
            "Six people, one kettle and a meeting table that was a door. We take on our first hospital, our first SACCO "
            "and our first county fair, and learn that the person who answers the phone decides more than the poster."
        ),
    ),
    Milestone(
        year=2020,
        title="The year the shops closed",
        text=(
            "Businesses that had never sold online had days to start. We built order pages that end in an M-Pesa prompt "
            "and taught owners over WhatsApp, in the evenings, how to run them. Those lessons became the academy."
        ),
    ),
    Milestone(
        year=2023,
        title="A timetable and a studio",
        text=(
            "The academy gets fixed courses and a Certification of Completion. The garage behind the office gets lights, "
            "a backdrop and a door that closes, and our films stop having matatus in the sound."
        ),
    ),
    Milestone(
        year=2026,
        title="Eleven people, one roof",
        text=(
            "We plan, design, write, film, build and teach in the same house, so that the person who made the promise "
            "sits across the table from the person who keeps it."
        ),
    ),
)

MISSION = (
    "To help Kenyan businesses be found, understood and chosen online, with work that their own people can carry on "
    "when we have gone home."
)

VISION = (
    "A country where the best business on the street is also the easiest one to find on a phone, from Karen to Kisumu "
    "and from Lamu to Lodwar."
)

VALUES: tuple[Statement, ...] = (
    Statement(
        title="Integrity",
        text="We report the bad month in the same size of type as the good one, and we say so when an idea will not pay.",
    ),
    Statement(
        title="Collaboration",
        text="You know your customers and we know the tools. The plan is written at one table, with both of us holding a pen.",
    ),
    Statement(
        title="Innovation",
        text="We try the new thing on our own brand first. When it works for a month, it goes into yours.",
    ),
    Statement(
        title="Excellence",
        text="The proof is read twice, the form is filled in on a cheap phone, and the invoice adds up. Every time.",
    ),
)

REASONS: tuple[Statement, ...] = (
    Statement(
        title="A price before the work",
        text="You get the figure in shillings, what it covers and what it does not, before anybody opens a laptop.",
    ),
    Statement(
        title="Everything stays yours",
        text=(
            "Domain, advert accounts, photographs and passwords are in your name from the first day. Leaving us "
            "is easy; that keeps us honest."
        ),
    ),
    Statement(
        title="We test where your customers are",
        text="On a five-year-old phone, with 300 MB left on the bundle, in a matatu between Rongai and town.",
    ),
    Statement(
        title="M-Pesa is part of the plan",
        text="Every page we build knows how its reader will pay, from the till at the counter to the prompt on the phone.",
    ),
    Statement(
        title="One house for all of it",
        text=(
            "Strategy, words, design, film, code and adverts under one roof in Karen, with one person "
            "responsible for all of it."
        ),
    ),
    Statement(
        title="We teach your team",
        text="The academy is next door. What we do for you in January, your own people can do in June.",
    ),
)


def _member(number: int, name: str, position: str, bio: str, portrait: Portrait) -> TeamMember:
    return TeamMember(
        id=f"team-{number}",
        name=name,
        position=position,
        bio=bio,
        image_url=f"/images/team/team-{number}.svg",
        portrait=portrait,
    )


TEAM: tuple[TeamMember, ...] = (
    _member(
        1, "Wanjiku Mbugua", "Founder and managing director",
        "Sold advertising space for radio before she sold websites. Still answers the phone on Saturday mornings.",
        Portrait(skin="coffee", hair="afro", wear="beads", earrings=True, laughing=True,
                 face="round", brows="arched", eyes="round", nose="broad", marks=("laughter",)),
    ),
    _member(
        2, "Brian Ochieng", "Co-founder, strategy",
        "Asks why until the room goes quiet. Keeps every campaign plan to a single page, in Dholuo if you prefer.",
        Portrait(skin="chestnut", hair="fade", wear="blazer", beard="full",
                 face="long", brows="raised", eyes="hooded", nose="long", marks=("frown",)),
    ),
    _member(
        3, "Nekesa Wafula", "Head of the academy",
        "Taught business studies in Bungoma for nine years. Has never let a student leave with an unfinished project.",
        Portrait(skin="ebony", hair="headwrap", wear="kitenge", earrings=True,
                 face="oval", brows="thin", eyes="tilted", nose="flared", marks=("mole",)),
    ),
    _member(
        4, "Kevin Mutua", "Film and photography",
        "Films a wedding's worth of detail in an hour on a factory floor. Carries two spare batteries and a flask.",
        Portrait(skin="chestnut", hair="locs", wear="tee", beard="chin", laughing=True,
                 face="square", brows="heavy", eyes="smiling", nose="straight", marks=("scar",)),
    ),
    _member(
        5, "Fatuma Abdi", "Lead software engineer",
        "Writes the systems that send the M-Pesa prompt and the receipt. Grew up in Garissa, codes in silence.",
        Portrait(skin="cinnamon", hair="hijab", wear="tunic",
                 face="heart", brows="straight", eyes="almond", nose="curved", marks=("mole",)),
    ),
    _member(
        6, "Peter Kiprono", "Advertising and analytics",
        "Runs marathons and search campaigns, both by the split times. Will tell you which half of the budget to stop.",
        Portrait(skin="ebony", hair="bald", wear="shirt", glasses="round", beard="full",
                 face="long", brows="straight", eyes="narrow", nose="broad", marks=("frown", "hollows")),
    ),
    _member(
        7, "Joy Muthoni", "Client services",
        "The name on your Monday e-mail. Turns eleven opinions about a logo into one list with dates.",
        Portrait(skin="coffee", hair="braids", wear="blazer", glasses="square", laughing=True,
                 face="heart", brows="arched", eyes="smiling", nose="button", marks=("dimples",)),
    ),
    _member(
        8, "Salim Bakari", "Head of content",
        "Wrote for a newspaper in Mombasa. Edits in English and Kiswahili, and reads every headline aloud first.",
        Portrait(skin="cinnamon", hair="kofia", wear="tunic", beard="moustache",
                 face="square", brows="heavy", eyes="hooded", nose="curved", marks=("wrinkles", "bags")),
    ),
    _member(
        9, "Anjali Shah", "Brand designer",
        "Third generation of a Nairobi printing family. Chooses the paper before the colour, and the colour before lunch.",
        Portrait(skin="honey", hair="bun", wear="tee", earrings=True,
                 face="heart", brows="soft", eyes="almond", nose="long", marks=("freckles",)),
    ),
    _member(
        10, "Dennis Kariuki", "Web designer",
        "Draws pages for the smallest phone first. Measures loading time in shillings of airtime.",
        Portrait(skin="coffee", hair="short", wear="rollneck", glasses="square",
                 face="round", brows="thin", eyes="round", nose="button", marks=("dimples",)),
    ),
    _member(
        11, "Grace Atieno", "Operations and people",
        "Thirty years of payrolls, four of ours. Knows where everything is, including the key to the studio.",
        Portrait(skin="chestnut", hair="short", wear="kitenge", hair_colour="#8E857E", earrings=True, laughing=True,
                 face="square", brows="soft", eyes="smiling", nose="flared", marks=("wrinkles", "laughter")),
    ),
)  # fmt: skip


def team() -> tuple[TeamMember, ...]:
    """Return the team that visitors see."""
    return published(Kind.TEAM_MEMBER, TEAM)
