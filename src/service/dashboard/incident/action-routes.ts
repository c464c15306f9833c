import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { type Actor, isSameActor, nameOf } from '../../../contract/actor.ts';
import { REQUEST_LIMITS } from '../../../contract/requests.ts';
import { Severity } from '../../../contract/resources.ts';
import { addMinutes, subMinutes } from '../../../runtime/dates.ts';
import { type ByHandChange, setByHand } from '../../core/by-hand.ts';
import { DomainError, IncidentClosedError, NotFoundError } from '../../core/errors.ts';
import type { IncidentRecord } from '../../core/incident.ts';
import { acknowledge, addNote, reopen, resolve, unacknowledge } from '../../core/incident-changes.ts';
import { actorOfPerson } from '../../core/session.ts';
import { StorableText } from '../../http/storable-text.ts';
import type { IncidentChange } from '../../store/incidents/change-incident.ts';
import type { Regrouping } from '../../store/incidents/regrouping.ts';
import { FROM_NOW_ONCE, type MuteStore } from '../../store/mutes/mute-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { demandRole } from '../session/guard.ts';
import type { FormFault } from './forms.tsx';
import { type IncidentDeps, referenceOf, showIncident } from './incident-routes.tsx';
import { incidentUrl } from './incident-view.ts';

const NoteForm = z.object({ note: StorableText.trim().min(1).max(3_000) });
const ResolveForm = NoteForm.extend({
  although: z.literal('failing').optional(),
  no_problem: z.literal('yes').optional(),
});
const SnoozeForm = z.object({
  minutes: z.coerce.number().int().min(1).max(43_200),
  target: z.enum(['incident', 'service']),
  reason: StorableText.trim().max(200),
});

