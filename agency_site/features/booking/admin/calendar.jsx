// The browser part of the bookings calendar: picking bookings up and dropping them, by pointer and by keyboard.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";

const PHONE = "(max-width: 44.9375em)";
const SLOP = 6; // pixels that the pointer may move before it is a drag
const EDGE = 70; // pixels from the window's edge in which a drag scrolls
const HOVER_MS = 700; // a drag that stays this long on an arrow turns the page
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
const DAY_MS = 86_400_000;

export function DayOnPhones({ chosen, to }) {
  const navigate = useNavigate();
  useLayoutEffect(() => {
    if (!chosen && to && window.matchMedia(PHONE).matches) navigate(to, { replace: true });
  }, [chosen, to]);
  return null;
}

const dayOf = (slot) => slot.slice(0, 10);
const minutes = (slot) => Number(slot.slice(11, 13)) * 60 + Number(slot.slice(14, 16));
const shifted = (day, days) => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
const freeSlots = (count) => `${count} free ${count === 1 ? "slot" : "slots"}.`;
const last = (list) => list[list.length - 1];

/** The free slot in the direction of an arrow key; keys of slots sort by time, those of a month are days. */
function neighbour(slots, from, [across, down]) {
  const ahead = across + down > 0;
  const nearest = (list) => (ahead ? list[0] : last(list));
  const beyond = (edge) => slots.filter((slot) => (ahead ? slot > edge : slot < edge));
  if (from.length === 10) {
    if (across) return nearest(beyond(from));
    const week = shifted(from, down * 7);
    return slots.includes(week) ? week : nearest(beyond(week));
  }
  if (down) return nearest(beyond(from));
  const next = nearest(slots.filter((slot) => (ahead ? dayOf(slot) > dayOf(from) : dayOf(slot) < dayOf(from))));
  if (!next) return undefined;
  const away = (slot) => Math.abs(minutes(slot) - minutes(from));
  return slots.filter((slot) => dayOf(slot) === dayOf(next)).reduce((a, b) => (away(b) < away(a) ? b : a));
}

const bookingOf = (card) => ({
  reference: card.dataset.booking,
  version: Number(card.dataset.version),
  name: card.dataset.name,
  at: card.dataset.at,
});

/** A copy of the card that follows the pointer. */
function createGhost(card, event) {
  const box = card.getBoundingClientRect();
  const ghost = card.cloneNode(true);
  const off = [event.clientX - box.left, event.clientY - box.top];
  ghost.removeAttribute("data-booking");
  ghost.querySelectorAll("[id]").forEach((part) => part.removeAttribute("id"));
  ghost.setAttribute("aria-hidden", "true");
  ghost.inert = true;
  ghost.classList.add("cal-ghost");
  ghost.style.width = `${box.width}px`;
  const follow = (x, y) => { ghost.style.transform = `translate(${x - off[0]}px, ${y - off[1]}px) rotate(-1.5deg)`; };
  return { element: ghost, follow };
}

