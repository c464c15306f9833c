/** Requests of the page to local Slack. They do not throw: an error becomes `shown`. */

/** @import { PageState } from '../../page-types.ts' */
/** @import { Answer } from '../types.ts' */

const UNREACHABLE = 'Local Slack does not answer.';

/** The person to act as. */
export const session = { person: 'ana' };

/** @param {string | null} channel @returns {Promise<PageState | null>} null when local Slack does not answer */
export async function fetchState(channel) {
  const query = new URLSearchParams({ as: session.person, ...(channel !== null && { channel }) });
  const response = await fetch(`/page/state?${query}`).catch(() => null);
  return response?.ok ? await response.json() : null;
}

/**
 * Does something as the person.
 *
 * @template {object} [T=object] the fields of a successful answer
 * @param {string} action
 * @param {object} body
 * @returns {Promise<Answer & Partial<T>>}
 */
export function perform(action, body) {
  return request('POST', `/people/${encodeURIComponent(session.person)}/${action}`, body);
}

/**
 * @template {object} [T=object] the fields of a successful answer
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<Answer & Partial<T>>}
 */
export async function request(method, path, body) {
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  try {
    const answer = await (await fetch(path, { method, ...json })).json();
    return { ...answer, shown: answer.error ?? answer.shown ?? null };
  } catch {
    return /** @type {Answer & Partial<T>} */ ({ shown: UNREACHABLE });
  }
}

/**
 * Follows the server-sent events of local Slack. Every listener is also called after a reconnect.
 *
 * @param {{ onChange: () => void, onPanel: () => void, onLost: () => void }} listeners
 */
export function followChanges({ onChange, onPanel, onLost }) {
  const source = new EventSource('/page/changes');
  source.addEventListener('changed', onChange);
  source.addEventListener('panel', onPanel);
  source.addEventListener('open', () => {
    onChange();
    onPanel();
  });
  source.addEventListener('error', onLost);
}
