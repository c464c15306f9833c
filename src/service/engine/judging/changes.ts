import type { ChangeItem } from '../../core/telemetry-item.ts';
import { type JudgeState, record } from './judge-state.ts';

export function observeChange(state: JudgeState, { service, at, subject }: ChangeItem, sender: string): void {
  const about = { service, instance: null, peer: null, subject, traceId: null } as const;
  const fingerprint = ['change', service, subject, at].join('|');
  record(state, {
    ...about,
    fingerprint,
    origin: 'change',
    sender,
    family: 'change',
    at,
    strength: 1,
    rarity: 1,
    now: 1,
    usual: 0,
    count: 1,
    hasEnded: null,
  });
}
