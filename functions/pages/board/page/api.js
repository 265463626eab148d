/** The API behind the page, with the token of whoever is signed in. */
import { accessToken } from "./session.js";

const GIVE_UP_MS = 15_000;

/** An answer that is no success; `detail` is a sentence for people, `errors` are the offending fields. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {{detail?: string, title?: string, errors?: {field: string, detail: string}[]}} problem
   */
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `HTTP ${status}`);
    this.status = status;
    this.errors = problem.errors ?? [];
  }
}

/** There was no answer. */
export class Unreachable extends Error {}

/**
 * @typedef {{status: number, body: any, etag: string | null}} Answer
 */

/** What was read before, by path: an answer of 304 stands for it. @type {Map<string, Answer>} */
const read = new Map();

let offsetMs = 0;

/** The server's time, from the newest answer's `Date`: the clock of a screen on a wall is nobody's business. */
export const serverNowMs = () => Date.now() + offsetMs;

/**
 * Return what is at a path, from memory if it has not changed.
 *
 * @param {string} path
 * @returns {Promise<Answer>}
 */
export async function get(path) {
  const known = read.get(path);
  const answer = await send("GET", path, known?.etag ? { "if-none-match": known.etag } : {});
  if (answer.status === 304 && known) return known;
  if (answer.etag) read.set(path, answer);
  return answer;
}

/**
 * Return what is at a path, and keep none of it.
 *
 * @param {string} path
 */
export const ask = (path) => send("GET", path, {});

/**
 * Return what is at a path; null if nothing is.
 *
 * @param {string} path
 */
export async function find(path) {
  try {
    return await get(path);
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  }
}

/**
 * Return all pages of a list.
 *
 * @param {string} path
 */
export const getAll = (path) => all(path, get);

/**
 * Return all pages of a list, and keep none of it.
 *
 * @param {string} path
 */
export const askAll = (path) => all(path, ask);

/**
 * @param {string} path
 * @param {(path: string) => Promise<Answer>} read
 * @returns {Promise<any[]>}
 */
async function all(path, read) {
  const items = [];
  let cursor = "";
  do {
    const { body } = await read(withCursor(path, cursor));
    items.push(...body.items);
    cursor = body.cursor ?? "";
  } while (cursor);
  return items;
}

/**
 * @param {string} path
 * @param {string} cursor
 */
export const withCursor = (path, cursor) =>
  cursor ? `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}` : path;

/**
 * Write; `etag` is the version that a person saw.
 *
 * @param {"PUT" | "POST"} method
 * @param {string} path
 * @param {object | null} body
 * @param {string | null} [etag]
 */
export const write = (method, path, body, etag) =>
  send(
    method,
    path,
    { ...(body ? { "content-type": "application/json" } : {}), ...(etag ? { "if-match": etag } : {}) },
    body ? JSON.stringify(body) : null,
  );

/**
 * @param {TemplateStringsArray} texts
 * @param {...string} parts
 */
export const pathOf = (texts, ...parts) => String.raw({ raw: texts }, ...parts.map(encodeURIComponent));

/**
 * @param {string} method
 * @param {string} path
 * @param {Record<string, string>} headers
 * @param {string | null} [body]
 * @returns {Promise<Answer>}
 */
async function send(method, path, headers, body = null) {
  let response = await reach(path, { method, headers, body }, await accessToken());
  // The token may have been withdrawn, or this clock be wrong about when it expires.
  if (response.status === 401) response = await reach(path, { method, headers, body }, await accessToken({ renew: true }));
  const date = Date.parse(response.headers.get("date") ?? "");
  if (!Number.isNaN(date)) offsetMs = offsetOf(date);
  const content = await contentOf(response);
  if (!response.ok && response.status !== 304) throw new Refused(response.status, content ?? {});
  return { status: response.status, body: content, etag: response.headers.get("etag") };
}

/**
 * `Date` has whole seconds, cut; a screen that is less than two off is right.
 *
 * @param {number} dateMs
 */
function offsetOf(dateMs) {
  const offset = dateMs + 500 - Date.now();
  return Math.abs(offset) < 2000 ? 0 : offset;
}

/**
 * @param {string} path
 * @param {{method: string, headers: Record<string, string>, body: string | null}} request
 * @param {string} token
 */
async function reach(path, request, token) {
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  try {
    return await fetch(path, { ...request, headers, cache: "no-store", signal: AbortSignal.timeout(GIVE_UP_MS) });
  } catch (error) {
    throw new Unreachable(String(error));
  }
}

/** @param {Response} response */
async function contentOf(response) {
  try {
    return await response.json();
  } catch {
    return null; // a 304, or an answer of something in between that is not the API
  }
}
