"""Visual identity and branding."""

from agency_site.content.schema import Link
from agency_site.content.services.schema import Closing, Intro, Offer, Project, Service

VISUAL_IDENTITY = Service(
    slug="visual-identity",
    icon="identity",
    name="Visual Identity & Branding",
    summary="A mark, colours, type and pattern that hold from the shop sign to the stamp on a receipt, and that nobody "
    "mistakes for the shop next door.",
    features=(
        "Name, mark, colours and type",
        "Signs, vehicles, packs and uniforms",
        "A guide printers understand",
        "Registration at KIPI prepared",
    ),
    heading="Brand identity",
    lead="Seen for one second from a matatu window, it should be yours. We draw identities that survive bad printing, "
    "small screens and a painter with his own opinions.",
    seo_title="Brand identity and logo design, Nairobi",
    seo_description="Names, marks, colours, type, signs and packaging for Kenyan businesses, with a guide that your printer and "
    "sign painter can follow.",
    share_words="Visual identity and branding",
    offers_intro=Intro(title="From the name to the van"),
    offers=(
        Offer(
            title="Name and position",
            text="What you are called and the place you take. Checked in Kiswahili, Sheng and at the registrar before you fall "
            "in love with it.",
        ),
        Offer(
            title="Mark and lettering",
            text="One shape that works in gold leaf, in a stamp and at sixteen pixels. Three directions, one decision.",
        ),
        Offer(
            title="Colour, type and pattern",
            text="The rest of the wardrobe: a palette with proper contrast, two typefaces, a pattern that can be woven.",
        ),
        Offer(
            title="Signs, packs and guide",
            text="Shopfront, vehicle, carton, uniform, slide. Files that printers open at the first attempt, and a guide of "
            "twenty pages.",
        ),
    ),
    work_intro=Intro(title="Three identities, complete"),
    work=(
        Project(
            title="Kericho Leaf",
            kind="Tea growers",
            text="Two leaves and a bud, turned into a flower that can be stamped on a chest, embossed on a tin and sewn on "
            "an apron. The pattern comes from the rows as you see them from the ridge.",
            tags=("Mark", "Packaging", "Pattern"),
            image="/images/services/kericho-leaf-identity.svg",
            alt="Brand sheet of Kericho Leaf: a green flower mark, leaf pattern, colours, a yellow card and a sign",
        ),
        Project(
            title="Jua Solar",
            kind="Home solar",
            text="A sun over its own reflection, painted on shop walls from Migori to Marsabit by people we never met. "
            "So the guide fits on one sheet, with the grid drawn in bricks.",
            tags=("Mark", "Shop walls", "Agent kit"),
            image="/images/services/jua-solar-identity.svg",
            alt="Brand sheet of Jua Solar: a black sun mark on yellow, sun pattern, colours, white cards and a sign",
        ),
        Project(
            title="Lamu Arts Week",
            kind="Festival",
            text="Arches, doors and dhow sails from four shapes. Each year the same tiles are laid anew, and the island still "
            "knows at once that it is the festival.",
            tags=("Mark", "Posters", "Wayfinding"),
            image="/images/services/lamu-arts-week-identity.svg",
            alt="Brand sheet of Lamu Arts Week: a star mark on blue, arch pattern, colours, a red card and a sign",
        ),
    ),
    closing=Closing(
        title="Bring your old logo. We will be kind.",
        text="Half an hour with a designer: what to keep, what to redraw and what it costs to change every sign.",
        link=Link(label="Book a Consultation", href="/book"),
    ),
)
