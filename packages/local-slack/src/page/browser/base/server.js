/** Requests of the page to local Slack. They do not throw: an error becomes `shown`. */

/** @import { PageState } from '../../page-types.ts' */
/** @import { Answer, Suggestions, UploadAnswer } from '../types.ts' */

const UNREACHABLE = 'Local Slack does not answer.';

/**
 * @param {string} person
 * @param {string | null} channel
 * @returns {Promise<PageState>}
 * @throws Error when local Slack does not answer
 */
export async function fetchState(person, channel) {
  const query = new URLSearchParams({ as: person, ...(channel !== null && { channel }) });
  const response = await fetch(`/page/state?${query}`);
  if (!response.ok) {
    throw new Error(`/page/state answered ${response.status}`);
  }
  return await response.json();
}

/**
 * @param {string} person
 * @param {string} action
 * @param {object} body
 * @returns {Promise<string | null>} the error message for the person
 */
export async function perform(person, action, body) {
  return (await ask(person, action, body)).shown;
}

/**
 * @param {string} person
 * @param {object} body
 * @returns {Promise<Suggestions>}
 */
export function suggest(person, body) {
  return ask(person, 'suggest', body);
}

/**
 * Opens a direct message. Its `channel` is an id.
 *
 * @param {string} person
 * @param {readonly string[]} people
 * @returns {Promise<Answer & { channel?: string }>}
 */
export function openDirectMessage(person, people) {
  return ask(person, 'direct-message', { people });
}

/**
 * @param {string} person
 * @param {string} action
 * @param {object} body
 * @returns {Promise<Answer>}
 */
function ask(person, action, body) {
  return request(`/people/${encodeURIComponent(person)}/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/**
 * @param {string} person
 * @param {File} file
 * @returns {Promise<UploadAnswer>}
 */
export function upload(person, file) {
  const query = new URLSearchParams({ name: file.name });
  return request(`/people/${encodeURIComponent(person)}/upload?${query}`, { method: 'POST', body: file });
}

/**
 * Calls one of the routes below /local.
 *
 * @template {object} [T=object] the fields of a successful answer
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<Answer & Partial<T>>}
 */
export function local(method, path, body) {
  return request(`/local/${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
}

/**
 * @template {object} T
 * @param {string} path
 * @param {RequestInit} init
 * @returns {Promise<Answer & Partial<T>>}
 */
async function request(path, init) {
  try {
    const response = await fetch(path, init);
    const answer = await response.json();
    return { ...answer, shown: answer.error ?? answer.shown ?? null };
  } catch {
    return /** @type {Answer & Partial<T>} */ ({ shown: UNREACHABLE });
  }
}

/**
 * Follows the server-sent events of local Slack. Every listener is also called after a reconnect.
 *
 * @param {{ onChange: () => void, onInspected: () => void, onPanel: () => void,
 *   onConnection: (isConnected: boolean) => void }} listeners
 */
export function followChanges({ onChange, onInspected, onPanel, onConnection }) {
  const source = new EventSource('/page/changes');
  source.addEventListener('changed', onChange);
  source.addEventListener('inspected', onInspected);
  source.addEventListener('panel', onPanel);
  source.addEventListener('open', () => {
    onConnection(true);
    onChange();
    onInspected();
    onPanel();
  });
  source.addEventListener('error', () => onConnection(false));
}
