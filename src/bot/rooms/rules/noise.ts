import type { IncidentSummary, Severity } from '../../../contract/resources.ts';
import { isAcknowledged } from '../../../incident/acknowledged.ts';
import { matchesFilter, type RuleFilter } from '../../../incident/rule-filter.ts';
import { EVERYTHING } from './rule.ts';

const LEAST_CARDS = 20;
/** Channels in which people act on more than this share are not noisy. */
const NOISY_BELOW = 0.2;
const MOST_SERVICES = 20;

/** An incident that had a card in a channel. */
export interface PastCard {
  readonly severity: Severity | null;
  readonly rootService: string;
  /** Somebody acknowledged or resolved it. */
  readonly isActedOn: boolean;
}

export interface Noise {
  readonly cards: number;
  readonly actedOn: number;
}

export function noiseOf(cards: readonly PastCard[]): Noise {
  return { cards: cards.length, actedOn: cards.filter(({ isActedOn }) => isActedOn).length };
}

/** A narrower filter that keeps everything that people acted on; null: the channel is not noisy, or none is narrower. */
export function proposeFilter(
  cards: readonly PastCard[],
): { readonly filter: RuleFilter; readonly noise: Noise } | null {
  const { cards: all, actedOn } = noiseOf(cards);
  if (all < LEAST_CARDS || actedOn === 0 || actedOn / all >= NOISY_BELOW) {
    return null;
  }
  const useful = cards.filter(({ isActedOn }) => isActedOn);
  const severities = new Set(useful.map(({ severity }) => severity));
  const services = [...new Set(useful.map(({ rootService }) => rootService))];
  const bySeverity = severities.has(null) ? [] : [...severities].filter((severity) => severity !== null);
  const candidates = [
    { ...EVERYTHING, severities: bySeverity },
    ...(services.length <= MOST_SERVICES ? [{ ...EVERYTHING, services }] : []),
  ].map((filter) => ({ filter, noise: noiseOf(cards.filter((card) => isWanted(filter, card))) }));
  const [best] = candidates.toSorted((one, other) => one.noise.cards - other.noise.cards);
  return best === undefined || best.noise.cards >= all ? null : best;
}

function isWanted(filter: RuleFilter, { severity, rootService }: PastCard): boolean {
  return matchesFilter(filter, { root_service: rootService, ...(severity !== null && { severity }) });
}

/**
 * How many cards a filter would have posted.
 *
 * @returns `actedOn`: null if the service does not report acknowledgements; `lacksLabels`: the filter has labels, which
 *   the service does not report
 */
export function dryRun(
  filter: RuleFilter,
  incidents: readonly IncidentSummary[],
): { readonly cards: number; readonly actedOn: number | null; readonly lacksLabels: boolean } {
  const matching = incidents.filter((incident) => matchesFilter(filter, incident));
  const isReported = matching.every(
    ({ acknowledged, acknowledged_at: at }) => acknowledged !== undefined || at !== undefined,
  );
  const lacksLabels = filter.labels.length > 0 && incidents.some(({ labels }) => labels === undefined);
  return { cards: matching.length, actedOn: isReported ? matching.filter(isAcknowledged).length : null, lacksLabels };
}
