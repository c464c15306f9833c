import { setImmediate } from 'node:timers/promises';
import { type Action, type ActionKind, isOnIncident } from '../../src/bot/actions/action.ts';
import { type PerformDeps, perform } from '../../src/bot/actions/action-effect.ts';
import type { AuditEntry } from '../../src/bot/actions/audit-log.ts';
import { definitionOf } from '../../src/bot/actions/definition.ts';
import type { ActionDeps } from '../../src/bot/features.ts';
import { ACTION_DEFINITIONS, createActionKinds } from '../../src/bot/features.ts';
import { ServiceResponseError, ServiceUnreachableError } from '../../src/client/errors.ts';
import type { ActionEvent, CallOutcome } from './action-events.ts';
import { createModelService } from './action-model-service.ts';
import { silentLogger } from './logger.ts';

const START = Date.parse('2026-01-31T08:00:00.000Z');
const PEOPLE = ['ana', 'ben'] as const;
const ANSWER = { text: '', blocks: [] };

/** Kinds that change the same thing. */
const RELATED: readonly (readonly ActionKind[])[] = [
  ['acknowledge', 'unacknowledge', 'resolve', 'reopen'],
  ['snooze', 'unsnooze'],
  ['note'],
  ['steer', 'unsteer'],
  ['merge', 'split'],
  ['declare'],
  ['mute', 'unmute'],
];

