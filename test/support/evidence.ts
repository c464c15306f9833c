import type { Evidence } from '../../src/service/core/evidence.ts';

/** Evidence of one observation; by default an alert of `payments` whose sender never says that it is over. */
export function evidence(given: Partial<Evidence>): Evidence {
  const { service = 'payments', family = 'alert', peer = null, subject = 'down' } = given;
  const about = {
    origin: family === 'alert' ? 'alert' : 'trace',
    sender: 'key',
    instance: null,
    traceId: null,
  } as const;
  const values = { at: 0, strength: 1, rarity: 1, now: 1, usual: 0, count: 10, hasEnded: null };
  const fingerprint = [service, family, peer, subject].join('|');
  return { ...about, ...values, fingerprint, service, family, peer, subject, ...given };
}

/** Failing calls from one service to another. */
export function failingCall(service: string, peer: string): Evidence {
  return evidence({ service, peer, family: 'failed_calls', subject: '' });
}

/** Requests that were lost at a service, beyond any chance. */
export function lostAt(service: string): Evidence {
  return evidence({ service, family: 'harmed_requests', subject: '', strength: 1.5 });
}