export function MoveArea({ active, onMove, children, ...rest }) {
  const root = useRef(null);
  const panel = useRef(null);
  const [carry, setCarry] = useState(null); // the booking that is being moved; `dragged`: by pointer, otherwise by keyboard and clicks
  const [aim, setAim] = useState(null); // the slot on which it would be dropped
  const [message, setMessage] = useState("");
  const now = useRef({});
  now.current = { active, onMove, carry, aim };

  const find = (name, value) => root.current?.querySelector(`[data-${name}="${CSS.escape(value ?? "")}"]`);
  const free = () => [...root.current.querySelectorAll("[data-slot][data-free]")].map((slot) => slot.dataset.slot);

  const point = (slot) => {
    const element = find("slot", slot);
    setAim(slot);
    if (!element) return;
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
    const slots = free();
    setMessage(`${element.dataset.label}. ${slots.indexOf(slot) + 1} of ${slots.length} free.`);
  };

  const end = (words, focus) => {
    const { carry: booking } = now.current;
    setCarry(null);
    setAim(null);
    setMessage(words);
    if (!focus || !booking) return;
    const card = find("booking", booking.reference);
    const rest = card?.querySelector("a[href]") ?? root.current.querySelector("h2");
    rest?.focus({ preventScroll: Boolean(booking.dragged) });
  };

  const lift = (card) => {
    const booking = bookingOf(card);
    setCarry(booking);
    setAim(null);
    setMessage(freeSlots(free().length));
  };

  const drop = (slot) => {
    const { carry: booking, onMove: fire } = now.current;
    if (!slot || slot === booking.at) return end("No booking was moved.", true);
    end("", true);
    fire?.(booking.reference, booking.version, slot);
  };

  const turn = (way) => find("turn", way)?.click();

  const walk = (key) => {
    const { carry: booking, aim: at } = now.current;
    const slots = free();
    const to = key === "Home" ? slots[0] : key === "End" ? last(slots) : neighbour(slots, at ?? booking.at, ARROWS[key]);
    if (to) point(to);
    else setMessage("No more free slots in that direction. Page Up and Page Down turn the page.");
  };

  // Keys are handled for the whole page: the focus may be lost when the page is turned.
  useEffect(() => {
    if (!carry || carry.dragged) return undefined;
    panel.current?.focus({ preventScroll: true });
    const onKey = (event) => {
      if (event.target.closest?.("dialog,input,select,textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
      const onControl = event.target.closest?.("a[href],button");
      if (event.key in ARROWS || event.key === "Home" || event.key === "End") walk(event.key);
      else if (event.key === "PageDown") turn("after");
      else if (event.key === "PageUp") turn("before");
      else if (event.key === "Escape") end("No booking was moved.", true);
      else if (event.key === "Enter" && !onControl && now.current.aim) drop(now.current.aim);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [carry]);

  // Refreshes and turned pages render the cells anew: the marks are set again on the current elements.
  useLayoutEffect(() => {
    const mark = (name, element) => {
      root.current.querySelectorAll(`[data-${name}]`).forEach((old) => {
        if (old !== element) old.removeAttribute(`data-${name}`);
      });
      element?.setAttribute(`data-${name}`, "");
    };
    const markAll = () => {
      mark("aimed", aim ? find("slot", aim) : null);
      mark("lifted", carry ? find("booking", carry.reference) : null);
    };
    markAll();
    if (!carry) return undefined;
    const watcher = new MutationObserver(() => {
      markAll();
      if (carry.dragged || !now.current.aim || find("slot", now.current.aim)) return;
      const [first] = free();
      if (first) point(first);
      else setAim(null);
    });
    watcher.observe(root.current, { childList: true, subtree: true, attributeFilter: ["data-slot"] });
    return () => watcher.disconnect();
  }, [carry, aim]);

  const drag = useCallback((down, card) => {
    const booking = { ...bookingOf(card), dragged: true };
    const frame = { x: down.clientX, y: down.clientY, ghost: null, over: null, arrow: null, timer: 0, scroll: 0 };
    const under = () => document.elementFromPoint(frame.x, frame.y);
    const updateAim = () => {
      const target = under();
      frame.over = root.current.contains(target) ? target.closest("[data-slot]") : null;
      setAim(frame.over?.hasAttribute("data-free") ? frame.over.dataset.slot : null);
      const arrow = target?.closest("[data-turn]") ?? null;
      if (arrow?.dataset.turn === frame.arrow) return;
      frame.arrow = arrow?.dataset.turn ?? null;
      clearInterval(frame.timer);
      if (frame.arrow) frame.timer = setInterval(() => turn(frame.arrow), HOVER_MS);
    };
    const autoScroll = () => {
      const push = frame.y < EDGE ? frame.y - EDGE : Math.max(0, frame.y - window.innerHeight + EDGE);
      if (push) { window.scrollBy({ top: push / 4, behavior: "instant" }); updateAim(); }
      frame.scroll = requestAnimationFrame(autoScroll);
    };
    const start = () => {
      frame.ghost = createGhost(card, down);
      root.current.append(frame.ghost.element);
      root.current.setPointerCapture(down.pointerId);
      setCarry(booking);
      autoScroll();
    };
    const move = (event) => {
      if (event.pointerId !== down.pointerId) return;
      [frame.x, frame.y] = [event.clientX, event.clientY];
      if (!frame.ghost && Math.hypot(frame.x - down.clientX, frame.y - down.clientY) < SLOP) return;
      if (!frame.ghost) start();
      frame.ghost.follow(frame.x, frame.y);
      updateAim();
    };
    const stop = (event) => {
      if (event.type === "keydown" ? event.key !== "Escape" : event.pointerId !== down.pointerId) return;
      for (const [name, listener] of listeners) window.removeEventListener(name, listener, true);
      clearInterval(frame.timer);
      cancelAnimationFrame(frame.scroll);
      if (!frame.ghost) return;
      frame.ghost.element.remove();
      // The click that ends a drag must not follow the link under it.
      const swallow = (click) => { click.preventDefault(); click.stopPropagation(); };
      window.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => window.removeEventListener("click", swallow, true), 0);
      if (event.type === "pointerup") drop(frame.over?.dataset.slot);
      else end("No booking was moved.", true);
    };
    const listeners = [["pointermove", move], ["pointerup", stop], ["pointercancel", stop], ["keydown", stop]];
    for (const [name, listener] of listeners) window.addEventListener(name, listener, true);
  }, []);

  const pointerDown = (event) => {
    const card = event.target.closest("[data-booking][data-movable]");
    if (!active || !card || event.button !== 0 || !event.isPrimary || carry) return;
    if (event.pointerType !== "mouse" && !event.target.closest("[data-grip]")) return;
    drag(event.nativeEvent, card);
  };

  const click = (event) => {
    if (!active) return;
    const grip = event.target.closest("[data-grip]");
    const slot = carry && event.target.closest("[data-slot]");
    if (grip) lift(grip.closest("[data-booking]"));
    else if (slot) drop(slot.dataset.slot);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const keyDown = (event) => {
    const card = event.target.closest("[data-booking][data-movable]");
    if (!active || !card || carry || event.key.toLowerCase() !== "m" || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    lift(card);
  };

  return (
    <div
      {...rest}
      ref={root}
      data-carrying={carry ? (carry.dragged ? "dragged" : "held") : undefined}
      onPointerDown={pointerDown}
      onClickCapture={click}
      onKeyDown={keyDown}
      onDragStart={(event) => event.preventDefault()}
    >
      {children}
      {carry && !carry.dragged && (
        <div className="cal-carry" role="application" aria-label={`Moving ${carry.name}`} tabIndex={-1} ref={panel}>
          <p>
            <strong>Moving {carry.name}</strong>
            <span>{message}</span>
            <small>Choose a free slot with the arrow keys and Enter, or click one. Escape cancels.</small>
          </p>
          <button type="button" className="button button-small" disabled={!aim} onClick={() => drop(aim)}>Move here</button>
          <button type="button" className="button button-ghost button-small" onClick={() => end("No booking was moved.", true)}>
            Cancel
          </button>
        </div>
      )}
      <p className="sr-only" role="status">{message}</p>
    </div>
  );
}
