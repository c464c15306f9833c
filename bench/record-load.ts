import { setTimeout as sleep } from 'node:timers/promises';

/** Each has one record under way. */
export const RECORD_SENDERS = 4;
const RETRY_MS = 200;
const REQUEST_MS = 30_000;

/** A log record that no other request has. It is sent again until it is acknowledged, as a collector does. */
export interface Sending {
  readonly text: string;
  attempts: number;
}

/** Posts JSON. @returns the status; null: no answer */
export type Post = (path: string, body: unknown) => Promise<number | null>;

/** Senders of one record after the other, until it is disposed of. */
export interface RecordLoad extends AsyncDisposable {
  /** When the last record was acknowledged, in milliseconds of `performance.now()`. */
  acknowledgedAt(): number;
  readonly acknowledged: readonly Sending[];
}

/**
 * @param options.baseUrl where the next request goes, ends in `/v1`
 * @param options.onWrong called with each status other than 200 and 503
 */
export function createPost(options: {
  readonly baseUrl: () => string;
  readonly key: string;
  readonly onWrong: (status: number) => void;
}): Post {
  const headers = { authorization: `Bearer ${options.key}`, 'content-type': 'application/json' };
  return async (path, body) => {
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(REQUEST_MS) };
    const response = await fetch(`${options.baseUrl()}${path}`, request).catch(() => null);
    await response?.body?.cancel().catch(() => undefined);
    if (response !== null && ![200, 503].includes(response.status)) {
      options.onWrong(response.status);
    }
    return response?.status ?? null;
  };
}

export function startRecordLoad(post: Post): RecordLoad {
  const acknowledged: Sending[] = [];
  let acknowledgedAt = performance.now();
  let isOver = false;
  let count = 0;

  async function send(): Promise<void> {
    while (!isOver) {
      count += 1;
      const sending: Sending = { text: `parcel ${inLetters(count)} is lost`, attempts: 0 };
      const record = errorLog(sending.text);
      do {
        sending.attempts += 1;
        if ((await post('/logs', record)) === 200) {
          acknowledged.push(sending);
          acknowledgedAt = performance.now();
          break;
        }
        await sleep(RETRY_MS);
      } while (!isOver);
    }
  }

  const sending = Array.from({ length: RECORD_SENDERS }, send);
  return {
    acknowledgedAt: () => acknowledgedAt,
    acknowledged,
    async [Symbol.asyncDispose]() {
      isOver = true;
      await Promise.all(sending);
    },
  };
}

/** Digits would be taken for an id, and the records for the same one. */
export function inLetters(number: number): string {
  return String(number).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));
}

function errorLog(text: string) {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'depot' } }] };
  const record = { timeUnixNano: `${Date.now()}000000`, severityNumber: 17, body: { stringValue: text } };
  return { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] };
}
