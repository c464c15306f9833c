import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import type { Incident, Signal } from '../../src/contract/resources.ts';
import { HANG_MS } from '../support/hang.ts';
import { rounds } from '../support/rounds.ts';
import { startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';

const SEED = 20_261_121;
const SENDERS = 6;

const COUNT = rounds({ gate: 3, weekly: 9 });
const ENDS = [killService, killBoth, killDatabaseFirst];

/** How each round ends: after this many acknowledged requests, with others still in flight. */
const deaths = fc
  .sample(fc.integer({ min: 1, max: 60 }), { seed: SEED, numRuns: COUNT })
  .map((requestsBefore, index) => ({
    requestsBefore,
    end: ENDS[index % ENDS.length] ?? killService,
  }));

/** A request that is sent again until it is acknowledged, as a collector does. */
interface Sending {
  readonly service: string;
  /** The text of a log record that no other request has. */
  readonly message: string;
  attempts: number;
  isAcknowledged: boolean;
}

it('keeps each acknowledged record exactly once through kills, some of them with the database', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-kill-'));
  const sendings: Sending[] = [];
  const acknowledgements = new Map<string, string>();
  try {
    for (const [index, { requestsBefore, end }] of deaths.entries()) {
      await using tocsin = await startTocsin({ DATA_DIR: dataDir, LOG_LEVEL: 'fatal' }, ['service']);
      const api = await openApi(tocsin);
      await api.post('/generic', { service: `site-${index}`, summary: 'down', severity: 'critical' }); // opens an incident
      if (index > 0) {
        await vi.waitUntil(() => findUntaken(api), { timeout: HANG_MS });
      }
      await acknowledgeNewest(api, `ana-${index}`, acknowledgements);
      await sendUntilKilled(api, sendings, requestsBefore, () => end(tocsin, api, sendings));
    }
    await using tocsin = await startTocsin({ DATA_DIR: dataDir }, ['service']);
    const api = await openApi(tocsin);

    expectOnce(await listSignals(api, ''), sendings);
    await expect.poll(() => findMiscounted(api), { timeout: HANG_MS }).toEqual([]);
    const incidents = await listIncidents(api);
    expect(acknowledgements.size).toBeGreaterThan(1);
    expect(Object.fromEntries(incidents.map(({ id, acknowledged_by: by }) => [id, by]))).toMatchObject(
      Object.fromEntries(acknowledgements),
    );
    expect(await tocsin.stop()).toBe(0);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** The newest that nobody has acknowledged. */
async function findUntaken(api: Api): Promise<string | undefined> {
  return IncidentList.parse(await api.get('/incidents?acknowledged=false&status=open&limit=1')).incidents[0]?.id;
}

async function sendUntilKilled(
  api: Api,
  sendings: Sending[],
  requestsBefore: number,
  end: () => Promise<void>,
): Promise<void> {
  const again = sendings.filter(({ isAcknowledged }) => !isAcknowledged);
  let acknowledged = 0;
  let ending: Promise<void> | undefined;

  async function send(): Promise<void> {
    while (ending === undefined) {
      const isTaken = await deliver(api, again.pop() ?? createSending(sendings));
      acknowledged += isTaken ? 1 : 0;
      if (acknowledged >= requestsBefore) {
        ending ??= end();
      }
    }
  }

  await Promise.all(Array.from({ length: SENDERS }, send));
  await ending;
}

function createSending(sendings: Sending[]): Sending {
  const name = inLetters(sendings.length);
  const service = `depot-${name.at(-1)?.replace(/[d-j]/, 'd')}`;
  const sending = { service, message: `parcel ${name} is lost`, attempts: 0, isAcknowledged: false };
  sendings.push(sending);
  return sending;
}

/** @returns whether it was acknowledged; if not, there was no response or a 503 */
async function deliver(api: Api, sending: Sending): Promise<boolean> {
  sending.attempts += 1;
  const status = await api.post('/logs', errorLogs(sending)).catch(() => null);
  expect([200, 503, null]).toContain(status);
  sending.isAcknowledged = status === 200;
  return sending.isAcknowledged;
}

function expectOnce(signals: readonly Signal[], sendings: readonly Sending[]): void {
  const found = Map.groupBy(signals, ({ body }) => body);
  const wrong = sendings.filter(({ message, attempts, isAcknowledged }) => {
    const [signal, ...others] = found.get(message) ?? [];
    const times = signal?.occurrences ?? 0;
    return others.length > 0 || times > attempts || (isAcknowledged && times === 0);
  });
  expect(wrong).toEqual([]);
  const times = (found.get(SHARED) ?? []).reduce((sum, { occurrences = 0 }) => sum + occurrences, 0);
  expect(times).toBeGreaterThanOrEqual(sendings.filter(({ isAcknowledged }) => isAcknowledged).length);
  expect(times).toBeLessThanOrEqual(sendings.reduce((sum, { attempts }) => sum + attempts, 0));
}

async function killService(tocsin: TocsinProcess): Promise<void> {
  await tocsin.stop('SIGKILL');
}

async function killBoth(tocsin: TocsinProcess): Promise<void> {
  await killService(tocsin);
  await killDatabase(tocsin.dataDir);
}

/** Kills the database, waits until the service has restarted it, then kills the service. */
async function killDatabaseFirst(tocsin: TocsinProcess, api: Api, sendings: Sending[]): Promise<void> {
  await killDatabase(tocsin.dataDir);
  const next = createSending(sendings);
  await expect.poll(() => deliver(api, next), { timeout: HANG_MS }).toBe(true);
  await killService(tocsin);
}

/** Kills the server and all its processes at once. It is stopped first, so that it starts no new ones. */
async function killDatabase(dataDir: string): Promise<void> {
  const pid = Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
  process.kill(pid, 'SIGSTOP');
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  for (const one of children.trim().split(' ').map(Number)) {
    try {
      process.kill(one, 'SIGKILL');
    } catch (error) {
      expect(error).toMatchObject({ code: 'ESRCH' }); // it has just ended by itself, as after its client was killed
    }
  }
  process.kill(pid, 'SIGKILL');
}

interface Api {
  get(path: string): Promise<unknown>;
  /** @returns the HTTP status */
  post(path: string, body: object): Promise<number>;
}

async function openApi({ url, dataDir }: TocsinProcess): Promise<Api> {
  const key = (await readFile(join(dataDir, 'keys/shop.key'), 'utf8')).trim();
  const authorization = `Bearer ${key}`;
  return {
    async get(path) {
      const response = await fetch(`${url}/v1${path}`, { headers: { authorization } });
      expect(response.status).toBe(200);
      return await response.json();
    },
    async post(path, body) {
      const headers = { authorization, 'content-type': 'application/json' };
      const response = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      await response.body?.cancel();
      return response.status;
    },
  };
}

async function acknowledgeNewest(api: Api, user: string, acknowledgements: Map<string, string>): Promise<void> {
  const id = await findUntaken(api);
  if (id !== undefined && (await api.post(`/incidents/${id}/acknowledge`, { user })) === 200) {
    acknowledgements.set(id, user);
  }
}

async function listIncidents(api: Api): Promise<Omit<Incident, 'signals'>[]> {
  const page = IncidentList.parse(await api.get('/incidents?limit=200'));
  expect(page.has_more).toBe(false);
  return page.incidents;
}

/** Incidents whose signal count differs from the signals they list. */
async function findMiscounted(api: Api): Promise<object[]> {
  const miscounted: object[] = [];
  for (const { id, signal_count: told } of await listIncidents(api)) {
    const { length: found } = await listSignals(api, `/incidents/${id}`);
    if (told !== found) {
      miscounted.push({ id, told, found });
    }
  }
  return miscounted;
}

async function listSignals(api: Api, parent: string): Promise<Signal[]> {
  const signals: Signal[] = [];
  let cursor = '';
  do {
    const page = SignalList.parse(await api.get(`${parent}/signals?limit=200${cursor}`));
    signals.push(...page.signals);
    cursor = typeof page.next_cursor === 'string' ? `&cursor=${page.next_cursor}` : '';
  } while (cursor !== '');
  return signals;
}

/** The service folds messages that differ only in digits, so names are spelt in letters. */
function inLetters(index: number): string {
  return String(index).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));
}

const SHARED = 'the lorry is full';

/** An OTLP/JSON request body. */
function errorLogs({ service, message }: Sending): object {
  const record = (text: string) => ({
    timeUnixNano: `${Date.now()}000000`,
    severityNumber: 17,
    body: { stringValue: text },
  });
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: service } }] };
  return { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record(message), record(SHARED)] }] }] };
}
