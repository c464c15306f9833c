import { createHash } from 'node:crypto';
import type { WayKind } from '../../../contract/waking.ts';
import type { KeptEffect } from '../../../effects/kept-effects.ts';
import type { NewEffect } from '../../../effects/new-effects.ts';
import { PLACES_OF_HOST } from '../../on-call/waking/host.ts';
import type { Position } from '../../on-call/waking/policy.ts';
import { REMIND_AFTER_MS } from '../../on-call/waking/reminder.ts';

/** How soon a provider is asked for an answer again. Pushover asks for 5 s at least. */
export const HEAR_EVERY_MS = 5_000;

/** The effects of a page. All of them look at the page before they do anything: one that has ended wants nothing. */

export const STEP_KIND = 'page:step';

/** Rings again for what was taken and still fails. */
export const REMIND_KIND = 'page:remind';

export function attemptKind(way: WayKind): string {
  return `page:${way}`;
}

/** Settles attempts whose provider has not reported in time. */
export const UNREPORTED_KIND = 'page:unreported';

export function takeBackKind(way: WayKind): string {
  return `take-back:${way}`;
}

/** Asks the provider for the answer to an attempt. */
export function hearKind(way: WayKind): string {
  return `hear:${way}`;
}

export function stepEffect(pageId: string, { cycle, step }: Position, dueInMs: number): NewEffect {
  const data = { cycle, step };
  return { kind: STEP_KIND, subject: pageId, detail: `${cycle}.${step}`, lane: pageId, data, dueInMs };
}

export function remindEffect(pageId: string): NewEffect {
  return { kind: REMIND_KIND, subject: pageId, lane: pageId, data: {}, dueInMs: REMIND_AFTER_MS };
}

interface Attempt {
  readonly id: string;
  readonly kind: WayKind;
  /** That it calls; null: there is one for all attempts of its kind. */
  readonly host: string | null;
}

/** A host that does not answer holds `PLACES_OF_HOST`, and none waits for another host. */
function laneOf({ id, host }: Pick<Attempt, 'id' | 'host'>): string {
  return host === null ? id : `${host} ${createHash('sha256').update(id).digest().readUInt16BE() % PLACES_OF_HOST}`;
}

export function attemptEffect(attempt: Attempt, dueInMs: number): NewEffect {
  return { kind: attemptKind(attempt.kind), subject: attempt.id, lane: laneOf(attempt), data: {}, dueInMs };
}

export function unreportedEffect({ id }: Pick<Attempt, 'id'>, dueInMs: number): NewEffect {
  return { kind: UNREPORTED_KIND, subject: id, lane: id, data: {}, dueInMs };
}

/** Tells by the same way that somebody has it. */
export function takeBackEffect(attempt: Attempt): NewEffect {
  return { kind: takeBackKind(attempt.kind), subject: attempt.id, lane: laneOf(attempt), data: {} };
}

export function hearEffect(attempt: Attempt): NewEffect {
  const { id, kind } = attempt;
  return { kind: hearKind(kind), subject: id, lane: laneOf(attempt), data: {}, dueInMs: HEAR_EVERY_MS };
}

/** Carries out an attempt again whose provider was away. @param retry from 1 */
export function retryEffect(
  { kind, subject, lane }: Pick<KeptEffect, 'kind' | 'subject' | 'lane'>,
  retry: number,
  dueInMs: number,
): NewEffect {
  return { kind, subject, lane, detail: String(retry), data: {}, dueInMs };
}
