import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { QuietHours } from '../../../contract/on-call.ts';
import { WAKING_LIMITS, WayKind } from '../../../contract/waking.ts';
import { isTimeZone } from '../../../incident/wall-time.ts';
import { DomainError } from '../../core/errors.ts';
import type { KnownPerson } from '../../core/known-person.ts';
import { hasRole } from '../../core/session.ts';
import { readPathParameter } from '../../http/storable-text.ts';
import type { Waking } from '../../on-call/waking.ts';
import type { PeopleStore } from '../../store/people/people-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { renderWaysPage, type WaysView } from './ways-page.tsx';

const PATH = '/settings/ways';

const Wait = z
  .union([z.literal('').transform(() => null), z.coerce.number().int().min(0).max(WAKING_LIMITS.waitSeconds)])
  .catch(0);

/** The id of another person; empty: oneself. */
const Chosen = z.object({ person: z.string().catch('') });

const CodeForm = z.object({ code: z.string().trim().catch('') });

/** No times: there are no quiet hours. */
const QuietForm = z.union([z.object({ from: z.literal(''), until: z.literal('') }).transform(() => null), QuietHours]);

const ZoneForm = z.object({ zone: z.string().trim().refine(isTimeZone) });

/** What was sent, whatever it is. */
const Typed = z
  .object({ kind: z.string(), address: z.string(), loud: z.string(), quiet: z.string() })
  .partial()
  .catch({});

const WayForm = z.object({
  kind: WayKind,
  address: z.string().trim().min(1).max(WAKING_LIMITS.address),
  loud: Wait,
  quiet: Wait,
});

interface WaysDeps {
  readonly people: PeopleStore;
  readonly waking: Pick<Waking, 'ways' | 'pushKey'>;
  readonly now: () => Date;
}

/** People change their own ways, and admins those of others. */
export function bindWays(dashboard: Hono<DashboardEnv>, { people, waking: { ways, pushKey }, now }: WaysDeps): void {
  /** @param chosen the id of another person, for admins. @returns null: it is not known who the reader is */
  async function findPerson(c: Context<DashboardEnv>, chosen: string): Promise<KnownPerson | null> {
    const { person } = c.get('session');
    const own = await people.readPerson(person.userId);
    if (chosen === '' || chosen === own?.id) {
      return own ?? (await people.savePerson(person.userId, { name: person.name }, now()));
    }
    demandAdmin(c);
    return people.readPerson(chosen);
  }

  async function show(c: Context<DashboardEnv>, person: KnownPerson | null, said: Partial<WaysView> = {}) {
    const session = c.get('session');
    const { fault = null, secret = null, typed = {} } = said;
    const view: WaysView = {
      session,
      person,
      fault,
      typed,
      secret,
      people: hasRole(session, 'admin') ? (await people.listPeople()).filter(({ goneAt }) => goneAt === null) : [],
      ways: person === null ? [] : await ways.listOf(person.id),
      pushKey: await pushKey(),
      missing: (kind) => ways.missing(kind),
      now: now(),
    };
    return c.html(renderWaysPage(view), fault === null ? 200 : 422);
  }

  /** The owner of a way that the reader may change. */
  async function ownerOf(c: Context<DashboardEnv>): Promise<{ readonly id: string; readonly person: KnownPerson }> {
    const id = readPathParameter(c.req.param('id'));
    const { personId } = await ways.get(id);
    const person = await findPerson(c, personId);
    if (person === null) {
      throw new PageError(404, 'Not found', 'This way belongs to nobody.');
    }
    return { id, person };
  }

  const back = (c: Context<DashboardEnv>, { id }: KnownPerson) => c.redirect(`/dashboard${PATH}?person=${id}`, 303);

  dashboard.get(PATH, async (c) => show(c, await findPerson(c, c.req.query('person') ?? '')));

  dashboard.post(PATH, async (c) => {
    const given = await c.req.parseBody();
    const person = await findPerson(c, Chosen.parse(given).person);
    const form = WayForm.safeParse(given);
    if (person === null || !form.success) {
      return show(c, person, { fault: 'A way needs an address.', typed: Typed.parse(given) });
    }
    const { kind, address, loud: loudAfterS, quiet: quietAfterS } = form.data;
    try {
      const { fault, secret } = await ways.add({ personId: person.id, kind, address, loudAfterS, quietAfterS });
      return fault === null && secret === null ? back(c, person) : show(c, person, { fault: sentence(fault), secret });
    } catch (error) {
      return show(c, person, { fault: faultOf(error), typed: Typed.parse(given) });
    }
  });

  dashboard.post(`${PATH}/quiet-hours`, async (c) => {
    const given = await c.req.parseBody();
    const person = await findPerson(c, Chosen.parse(given).person);
    const hours = QuietForm.safeParse(given);
    const timeZone = ZoneForm.safeParse(given);
    if (person === null || !hours.success || !timeZone.success) {
      return show(c, person, { fault: 'Quiet hours need two times and a time zone such as Europe/Berlin.' });
    }
    await people.savePerson(
      person.id,
      { name: person.name, quietHours: hours.data, timeZone: timeZone.data.zone },
      now(),
    );
    return back(c, person);
  });

  dashboard.post(`${PATH}/:id/test`, async (c) => {
    const { id, person } = await ownerOf(c);
    try {
      const { fault } = await ways.test(id);
      return fault === null ? back(c, person) : show(c, person, { fault: sentence(fault) });
    } catch (error) {
      return show(c, person, { fault: faultOf(error) });
    }
  });

  dashboard.post(`${PATH}/:id/verify`, async (c) => {
    const { id, person } = await ownerOf(c);
    const { code } = CodeForm.parse(await c.req.parseBody());
    return (await ways.verify(id, code))
      ? back(c, person)
      : show(c, person, { fault: 'The code is wrong, or it was tried too often or too late.' });
  });

  dashboard.post(`${PATH}/:id/remove`, async (c) => {
    const { id, person } = await ownerOf(c);
    await ways.remove(id);
    return back(c, person);
  });
}

function demandAdmin(c: Context<DashboardEnv>): void {
  if (!hasRole(c.get('session'), 'admin')) {
    throw new PageError(403, 'Not allowed', 'Only admins may change how others are woken.');
  }
}

/** @throws what is not said to people */
function faultOf(error: unknown): string {
  if (error instanceof DomainError) {
    return sentence(error.message) ?? '';
  }
  throw error;
}

function sentence(text: string | null): string | null {
  return text === null ? null : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
