/**
 * What the API answers, as far as the page reads it. Times are fixed-width UTC.
 *
 * @typedef {{company: string, country: string, region: string, state: string, county: string, city: string,
 *   neighborhood: string}} Location
 * @typedef {{part: string, result: string, revision: number, timestamp: string}} LastAudit
 * @typedef {{kind: string, state: string, timestamp: string, unit: string, seen: number, model: string,
 *   expected: {typical: number, atMost: number, basedOn: number}}} LastAnomaly
 *
 * @typedef {object} Item  How a piece of equipment stands; null is unknown, a missing member does not apply.
 * @property {string} equipmentId
 * @property {number} version  Grows with everything that the row learns, see `merge.js`.
 * @property {string | null} name
 * @property {Location | null} location
 * @property {string | null} factoryId
 * @property {string | null} lineId
 * @property {string | null} state
 * @property {string | null} stateSince  The newest report of any other state.
 * @property {string | null} stateTimestamp  The newest report of the current state.
 * @property {string} [operator]
 * @property {string} [escalatedTo]
 * @property {string} [acknowledgedBy]  A token's subject.
 * @property {string} [acknowledgedByName]
 * @property {{since: string, reason: string}} [atRisk]
 * @property {string} [silentSince]
 * @property {LastAudit} [lastAudit]
 * @property {LastAnomaly} [lastAnomaly]
 *
 * @typedef {{equipmentId: string, version: number, gone: true}} Tombstone  Deleted, or moved away from this place.
 */

/**
 * What people call a piece of equipment.
 *
 * @param {Pick<Item, "name" | "equipmentId">} item
 */
export const nameOf = (item) => item.name ?? item.equipmentId;
