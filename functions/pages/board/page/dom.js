/** Elements made by code. Text is always text: nothing here reads markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | number | null | false | undefined} Child  What is nothing leaves nothing.
 * @typedef {{[name: string]: string | number | boolean | null | undefined | ((event: any) => void)}} Properties
 *   Attributes, and listeners under `onclick` and the like; true is an empty attribute, false and null are none.
 */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else setAttribute(made, name, value);
  }
  made.append(...children.filter(isThere).map((child) => (child instanceof Node ? child : String(child))));
  return made;
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...Node} children
 */
export function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * @param {Element} target
 * @param {string} name
 * @param {string | number | boolean | null | undefined} value
 */
export function setAttribute(target, name, value) {
  if (value === false || value === null || value === undefined) return target.removeAttribute(name);
  const text = value === true ? "" : String(value);
  if (target.getAttribute(name) !== text) target.setAttribute(name, text);
}

/**
 * Put children into an element in place of what it has, unless they say the same: a reader of the screen is not told
 * again, and a selection stays.
 *
 * @param {Element} parent
 * @param {...Child} children
 */
export function fill(parent, ...children) {
  const next = element("div", {}, ...children);
  if (next.innerHTML !== parent.innerHTML) parent.replaceChildren(...next.childNodes);
}

/** What was drawn last into an element. @type {WeakMap<Element, string>} */
const drawn = new WeakMap();

/**
 * Whether an element is to be drawn: something else is to be in it than last time. A wall has hundreds of machines,
 * looks at each every second, and is driven by a small computer.
 *
 * @param {Element} target
 * @param {...unknown} content
 */
export function isNew(target, ...content) {
  const next = JSON.stringify(content);
  if (drawn.get(target) === next) return false;
  drawn.set(target, next);
  return true;
}

/**
 * Draw a list by key: an element lives as long as its key, so that focus and typed text stay.
 *
 * @template Thing
 * @param {Element} parent
 * @param {readonly Thing[]} things
 * @param {{keyOf: (thing: Thing) => string, make: (thing: Thing) => HTMLElement,
 *   update: (element: HTMLElement, thing: Thing) => void}} how
 */
export function drawByKey(parent, things, { keyOf, make, update }) {
  const focused = document.activeElement;
  const there = new Map(childrenOf(parent).map((child) => [child.dataset["key"], child]));
  things.forEach((thing, index) => {
    const key = keyOf(thing);
    const child = there.get(key) ?? made(make(thing), key);
    there.delete(key);
    update(child, thing);
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
  for (const child of there.values()) child.remove();
  // An element that is moved loses the focus.
  if (focused instanceof HTMLElement && focused.isConnected && document.activeElement !== focused) {
    focused.focus({ preventScroll: true });
  }
}

/** @param {Element} parent */
const childrenOf = (parent) => /** @type {HTMLElement[]} */ ([...parent.children]);

/**
 * @param {HTMLElement} child
 * @param {string} key
 */
function made(child, key) {
  child.dataset["key"] = key;
  return child;
}

/**
 * @param {Child} child
 * @returns {child is Node | string | number}
 */
const isThere = (child) => child !== null && child !== undefined && child !== false;