/** A call of `perform`. The model decides when it takes effect and returns. */
interface Effect {
  readonly isCall: boolean;
  /** Whether it changes something even if it arrives late. */
  readonly mayBeLate: boolean;
  readonly run: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Row {
  action: Action;
  readonly number: number;
  lease: object | null;
  settled: { readonly outcome: AuditEntry['outcome']; readonly at: number; readonly effectAt: string | null } | null;
  settlements: number;
  /** How often it changed something at the service. */
  changes: number;
  /** Numbers of the actions that had made it void when it last asked whether it is still wanted. */
  voidBy: readonly number[];
}

/**
 * What two people ask of one incident and one service, and two bots that run the real `perform` with the real kinds. Its
 * effects happen one by one, so that anything can happen between any two of them.
 */
export function createActionModel(kind: ActionKind) {
  let tick = 0;
  const now = () => new Date(START + tick * 1_000);
  const service = createModelService(now);
  const rows: Row[] = [];
  const bots: ({ readonly waitsFor: Effect } | null)[] = [null, null];
  const broken: string[] = [];
  /** Requests that the bot has given up, and that are under way. */
  const late: (() => unknown)[] = [];
  /** Leases whose holder is about to write. */
  const writing = new Set<unknown>();
  const related = RELATED.find((kinds) => kinds.includes(kind)) ?? [];

  const doneBy = (person: string, ofKind: ActionKind) =>
    rows.findLast(
      ({ action, settled }) => action.slackUserId === person && action.kind === ofKind && settled?.outcome === 'done',
    );

  function dataOf(asked: ActionKind, person: string): object | null {
    const inAnHour = new Date(now().getTime() + 3_600_000);
    const undoes = (undone: ActionKind) => doneBy(person, undone)?.action.id ?? null;
    const target = { target: 'service', value: 'payments' } as const;
    const data: Readonly<Record<ActionKind, () => unknown>> = {
      acknowledge: () => ({}),
      resolve: () => ({ note: `note ${tick}`, asksFirst: false, isNoProblem: false }),
      unacknowledge: () => undoes('acknowledge') && { undoes: undoes('acknowledge') },
      reopen: () => undoes('resolve') && { undoes: undoes('resolve'), note: '' },
      snooze: () => ({ until: inAnHour, reason: null }),
      unsnooze: () => ({}),
      note: () => ({ note: `said by ${person}` }),
      steer: () => ({ set: { lead: person }, people: {}, before: { lead: service.lead() } }),
      unsteer: () => {
        const steered = doneBy(person, 'steer')?.action;
        return steered?.kind === 'steer' ? { undoes: steered.id, set: steered.before, before: steered.set } : null;
      },
      merge: () => ({ into: 'inc_2', reference: '#2' }),
      split: () => ({}),
      declare: () => ({ title: `declared by ${person}`, service: 'payments', severity: 'error', note: null }),
      mute: () => ({ ...target, until: inAnHour, reason: null, startsAt: null, every: null, timeZone: 'UTC' }),
      unmute: () => service.mutes().length > 0 && { ...target, muteId: service.mutes()[0]?.id },
    };
    const made = data[asked]();
    return typeof made === 'object' ? made : null;
  }

  /** Keeps an action, which the bot holds. */
  function ask(asked: ActionKind, person: string, bot: number): void {
    const data = dataOf(asked, person);
    if (bots[bot] !== null || data === null) {
      return;
    }
    const number = rows.length + 1;
    const isOnNothing = asked === 'mute' || asked === 'unmute' || asked === 'declare';
    const stored = { id: `a${number}`, slackUserId: person, channelId: null, origin: 'model' };
    const action = {
      ...stored,
      ...definitionOf(ACTION_DEFINITIONS, asked).data.parse(data),
      userName: person,
      attempts: 0,
      keptAt: now(),
      kind: asked,
      incidentId: isOnNothing ? null : 'inc_1',
    } as Action; // as the store reads it
    const row: Row = { action, number, lease: {}, settled: null, settlements: 0, changes: 0, voidBy: [] };
    rows.push(row);
    start(bot, row);
  }

  function claim(bot: number): void {
    const row = rows.find(({ settled, lease }) => settled === null && lease === null);
    if (bots[bot] === null && row !== undefined) {
      row.lease = {};
      start(bot, row);
    }
  }

  function start(bot: number, row: Row): void {
    const { action } = row;
    function effect<Result>(isCall: boolean, run: () => Result, mayBeLate = false): Promise<Result> {
      return new Promise<unknown>((resolve, reject) => {
        bots[bot] = { waitsFor: { isCall, mayBeLate, run, resolve, reject } };
      }) as Promise<Result>;
    }
    const held = () => row.settled === null && row.action.attempts === action.attempts;
    const call = <Result>(run: () => Result) => effect(true, run);
    const { lease } = row;
    const write = <Result>(run: () => Result, mayBeLate: boolean) => {
      writing.add(lease);
      return effect(
        true,
        () => {
          writing.delete(lease);
          const before = service.changes();
          const result = run();
          if (service.changes() > before) {
            row.changes += 1;
            checkWrite(row);
          }
          return result;
        },
        mayBeLate,
      );
    };

    const store: PerformDeps['store'] = {
      setUserName: async () => undefined,
      standing: () =>
        effect(false, () => {
          if (!held()) {
            return null;
          }
          const done = rows.filter(
            (other) =>
              other !== row &&
              other.settled?.outcome === 'done' &&
              (other.number > row.number || other.settled.at >= action.keptAt.getTime()),
          );
          row.voidBy = done
            .filter((other) => other.number > row.number && takesItsPlace(row, other))
            .map((other) => other.number);
          return done.map((other) => ({
            action: other.action,
            at: new Date(other.settled?.at ?? 0),
            isNewer: other.number > row.number,
          }));
        }),
      postpone: () =>
        effect(false, () => {
          const isHeld = held();
          if (isHeld) {
            row.action = { ...row.action, attempts: action.attempts + 1 };
            row.lease = null;
          }
          return isHeld;
        }),
      settle: (_action, { outcome }, _answer, _answerMs, effectAt = null) =>
        effect(false, () => {
          const isHeld = held();
          if (isHeld) {
            row.settled = { outcome, at: now().getTime(), effectAt };
            row.settlements += 1;
          }
          return isHeld;
        }),
    };
    const actionDeps: ActionDeps = {
      service: service.client(write, call),
      store: {
        incidents: { confirm: async () => ({ known: null, hasChanged: false, isFirst: true }) },
        actions: {
          plan: () => Promise.reject(new Error('nothing comes back here')),
          findSettled: async (id) => {
            const found = rows.find((each) => each.action.id === id);
            const { settled = null, action: undone } = found ?? {};
            return settled === null || undone === undefined || !isOnIncident(undone)
              ? null
              : {
                  action: undone,
                  outcome: settled.outcome,
                  effectAt: settled.effectAt === null ? null : new Date(settled.effectAt),
                  ageMs: 1_000,
                };
          },
        },
        notices: { postInThreads: async () => ({ threads: 0, pending: 0 }) } as never, // the service keeps notes
      },
      incidents: {
        read: () => call(() => ({ ...service.read(), stored: null, readAt: now() })),
        readAgain: () => call(() => service.read().incident).catch(() => null),
        observe: async () => null,
      },
      findAssigned: async (name) => ({ kind: 'found', name }),
      onChanged: () => undefined,
      now,
    };
    const deps: PerformDeps = {
      definitions: ACTION_DEFINITIONS,
      kinds: createActionKinds(actionDeps),
      store,
      people: {
        find: async (name) => ({ name, userId: `slack:${name}`, standing: 'member' }),
        refusal: async () => null,
      },
      answerOf: () => ANSWER,
      retryMs: () => 0,
      logger: silentLogger,
    };
    const mine = {};
    current[bot] = mine;
    void perform(action, 0, deps)
      .catch((error: unknown) => broken.push(`${action.kind} failed: ${String(error)}`))
      .finally(() => {
        if (current[bot] === mine) {
          bots[bot] = null;
        }
      });
  }

  /** Which bot runs what, so that a run that was ended by a crash cannot end a later one. */
  const current: (object | null)[] = [null, null];

  function checkWrite(row: Row): void {
    // The service has no history of mutes: one that is ended by what is not settled yet may be set again.
    if (row.changes > 1 && row.action.incidentId !== null) {
      broken.push(`${row.action.id} (${row.action.kind}) was done ${row.changes} times`);
    }
    if (row.voidBy.length > 0) {
      broken.push(`${row.action.id} (${row.action.kind}) was done after ${row.voidBy.join(', ')} made it void`);
    }
    if (row.settled !== null && row.settled.outcome !== 'done') {
      broken.push(`${row.action.id} (${row.action.kind}) was done after it was ${row.settled.outcome}`);
    }
  }

  function crash(bot: number, outcome: CallOutcome): void {
    const running = bots[bot];
    if (running && (running.waitsFor.isCall || outcome === 'works')) {
      takeEffect({ ...running.waitsFor, resolve: () => undefined, reject: () => undefined }, outcome);
    }
    bots[bot] = null;
    current[bot] = null;
    writing.clear();
  }

  function arrive(): void {
    try {
      late.shift()?.();
    } catch (error) {
      if (!(error instanceof ServiceResponseError)) {
        throw error;
      } // a refusal, which nobody waits for
    }
  }

  function takeEffect({ isCall, mayBeLate, run, resolve, reject }: Effect, outcome: CallOutcome): void {
    try {
      const result = !isCall || outcome === 'works' || outcome === 'works, answer lost' ? run() : null;
      if (!isCall || outcome === 'works') {
        resolve(result);
      } else if (outcome === 'is refused for now') {
        reject(new ServiceResponseError(503, { status: 503 }, null, { ...ENDING, effect: 'refused' }));
      } else {
        if (outcome === 'works later' && mayBeLate) {
          late.push(run);
        }
        reject(new ServiceUnreachableError('no answer', { ...ENDING, effect: 'unknown' }));
      }
    } catch (error) {
      reject(error as Error);
    }
  }

  async function next(event: ActionEvent): Promise<void> {
    tick += 1;
    if (event.kind === 'ask') {
      ask(related[event.what % related.length] ?? kind, PEOPLE[event.person] ?? 'ana', event.bot);
    } else if (event.kind === 'claim') {
      claim(event.bot);
    } else if (event.kind === 'effect') {
      const running = bots[event.bot];
      if (running) {
        takeEffect(running.waitsFor, event.outcome);
      }
    } else if (event.kind === 'crash') {
      crash(event.bot, event.outcome);
    } else if (event.kind === 'leases expire') {
      // Not in the instant in which a write is under way: the service cannot tell two of them apart.
      for (const row of rows.filter(({ lease }) => lease !== null && !writing.has(lease))) {
        row.lease = null;
        row.action = { ...row.action, attempts: row.action.attempts + 1 }; // as the next claim counts it
      }
    } else if (event.kind === 'a late request arrives') {
      arrive();
    } else if (event.kind === 'a signal comes') {
      service.addSignal();
    } else {
      service.undoElsewhere();
    }
    await setImmediate();
  }

  return {
    next,
    broken,
    async ask(asked: ActionKind, bot: number) {
      tick += 1;
      ask(asked, 'ana', bot);
      await setImmediate();
    },
    shown: () => service.shown(),
    outcomes: () => rows.map(({ action, settled }) => `${action.kind} ${settled?.outcome ?? 'kept'}`),
    unsettled: () =>
      rows.filter(({ settlements }) => settlements !== 1).map(({ action }) => `${action.id} (${action.kind})`),
  };
}

/** Whether a newer action leaves nothing of an older one. */
function takesItsPlace({ action }: Row, { action: newer }: Row): boolean {
  const rules: Readonly<Record<ActionKind, readonly ActionKind[]>> = {
    acknowledge: ['acknowledge', 'unacknowledge', 'resolve', 'reopen'],
    resolve: ['resolve', 'reopen'],
    unacknowledge: [],
    reopen: [],
    snooze: ['snooze', 'unsnooze'],
    unsnooze: ['snooze', 'unsnooze'],
    note: ['note'],
    steer: ['steer', 'unsteer'],
    unsteer: ['steer', 'unsteer'],
    merge: ['merge', 'split', 'resolve', 'reopen'],
    split: ['merge', 'split'],
    declare: ['declare'],
    mute: ['mute', 'unmute'],
    unmute: ['mute', 'unmute'],
  };
  const isOwn = (action.kind !== 'note' && action.kind !== 'declare') || newer.slackUserId === action.slackUserId;
  return rules[action.kind].includes(newer.kind) && isOwn;
}

const ENDING = { call: 'POST /', retryable: true } as const;
