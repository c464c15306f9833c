import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type LocalSlack, startLocalSlack } from 'local-slack';
import { INCIDENTS_CHANNEL } from '../../src/app/local-slack.ts';
import { IncidentList } from '../../src/contract/lists.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { alertNotification } from '../../test/support/alert-notification.ts';
import { startTocsin } from '../../test/support/tocsin-process.ts';
import { createPost, type RecordLoad, startRecordLoad } from '../record-load.ts';
import { namesService } from './names-service.ts';
import { waitFor } from './wait-for.ts';

const MANIFEST = fileURLToPath(new URL('../../manifest.yml', import.meta.url));
const CARD_MS = 240_000;

type Message = ReturnType<LocalSlack['messages']>[number];

/** Tocsin's service and bot over a database, a local Slack, senders of telemetry and a person who clicks. */
export interface Workload extends RecordLoad {
  /** Of the process of Tocsin. */
  readonly pid: number;
  /** Address of the API, ends in `/v1`. */
  readonly baseUrl: string;
  /** Read-write API key. */
  readonly key: string;
  /** Answers other than 200 and 503, by status. */
  readonly wrongAnswers: ReadonlyMap<number, number>;
  /** The log line of the last of them; empty: there was none. */
  lastFault(): string;
  /** Opens an incident, waits for its card, and clicks until the card says that it is acknowledged. */
  openAndAcknowledge(name: string): Promise<void>;
  /** Stops sending, and lists what is wrong with the cards once they had time to become true. */
  findBrokenCards(): Promise<string[]>;
}

/** @param natsUrl of the servers that telemetry goes through; absent: the database */
export async function startWorkload(databaseUrl: string, natsUrl?: string): Promise<Workload> {
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
      ...(natsUrl === undefined ? {} : { NATS_URL: natsUrl }),
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
  const wrongAnswers = new Map<number, number>();
  let wrongLog = '';
  const post = createPost({
    baseUrl: () => `${tocsin.url}/v1`,
    key,
    onWrong(status) {
      const lines = tocsin.log().split('\n');
      wrongLog = lines.findLast((line) => line.includes('request failed')) ?? wrongLog;
      wrongAnswers.set(status, (wrongAnswers.get(status) ?? 0) + 1);
    },
  });

  const cardsOf = (name: string) =>
    slack.messages('incidents').filter(({ text, ts, threadTs }) => (threadTs ?? ts) === ts && namesService(text, name));
  const isAcknowledged = ({ text }: Message) => text.includes('Acknowledged by');

  const records = stack.use(startRecordLoad(post));
  const moved = stack.move();
  return {
    pid: tocsin.pid,
    baseUrl: `${tocsin.url}/v1`,
    key,
    acknowledgedAt: () => records.acknowledgedAt(),
    acknowledged: records.acknowledged,
    wrongAnswers,
    lastFault: () => wrongLog,
    async openAndAcknowledge(name) {
      const labels = { alertname: `Broken${name}`, service: name };
      const alert = alertNotification(new Date(), null, labels);
      const one = { ...alert, alerts: alert.alerts.map((each) => ({ ...each, fingerprint: name })) };
      const isAccepted = async () => (await post('/alertmanager', one)) === 200;
      const isAcknowledgedByClicks = async () => {
        const [card] = cardsOf(name);
        if (card !== undefined && !isAcknowledged(card)) {
          await slack
            .as('ana')
            .click(card, 'Acknowledge')
            .catch(() => null);
          await sleep(1_000); // a person looks what became of it
        }
        return card !== undefined && isAcknowledged(card);
      };
      try {
        await waitFor(isAccepted, CARD_MS, `the alert ${name}`);
        await waitFor(isAcknowledgedByClicks, CARD_MS, `the acknowledgement on the card of ${name}`);
      } catch (cause) {
        const answers = slack.ephemerals('ana', 'incidents').map(({ text }) => text);
        const seen = JSON.stringify({ cards: cardsOf(name).map(({ text }) => text), answers: answers.slice(-5) });
        throw new Error(`${seen}\n${wrongLog}\n${tocsin.log().slice(-4_000)}`, { cause });
      }
    },
    async findBrokenCards() {
      await records[Symbol.asyncDispose]();
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
