/** What the page asks of the server. A call gives what Slack has to say to the person, or null. */

const AWAY = 'Local Slack does not answer.';

export async function fetchState(person, channel) {
  const query = new URLSearchParams({ as: person, ...(channel && { channel }) });
  const response = await fetch(`/page/state?${query}`);
  if (!response.ok) {
    throw new Error(`the state answered ${response.status}`);
  }
  return await response.json();
}

/** @returns {Promise<string | null>} */
export async function perform(person, doing, body) {
  return (await ask(person, doing, body)).shown;
}

/** @returns {Promise<{ shown: string | null, [field: string]: unknown }>} */
export async function ask(person, doing, body) {
  try {
    const response = await fetch(`/people/${encodeURIComponent(person)}/${doing}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    return { ...answer, shown: answer.error ?? answer.shown ?? null };
  } catch {
    return { shown: AWAY };
  }
}

/** @returns {Promise<{ id?: string, shown: string | null }>} */
export async function upload(person, file) {
  try {
    const query = new URLSearchParams({ name: file.name });
    const path = `/people/${encodeURIComponent(person)}/upload?${query}`;
    const response = await fetch(path, { method: 'POST', body: file });
    const answer = await response.json();
    return { ...answer, shown: answer.error ?? null };
  } catch {
    return { shown: AWAY };
  }
}

/**
 * Local Slack's own routes, below /local.
 *
 * @returns {Promise<{ shown: string | null, [field: string]: unknown }>}
 */
export async function local(verb, path, body) {
  try {
    const response = await fetch(`/local/${path}`, {
      method: verb,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    return { ...answer, shown: answer.error ?? null };
  } catch {
    return { shown: AWAY };
  }
}

/**
 * Calls back at every change, at every entry of the inspector, at every change of a program's panel, and with false and
 * true as the connection goes and comes.
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
