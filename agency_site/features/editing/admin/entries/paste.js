// What word processors, mail programs and web pages put on the clipboard, as Markdown.
import TurndownService from "turndown";

const DROPPED = ["script", "style", "noscript", "iframe", "object", "svg", "button", "input", "select", "textarea", "title"];
const LINK = /^(https?:\/\/|mailto:|tel:|\/(?![/\\]))/i;
const OWN_PICTURE = /^\/(art|images|pictures)\/\S+$/;
/** What Google Docs makes of the address of a link in some exports. */
const REDIRECT = /^https:\/\/www\.google\.com\/url\?(?:.*&)?q=([^&]+)/;
const BULLET = /^[ \t]*(?:[•·▪◦‣●○][ \t\u00a0]*|(?:[o§–-])\t+)(?=\S)/;
const NUMBER = /^[ \t]*(\d{1,3})[.)]\t+(?=\S)/;
const MARKED = /^\s*(?:[-*+>#|]|\d+[.)] |```)/;
/** Lines of postal addresses and verses are shorter than this; longer ones may have been wrapped by a program. */
const SHORT_LINE = 45;

/** The policy of the page forbids inline styles, also those of a parsed document, so they have another name here. */
const withoutStyles = (html) => html.replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/\sstyle\s*=/gi, " data-style="))
  .replace(/<style[\s\S]*?<\/style>/gi, "");
const styleOf = (element) => element.dataset.style ?? "";
const each = (root, selector, work) => { for (const element of [...root.querySelectorAll(selector)]) work(element); };
const unwrap = (element) => element.replaceWith(...element.childNodes);

function rename(element, name) {
  const other = element.ownerDocument.createElement(name);
  other.append(...element.childNodes);
  element.replaceWith(other);
  return other;
}

const service = new TurndownService({ headingStyle: "atx", bulletListMarker: "-", codeBlockStyle: "fenced", emDelimiter: "*" });
const escapeWords = service.escape.bind(service);
// Addresses stay as they are; what looks like HTML or struck words is neither.
service.escape = (text) => text.split(/(https?:\/\/\S+)/)
  .map((part, place) => (place % 2 ? part : escapeWords(part).replace(/<(?=[a-z/!?])/gi, "\\<").replace(/~~/g, "\\~\\~"))).join("");
service.remove(DROPPED);
service.addRule("struck", { filter: ["del", "s", "strike"], replacement: (words) => (words.trim() ? `~~${words}~~` : "") });
service.addRule("item", { filter: "li", replacement: writeItem });
service.addRule("table", { filter: "table", replacement: (_, table) => `\n\n${writeTable(table)}\n\n` });

function writeItem(words, item) {
  const list = item.parentNode;
  const place = [...list.children].indexOf(item) + Number(list.getAttribute("start") || 1);
  const mark = list.nodeName === "OL" ? `${place}. ` : "- ";
  return `${mark}${words.trim().replace(/\n(?!\n)/g, `\n${" ".repeat(mark.length)}`)}${item.nextSibling ? "\n" : ""}`;
}

function writeTable(table) {
  const rows = [...table.rows].map((row) => [...row.cells].flatMap((cell) => [cell, ...Array(Math.max(0, cell.colSpan - 1)).fill(null)]));
  const width = Math.max(...rows.map((cells) => cells.length));
  const line = (parts) => `| ${parts.join(" | ")} |`;
  const lines = rows.map((cells) => line(Array.from({ length: width }, (_, place) => (cells[place] ? writeCell(cells[place]) : ""))));
  const marks = Array.from({ length: width }, (_, place) => alignmentOf((rows[1] ?? rows[0])[place]));
  return [lines[0], line(marks), ...lines.slice(1)].join("\n");
}

const writeCell = (cell) => service.turndown(cell.innerHTML).replace(/\|/g, "\\|").replace(/\s*\n\s*/g, " ").trim();

