// The comment form remembers the author in this browser.
import { useEffect, useRef } from "react";

const KEY = "comment-author";
const FIELDS = ["name", "email", "website"];

/**
 * The frame around the form. `accepted` counts stored comments. The author is remembered only after a submission from this
 * frame, because the counter may arrive late from an earlier visit in the same tab.
 */
export function CommentFrame({ accepted = 0, children, ...rest }) {
  const root = useRef(null);
  const submission = useRef(null);

  useEffect(() => {
    const author = JSON.parse(localStorage.getItem(KEY));
    if (!author) return;
    const { elements } = root.current.querySelector("form");
    FIELDS.forEach((name) => {
      const box = elements.namedItem(name);
      if (!box.value) box.value = String(author[name] ?? "");
    });
    elements.namedItem("saveInfo").checked = true;
  }, []);

  useEffect(() => {
    const author = submission.current?.author;
    if (author) localStorage.setItem(KEY, JSON.stringify(author));
    else if (submission.current) localStorage.removeItem(KEY);
    submission.current = null;
  }, [accepted]);

  const note = (event) => {
    const data = new FormData(event.target);
    const read = (name) => [name, String(data.get(name) ?? "").trim()];
    submission.current = { author: data.has("saveInfo") && Object.fromEntries(FIELDS.map(read)) };
  };
  return <div {...rest} ref={root} onSubmitCapture={note}>{children}</div>;
}
