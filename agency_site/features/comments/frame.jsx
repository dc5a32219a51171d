// What the comment form does in the browser alone: remember its author there, and move the focus after an answer.
import { useEffect, useRef } from "react";

const KEY = "comment-author";
const FIELDS = ["name", "email", "website"];

function remembered() {
  try {
    return JSON.parse(window.localStorage.getItem(KEY));
  } catch {
    return null; // Storage is switched off, or holds something that is not ours.
  }
}

function remember(author) {
  try {
    if (author) window.localStorage.setItem(KEY, JSON.stringify(author));
    else window.localStorage.removeItem(KEY);
  } catch {
    // Storage is switched off: then there is nothing to remember with.
  }
}

/**
 * Around the form. `accepted` and `refused` count answers; the form clears, and its author is remembered, only when a
 * comment was accepted that was sent from here: counters also arrive late from an earlier visit in the same tab.
 */
export function CommentFrame({ accepted = 0, refused = 0, children, ...rest }) {
  const root = useRef(null);
  const sent = useRef(null);
  const filled = useRef(false);
  const answers = useRef([accepted, refused]);

  useEffect(() => {
    const author = remembered();
    if (!author) return;
    const { elements } = root.current.querySelector("form");
    FIELDS.forEach((name) => {
      const box = elements.namedItem(name);
      if (!box.value) box.value = String(author[name] ?? "");
    });
    elements.namedItem("saveInfo").checked = true;
    filled.current = true;
  }, []);

  useEffect(() => {
    const [before, refusedBefore] = answers.current;
    answers.current = [accepted, refused];
    const focus = (selector) =>
      requestAnimationFrame(() => root.current?.querySelector(selector)?.focus());
    if (refused > refusedBefore && sent.current) focus("[aria-invalid='true']");
    if (accepted <= before || !sent.current) return;
    const { keep, author } = sent.current;
    if (keep) remember(author);
    else if (filled.current) remember(null);
    sent.current = null;
    filled.current = false;
    root.current.querySelector("form").reset();
    focus("[data-thanks]");
  }, [accepted, refused]);

  const note = (event) => {
    const data = new FormData(event.target);
    const author = Object.fromEntries(FIELDS.map((name) => [name, String(data.get(name) ?? "").trim()]));
    sent.current = { keep: data.has("saveInfo"), author };
  };
  return <div {...rest} ref={root} onSubmitCapture={note}>{children}</div>;
}
