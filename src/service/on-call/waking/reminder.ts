import { isMuted } from '../../../incident/mute.ts';
import type { Incident } from '../../core/incident.ts';
import type { WakePolicy } from './policy.ts';

/** An incident that somebody has, and that still fails after this time, rings again. */
export const REMIND_AFTER_MS = 45 * 60_000;
/** Time to answer quietly, before the loud ways are used. */
const QUIETLY_FOR_S = 300;

/** Whether whoever has an incident should be reminded of it. */
export function wantsReminder(
  { closing, acknowledgement, activity, mute }: Pick<Incident, 'closing' | 'acknowledgement' | 'activity' | 'mute'>,
  at: Date,
): boolean {
  return closing === null && acknowledgement !== null && activity === 'failing' && !isMuted({ mute }, at);
}

/**
 * Rings the owner first quietly, then loudly, and then whom the policy says: perhaps they have fallen asleep again.
 *
 * @param ownerId an id of an `Actor`; null: it is not known who has it
 */
export function reminderPolicy(policy: WakePolicy, ownerId: string | null): WakePolicy {
  const [first, ...others] = policy.steps;
  const to = ownerId === null ? [] : [{ kind: 'person' as const, id: ownerId }];
  const ofOwner = [
    { after_s: 0, to, loud: false, acks: 1 },
    { after_s: QUIETLY_FOR_S, to, loud: true, acks: 1 },
  ];
  const ofPolicy = first === undefined ? [] : [{ ...first, after_s: first.after_s + QUIETLY_FOR_S }, ...others];
  return { ...policy, hold_s: 0, steps: ownerId === null ? policy.steps : [...ofOwner, ...ofPolicy] };
}
