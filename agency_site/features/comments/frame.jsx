// The comment form in the browser: it remembers the author there, and moves the focus after an answer.
import { useEffect, useRef } from "react";

const KEY = "comment-author";
const FIELDS = ["name", "email", "website"];

function readAuthor() {
  try {
    return JSON.parse(window.localStorage.getItem(KEY));
  } catch {
    return null; // Storage is disabled or holds something else.
  }
}

function storeAuthor(author) {
  try {
    if (author) window.localStorage.setItem(KEY, JSON.stringify(author));
    else window.localStorage.removeItem(KEY);
  } catch {
    // Storage is disabled, so the author is not remembered.
  }
}

/**
 * The frame around the form. `accepted` and `refused` count answers. The form is cleared, and its author remembered, only
 * after a submission from this frame, because a counter may arrive late from an earlier visit in the same tab.
 */
export function CommentFrame({ accepted = 0, refused = 0, children, ...rest }) {
  const root = useRef(null);
  const submission = useRef(null);
  const filled = useRef(false);
  const answers = useRef([accepted, refused]);

  useEffect(() => {
    const author = readAuthor();
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
    if (refused > refusedBefore && submission.current) focus("[aria-invalid='true']");
    if (accepted <= before || !submission.current) return;
    const { keep, author } = submission.current;
    if (keep) storeAuthor(author);
    else if (filled.current) storeAuthor(null);
    submission.current = null;
    filled.current = false;
    root.current.querySelector("form").reset();
    focus("[data-thanks]");
  }, [accepted, refused]);

  const note = (event) => {
    const data = new FormData(event.target);
    const author = Object.fromEntries(FIELDS.map((name) => [name, String(data.get(name) ?? "").trim()]));
    submission.current = { keep: data.has("saveInfo"), author };
  };
  return <div {...rest} ref={root} onSubmitCapture={note}>{children}</div>;
}
