// Who uses the page: sign-in on the provider's page (code + PKCE), tokens that renew themselves, sign-out.

import { language } from "./language.js";
import { challengeOf, claimsOf, provider, Refused, requestTokens, revoke, secret, settings } from "./oidc.js";
import { drop, keep, kept, onDroppedElsewhere, remember, takePending } from "./tokens.js";

/**
 * `readsOnly`: the screen on the wall, which the API lets read and nothing else.
 * @typedef {{subject: string, name: string, groups: string[], readsOnly: boolean}} Who
 */

/**
 * Why a sign-in came to nothing: `state`: this tab did not begin it; `denied`: the provider says no; `exchange`: the
 * provider grants no tokens for the code.
 * @typedef {"state" | "denied" | "exchange"} Refusal
 */

/** Nobody is signed in, or not any more. */
export class SignedOut extends Error {}

// Of every token of a person; a wall screen's does not have it.
const ACTS = "aws.cognito.signin.user.admin";
// A request that is under way when a token expires would fail.
const EARLY_MS = 60_000;
const RENEWING = "andon.renewing";

/** @type {Set<() => void>} */
const callbacks = new Set();
/** @type {Refusal | null} */
let refused = null;
/** @type {Promise<Who | null> | undefined} */
let started;

onDroppedElsewhere(ended);

/**
 * Finish a sign-in if this is the way back from one; else take up the session that there is.
 * @returns {Promise<Who | null>} null: nobody is signed in; `refusal()` says whether a sign-in was refused
 */
export function start() {
  started ??= begin();
  return started;
}

/** @returns {Promise<Who | null>} */
async function begin() {
  const parameters = new URLSearchParams(location.search);
  if (parameters.has("state") || parameters.has("code")) refused = await finish(parameters);
  if (!kept()) return null;
  try {
    await accessToken();
  } catch (error) {
    if (error instanceof SignedOut) return null;
    // Without a network the session is still there: who it is stands in the token.
  }
  return who();
}

/** @returns {Refusal | null} why the last sign-in was refused */
export function refusal() {
  return refused;
}

/**
 * Leave for the sign-in page; the way back leads to the same place of the page.
 * @param {{wall?: boolean}} [as] `wall`: stay signed in for months, and only read
 */
export async function signIn({ wall = false } = {}) {
  const { authorization_endpoint: address } = await provider();
  const { scopes, wallScopes } = await settings();
  const [state, verifier] = [secret(), secret()];
  remember({ state, verifier, wall, place: location.hash });
  leaveFor(address, {
    response_type: "code",
    client_id: await clientOf(wall),
    redirect_uri: origin(),
    scope: wall ? wallScopes : scopes,
    state,
    lang: language, // https://docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html
    code_challenge: await challengeOf(verifier),
    code_challenge_method: "S256",
  });
}

/** Withdraw the tokens, forget them, and end the provider's own session, too. */
export async function signOut() {
  const tokens = kept();
  const client = await clientOf(tokens?.wall ?? false);
  const { end_session_endpoint: address } = await provider();
  drop();
  if (tokens) await revoke(tokens.refresh, client).catch(() => undefined); // it expires by itself
  ended();
  leaveFor(address, { client_id: client, logout_uri: origin() });
}

/**
 * @param {{renew?: boolean}} [how] `renew`: the API did not take the last one
 * @returns {Promise<string>} a token that is valid for a minute at least
 * @throws {SignedOut} nobody is signed in any more
 */
export async function accessToken({ renew = false } = {}) {
  const tokens = requireTokens();
  if (!renew && isFresh(tokens)) return tokens.access;
  try {
    // One tab at a time: a refresh token is good for one refresh, and the tabs of a wall screen share it.
    return await navigator.locks.request(RENEWING, () => renewed(tokens.access));
  } catch (error) {
    if (error instanceof Refused) {
      drop();
      ended();
      throw new SignedOut();
    }
    if (!renew && Date.now() < tokens.expiresAt) return tokens.access; // no network, and still valid
    throw error;
  }
}

/** @returns {Who | null} */
export function who() {
  const tokens = kept();
  if (!tokens) return null;
  const claims = claimsOf(tokens.access);
  const [groups, scopes] = [claims["cognito:groups"], String(claims.scope ?? "").split(" ")];
  return {
    subject: String(claims.sub),
    name: String(claims.username),
    groups: Array.isArray(groups) ? groups.map(String) : [],
    readsOnly: !scopes.includes(ACTS),
  };
}

/**
 * Call back when the session ends: signed out, here or in another tab, or no longer renewed.
 * @param {() => void} callback
 */
export function onEnd(callback) {
  callbacks.add(callback);
}

/**
 * @param {URLSearchParams} parameters what the provider sent back
 * @returns {Promise<Refusal | null>}
 */
async function finish(parameters) {
  const pending = takePending();
  // Whatever comes of it: the code is not to stay in the address, nor in the history.
  const [code, state] = [parameters.get("code"), parameters.get("state")];
  history.replaceState(null, "", `/${(state === pending?.state && pending?.place) || location.hash}`);
  if (!pending || state !== pending.state) return "state";
  if (!code) return "denied";
  try {
    const client = await clientOf(pending.wall);
    const granted = await requestTokens({
      grant_type: "authorization_code",
      client_id: client,
      redirect_uri: origin(),
      code,
      code_verifier: pending.verifier,
    });
    keep(tokensOf(granted, { refresh: "", wall: pending.wall }));
    return null;
  } catch (error) {
    if (error instanceof Refused) return "exchange";
    throw error;
  }
}

/**
 * @param {string} last the access token that is not good any more
 * @returns {Promise<string>}
 */
async function renewed(last) {
  const tokens = requireTokens();
  if (tokens.access !== last && isFresh(tokens)) return tokens.access; // another tab was faster
  const granted = await requestTokens({
    grant_type: "refresh_token",
    client_id: await clientOf(tokens.wall),
    refresh_token: tokens.refresh,
  });
  if (!kept()) throw new SignedOut(); // signed out meanwhile
  const next = tokensOf(granted, tokens);
  keep(next);
  return next.access;
}

/**
 * @param {import("./oidc.js").Granted} granted
 * @param {{refresh: string, wall: boolean}} before
 * @returns {import("./tokens.js").Tokens}
 */
function tokensOf(granted, { refresh, wall }) {
  const expiresAt = Date.now() + granted.expires_in * 1000; // by this clock, which may be wrong
  return { access: granted.access_token, refresh: granted.refresh_token ?? refresh, expiresAt, wall };
}

/** @returns {import("./tokens.js").Tokens} */
function requireTokens() {
  const tokens = kept();
  if (!tokens) throw new SignedOut();
  return tokens;
}

/** @param {import("./tokens.js").Tokens} tokens */
function isFresh(tokens) {
  return Date.now() < tokens.expiresAt - EARLY_MS;
}

/** @param {boolean} wall */
async function clientOf(wall) {
  const { clientId, wallClientId } = await settings();
  return wall ? wallClientId : clientId;
}

/** @returns {string} the only address that the provider sends back to */
function origin() {
  return `${location.origin}/`;
}

/**
 * @param {string} address
 * @param {Record<string, string>} parameters
 */
function leaveFor(address, parameters) {
  location.assign(`${address}?${new URLSearchParams(parameters)}`);
}

function ended() {
  started = undefined;
  for (const callback of callbacks) callback();
}
