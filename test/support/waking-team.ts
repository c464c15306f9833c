import type { Logger } from 'pino';
import { expect, vi } from 'vitest';
import type { z } from 'zod';
import { Incident } from '../../src/contract/resources.ts';
import { type Page, PageList, Policy, Way, type WayKind } from '../../src/contract/waking.ts';
import { createId } from '../../src/service/core/ids.ts';
import type { WaySettings } from '../../src/service/on-call/ways/ways.ts';
import { createPeopleStore } from '../../src/service/store/people/people-store.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { stranger } from './dashboard.ts';
import { advanceDatabaseClock } from './database-clock.ts';
import { HANG_MS } from './hang.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { startTestService, type TestService } from './test-service.ts';
import { openTables } from './webhook-receiver.ts';

/** A service with people who can be woken. */
export interface WakingTeam extends AsyncDisposable {
  readonly tocsin: TestService;
  readonly mail: MailServer;
  addPerson(name: string): Promise<string>;
  /** Adds a way, and proves it as its owner would. */
  addEmail(personId: string, uses?: { readonly loud_after_s?: number; readonly quiet_after_s?: null }): Promise<string>;
  addPush(personId: string, subscription: string): Promise<string>;
  /** Adds a way of any kind. @param uses when it is used, if not at once in loud steps */
  addWay(personId: string, kind: WayKind, address: string, uses?: object): Promise<string>;
  /** What the timeline says of waking. */
  told(incidentId: string): Promise<string[]>;
  /** A schedule without turns, so that nobody is on call. */
  addEmptySchedule(name: string): Promise<string>;
  createPolicy(plan: object): Promise<string>;
  pagesOf(incidentId: string): Promise<readonly Page[]>;
  waitForPage(incidentId: string, isSo: (page: Page) => boolean): Promise<Page>;
  readIncident(id: string): Promise<Incident>;
  /** Presses the button of a link. */
  answer(url: string | null): Promise<Response>;
  /** Moves both clocks. */
  passTime(seconds: number): Promise<void>;
}

/** @param options the mail server is always set */
export async function startWakingTeam(
  options: { readonly ways?: Partial<WaySettings>; readonly isPublicUrlSet?: boolean; readonly logger?: Logger } = {},
): Promise<WakingTeam> {
  await using stack = new AsyncDisposableStack();
  const mail = stack.use(await startMailServer());
  const tocsin = stack.use(
    await startTestService({
      ...options,
      mail: { smtpUrl: mail.url, from: 'tocsin@tocsin.test' },
      webhooks: { allowPrivateAddresses: true },
    }),
  );
  const db = await openTables(tocsin);
  const people = createPeopleStore(db);
  const resources = stack.move();

  async function addWay(personId: string, body: object): Promise<z.infer<typeof Way>> {
    const response = await tocsin.call('POST', `/people/${personId}/ways`, { body });
    expect(response.status).toBe(201);
    return Way.parse(await response.json());
  }

  const team: WakingTeam = {
    tocsin,
    mail,

    async addPerson(name) {
      const person = await people.savePerson(`email:${name.toLowerCase()}@tocsin.test`, { name }, tocsin.now());
      return person?.id ?? '';
    },

    async addEmail(personId, uses = {}) {
      const before = mail.mails.length;
      const { id } = await addWay(personId, { kind: 'email', address: `${personId}@tocsin.test`, ...uses });
      const [sent] = (await mail.take(before + 1)).slice(before);
      const code = /Subject: (\d{6})/.exec(sent?.text ?? '')?.[1];
      expect((await tocsin.call('POST', `/ways/${id}/verify`, { body: { code } })).status).toBe(200);
      return id;
    },

    addWay: async (personId, kind, address, uses = {}) => (await addWay(personId, { kind, address, ...uses })).id,

    async told(incidentId) {
      const { timeline = [] } = await team.readIncident(incidentId);
      return timeline.flatMap(({ event, text }) => (event === 'paged' ? [text ?? ''] : []));
    },

    async addPush(personId, subscription) {
      return (await addWay(personId, { kind: 'web_push', address: subscription })).id;
    },

    async addEmptySchedule(name) {
      const row = { id: createId('sched', tocsin.now()), name, time_zone: 'UTC', created_at: tocsin.now() };
      await db.insertInto('schedules').values(row).execute();
      return row.id;
    },

    async createPolicy(plan) {
      const response = await tocsin.call('POST', '/policies', { body: { name: 'Everything', user: 'ana', ...plan } });
      expect(response.status).toBe(201);
      return Policy.parse(await response.json()).id;
    },

    async pagesOf(incidentId) {
      return PageList.parse(await (await tocsin.call('GET', `/incidents/${incidentId}/pages`)).json()).pages;
    },

    waitForPage: (incidentId, isSo) =>
      vi.waitUntil(async () => (await team.pagesOf(incidentId)).find(isSo), { timeout: HANG_MS, interval: 50 }),

    async readIncident(id) {
      return Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
    },

    async answer(url) {
      const path = new URL(url ?? '').pathname.replace('/dashboard', '');
      expect((await stranger(tocsin).visit(path)).status).toBe(200);
      return stranger(tocsin).visit(path, { form: {} });
    },

    async passTime(seconds) {
      tocsin.clock.skip(seconds * 1_000);
      await advanceDatabaseClock(tocsin.database, SERVICE_SCHEMA, seconds * 1_000);
      tocsin.clock.wake();
    },

    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
  return team;
}

/** The address of the link in a mail. */
export function linkIn(mail: { readonly text: string } | undefined): string {
  return /I have it: (\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
}
