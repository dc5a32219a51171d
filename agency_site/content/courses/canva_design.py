"""Canva Design Masterclass."""

from agency_site.content.course_schema import Course, CourseDetail, FeaturedCard, LearnerVoice, Week
from agency_site.content.schema import Benefit, Portrait

CANVA_DESIGN = Course(
    slug="canva-design",
    title="Canva Design Masterclass",
    short_title="Canva Design",
    payment_name="Canva Design Masterclass",
    detail_price=15_000,
    payment_price=15_000,
    position=6,
    weeks=4,
    summary="Posters, menus and a month of posts that look like one brand, made on the laptop you have.",
    description=(
        "Four weeks online: brand kit, posters, menus, a month of posts and print files in Canva, for offices, shops and "
        "schools. {price}."
    ),
    look="clay",
    cover="/photographs/course-canva-design/960x640.jpg",
    head="/art/heads/canva-design.svg",
    icon="course-canva-design",
    featured=FeaturedCard(
        id=8,
        title="Canva Design Masterclass",
        rating=4.7,
        line="Posters, menus and posts that look like one brand.",
    ),
    detail=CourseDetail(
        lead="Posters, menus and a month of posts that look like one brand, made on the laptop you have.",
        overview=(
            "Canva is easy to begin with and easy to get wrong. Six typefaces, a template that the shop across the road "
            "uses as well, and a poster that comes back from River Road with its edges cut off.",
            "In four weeks you learn the handful of rules that designers work by, set up a brand kit, and make everything "
            "that a small organisation needs in a season. You use the free plan throughout; we say where the paid one "
            "would save you time.",
        ),
        audience=(
            "Office managers, teachers and secretaries who have become the designer",
            "Owners of cafés, salons and shops who need something new each week",
            "Communications volunteers in churches, clubs and NGOs",
            "Social media managers who wait too long for artwork",
        ),
        level="Beginner to Advanced",
        learn_heading="Skills you build",
        learn=(
            "A brand kit: two typefaces, four colours, a logo with room around it",
            "Layout by grid, so that a poster reads from across the road",
            "Templates that colleagues can fill and cannot break",
            "Photos cut out, corrected and given a common look",
            "Simple animation for status, reels and the screen at reception",
            "Print files with bleed that River Road prints as you meant them",
        ),
        weeks=(
            Week(
                title="Fewer things, larger",
                text=(
                    "Contrast, alignment and white space, learned by repairing ten real posters from notice boards "
                    "between Rongai and Kisii."
                ),
                task="a brand kit and your worst poster, made again.",
            ),
            Week(
                title="A season on paper",
                text=(
                    "Menu, price list, banner, certificate, business card. Bleed, paper, CMYK and the question to ask "
                    "the printer before you pay."
                ),
                task="three pieces for print, one of them really printed.",
            ),
            Week(
                title="A month on screens",
                text=(
                    "One idea in four sizes: post, story, status and cover. Templates for quotes, offers and notices, and "
                    "bulk creation from a spreadsheet."
                ),
                task="twelve posts that belong together at a glance.",
            ),
            Week(
                title="Move it, share it, hand it over",
                text=(
                    "Two seconds of animation that do not annoy, presentations that people can read from the back row, "
                    "and team folders with locked elements."
                ),
                task="a kit of templates that a colleague has used without calling you.",
            ),
        ),
        benefits=(
            Benefit(
                title="Everything looks like you",
                text="People recognise the next poster before they read it. That is what a brand is.",
            ),
            Benefit(
                title="Made this morning, up by noon",
                text="Templates turn a two-day wait into twenty minutes.",
            ),
            Benefit(
                title="Print without surprises",
                text="The banner comes back in the colours and the size that you sent.",
            ),
        ),
        voice=LearnerVoice(
            name="Linet Moraa",
            title="Deputy head teacher, secondary school, Kisii",
            quote=(
                "Our prize-giving programme used to cost KES 18,000 and arrive on the day after. This year I made it "
                "on a Sunday, the form threes printed it in town, and two other schools asked who our agency is."
            ),
            image="/images/learners/canva-design.svg",
            portrait=Portrait(
                skin="cinnamon", hair="bun", wear="rollneck", glasses="round", laughing=True, face="round"
            ),
        ),
        prepare="A laptop with a browser, a free Canva account, your logo in whatever form it exists, and five photos.",
        outcome="A brand kit, three printed pieces, twelve posts and templates that others can use.",
        related=("graphic-design", "social-media-marketing", "digital-skills"),
    ),
)
