import type { Evidence } from '../../core/evidence.ts';
import type { AlertItem, ChangeItem } from '../../core/telemetry-item.ts';
import { setBounded } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { LEAST_ALERT } from '../evidence.ts';
import { ALERT_WINDOW_MS } from './constants.ts';
import { type JudgingState, record } from './judging-state.ts';
import { fire } from './rarity.ts';

/**
 * Only weak alerts in quiet time make their fingerprint less rare. An alert that opens or joins an incident is not
 * noise.
 */
export function observeAlert(state: JudgingState, alert: AlertItem, sender: string, quiet: boolean): void {
  const endedAt = state.endedAlerts.get(alert.fingerprint);
  if (alert.hasEnded === false && endedAt !== undefined && alert.at <= endedAt) {
    return; // an old notification that arrives late
  }
  if (alert.hasEnded === true) {
    setBounded(state.endedAlerts, alert.fingerprint, alert.at, LIMITS.entries);
  }
  const { kind: _, ...rest } = alert;
  const window = Math.floor(alert.at / ALERT_WINDOW_MS);
  if (window !== state.alertWindows.last) {
    state.alertWindows.last = window;
    state.alertWindows.count += 1;
  }
  const isNoise = quiet && alert.strength < LEAST_ALERT;
  const look = { at: alert.at, looks: state.alertWindows.count, isQuiet: isNoise, isOncePerEpisode: true };
  const rarity = fire(state.firings, alert.fingerprint, look);
  record(state, { ...rest, origin: 'alert', sender, rarity, now: 1, usual: 0, count: 1, signals: [alert.fingerprint] });
}

/** Takes out the alerts, which need no slot to be judged. */
export function takeAlerts({ found }: JudgingState): Evidence[] {
  const alerts = [...found.values()].filter(({ origin }) => origin === 'alert');
  for (const { fingerprint } of alerts) {
    found.delete(fingerprint);
  }
  return alerts;
}

export function observeChange(state: JudgingState, { service, at, subject }: ChangeItem, sender: string): void {
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
