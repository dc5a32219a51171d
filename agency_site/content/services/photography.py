"""Media production: photography and video."""

from agency_site.content.schema import Link
from agency_site.content.services.schema import Closing, Intro, Offer, Service

PHOTOGRAPHY = Service(
    slug="photography",
    icon="camera",
    name="Media Production",
    summary="Photographs, films and live broadcasts by a crew that has worked in a rose tunnel at five in the morning and "
    "a stadium at night.",
    features=(
        "Photography, video and live streaming",
        "Crew, light and drone licence included",
        "Pictures by the next morning",
        "Rights in plain words",
    ),
    heading="Photography and video",
    lead="Stock pictures show offices that nobody in Nairobi has ever worked in. We bring lights, lenses and patience to "
    "the place where you really work.",
    seo_title="Photography and video production, Nairobi",
    seo_description="Professional photography, cinematic videography, live streaming, post-production, product photography and "
    "event coverage across Kenya.",
    offers_intro=Intro(title="Six ways we press the button"),
    offers=(
        Offer(
            title="Professional Photography",
            text="Portraits of the people who do the work, in your light or ours. Twelve faces in a morning, nobody stiff.",
            image="/photographs/camera-set/960x720.jpg",
            alt=(
                "A cinema camera on a tripod before an empty set: a stool on marigold paper and a lit "
                "lamp, made in 3D."
            ),
        ),
        Offer(
            title="Cinematic Videography",
            text="Films with a beginning, a middle and a reason. From a thirty-second spot to the story of a cooperative.",
            image="/photographs/film-slate/960x720.jpg",
            alt=(
                "A clapperboard that reads “Mwanga, Scene 12, Take 4” by a field monitor at dusk before "
                "acacias, made in 3D."
            ),
        ),
        Offer(
            title="Live Streaming",
            text="Annual meetings, weddings, sermons, launches. Two lines in, so that the picture stays when one "
            "provider sleeps.",
            image="/photographs/stream-desk/960x720.jpg",
            alt=(
                "A streaming desk: a mixer with red and green keys, a lectern and chairs on monitors, a "
                "“LIVE” sign, made in 3D."
            ),
        ),
        Offer(
            title="Post-Production",
            text="Cutting, colour, sound, subtitles in English and Kiswahili. Also for footage that you shot yourself.",
            image="/photographs/editing-desk/960x720.jpg",
            alt=(
                "An editing desk in the evening: a monitor with a timeline and “Karibu nyumbani”, three "
                "trackballs and headphones, made in 3D."
            ),
        ),
        Offer(
            title="Product Photography",
            text="Honey, handbags, spare parts. Clean on white for the shop, at home on a table for everything else.",
            image="/photographs/product-table/960x720.jpg",
            alt=(
                "A honey jar labelled “Asali, Raw acacia honey” on a red clay stand between softbox, "
                "reflector and camera, made in 3D."
            ),
        ),
        Offer(
            title="Event Coverage",
            text="Two photographers, one editor on site, first pictures on your page before the speeches are over.",
            image="/photographs/stage-microphone/960x720.jpg",
            alt=(
                "A microphone with a beaded sleeve before empty chairs, bunting and three warm stage "
                "lamps, made in 3D."
            ),
        ),
    ),
    closing=Closing(
        title="Where should we set up the tripod?",
        text="Tell us the place, the date and who will look at the pictures. We answer with a crew and a price.",
        link=Link(label="Discuss Your Project", href="/contact"),
    ),
)
