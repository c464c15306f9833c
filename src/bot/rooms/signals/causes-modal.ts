import type { KnownBlock, ModalView } from '@slack/types';
import type { Correlation, Incident } from '../../../contract/resources.ts';
import { likelihood } from '../../../incident/harm.ts';
import { capitalized, plural } from '../../../incident/phrase.ts';
import { possibleRoots } from '../../../incident/root.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { fitting } from '../../blocks/message.ts';
import { arrow, code, inline, mrkdwn } from '../../blocks/mrkdwn.ts';
import { readingModal } from '../../blocks/reading-modal.ts';

const TITLE = 'Possible root services';
const NAME_LENGTH = 100;
const REASON_LENGTH = 300;
const SHOWN_CANDIDATES = 5;
const SHOWN_CALLS = 25;

/**
 * The services that may be the root, with reasons, and the calls around the root. Their scores only order them and are
 * not shown, because readers would confuse them with the confidence in the heading.
 */
export function causesModal(incident: Pick<Incident, 'root_service'>, correlation: Correlation): ModalView {
  const heading = `Why ${code(incident.root_service, NAME_LENGTH)} is taken for the root`;
  const share = Math.round(correlation.confidence * 100);
  const sure = possibleRoots(correlation).length > 0 ? 'Unsure' : `${capitalized(likelihood(share))} (${share} %)`;
  const blocks: KnownBlock[] = [
    { type: 'section', text: mrkdwn(`*${heading}*\n${sure}. The services, the likeliest first:`) },
    ...candidates(correlation).slice(0, SHOWN_CANDIDATES).map(candidateBlock),
    ...callBlocks(incident.root_service, correlation),
  ];
  return readingModal(TITLE, blocks, 'Back');
}

/** Shown until the service has answered, or with the reason why it has not. */
export function causesMessage(text: string): ModalView {
  return readingModal(TITLE, text, 'Back');
}

/** Whether a service reports how it found the root. */
export function hasCauses({ correlation }: Pick<Incident, 'correlation'>): boolean {
  return correlation !== undefined && candidates(correlation).length > 0;
}

interface Candidate {
  readonly service: string;
  readonly reasons: readonly string[];
}

/** Falls back to the scores of the services, with the reasons at the root. */
function candidates({ candidates: ranked, services, evidence }: Correlation): readonly Candidate[] {
  return (
    ranked ??
    services
      .toSorted((one, other) => other.score - one.score)
      .map(({ name, is_root: isRoot }) => ({ service: name, reasons: isRoot ? evidence : [] }))
  );
}

function candidateBlock({ service, reasons }: Candidate, index: number): KnownBlock {
  const head = `*${index + 1}. ${code(service, NAME_LENGTH)}*`;
  const lines = reasons.map((reason) => `• ${inline(reason, REASON_LENGTH)}`);
  return { type: 'section', text: mrkdwn([head, ...fitting(lines, LIMITS.sectionText - head.length - 1)].join('\n')) };
}

/** Calls of the root and to it first, then those with the most errors. */
function callBlocks(root: string, { edges }: Correlation): KnownBlock[] {
  const nearness = ({ from, to }: Correlation['edges'][number]) => Number(from === root || to === root);
  const ordered = edges.toSorted(
    (one, other) => nearness(other) - nearness(one) || other.errors - one.errors || other.calls - one.calls,
  );
  const lines = ordered.slice(0, SHOWN_CALLS).map(({ from, to, calls, errors }) => {
    const path = arrow(code(from, NAME_LENGTH), code(to, NAME_LENGTH));
    return `${path}: ${errors.toLocaleString('en')} of ${plural(calls, 'call')} failed`;
  });
  const heading = '*Calls around the root*';
  const shown = fitting(lines, LIMITS.sectionText - 100);
  const rest = edges.length - shown.length;
  const more = rest > 0 ? [`and ${plural(rest, 'more call')}`] : [];
  return shown.length === 0 ? [] : [{ type: 'section', text: mrkdwn([heading, ...shown, ...more].join('\n')) }];
}
