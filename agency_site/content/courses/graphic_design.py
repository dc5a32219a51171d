"""Graphic Design Masterclass."""

from agency_site.content.course_schema import Course, CourseDetail, FeaturedCard, LearnerVoice, Week
from agency_site.content.schema import Benefit, Portrait

GRAPHIC_DESIGN = Course(
    slug="graphic-design",
    title="Graphic Design Masterclass",
    short_title="Graphic Design",
    payment_name="Graphic Design Masterclass",
    detail_price=15_000,
    payment_price=15_000,
    position=7,
    weeks=4,
    summary="Type, colour and layout by making things: a logo, a label, a poster and the file the printer wants.",
    description=(
        "Four weeks online: type, colour, layout and vector drawing by making a logo, a label, a poster and a print-ready "
        "file. {price}."
    ),
    look="tea",
    cover="/photographs/course-graphic-design/960x640.jpg",
    head="/art/heads/graphic-design.svg",
    icon="course-graphic-design",
    featured=FeaturedCard(
        id=9,
        title="Graphic Design Masterclass",
        rating=4.8,
        line="A logo, a label and a poster, from pencil to printer.",
    ),
    detail=CourseDetail(
        lead="Type, colour and layout by making things: a logo, a label, a poster and the file the printer wants.",
        overview=(
            "Software changes every year. What makes a label sell on a shelf in Naivas does not: a clear idea, two well "
            "chosen letters, colour that survives cheap ink. That is what we teach, with a pencil first.",
            "You take one invented product, a chilli sauce from Kilifi, from sketch to shelf. Every week ends with a "
            "critique in which your work hangs beside the others. You may work in Illustrator, Affinity or Inkscape, "
            "which costs nothing.",
        ),
        audience=(
            "People who draw well and have never been told why a layout works",
            "Canva users who have reached the edge of the template",
            "Printers, signwriters and photographers who want to offer design",
            "Students who need a portfolio before they need a degree",
        ),
        level="Beginner to Intermediate",
        learn=(
            "Seeing first: hierarchy, rhythm and the space between",
            "Choosing and pairing typefaces, and paying for them fairly",
            "Colour that works on screen, on a T-shirt and in one ink",
            "Drawing a mark in vectors, from pencil to clean curves",
            "Packaging: dielines, barcodes and what KEBS wants on a label",
            "Presenting three ideas and being paid for all of them",
        ),
        weeks=(
            Week(
                title="Letters and space",
                text=(
                    "A poster for a county music festival with type alone: no picture, two sizes, one colour. Then we cut "
                    "it up and put it together again."
                ),
                task="a typographic poster in A3.",
            ),
            Week(
                title="A mark from nothing",
                text=(
                    "Forty sketches, four candidates, one logo. Kiondo weaves, matatu lettering and beadwork as teachers "
                    "of form, and how to learn from them without taking."
                ),
                task="a logo with clear space, a smallest size and a version in one ink.",
            ),
            Week(
                title="On the shelf",
                text=(
                    "A label for a 250 ml bottle: front, back, nutrition table, barcode, the mark of quality. Photographed "
                    "among its rivals to see whether it stands out."
                ),
                task="a wrapped bottle and its print-ready dieline.",
            ),
            Week(
                title="From file to invoice",
                text=(
                    "Bleed, overprint, PDF/X and the call to the printer. Then your portfolio, a price per project, and a "
                    "contract that says how many rounds of changes there are."
                ),
                task="a portfolio page with one case, told in six pictures.",
            ),
        ),
        benefits=(
            Benefit(
                title="An eye that stays",
                text="After four critiques you see why a thing works, whatever it was made with.",
            ),
            Benefit(
                title="A case for your portfolio",
                text="One product from pencil to shelf says more than thirty logos on a page.",
            ),
            Benefit(
                title="Files that printers thank you for",
                text="Bleed, fonts and colour in order, so that the second proof is the last.",
            ),
            Benefit(
                title="A price with a spine",
                text="You know what a logo takes in hours, and you can name the price without looking down.",
            ),
        ),
        voice=LearnerVoice(
            name="Dennis Mutiso",
            title="Print shop owner, Machakos",
            quote=(
                "Customers came with a screenshot and asked for business cards. Now they come for the design, and the "
                "printing is what follows. In my second month a honey co-operative paid me more for a label than for the "
                "thousand that I printed of it."
            ),
            image="/images/learners/graphic-design.svg",
            portrait=Portrait(
                skin="chestnut", hair="locs", wear="shirt", glasses="square", beard="chin", eyes="hooded"
            ),
        ),
        prepare="Pencil and paper, a laptop with Illustrator, Affinity or the free Inkscape, and a bottle from your kitchen.",
        outcome="A poster, a logo, a label with its print file, and a portfolio case.",
        related=("canva-design", "social-media-marketing", "digital-skills"),
    ),
)
