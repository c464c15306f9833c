import { hasMostlyFailed } from '../../../incident/harm.ts';
import type { Evidence } from '../../core/evidence.ts';
import type { Fate } from '../../core/telemetry-item.ts';
import { isHarm, isSignificant } from '../evidence.ts';
import type { Incident } from '../grouping/incident.ts';

/** Describes what the services that lose requests have in common. */
export interface FateSentences {
  /** `node-7: 5 services lose requests there only` */
  readonly headline: string;
  /** `orders, payments, users and 2 more lose requests on host node-7 only` */
  readonly reason: string;
}

/** null: the failure is that of one service. */
export function fateSentences({ fate, members }: Pick<Incident, 'fate' | 'members'>): FateSentences | null {
  const lost = [...members.values()].flatMap(({ evidence }) =>
    evidence.fate !== undefined && isSignificant(evidence) ? [evidence] : [],
  );
  const services = [...new Set(lost.map(({ service }) => service))].toSorted();
  if (fate === null || services.length < 2) {
    return null;
  }
  const where = `${fate.attribute} ${fate.value}`;
  const who = listOf(services);
  const what = lossOf(lost);
  if (fate.attribute === 'server') {
    return {
      headline: `${fate.value}: calls to ${services.length} parts of it ${isFailing(lost) ? 'fail' : 'are slow'}`,
      reason: `${who} ${what} at once, and all are parts of ${fate.value}`,
    };
  }
  return fate.isSilent
    ? {
        headline: `${fate.value} does not answer: ${services.length} services ${what}`,
        reason: `${who} no longer answer from ${where}, and ${what} since`,
      }
    : {
        headline: `${fate.value}: ${services.length} services ${what} there only`,
        reason: `${who} ${what} ${PREPOSITIONS[fate.attribute]} ${where} only`,
      };
}

const PREPOSITIONS = { pod: 'in', host: 'on', zone: 'in', region: 'in' } as const satisfies Partial<
  Record<Fate['attribute'], string>
>;

function isFailing(evidence: readonly Evidence[]): boolean {
  return evidence.some(({ lost }) => lost !== undefined && hasMostlyFailed(lost));
}

function lossOf(lost: readonly Evidence[]): string {
  if (lost.some(isHarm)) {
    return 'lose requests';
  }
  return lost.some(({ family }) => family === 'tolerated_failures') ? 'fail' : 'are slow';
}

const SHOWN_SERVICES = 3;

/** `orders`, `orders and users`, `orders, payments, users and 2 more` */
export function listOf(services: readonly string[]): string {
  const more = services.length - SHOWN_SERVICES;
  if (more > 1) {
    return `${services.slice(0, SHOWN_SERVICES).join(', ')} and ${more} more`;
  }
  return services.length < 2 ? services.join('') : `${services.slice(0, -1).join(', ')} and ${services.at(-1)}`;
}
