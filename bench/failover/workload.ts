import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type LocalSlack, startLocalSlack } from 'local-slack';
import { INCIDENTS_CHANNEL } from '../../src/app/local-slack.ts';
import { IncidentList } from '../../src/contract/resources.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { alertNotification } from '../../test/support/alert-notification.ts';
import { startTocsin } from '../../test/support/tocsin-process.ts';
import { waitFor } from './wait-for.ts';

const MANIFEST = fileURLToPath(new URL('../../manifest.yml', import.meta.url));
const SENDERS = 4;
const RETRY_MS = 200;
const REQUEST_MS = 30_000;
const CARD_MS = 240_000;

type Message = ReturnType<LocalSlack['messages']>[number];

/** A log record that no other request has. It is sent again until it is acknowledged, as a collector does. */
interface Sending {
  readonly text: string;
  attempts: number;
}

/** Tocsin's service and bot over a database, a local Slack, senders of telemetry and a person who clicks. */
export interface Workload extends AsyncDisposable {
  /** When the last record was acknowledged, in milliseconds of `performance.now()`. */
  acknowledgedAt(): number;
  readonly acknowledged: readonly Sending[];
  /** Answers other than 200 and 503, by status. */
  readonly wrongAnswers: ReadonlyMap<number, number>;
  /** The log line of the last of them; empty: there was none. */
  lastFault(): string;
  /** Opens an incident, waits for its card, and clicks until the card says that it is acknowledged. */
  openAndAcknowledge(name: string): Promise<void>;
  /** Stops sending, and lists what is wrong with the cards once they had time to become true. */
  findBrokenCards(): Promise<string[]>;
}

export async function startWorkload(databaseUrl: string): Promise<Workload> {
  await using stack = new AsyncDisposableStack();
  const slack = stack.use(
    await startLocalSlack({
      manifestPath: MANIFEST,
      port: 0,
      channel: INCIDENTS_CHANNEL,
      delivery: { mode: 'socket' },
    }),
  );
  const key = createRawKey('read-write').rawKey;
  const tocsin = stack.use(
    await startTocsin({
      DATABASE_URL: databaseUrl,
      BOOTSTRAP_API_KEY: key,
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      INCIDENTS_CHANNEL: '#incidents',
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
    }),
  );
  await waitFor(async () => (await tocsin.readiness()).ready, 60_000, 'the start of Tocsin');
  const acknowledged: Sending[] = [];
  const wrongAnswers = new Map<number, number>();
  let acknowledgedAt = performance.now();
  let isOver = false;
  let wrongLog = '';
  let count = 0;

  /** @returns null: no answer */
  async function post(path: string, body: unknown): Promise<number | null> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(REQUEST_MS);
    const response = await fetch(`${tocsin.url}/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal,
    }).catch(() => null);
    await response?.body?.cancel().catch(() => undefined);
    if (response !== null && ![200, 503].includes(response.status)) {
      wrongLog =
        tocsin
          .log()
          .split('\n')
          .findLast((line) => line.includes('request failed')) ?? wrongLog;
      wrongAnswers.set(response.status, (wrongAnswers.get(response.status) ?? 0) + 1);
    }
    return response?.status ?? null;
  }

  async function send(): Promise<void> {
    while (!isOver) {
      count += 1;
      const sending: Sending = { text: `parcel ${inLetters(count)} is lost`, attempts: 0 };
      do {
        sending.attempts += 1;
        if ((await post('/logs', errorLog(sending.text))) === 200) {
          acknowledged.push(sending);
          acknowledgedAt = performance.now();
          break;
        }
        await sleep(RETRY_MS);
      } while (!isOver);
    }
  }

  const cardsOf = (name: string) =>
    slack.messages('incidents').filter(({ text, ts, threadTs }) => (threadTs ?? ts) === ts && text.includes(name));
  const isAcknowledged = ({ text }: Message) => text.includes('Open, acknowledged by');

  const sending = Array.from({ length: SENDERS }, send);
  stack.defer(async () => {
    isOver = true;
    await Promise.all(sending);
  });
  const moved = stack.move();
  return {
    acknowledgedAt: () => acknowledgedAt,
    acknowledged,
    wrongAnswers,
    lastFault: () => wrongLog,
    async openAndAcknowledge(name) {
      const labels = { alertname: `Broken${name}`, service: name };
      const alert = alertNotification(new Date(), null, labels);
      const one = { ...alert, alerts: alert.alerts.map((each) => ({ ...each, fingerprint: name })) };
      await waitFor(async () => (await post('/alertmanager', one)) === 200, CARD_MS, `the alert ${name}`);
      await waitFor(
        async () => {
          const [card] = cardsOf(name);
          if (card !== undefined && !isAcknowledged(card)) {
            await slack
              .as('ana')
              .click(card, 'Acknowledge')
              .catch(() => null);
            await sleep(1_000); // a person looks what became of it
          }
          return card !== undefined && isAcknowledged(card);
        },
        CARD_MS,
        `the acknowledgement on the card of ${name}`,
      ).catch((cause: unknown) => {
        const answers = slack.ephemerals('ana', 'incidents').map(({ text }) => text);
        const seen = JSON.stringify({ cards: cardsOf(name).map(({ text }) => text), answers: answers.slice(-5) });
        throw new Error(`${seen}\n${tocsin.log().slice(-4_000)}`, { cause });
      });
    },
    async findBrokenCards() {
      isOver = true;
      await Promise.all(sending);
      const read = async (): Promise<string[]> => {
        const response = await fetch(`${tocsin.url}/v1/incidents?limit=200`, {
          headers: { authorization: `Bearer ${key}` },
        });
        const { incidents } = IncidentList.parse(await response.json());
        return incidents.flatMap(({ id, root_service: service, acknowledged_by: by }) => {
          const cards = cardsOf(service);
          const [card] = cards;
          const isTrue = card !== undefined && isAcknowledged(card) === (by != null);
          return cards.length === 1 && isTrue ? [] : [`${id} (${service}) has ${cards.length} cards, true: ${isTrue}`];
        });
      };
      return waitFor(async () => ((await read()).length === 0 ? [] : null), CARD_MS, 'the truth of all cards').catch(
        read,
      );
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** Digits would be taken for an id, and the records for the same one. */
function inLetters(number: number): string {
  return String(number).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));
}

function errorLog(text: string) {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'depot' } }] };
  const record = { timeUnixNano: `${Date.now()}000000`, severityNumber: 17, body: { stringValue: text } };
  return { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] };
}
