"""Visual identity and branding."""

from agency_site.content.schema import Link
from agency_site.content.services.schema import Closing, Intro, Offer, Service

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
    closing=Closing(
        title="Bring your old logo. We will be kind.",
        text="Half an hour with a designer: what to keep, what to redraw and what it costs to change every sign.",
        link=Link(label="Book a Consultation", href="/book"),
    ),
)
