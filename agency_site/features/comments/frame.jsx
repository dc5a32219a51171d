// The comment form remembers the author in this browser.
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
 * The frame around the form. `accepted` counts stored comments. The author is remembered only after a submission from this
 * frame, because the counter may arrive late from an earlier visit in the same tab.
 */
export function CommentFrame({ accepted = 0, children, ...rest }) {
  const root = useRef(null);
  const submission = useRef(null);

  useEffect(() => {
    const author = readAuthor();
    if (!author) return;
    const { elements } = root.current.querySelector("form");
    FIELDS.forEach((name) => {
      const box = elements.namedItem(name);
      if (!box.value) box.value = String(author[name] ?? "");
    });
    elements.namedItem("saveInfo").checked = true;
  }, []);

  useEffect(() => {
    if (submission.current) storeAuthor(submission.current.author);
    submission.current = null;
  }, [accepted]);

  const note = (event) => {
    const data = new FormData(event.target);
    const read = (name) => [name, String(data.get(name) ?? "").trim()];
    submission.current = { author: data.has("saveInfo") && Object.fromEntries(FIELDS.map(read)) };
  };
  return <div {...rest} ref={root} onSubmitCapture={note}>{children}</div>;
}
