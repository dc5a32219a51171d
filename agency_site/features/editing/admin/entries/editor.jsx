// Writing an entry: the buttons of its form, the tools of its text in Markdown, and its pictures.
import { useEffect, useRef, useState } from "react";
import { upload } from "../upload.js";
import { readClipboard } from "./paste.js";

/** The preview is drawn after a pause in typing of this many milliseconds. */
const PAUSE_MS = 500;
const OWN_PICTURE = /^\/(art|images|pictures)\/\S+$/;

/** A submit button that names what it does in the field `act` of its form. */
export function ActButton({ act, children, ...rest }) {
  const note = ({ currentTarget }) => { currentTarget.form.elements.act.value = act; };
  return <button {...rest} type="submit" onClick={note}>{children}</button>;
}

/** Replaces the selection of a field as if it were typed, so that undo works and drafts notice. */
function type(field, text) {
  field.focus();
  document.execCommand("insertText", false, text);
}

/** Puts the selected text, or else `example`, between two marks; it stays selected. */
function wrap(field, before, after, example) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const text = value.slice(start, end) || example;
  type(field, before + text + after);
  field.setSelectionRange(start + before.length, start + before.length + text.length);
}

/** Makes a link of the selected text; its address is selected next. */
function link(field) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const text = value.slice(start, end) || "text";
  type(field, `[${text}](/address)`);
  const address = start + text.length + 3;
  field.setSelectionRange(address, address + "/address".length);
}

/** Puts a mark before each selected line, or removes it if all lines have it. */
function prefix(field, mark) {
  const { selectionStart, selectionEnd, value } = field;
  const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
  const next = value.indexOf("\n", selectionEnd);
  const end = next < 0 ? value.length : next;
  const lines = value.slice(start, end).split("\n");
  const marked = lines.every((line) => line.startsWith(mark));
  const text = lines.map((line) => (marked ? line.slice(mark.length) : mark + line)).join("\n");
  field.setSelectionRange(start, end);
  if (text) type(field, text);
  else field.ownerDocument.execCommand("delete");
  field.setSelectionRange(start, start + text.length);
}

/** Inserts a picture on a line of its own; its description is selected next. */
function insertPicture(field, { src, alt = "" }) {
  const { selectionEnd: end, value } = field;
  field.setSelectionRange(end, end);
  const before = end === 0 || value.slice(0, end).endsWith("\n\n") ? "" : value[end - 1] === "\n" ? "\n" : "\n\n";
  type(field, `${before}![${alt}](${src})\n`);
  const start = end + before.length + 2;
  field.setSelectionRange(start, start + alt.length);
}

/** The uploads of a field: `send` uploads files one after the other and hands each picture to `use`. */
function useUploads({ action, part, texts }, use) {
  const [said, say] = useState("");
  const send = async (files) => {
    for (const file of files) {
      say(texts.sending.replace("{name}", file.name));
      try {
        use(await upload(file, { action, part, failed: texts.failed }));
        say(texts.done);
      } catch (error) {
        say(error.message);
        return;
      }
    }
  };
  return [said, send];
}

const picturesOf = (data) => [...(data?.files ?? [])].filter((file) => file.type.startsWith("image/"));

function UploadButton({ label, send }) {
  const chooser = useRef(null);
  const chosen = ({ target }) => { send([...target.files]); target.value = ""; };
  return (
    <>
      <button type="button" className="office-quiet" onClick={() => chooser.current.click()}>{label}</button>
      <input ref={chooser} type="file" accept="image/*" hidden onChange={chosen} />
    </>
  );
}