/** The mark of a column, by the alignment of a cell or of the paragraph in it. */
function alignmentOf(cell) {
  const said = cell ? [cell, ...cell.children].map((part) => part.getAttribute("align") ?? /text-align:\s*(\w+)/i.exec(styleOf(part))?.[1]) : [];
  if (said.some((side) => /^(right|end)$/i.test(side))) return "--:";
  return said.some((side) => /^center$/i.test(side)) ? ":-:" : "---";
}

/** Returns the Markdown of HTML; `origin` is the address of this site, whose links begin with a slash. */
export function toMarkdown(html, origin = "") {
  const { body } = new DOMParser().parseFromString(withoutStyles(html), "text/html");
  each(body, DROPPED.join(), (element) => element.remove());
  each(body, "[data-style]", (element) => { if (/display:\s*none|mso-hide:\s*all/i.test(styleOf(element))) element.remove(); });
  makeLists(body);
  each(body, "p, div", nameParagraph);
  each(body, "[data-style]", nameMarks);
  each(body, "span, font", unwrap);
  each(body, "b", (mark) => rename(mark, "strong"));
  each(body, "i", (mark) => rename(mark, "em"));
  each(body, "strong, em, s", joinNext);
  each(body, "table", (table) => { if (isLayout(table)) openTable(table); });
  each(body, "ul > ul, ul > ol, ol > ul, ol > ol", (list) => list.previousElementSibling?.append(list));
  each(body, "li > p:only-child, li > p:first-child", unwrap);
  each(body, "h1, h2, h3, h4, h5, h6", (heading) => each(heading, "b, strong, em, i, br", unwrap));
  if (body.querySelectorAll("h1").length > 1) lowerHeadings(body);
  each(body, "a", (link) => cleanLink(link, origin));
  each(body, "img", (image) => { if (!OWN_PICTURE.test(cleanAddress(image.getAttribute("src"), origin))) image.remove(); });
  return service.turndown(body.innerHTML).replace(/^[ \t]+$/gm, "").replace(/\n{3,}/g, "\n\n").trim();
}

/** Makes lists of the paragraphs that Word marks as items. */
function makeLists(body) {
  let open = [];
  let last = null;
  each(body, "p, div, h1, h2, h3, h4, h5, h6", (paragraph) => {
    const level = Number(/mso-list:\s*l\d+\s+level(\d)/i.exec(styleOf(paragraph))?.[1]);
    if (!level) return;
    const marks = [...paragraph.querySelectorAll("[data-style]")].filter((part) => /mso-list:\s*ignore/i.test(styleOf(part)));
    const mark = marks.map((part) => part.textContent).join("").replace(/[\s\u00a0]/g, "");
    for (const part of marks) part.remove();
    const name = /^\(?[\da-z]{1,4}[.)]$/i.test(mark) ? "ol" : "ul";
    open = paragraph.previousElementSibling === last && last ? open.slice(0, level) : [];
    if (open[level - 1]?.localName !== name) open.length = Math.min(open.length, level - 1);
    const item = paragraph.ownerDocument.createElement("li");
    item.append(...paragraph.childNodes);
    if (open.length < level) {
      const list = paragraph.ownerDocument.createElement(name);
      if (name === "ol" && parseInt(mark, 10) > 1) list.setAttribute("start", parseInt(mark, 10));
      const parent = open.at(-1)?.lastElementChild;
      if (parent) parent.append(list);
      else { paragraph.before(list); last = list; }
      open.push(list);
      while (open.length < level) open.push(list);
    }
    open[level - 1].append(item);
    paragraph.remove();
  });
}

/** Names the paragraphs that Word marks by its own style sheet. */
function nameParagraph(paragraph) {
  const kind = paragraph.className;
  if (/^Mso(Title|Heading1)/.test(kind)) rename(paragraph, "h1");
  else if (/^MsoSubtitle/.test(kind)) rename(paragraph, "h2");
  else if (/^Mso(Intense)?Quote/.test(kind)) rename(paragraph, "blockquote");
}

