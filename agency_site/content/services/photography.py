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
            image="/images/services/photo-portrait.svg",
            alt="Drawn photograph: a smiling woman with a beaded collar before a yellow paper roll, a lamp on each side",
        ),
        Offer(
            title="Cinematic Videography",
            text="Films with a beginning, a middle and a reason. From a thirty-second spot to the story of a cooperative.",
            image="/images/services/photo-film.svg",
            alt="Drawn film frame: the sun rises behind dark hills and an acacia, marked Take 4",
        ),
        Offer(
            title="Live Streaming",
            text="Annual meetings, weddings, sermons, launches. Two lines in, so that the picture stays when one "
            "provider sleeps.",
            image="/images/services/photo-live.svg",
            alt="Drawn photograph: a camera on a tripod sends, with a sign that says LIVE and 1,204 viewers",
        ),
        Offer(
            title="Post-Production",
            text="Cutting, colour, sound, subtitles in English and Kiswahili. Also for footage that you shot yourself.",
            image="/images/services/photo-edit.svg",
            alt="Drawn editing desk: a picture, tracks of clips and a sound wave under the playhead",
        ),
        Offer(
            title="Product Photography",
            text="Honey, handbags, spare parts. Clean on white for the shop, at home on a table for everything else.",
            image="/images/services/photo-product.svg",
            alt="Drawn photograph: a jar of honey labelled Asali on a red plinth under a soft light",
        ),
        Offer(
            title="Event Coverage",
            text="Two photographers, one editor on site, first pictures on your page before the speeches are over.",
            image="/images/services/photo-event.svg",
            alt="Drawn photograph: a singer on a lit stage, seen over the heads of the crowd",
        ),
    ),
    closing=Closing(
        title="Where should we set up the tripod?",
        text="Tell us the place, the date and who will look at the pictures. We answer with a crew and a price.",
        link=Link(label="Discuss Your Project", href="/contact"),
    ),
)
