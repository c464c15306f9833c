import type { RecordedRequest } from './stranger-operations.ts';
import type { Answer } from './stranger-shapes.ts';

/** A request with an idempotency key that was carried out. */
export interface AddedWrite {
  readonly key: string;
  /** Method and path. */
  readonly what: string;
  readonly at: Date;
}

/** Idempotency keys and `If-Match` of incidents, as Tocsin's service has them: a tag changes when somebody does something. */
export function createStrangerConditions(now: () => Date) {
  const answers = new Map<string, Answer>();
  const versions = new Map<string, number>();
  const writes: AddedWrite[] = [];
  let isForgetful = false;
  const etagOf = (id: string) => `"${id} ${versions.get(id) ?? 0}"`;
  const changed = (id: string) => void versions.set(id, (versions.get(id) ?? 0) + 1);

  /** @param incidentId what the request is about. @param carryOut returns an error as an answer too */
  function once(request: RecordedRequest, incidentId: string, carryOut: () => Answer): Answer {
    const { method, path, headers } = request;
    if (method === 'GET') {
      return { ...carryOut(), headers: { etag: etagOf(incidentId) } };
    }
    const key = headers['idempotency-key']?.toString();
    const kept = key === undefined ? undefined : answers.get(key);
    if (kept !== undefined && !isForgetful) {
      return { ...kept, headers: { 'idempotent-replayed': 'true' } };
    }
    const condition = headers['if-match'];
    if (condition !== undefined && condition !== etagOf(incidentId) && !isForgetful) {
      return { status: 412, contentType: 'text/plain', body: 'it has changed' };
    }
    const answer = carryOut();
    if (answer.status < 300) {
      changed(incidentId);
      if (key !== undefined) {
        answers.set(key, answer);
        writes.push({ key, what: `${method} ${path}`, at: now() });
      }
    }
    return answer;
  }

  return {
    once,
    changed,
    writes,
    /** From now on, requests are carried out however often and late they come. */
    forget() {
      isForgetful = true;
    },
  };
}
