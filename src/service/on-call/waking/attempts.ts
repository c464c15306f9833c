import type { PolicyPlan, WayKind } from '../../../contract/waking.ts';
import { hostOf } from './host.ts';
import { isLastResort, nextOf, type Position } from './policy.ts';

/** A way to wake a person, as far as the rules know it. */
export interface PersonalWay {
  readonly id: string;
  readonly kind: WayKind;
  /** See `hostOf`. */
  readonly host: string | null;
  /** Seconds after a loud step; null: it is not used by one. */
  readonly loudAfterS: number | null;
  readonly quietAfterS: number | null;
  readonly verifiedAt: Date | null;
  readonly lastAnsweredAt: Date | null;
  readonly unusableBecause: string | null;
}

/** Somebody whom a step reaches. */
export interface Reached {
  readonly personId: string;
  readonly name: string;
  /** `on call in Payments`, or `named by the policy`. */
  readonly because: string;
  readonly ways: readonly UsedWay[];
}

export interface UsedWay {
  readonly way: PersonalWay;
  readonly afterS: number;
}

/** What the targets of a step are at the moment when it begins. */
export interface Resolved {
  readonly people: readonly Reached[];
  /** Addresses of incoming webhooks. */
  readonly channels: readonly string[];
  /** Why somebody is not woken, in sentences. */
  readonly skipped: readonly string[];
}

/**
 * The ways that wake a person, the first one first. A person without a loud way is woken by the quiet ones: better quiet
 * than not at all. Empty: they cannot be woken.
 *
 * @param quietS seconds until quiet hours of the person end, in which nothing quiet uses a loud way
 */
export function waysFor(ways: readonly PersonalWay[], loud: boolean, quietS = 0): UsedWay[] {
  const usable = ways.filter(({ verifiedAt, unusableBecause }) => verifiedAt !== null && unusableBecause === null);
  const used = (isLoud: boolean) =>
    usable
      .flatMap((way) => {
        const afterS = isLoud ? way.loudAfterS : way.quietAfterS;
        return afterS === null ? [] : [{ way, afterS }];
      })
      .toSorted((one, other) => one.afterS - other.afterS);
  const [chosen, others] = [used(loud), used(!loud)];
  return chosen.length > 0 ? chosen : others.map(({ way }) => ({ way, afterS: loud ? 0 : quietS }));
}

/** Whether a loud way of the person is proved and works. */
export function hasLoudWay(ways: readonly PersonalWay[]): boolean {
  return waysFor(ways, true).some(({ way }) => way.loudAfterS !== null);
}

/** A call that a step plans. */
export interface PlannedAttempt {
  /** null: a channel. */
  readonly personId: string | null;
  readonly wayId: string | null;
  readonly kind: WayKind;
  /** Of a channel. */
  readonly address: object | null;
  readonly host: string | null;
  readonly afterS: number;
}

/** One for each way of each person, and for each channel. */
export function attemptsOf({ people, channels }: Resolved): PlannedAttempt[] {
  return [
    ...people.flatMap(({ personId, ways }) =>
      ways.map(({ way: { id: wayId, kind, host }, afterS }) => ({
        personId,
        wayId,
        kind,
        host,
        address: null,
        afterS,
      })),
    ),
    ...channels.map((url) => ({
      personId: null,
      wayId: null,
      kind: 'webhook' as const,
      host: hostOf({ url }),
      address: { url },
      afterS: 0,
    })),
  ];
}

export function reachesNobody({ people, channels }: Resolved): boolean {
  return people.length === 0 && channels.length === 0;
}

/**
 * What follows on a step that begins. One that reaches nobody goes on at once.
 *
 * @param reachedCycle the last cycle in which anybody was reached
 */
export function followOf(plan: PolicyPlan, position: Position, resolved: Resolved, reachedCycle: number) {
  const isNobody = reachesNobody(resolved);
  const { to, afterS } = nextOf(plan, position, !isNobody || reachedCycle >= position.cycle);
  return { to, afterS: isNobody && !isLastResort(plan, position) ? 0 : afterS };
}

/**
 * `planned` until it begins, `sending` while a call may reach the provider, then `accepted` by the provider or `failed`;
 * `answered` by the person; `void`: it was not wanted any more before it began; `retracted`: it was taken back.
 */
export type AttemptState = 'planned' | 'sending' | 'accepted' | 'answered' | 'failed' | 'void' | 'retracted';

export interface AttemptOfStep extends Position {
  readonly id: string;
  /** null: a channel. */
  readonly personId: string | null;
  readonly state: AttemptState;
  readonly dueAt: Date;
}

/** What follows when an attempt has failed. */
export interface AfterFailure {
  /** The next attempt to reach the same person, which does not wait any longer; null: none is left. */
  readonly sooner: string | null;
  /** Nobody can be reached by this step any more: the next one begins at once. */
  readonly goesOn: boolean;
}

/** @param attempts of the same page */
export function afterFailure(attempts: readonly AttemptOfStep[], failed: AttemptOfStep): AfterFailure {
  const ofStep = attempts.filter(
    ({ id, cycle, step }) => id !== failed.id && cycle === failed.cycle && step === failed.step,
  );
  const [next] = ofStep
    .filter(({ personId, state }) => personId === failed.personId && state === 'planned')
    .toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
  return { sooner: next?.id ?? null, goesOn: ofStep.every(({ state }) => state === 'failed') };
}