/** Names bold, italic and struck words that only have a style. Google Docs wraps all of a selection in `b` with a normal weight. */
function nameMarks(element) {
  const style = styleOf(element);
  const names = [
    [/font-weight:\s*(bold|[6-9]00)/i, "strong"], [/font-style:\s*italic/i, "em"], [/text-decoration[^;]*line-through/i, "s"],
  ].filter(([pattern]) => pattern.test(style)).map(([, name]) => name);
  if (/^(b|strong)$/.test(element.localName) && /font-weight:\s*(normal|400)/i.test(style)) unwrap(element);
  else if (/^(span|font)$/.test(element.localName)) {
    for (const name of names) {
      const mark = element.ownerDocument.createElement(name);
      mark.append(...element.childNodes);
      element.append(mark);
    }
  }
}

/** Programs write what is marked in one go in several pieces. */
function joinNext(mark) {
  while (mark.nextSibling?.localName === mark.localName) {
    const next = mark.nextSibling;
    mark.append(...next.childNodes);
    next.remove();
  }
}

/** Whether a table only places its content: it has one column, or holds what a cell of Markdown cannot. */
function isLayout(table) {
  return Math.max(...[...table.rows].map((row) => row.cells.length), 0) < 2 || table.querySelector("table, ul, ol, h1, h2, h3, pre") !== null;
}

function openTable(table) {
  each(table, "td, th, caption", (cell) => { if (cell.closest("table") === table) rename(cell, "div"); });
  each(table, "tr, tbody, thead, tfoot, colgroup", (part) => { if (part.closest("table") === table) unwrap(part); });
  rename(table, "div");
}

function lowerHeadings(body) {
  for (const level of [5, 4, 3, 2, 1]) each(body, `h${level}`, (heading) => rename(heading, `h${level + 1}`));
}

function cleanAddress(address, origin) {
  const target = REDIRECT.exec(address ?? "")?.[1];
  const whole = (target ? decodeURIComponent(target) : address ?? "").trim().replace(/\s/g, "%20");
  return origin && whole.startsWith(`${origin}/`) ? whole.slice(origin.length) : whole;
}

function cleanLink(link, origin) {
  const address = cleanAddress(link.getAttribute("href"), origin);
  if (!LINK.test(address) || !link.textContent.trim()) unwrap(link);
  else link.setAttribute("href", address);
  link.removeAttribute("title");
}

/** Returns text without marks as Markdown: typed bullets become items of lists, and short lines stay lines. */
export function fromPlain(text) {
  const plain = text.replace(/\r\n?/g, "\n");
  if (plain.includes("```")) return plain;
  return plain.split(/\n[ \t]*\n/).map(writeParagraph).join("\n\n");
}

function writeParagraph(paragraph) {
  const lines = paragraph.split("\n").map((line) => line.replace(BULLET, "- ").replace(NUMBER, "$1. ").replace(/^(\t| {4,})+/, ""));
  const isVerse = lines.length > 1 && lines.every((line) => line.length <= SHORT_LINE && !MARKED.test(line));
  return lines.map((line, place) => {
    const next = lines[place + 1];
    if (next === undefined || !line.trim()) return line;
    if (/^(-|\d+\.) /.test(line) && !MARKED.test(next)) return `${line}\n`;
    return isVerse && next.trim() ? `${line.trimEnd()}  ` : line;
  }).join("\n");
}

/** Returns what a paste or drop says, as Markdown; empty if it only carries files. Text wins over the picture of it. */
export function readClipboard(data, origin) {
  const text = data.getData("text/plain");
  const html = data.types.includes("vscode-editor-data") ? "" : data.getData("text/html");
  const isAddressOfPicture = text.trim() !== "" && text.trim() === data.getData("text/uri-list").trim();
  const words = isAddressOfPicture && data.files.length ? "" : text;
  const converted = html && (words.trim() || !data.files.length) ? toMarkdown(html, origin) : "";
  return converted || fromPlain(words);
}
