import { sql } from 'kysely';
import { vi } from 'vitest';
import { z } from 'zod';
import { type Page, PageList } from '../../src/contract/waking.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { createTestDatabase } from '../support/database.ts';
import { advanceDatabaseClock } from '../support/database-clock.ts';
import { HANG_MS } from '../support/hang.ts';
import { startMailServer } from '../support/mail-server.ts';
import { answerBy, type Fate, isTaken } from '../support/provider-fates.ts';
import { startPushService } from '../support/push-service.ts';
import { startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const PROCESSES = 2;
/** Of an effect whose process was killed. */
const LEASE_SECONDS = 9;

export type Provider = 'push' | 'mail' | 'webhook';

/** A message that a provider has taken, whether or not it could say so. */
export interface Said {
  readonly provider: Provider;
  /** What tells a repetition from another message: topic, Message-ID, or webhook-id. */
  readonly key: string;
  /** Its attempt; null: a push that asks nothing says only to whom it goes, in its key. */
  readonly attemptId: string | null;
  /** null: it takes back what was said before, or follows it up. */
  readonly answerUrl: string | null;
}

const Made = z.object({ id: z.string() });
const ATTEMPT = /attempt_\w+/;

/** Real processes of the service over one database, and the providers of three ways. Time passes for the database alone. */
export async function startWakingWorld() {
  await using scope = new AsyncDisposableStack();
  const database = scope.use(await createTestDatabase());
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const [push, mail, hook] = [
    scope.use(await startPushService()),
    scope.use(await startMailServer()),
    scope.use(await startWebhookReceiver()),
  ];
  const key = createRawKey('read-write').rawKey;
  const settings = {
    DATABASE_URL: database.url,
    BOOTSTRAP_API_KEY: key,
    SMTP_URL: mail.url,
    MAIL_FROM: 'tocsin@tocsin.test',
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'fatal',
  };
  const said: Said[] = [];
  let fateOf: (provider: Provider) => Fate = () => 'works';
  let onCall = (): void => undefined;
  function takeMessage(message: Said): Fate {
    const fate = fateOf(message.provider);
    if (isTaken(fate)) {
      said.push(message);
    }
    onCall();
    return fate;
  }
  push.fateOf = ({ tag, answerUrl }) =>
    takeMessage({ provider: 'push', key: tag, attemptId: ATTEMPT.exec(answerUrl ?? '')?.[0] ?? null, answerUrl });
  mail.refuse = ({ text }) => {
    const id = /^Message-ID: <(\S+)@/im.exec(text)?.[1] ?? '';
    const answerUrl = /I have it: (\S+)/.exec(text)?.[1] ?? null;
    const fate = takeMessage({ provider: 'mail', key: id, attemptId: ATTEMPT.exec(id)?.[0] ?? null, answerUrl });
    return isTaken(fate) ? (fate === 'works' ? null : 'silent') : { status: fate === 'limited' ? 450 : 421 };
  };
  hook.respond = (response, { headers, body }) => {
    const id = headers['webhook-id'] ?? '';
    const { answer_url: answerUrl } = Object(JSON.parse(body).data);
    const fate = takeMessage({ provider: 'webhook', key: id, attemptId: ATTEMPT.exec(id)?.[0] ?? null, answerUrl });
    answerBy(fate, response, 204);
  };

  const alive: TocsinProcess[] = [];
  scope.defer(async () => {
    await Promise.all(alive.map((each) => each[Symbol.asyncDispose]()));
  });
  async function startMissing(): Promise<void> {
    while (alive.length < PROCESSES) {
      alive.push(await startTocsin(settings, ['service']));
    }
  }

  /** Asks one process after the other until one answers: either may die meanwhile. */
  function ask(path: string, type: string, init: RequestInit): Promise<Response> {
    let turn = 0;
    return vi.waitUntil(
      async () => {
        turn += 1;
        const url = alive[turn % Math.max(1, alive.length)]?.url ?? '';
        const headers = { authorization: `Bearer ${key}`, origin: url, 'content-type': type };
        const response = await fetch(url + path, { ...init, headers }).catch(() => null);
        return response !== null && response.status < 500 ? response : null;
      },
      { timeout: HANG_MS },
    );
  }

  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await ask(`/v1${path}`, 'application/json', { method, ...sent });
    if (!response.ok) {
      throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    }
    return response.status === 204 ? null : response.json();
  }

  const pass = (seconds: number) => advanceDatabaseClock(database, SERVICE_SCHEMA, seconds * 1_000);

  async function isQuiet(): Promise<boolean> {
    const { rows } = await sql`
      select from effects where settled_at is null and due_at <= clock_now() and kind ~ '^(page|take-back):' limit 1
    `.execute(db);
    return rows.length === 0;
  }

  await startMissing();
  const owned = scope.move();

  const world = {
    said,
    call,
    pass,
    startMissing,
    make: async (...given: Parameters<typeof call>) => Made.parse(await call(...given)).id,
    setFates(decide: (provider: Provider) => Fate) {
      fateOf = decide;
    },
    /** What happens once, when a provider is called next. */
    atNextCall(act: () => void) {
      onCall = () => {
        onCall = () => undefined;
        act();
      };
    },
    /** `kill -9`. The other one goes on. */
    kill(pick: number) {
      const [victim] = alive.splice(pick % alive.length, 1);
      void victim?.stop('SIGKILL').then(() => victim[Symbol.asyncDispose]());
    },
    /** Whom the incidents of a service wake: one by push and then by e-mail, and after two minutes another by a webhook. */
    async addPolicy(service: string) {
      const add = (person: string, kind: string, address: string, after = 0) =>
        world.make('POST', `/people/${person}/ways`, { kind, address, loud_after_s: after });
      const first = await world.make('PUT', `/people/email:first@${service}.test`, { name: `First of ${service}` });
      const second = await world.make('PUT', `/people/email:second@${service}.test`, { name: `Second of ${service}` });
      await add(first, 'web_push', push.subscription);
      await world.answer(push.pushes.at(-1)?.answerUrl ?? '');
      const email = await add(first, 'email', `first@${service}.test`, 60);
      await call('POST', `/ways/${email}/verify`, {
        code: /Subject: (\d{6})/.exec(mail.mails.at(-1)?.text ?? '')?.[1],
      });
      await add(second, 'webhook', hook.url);
      await call('POST', '/policies', {
        name: service,
        user: 'ana',
        filter: { services: [service] },
        hold_s: 30,
        steps: [
          { after_s: 0, to: [{ kind: 'person', id: first }] },
          { after_s: 120, to: [{ kind: 'person', id: second }] },
        ],
        wait_s: 120,
        last_resort: [{ kind: 'person', id: second }],
      });
    },
    /** Presses the button of a link. */
    async answer(url: string) {
      const form = 'application/x-www-form-urlencoded';
      const response = await ask(new URL(url).pathname, form, { method: 'POST', body: '' });
      if (!response.ok) {
        throw new Error(`the link answered ${response.status}`);
      }
    },
    async pagesOf(incidentId: string): Promise<readonly Page[]> {
      return PageList.parse(await call('GET', `/incidents/${incidentId}/pages`)).pages;
    },
    /** Waits until nothing is due. Leases of the dead end meanwhile. */
    async settle() {
      for (let tries = 0; tries < 30; tries += 1) {
        if (await vi.waitUntil(isQuiet, { timeout: 3_000 }).catch(() => false)) {
          return;
        }
        await pass(LEASE_SECONDS);
      }
      throw new Error('what is due is not done');
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  return world;
}
