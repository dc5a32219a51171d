"""What programs put on the clipboard, as Chromium hands it to a page, and the Markdown that it means."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Clipboard:
    """A copied selection."""

    html: str
    markdown: str
    plain: str = "the same words without structure"


_WORD_ITEM = (
    "<p class=MsoListParagraph style='text-indent:-18.0pt;mso-list:l0 level{level} lfo1'><![if !supportLists]>"
    "<span style='font-family:Symbol'><span style='mso-list:Ignore'>{mark}<span style='font:7.0pt \"Times New Roman\"'>"
    "&nbsp;&nbsp; </span></span></span><![endif]>{words}<o:p></o:p></p>"
)


def _word_item(words: str, mark: str = "·", level: int = 1) -> str:
    return _WORD_ITEM.format(words=words, mark=mark, level=level)


WORD = Clipboard(
    '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal {margin:0}</style></head><body>'
    "<!--StartFragment--><h2>What we do<o:p></o:p></h2><p class=MsoNormal>We <b><span>bu</span></b><b>ild</b> and <i>write</i> "
    'for <a href="https://shop.example/a b">shops</a>, “quickly” &amp; at&nbsp;night.<o:p></o:p></p>'
    + _word_item("One")
    + _word_item("Inside", "o", 2)
    + _word_item("Two")
    + "<p class=MsoNormal><o:p>&nbsp;</o:p></p>"
    + _word_item("First", "1.").replace("l0", "l1")
    + _word_item("Second", "2.").replace("l0", "l1")
    + "<table class=MsoTableGrid><tr><td><p class=MsoNormal><b>Plan</b></p></td><td><p class=MsoNormal align=right "
    "style='text-align:right'>KES</p></td></tr><tr><td><p class=MsoNormal>Small | one</p></td><td><p class=MsoNormal "
    "align=right style='text-align:right'>3,300</p></td></tr></table>"
    "<p class=MsoQuote>Wait is a signal.</p><p class=MsoNormal>Mwanga<br>Koinange Street<br>Nairobi</p>"
    '<img src="file:///C:/Temp/image001.png"><!--EndFragment--></body></html>',
    "## What we do\n\n"
    "We **build** and *write* for [shops](https://shop.example/a%20b), “quickly” & at\u00a0night.\n\n"
    "- One\n  - Inside\n- Two\n\n1. First\n2. Second\n\n"
    "| **Plan** | KES |\n| --- | --: |\n| Small \\| one | 3,300 |\n\n"
    "> Wait is a signal.\n\nMwanga  \nKoinange Street  \nNairobi",
)
GOOGLE_DOCS = Clipboard(
    '<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h2 dir="ltr"><span '
    'style="font-weight:400">Steps</span></h2><p dir="ltr"><span style="font-weight:400">Say </span><span '
    'style="font-weight:700">on</span><span style="font-weight:700">e</span>'
    '<span style="font-weight:400"> thing, </span><span style="font-style:italic">'
    'once</span><span style="text-decoration:line-through">twice</span>. <a href="https://www.google.com/url?q=https://a.example/x'
    '&amp;sa=D"><span style="text-decoration:underline">More</span></a></p><ul><li dir="ltr"><p><span>A</span></p></li><ul>'
    "<li><p><span>A1</span></p></li></ul><li><p><span>B</span></p></li></ul><br><div><table><tbody><tr><td><p><span>Day"
    "</span></p></td><td><p><span>Time</span></p></td></tr><tr><td><p><span>Monday</span></p></td><td><p><span>9</span></p>"
    "</td></tr></tbody></table></div></b>",
    "## Steps\n\nSay **one** thing, *once*~~twice~~. [More](https://a.example/x)\n\n- A\n  - A1\n- B\n\n"
    "| Day | Time |\n| --- | --- |\n| Monday | 9 |",
)
LIBRE_OFFICE = Clipboard(
    '<html><body><h1 class="western">One</h1><p style="margin-bottom:0cm"><font face="Arial"><b>Bold</b></font> text</p>'
    '<h1 class="western">Two</h1><ol><li><p>first</p></li><li value="2"><p>second</p></li></ol><h2>Below</h2></body></html>',
    "## One\n\n**Bold** text\n\n## Two\n\n1. first\n2. second\n\n### Below",
)
WEB_PAGE = Clipboard(
    '<article><h1>News</h1><p>Read <a href="/relative">this</a>, <a href="javascript:alert(1)">that</a> and <code>&lt;b&gt;'
    "</code> or &lt;b&gt; at https://x.example/a_b_c.</p><script>alert(1)</script>"
    "<blockquote><p>Said <em>twice</em></p></blockquote>"
    '<pre><code>a\n  b</code></pre><img src="https://x.example/spy.gif" alt="spy"><p style="display:none">hidden</p></article>',
    "# News\n\nRead [this](/relative), that and `<b>` or \\<b> at https://x.example/a_b_c.\n\n> Said *twice*\n\n"
    "```\na\n  b\n```",
)
OUTLOOK = Clipboard(
    '<div class="elementToProof" style="font-family:Aptos">Dear Achieng,</div><div><br></div><div>the <b>price</b> is below.'
    "</div>"
    "<table><tr><td><table><tr><td>Plan</td><td>Growth</td></tr><tr><td>Price</td><td>5,500</td></tr></table></td></tr></table>",
    "Dear Achieng,\n\nthe **price** is below.\n\n| Plan | Growth |\n| --- | --- |\n| Price | 5,500 |",
)
EXCEL = Clipboard(
    "<table><col width=64><tr><td>Month</td><td align=right>Calls</td></tr><tr><td>May</td><td align=right>41</td></tr></table>",
    "| Month | Calls |\n| --- | --: |\n| May | 41 |",
    "Month\tCalls\nMay\t41",
)
PLAIN = Clipboard(
    "",
    "Our services:\n- Design\n- Adverts\n- Films\n\nMwanga  \nKoinange Street  \nNairobi\n\nA paragraph of Word.",
    "Our services:\n•\tDesign\n·  Adverts\no\tFilms\n\nMwanga\nKoinange Street\nNairobi\n\n\tA paragraph of Word.",
)
MARKDOWN = Clipboard("", *["## Title\n\n- a\n- b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> q"] * 2)
CLIPBOARDS = {
    "Word": WORD, "Google Docs": GOOGLE_DOCS, "LibreOffice": LIBRE_OFFICE, "web page": WEB_PAGE, "Outlook": OUTLOOK,
    "Excel": EXCEL, "plain text": PLAIN, "Markdown": MARKDOWN,
}  # fmt: skip