const MergeForm = z.object({
  into: StorableText.trim()
    .regex(/^#?\d{1,15}$/)
    .transform((text) => text.replace('#', '')),
});

/** An empty field is not set by hand. */
const orNull = <Value extends z.ZodType>(value: Value) =>
  z.preprocess((text) => (typeof text === 'string' && text.trim() === '' ? null : text), value.nullable());
const name = StorableText.trim().max(REQUEST_LIMITS.user);
const ChangeForm = z.object({
  title: orNull(StorableText.trim().max(REQUEST_LIMITS.title)),
  severity: orNull(Severity),
  root_service: orNull(StorableText.trim().max(REQUEST_LIMITS.service)),
  lead: orNull(name),
  communications: orNull(name),
  /** What was set when the form was shown, so that only what was changed in it is set. Absent: all of it is. */
  was: z
    .string()
    .transform((text) => new URLSearchParams(text))
    .optional(),
});

interface ActionDeps extends IncidentDeps {
  readonly regrouping: Regrouping;
  readonly mutes: MuteStore;
}

type NoteChange = (incident: IncidentRecord, note: string, actor: Actor) => IncidentRecord;

type Post = (action: string, act: (c: Context<DashboardEnv>, actor: Actor) => Promise<Response>) => void;

/** What people do about an incident. Each form leads back to its page. */
export function bindIncidentActions(dashboard: Hono<DashboardEnv>, deps: ActionDeps): void {
  const { incidents, mutes, now } = deps;

  const post: Post = (action, act) =>
    dashboard.post(`/incidents/:reference/${action}`, (c) => {
      demandRole(c, 'responder');
      return act(c, actorOfPerson(c.get('session').person));
    });
  const update = (c: Context<DashboardEnv>, change: IncidentChange, typed: Typed = NOTHING_TYPED) =>
    answer(c, deps, typed, () => incidents.update(referenceOf(c), change));

  post('acknowledge', (c, actor) =>
    update(c, (incident) => {
      const other = incident.acknowledgement;
      if (other !== null && !isSameActor(other, actor)) {
        throw new AcknowledgedByOtherError(nameOf(other));
      }
      return acknowledge(incident, actor, now());
    }),
  );
  post('unacknowledge', (c, actor) => update(c, (incident) => unacknowledge(incident, actor, null, now())));
  bindRegrouping(post, deps);

  const postNote = (action: string, form: 'resolve' | 'note', advice: string, change: NoteChange) =>
    post(action, async (c, actor) => {
      const { data } = NoteForm.safeParse(await c.req.parseBody());
      return data === undefined
        ? refuse(c, deps, form, advice)
        : update(c, (incident) => change(incident, data.note, actor), { form, typed: data.note });
    });

  post('resolve', async (c, actor) => {
    const { data } = ResolveForm.safeParse(await c.req.parseBody());
    if (data === undefined) {
      return refuse(c, deps, 'resolve', 'Write what fixed it, in at most 3,000 characters.');
    }
    const change = (incident: IncidentRecord) => {
      if (incident.closing === null && incident.activity === 'failing' && data.although === undefined) {
        throw new StillFailingError();
      }
      return resolve(incident, data.note, actor, now(), data.no_problem !== undefined);
    };
    return answer(c, deps, { form: 'resolve', typed: data.note }, () =>
      data.no_problem === undefined
        ? incidents.update(referenceOf(c), change)
        : deps.regrouping.resolve(referenceOf(c), change, now()),
    );
  });
  postNote('notes', 'note', 'Write a note of at most 3,000 characters.', (incident, note, actor) =>
    hasJustWritten(incident, note, actor, now()) ? incident : addNote(incident, actor, note, now()),
  );

  post('change', async (c, actor) => {
    const { data } = ChangeForm.safeParse(await c.req.parseBody());
    if (data === undefined) {
      return refuse(c, deps, 'change', 'Nothing was changed: titles and names have at most 200 characters.');
    }
    const { root_service: rootService, was, ...others } = data;
    const fields = Object.entries({ ...others, rootService });
    const set: ByHandChange = Object.fromEntries(fields.filter(([field, value]) => value !== was?.get(field)));
    const change = (incident: IncidentRecord) => setByHand(incident, set, actor, now());
    return answer(c, deps, { form: 'change', typed: '' }, () =>
      deps.regrouping.setByHand(referenceOf(c), change, now()),
    );
  });

  post('snooze', async (c, actor) => {
    const form = SnoozeForm.safeParse(await c.req.parseBody());
    if (!form.success) {
      return refuse(c, deps, 'snooze', 'Choose how long, and give a reason of at most 200 characters.');
    }
    const { minutes, target, reason } = form.data;
    const until = addMinutes(now(), minutes);
    return answer(c, deps, { form: 'snooze', typed: reason }, async () => {
      const incident = await incidents.get(referenceOf(c));
      const value = target === 'incident' ? incident.id : incident.rootService;
      const mute = { ...FROM_NOW_ONCE, target, value, until, reason: reason === '' ? null : reason, actor };
      await mutes.create(mute, now());
      return incident;
    });
  });

  post('unsnooze', (c, actor) =>
    answer(c, deps, NOTHING_TYPED, async () => {
      const incident = await incidents.get(referenceOf(c));
      if (incident.mute !== null) {
        await mutes.delete(incident.mute.id, actor, now());
      }
      return incident;
    }),
  );
}

/** Longer than a form waits for a database that does not answer. */
const SAME_NOTE_MINUTES = 10;

/** Whether it is the last note that somebody wrote here, which was sent again. */
function hasJustWritten({ timeline }: IncidentRecord, note: string, actor: Actor, now: Date): boolean {
  const last = timeline.findLast(({ event }) => event === 'note');
  return (
    last !== undefined &&
    last.by !== null &&
    last.text === note &&
    isSameActor({ by: last.by, byId: last.byId ?? null }, actor) &&
    last.at > subMinutes(now, SAME_NOTE_MINUTES)
  );
}

function bindRegrouping(post: Post, deps: ActionDeps): void {
  const { incidents, regrouping, now } = deps;

  post('reopen', (c, actor) =>
    answer(c, deps, NOTHING_TYPED, () =>
      regrouping.reopen(referenceOf(c), (incident) => reopen(incident, actor, null, now()), now()),
    ),
  );

  post('merge', async (c, actor) => {
    const form = MergeForm.safeParse(await c.req.parseBody());
    if (!form.success || !(await isOpen(form.data.into, incidents))) {
      return refuse(c, deps, 'merge', 'Give the number of another open incident, like #12.');
    }
    const { into } = form.data;
    return answer(c, deps, { form: 'merge', typed: into }, () =>
      regrouping.merge(referenceOf(c), into, actor, now(), () => undefined),
    );
  });

  post('split', (c, actor) =>
    answer(c, deps, NOTHING_TYPED, () => regrouping.split(referenceOf(c), actor, now(), () => undefined)),
  );
}

async function isOpen(reference: string, incidents: IncidentDeps['incidents']): Promise<boolean> {
  try {
    return (await incidents.get(reference)).closing === null;
  } catch (error) {
    if (error instanceof NotFoundError) {
      return false;
    }
    throw error;
  }
}

class AcknowledgedByOtherError extends DomainError {
  override readonly name = 'AcknowledgedByOtherError';
  readonly code = 'acknowledged-by-other';

  constructor(by: string) {
    super(`${by} has acknowledged it already`);
  }
}

class StillFailingError extends DomainError {
  override readonly name = 'StillFailingError';
  readonly code = 'still-failing';

  constructor() {
    super('it is still failing. To resolve it all the same, tick the box above the button');
  }
}

type Typed = Pick<FormFault, 'form' | 'typed'>;

const NOTHING_TYPED: Typed = { form: null, typed: '' };

/** Leads back to the page, or says why the change was refused, with what was typed. */
async function answer(
  c: Context<DashboardEnv>,
  deps: IncidentDeps,
  typed: Typed,
  change: () => Promise<Pick<IncidentRecord, 'number'>>,
): Promise<Response> {
  try {
    return c.redirect(incidentUrl(await change()), 303);
  } catch (error) {
    if (error instanceof DomainError && !(error instanceof NotFoundError)) {
      const why = error instanceof IncidentClosedError ? 'somebody has closed the incident' : error.message;
      return showIncident(c, deps, { ...typed, text: `Nothing was changed: ${why}.` }, 409);
    }
    throw error;
  }
}

async function refuse(
  c: Context<DashboardEnv>,
  deps: IncidentDeps,
  form: FormFault['form'],
  text: string,
): Promise<Response> {
  const { note, reason, into } = await c.req.parseBody();
  const typed = [note, reason, into].find((value) => typeof value === 'string') ?? '';
  return showIncident(c, deps, { form, text, typed: String(typed) }, 422);
}