/** The newest pictures of the library, below a button that opens and closes them. */
function Library({ pictures, texts, onOpen, onChoose }) {
  const [open, setOpen] = useState(false);
  const toggle = () => { if (!open) onOpen(); setOpen(!open); };
  return (
    <>
      <button type="button" className="office-quiet" aria-expanded={open} onClick={toggle}>{texts.library}</button>
      {open && (
        <ul className="entries-library">
          {pictures.length === 0 && <li>{texts.empty}</li>}
          {pictures.map((picture) => (
            <li key={picture.src}>
              <button type="button" title={picture.name} onClick={() => { setOpen(false); onChoose(picture); }}>
                <img src={picture.small_src} alt={picture.alt || picture.name} loading="lazy" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The tools of the Markdown text in the field with the id `target`; `onDraw` gets the text after a pause in typing. */
export function MarkdownTools({ target, pictures, texts, onDraw, onOpen, ...uploads }) {
  const field = () => document.getElementById(target);
  const [said, send] = useUploads({ ...uploads, texts }, (picture) => insertPicture(field(), picture));
  const act = useRef({});
  act.current = { onDraw, send };
  const tools = {
    heading: () => prefix(field(), "## "),
    bold: () => wrap(field(), "**", "**", "bold"),
    italic: () => wrap(field(), "*", "*", "italic"),
    link: () => link(field()),
    list: () => prefix(field(), "- "),
    quotation: () => prefix(field(), "> "),
  };
  useEffect(() => {
    const box = field();
    const shortcuts = { b: tools.bold, i: tools.italic, k: tools.link };
    let timer = 0;
    const draw = () => {
      clearTimeout(timer);
      timer = setTimeout(() => act.current.onDraw(box.value), PAUSE_MS);
    };
    let pastesPlain = false;
    const take = (event, data) => {
      const words = readClipboard(data, location.origin);
      const files = words ? [] : picturesOf(data);
      if (words) {
        event.preventDefault();
        type(box, words);
      }
      if (!files.length) return;
      event.preventDefault();
      act.current.send(files);
    };
    const listeners = {
      input: draw,
      keydown(event) {
        pastesPlain = event.key.toLowerCase() === "v" && event.shiftKey && (event.ctrlKey || event.metaKey);
        const tool = shortcuts[event.key.toLowerCase()];
        if (!tool || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
        event.preventDefault();
        // Ctrl-K leads to the search elsewhere.
        event.stopPropagation();
        tool();
      },
      paste(event) {
        if (!pastesPlain) take(event, event.clipboardData);
        pastesPlain = false;
      },
      // Text that is dragged from elsewhere falls where it is dropped.
      drop: (event) => { if (event.dataTransfer.files.length) take(event, event.dataTransfer); },
      dragover(event) { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); },
    };
    for (const [kind, listener] of Object.entries(listeners)) box.addEventListener(kind, listener);
    box.form.addEventListener("reset", draw);
    // A draft of the browser is restored without an event.
    if (box.value !== box.defaultValue) draw();
    return () => {
      clearTimeout(timer);
      for (const [kind, listener] of Object.entries(listeners)) box.removeEventListener(kind, listener);
      box.form?.removeEventListener("reset", draw);
    };
  }, [target]);
  return (
    <div className="entries-tools" role="group" aria-label={texts.tools}>
      {Object.entries(tools).map(([name, tool]) => (
        <button key={name} type="button" className="office-quiet" aria-keyshortcuts={texts.keys[name]} onClick={tool}>{texts[name]}</button>
      ))}
      <UploadButton label={texts.upload} send={send} />
      <Library pictures={pictures} texts={texts} onOpen={onOpen} onChoose={(picture) => insertPicture(field(), picture)} />
      <p role="status" className="office-note">{said}</p>
    </div>
  );
}

/** The picture whose address is in the field with the id `target`, and the ways to another one. */
export function PictureTools({ target, pictures, texts, onOpen, ...uploads }) {
  const field = () => document.getElementById(target);
  const use = ({ src }) => {
    field().focus();
    field().select();
    type(field(), src);
  };
  const [said, send] = useUploads({ ...uploads, texts }, use);
  const [src, setSrc] = useState("");
  useEffect(() => {
    const box = field();
    const show = () => setSrc(box.value);
    // The form fills its fields after this event.
    const showLater = () => setTimeout(show);
    show();
    box.addEventListener("input", show);
    box.form.addEventListener("reset", showLater);
    const timer = showLater();
    return () => {
      clearTimeout(timer);
      box.removeEventListener("input", show);
      box.form?.removeEventListener("reset", showLater);
    };
  }, [target]);
  return (
    <div className="entries-picture">
      {OWN_PICTURE.test(src) && <img src={src} alt="" className="entries-thumbnail" />}
      <UploadButton label={texts.upload} send={send} />
      <Library pictures={pictures} texts={texts} onOpen={onOpen} onChoose={use} />
      <p role="status" className="office-note">{said}</p>
    </div>
  );
}
