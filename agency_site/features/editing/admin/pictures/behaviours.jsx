// Uploading pictures by choosing, dropping or pasting, and choosing the focal point of one.
import { useEffect, useRef, useState } from "react";
import { upload } from "../upload.js";

const filesOf = (transfer) => [...(transfer?.files ?? [])];

/**
 * Uploads the files that are chosen in the form inside, dropped on it, or pasted anywhere on the page, one after the other.
 * One picture opens its own page, which begins with `page`; of several the result is shown here.
 */
export function PictureUpload({ action, field, page, texts, children }) {
  const [status, setStatus] = useState("");
  const [problems, setProblems] = useState([]);
  const [over, setOver] = useState(false);
  const busy = useRef(false);
  const root = useRef(null);

  const uploadAll = async (files) => {
    if (busy.current || files.length === 0) return;
    busy.current = true;
    setProblems([]);
    const stored = [];
    const refused = [];
    for (const [index, file] of files.entries()) {
      setStatus(texts.uploading.replace("{number}", index + 1).replace("{files}", files.length));
      try {
        stored.push(await upload(file, { action, part: field, failed: texts.failed }));
      } catch (error) {
        refused.push(`${file.name}: ${error.message}`);
      }
    }
    busy.current = false;
    root.current?.querySelector("form")?.reset();
    setProblems(refused);
    setStatus(stored.length > 0 ? texts.uploaded.replace("{pictures}", stored.length) : "");
    if (stored.length === 1 && refused.length === 0) window.location.assign(page + stored[0].id);
  };

  useEffect(() => {
    const paste = (event) => {
      const files = filesOf(event.clipboardData);
      // Word processors add a picture of the text that is copied.
      const isText = /^(INPUT|TEXTAREA)$/.test(event.target.nodeName) && event.clipboardData.getData("text/plain").trim();
      if (files.length === 0 || isText) return;
      event.preventDefault();
      uploadAll(files);
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, []);

  const drag = (event) => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    uploadAll(filesOf(event.dataTransfer));
  };
  const submit = (event) => {
    const files = [...event.target.elements[field].files];
    if (files.length === 0) return;
    event.preventDefault();
    uploadAll(files);
  };
  return (
    <div
      ref={root} className="picture-drop" data-over={over} onDragOver={drag} onDragLeave={() => setOver(false)}
      onDrop={drop} onSubmit={submit}
    >
      {children}
      <p role="status" className="office-note">{status}</p>
      <div role="alert">{problems.map((problem) => <p key={problem} className="picture-problem">{problem}</p>)}</div>
    </div>
  );
}

const percent = (part, whole) => Math.round(Math.min(1, Math.max(0, part / whole)) * 100);

const enter = (id, number) => {
  const field = document.getElementById(id);
  field.value = number;
  field.dispatchEvent(new Event("input", { bubbles: true }));
};

/** The picture with a mark on its focal point, which a click moves; the two fields with these ids can be typed into as well. */
export function FocalPoint({ src, label, across, down }) {
  const [point, setPoint] = useState([50, 50]);
  useEffect(() => {
    const fields = [across, down].map((id) => document.getElementById(id));
    const read = () => setPoint(fields.map(({ value }) => percent(Number(value || 50), 100)));
    read();
    fields.forEach((field) => field.addEventListener("input", read));
    return () => fields.forEach((field) => field.removeEventListener("input", read));
  }, [across, down]);
  const move = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    enter(across, percent(event.clientX - box.left, box.width));
    enter(down, percent(event.clientY - box.top, box.height));
  };
  return (
    <div className="picture-focus" onClick={move}>
      <img src={src} alt={label} />
      <span aria-hidden="true" style={{ left: `${point[0]}%`, top: `${point[1]}%` }} />
    </div>
  );
}
