// The bookings calendar in the browser: a booking is dragged, or picked up with a key or click, and dropped on a free slot.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";

const PHONE = "(max-width: 44.9375em)";
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
const TURNS = { PageDown: "after", PageUp: "before" };
const DAY_MS = 86_400_000;

export function DayOnPhones({ chosen, to }) {
  const navigate = useNavigate();
  useLayoutEffect(() => {
    if (!chosen && to && window.matchMedia(PHONE).matches) navigate(to, { replace: true });
  }, [chosen, to]);
  return null;
}

const dayOf = (slot) => slot.slice(0, 10);
const moment = (slot) => Date.parse(slot.length > 10 ? `${slot.slice(0, 16)}Z` : slot);

/** Return the free slot in the direction of an arrow key. `slots` are sorted; in a month they are days. */
function neighbour(slots, from, [across, down]) {
  const way = across + down;
  const day = Date.parse(dayOf(from));
  let edge = moment(from);
  if (across) edge = way > 0 ? day + DAY_MS - 1 : day;
  else if (from.length === 10) edge = day + down * 7 * DAY_MS - way;
  const beyond = slots.filter((slot) => (moment(slot) - edge) * way > 0);
  const next = way > 0 ? beyond[0] : beyond.at(-1);
  if (!next || !across) return next;
  const away = (slot) => Math.abs((moment(slot) % DAY_MS) - (moment(from) % DAY_MS));
  return slots.filter((slot) => dayOf(slot) === dayOf(next)).reduce((a, b) => (away(b) < away(a) ? b : a));
}

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

export function MoveArea({ active, onMove, texts, children, ...rest }) {
  const root = useRef(null);
  const panel = useRef(null);
  const [carry, setCarry] = useState(null); // the data of the card that is moved; `dragged` if the mouse moves it
  const [aim, setAim] = useState(null); // the slot on which it would be dropped
  const [message, setMessage] = useState("");
  const now = useRef({});
  now.current = { carry, aim };
  const find = (name, value) => root.current?.querySelector(`[data-${name}="${CSS.escape(value ?? "")}"]`);
  const free = () => [...root.current.querySelectorAll("[data-slot][data-free]")].map((slot) => slot.dataset.slot);
  const cardOf = ({ target }) => (active ? target.closest("[data-booking][data-movable]") : null);

  const lift = (card, dragged = false) => {
    setCarry({ ...card.dataset, dragged });
    setAim(null);
    setMessage(dragged ? "" : fill(texts.slots, { count: free().length }));
  };
  const point = (slot) => {
    const slots = free();
    setAim(slot);
    find("slot", slot).scrollIntoView({ block: "nearest", inline: "nearest" });
    setMessage(fill(texts.aimed, { label: find("slot", slot).dataset.label, number: slots.indexOf(slot) + 1, count: slots.length }));
  };
  const end = (words) => {
    const { carry: booking } = now.current;
    setCarry(null);
    setAim(null);
    setMessage(words);
    const rests = find("booking", booking.booking)?.querySelector("a[href]") ?? root.current.querySelector("h2");
    rests?.focus({ preventScroll: booking.dragged });
  };
  const drop = (slot) => {
    const { carry: booking } = now.current;
    const isMoved = slot && slot !== booking.at;
    end(isMoved ? "" : texts.unmoved);
    if (isMoved) onMove?.(booking.booking, Number(booking.version), slot);
  };
  const walk = (key) => {
    const slots = free();
    const ends = { Home: slots[0], End: slots.at(-1) };
    const to = key in ends ? ends[key] : neighbour(slots, now.current.aim ?? carry.at, ARROWS[key]);
    if (to) point(to);
    else setMessage(texts.last);
  };

  // The whole page handles keys, because the focus may be lost when the page is turned.
  useEffect(() => {
    if (!carry || carry.dragged) return undefined;
    panel.current.focus({ preventScroll: true });
    const onKey = (event) => {
      const { key, target } = event;
      if (target.closest?.("dialog,input,select,textarea") || hasModifier(event)) return;
      if (key in ARROWS || key === "Home" || key === "End") walk(key);
      else if (key in TURNS) find("turn", TURNS[key])?.click();
      else if (key === "Escape") end(texts.unmoved);
      else if (key === "Enter" && !target.closest?.("a[href],button") && now.current.aim) drop(now.current.aim);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [carry]);

  // Refreshes and turned pages draw the cells again, so the marks are set again on the new elements.
  useLayoutEffect(() => {
    const mark = (name, element) => {
      root.current.querySelectorAll(`[data-${name}]`).forEach((old) => old.toggleAttribute(`data-${name}`, old === element));
      element?.setAttribute(`data-${name}`, "");
    };
    const markAll = () => {
      mark("aimed", aim && find("slot", aim));
      mark("lifted", carry && find("booking", carry.booking));
    };
    markAll();
    if (!carry) return undefined;
    const drawn = new MutationObserver(() => {
      markAll();
      if (!aim || find("slot", aim)) return;
      const [first] = free();
      if (first) point(first);
      else setAim(null);
    });
    drawn.observe(root.current, { childList: true, subtree: true, attributeFilter: ["data-slot"] });
    return () => drawn.disconnect();
  }, [carry, aim]);

  const drags = {
    onDragStart(event) {
      const card = cardOf(event);
      if (!card) return event.preventDefault();
      const { left, top } = card.getBoundingClientRect();
      event.dataTransfer.setDragImage(card, event.clientX - left, event.clientY - top);
      event.dataTransfer.effectAllowed = "move";
      lift(card, true);
    },
    onDragOver(event) {
      const slot = carry?.dragged ? event.target.closest("[data-slot]") : null;
      setAim(slot?.hasAttribute("data-free") ? slot.dataset.slot : null);
      if (slot) event.preventDefault();
    },
    onDrop(event) {
      event.preventDefault();
      drop(event.target.closest("[data-slot]")?.dataset.slot);
    },
    onDragEnd: () => { if (now.current.carry) end(texts.unmoved); },
  };
  const click = (event) => {
    const grip = active && event.target.closest("[data-grip]");
    const slot = carry && event.target.closest("[data-slot]");
    if (!grip && !slot) return;
    event.preventDefault();
    event.stopPropagation();
    if (grip) lift(grip.closest("[data-booking]"));
    else drop(slot.dataset.slot);
  };
  const keyDown = (event) => {
    if (carry || event.key.toLowerCase() !== "m" || hasModifier(event) || !cardOf(event)) return;
    event.preventDefault();
    lift(cardOf(event));
  };
  return (
    <div {...rest} {...drags} ref={root} data-carrying={carry ? (carry.dragged ? "dragged" : "held") : undefined} onClickCapture={click} onKeyDown={keyDown}>
      {children}
      {carry && !carry.dragged && (
        <div className="cal-carry" role="application" aria-label={fill(texts.moving, carry)} tabIndex={-1} ref={panel}>
          <p><strong>{fill(texts.moving, carry)}</strong><span>{message}</span><small>{texts.help}</small></p>
          <button type="button" className="button button-small" disabled={!aim} onClick={() => drop(aim)}>{texts.move}</button>
          <button type="button" className="button button-ghost button-small" onClick={() => end(texts.unmoved)}>{texts.cancel}</button>
        </div>
      )}
      <p className="sr-only" role="status">{message}</p>
    </div>
  );
}
