import { cardsIn } from './run-plan.ts';
import type { World } from './world.ts';

/** An action as it is stored. */
interface StoredAction {
  readonly id: string;
  readonly kind: string;
  /** Id of the incident, or name of the service. */
  readonly about: string;
  readonly by: string;
  readonly set: object | null;
  readonly until: string | null;
  readonly outcome: string | null;
  readonly settled_at: Date | null;
  /** It was taken back before it was due. */
  readonly is_dropped: boolean;
}

/** Violations of the invariants of actions; empty: none. */
export async function findBrokenActions(world: World): Promise<string[]> {
  const actions = await world.query<StoredAction>(`
    select id, kind, coalesce(incident_id, data->>'value', data->>'service') as about, user_name as by,
      ${setBy('actions')} as set, data->>'until' as until, outcome, settled_at,
      coalesce(outcome = 'cancelled' and settled_at < (data->>'startsAt')::timestamptz, false) as is_dropped
    from actions`);
  return [
    ...(await revivedActions(world)),
    ...repeatedWrites(world, actions),
    ...lateWrites(world, actions),
    ...wideChanges(world),
    ...brokenDeclarations(world, actions),
    ...brokenCards(world),
  ];
}

/** What an action sets, with people as the service calls them; null: it is another kind of action. */
const setBy = (action: string) => `(${action}.data->'set' || coalesce((
    select jsonb_object_agg(field, coalesce(name, whom))
    from jsonb_each_text(${action}.data->'people') as assigned(field, whom)
      left join people on people.slack_user_id = whom), '{}'))`;

/** An older action is not done once the same person has undone a newer one. */
async function revivedActions(world: World): Promise<string[]> {
  const rows = await world.query<{ what: string }>(`
    select older.kind || ' of ' || older.data || ' was done after ' || undo.kind as what
    from actions as older
    join actions as undo using (slack_user_id)
    where older.outcome = 'done' and undo.outcome = 'done' and undo.number > older.number
      and undo.settled_at < older.settled_at
      and (older.incident_id = undo.incident_id or older.data->>'value' = undo.data->>'value')
      and (older.kind, undo.kind) in (('acknowledge', 'unacknowledge'), ('resolve', 'reopen'), ('snooze', 'unsnooze'),
        ('steer', 'unsteer'), ('mute', 'unmute'))
      -- A plan is another mute. A change may be what the undo has gone back to.
      and older.data->>'startsAt' is null
      and (older.kind <> 'steer' or ${setBy('older')} <> ${setBy('undo')}
        and exists (select from jsonb_object_keys(${setBy('older')}) as field where ${setBy('undo')} ? field))`);
  return rows.map(({ what }) => what);
}

/** Each change and each mute of a service is made at most as often as somebody asked for it. */
function repeatedWrites({ service }: World, actions: readonly StoredAction[]): string[] {
  const keyOf = (about: string, by: string, what: object | string | null) =>
    JSON.stringify([
      about,
      by,
      typeof what === 'string'
        ? new Date(what)
        : Object.entries(what ?? {}).toSorted(([one], [other]) => one.localeCompare(other)),
    ]);
  const asked = actions
    .filter(({ is_dropped: isDropped }) => !isDropped)
    .map(({ about, by, set, until }) => keyOf(about, by, set ?? until));
  const made = [
    ...service.changes.map(({ incidentId, by, set }) => keyOf(incidentId, by, set)),
    ...service.mutes.map(({ value, by, askedUntil }) => keyOf(value, by, askedUntil.toISOString())),
  ];
  const count = (keys: readonly string[], key: string) => keys.filter((each) => each === key).length;
  return [...new Set(made)]
    .filter((key) => count(made, key) > count(asked, key))
    .map((key) => `was done ${count(made, key)} times, and asked for ${count(asked, key)} times: ${key}`);
}

/** What reaches the service after its action is settled changes nothing: it was done before, or it must not be done. */
function lateWrites({ service }: World, actions: readonly StoredAction[]): string[] {
  return service.writes.flatMap(({ key, what, at }) => {
    const settledAt = actions.find(({ id }) => id === key)?.settled_at ?? null;
    return settledAt !== null && at > settledAt
      ? [`${what} was done at ${at.toISOString()}, after its action was settled at ${settledAt.toISOString()}`]
      : [];
  });
}

/** The plan changes one field at a time, so a wider change, or undo, takes away what somebody else set. */
function wideChanges({ service }: World): string[] {
  return service.changes
    .filter(({ set }) => Object.keys(set).length > 1)
    .map(({ incidentId, by, set }) => `${by} changed one field of ${incidentId} and got ${JSON.stringify(set)}`);
}

/** What was declared is one incident, and none is declared that nobody asked for. */
function brokenDeclarations({ service }: World, actions: readonly StoredAction[]): string[] {
  const asked = actions.filter(({ kind }) => kind === 'declare');
  const opened = (id: string) => service.declarations.filter(({ key }) => key === id).length;
  return [
    ...asked
      .filter(({ id, outcome }) => opened(id) > 1 || (outcome === 'done' && opened(id) === 0))
      .map(({ id, about }) => `${about} was declared ${opened(id)} times`),
    ...service.declarations
      .filter(({ key }) => asked.every(({ id }) => id !== key))
      .map(({ title }) => `nobody declared ${title}`),
  ];
}

/** How each field stands on a card. */
const SHOWN: Readonly<Record<string, (value: string) => string>> = {
  title: (value) => `${value}\n`,
  severity: (value) => value,
  root_service: (value) => value,
  lead: (value) => `${value.replace(/@.*/, '')} leads`,
  communications: (value) => `${value.replace(/@.*/, '')} communicates`,
};

/** The card of an open incident shows everything that is set by hand. */
function brokenCards({ slack, service }: World): string[] {
  return cardsIn(slack).flatMap(({ text, metadata }) => {
    const id = String(metadata?.event_payload.incident_id);
    const changes = service.changes.filter(({ incidentId }) => incidentId === id);
    const isOpen = changes.length > 0 && service.incident(id).status === 'open';
    const set: Readonly<Record<string, string | null>> = Object.assign({}, ...changes.map((change) => change.set));
    return Object.entries(isOpen ? set : {})
      .filter(([field, value]) => value !== null && !text.toLowerCase().includes(SHOWN[field]?.(value) ?? value))
      .map(([field, value]) => `${id}: the ${field} is ${value}, and its card says ${text}`);
  });
}
