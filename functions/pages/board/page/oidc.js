// OpenID Connect: the provider's addresses, PKCE (RFC 7636), and requests for tokens (RFC 6749, 7009).

/**
 * What `/page/settings.json` says. `pushKey`: the public key of messages to browsers; without it there are none.
 * @typedef {{issuer: string, clientId: string, wallClientId: string, scopes: string, wallScopes: string, pushKey?: string}} Settings
 */

/**
 * The part of an OpenID configuration that is used here. The emulator cannot revoke.
 * @typedef {{authorization_endpoint: string, token_endpoint: string, end_session_endpoint: string, revocation_endpoint?: string}} Provider
 */

/**
 * A response of the token endpoint. A refresh answers with a refresh token only if tokens rotate.
 * @typedef {{access_token: string, refresh_token?: string, expires_in: number}} Granted
 */

/** The provider refuses: what was sent is not, or no longer, valid. Trying again does not help. */
export class Refused extends Error {}

/** @type {Promise<Settings> | undefined} */
let settingsOnce;
/** @type {Promise<Provider> | undefined} */
let providerOnce;

/** @returns {Promise<Settings>} */
export function settings() {
  settingsOnce ??= json("/page/settings.json").catch((error) => {
    settingsOnce = undefined;
    throw error;
  });
  return settingsOnce;
}

/** @returns {Promise<Provider>} */
export function provider() {
  providerOnce ??= settings()
    .then(({ issuer }) => json(`${issuer}/.well-known/openid-configuration`))
    .catch((error) => {
      providerOnce = undefined;
      throw error;
    });
  return providerOnce;
}

/** @returns {string} 43 characters that nobody can guess */
export function secret() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * @param {string} verifier
 * @returns {Promise<string>} the challenge for it, by S256
 */
export async function challengeOf(verifier) {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

/**
 * @param {Record<string, string>} parameters
 * @returns {Promise<Granted>}
 * @throws {Refused} the provider does not grant tokens for these
 */
export async function requestTokens(parameters) {
  const response = await post((await provider()).token_endpoint, parameters);
  // Too many requests, or a failure of the provider, says nothing about what was sent.
  if (response.status >= 400 && response.status < 500 && response.status !== 429) throw new Refused();
  if (!response.ok) throw new Error(`no tokens: ${response.status}`);
  return response.json();
}

/**
 * Withdraw a refresh token, and the access tokens that came of it.
 * @param {string} refreshToken
 * @param {string} clientId
 */
export async function revoke(refreshToken, clientId) {
  const { revocation_endpoint: address } = await provider();
  if (address) await post(address, { token: refreshToken, client_id: clientId });
}

/**
 * @param {string} token a JWT, of which only the page itself reads the claims: the API checks its signature
 * @returns {Record<string, unknown>}
 */
export function claimsOf(token) {
  const part = token.split(".")[1] ?? "";
  const text = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (character) => character.charCodeAt(0))));
}

/**
 * @param {string} address
 * @param {Record<string, string>} parameters
 */
function post(address, parameters) {
  return fetch(address, { method: "POST", body: new URLSearchParams(parameters), credentials: "omit" });
}

/** @param {string} address */
async function json(address) {
  const response = await fetch(address, { credentials: "omit" });
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response.json();
}

/** @param {Uint8Array} bytes */
function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
