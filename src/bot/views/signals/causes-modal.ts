import type { KnownBlock, ModalView } from '@slack/types';
import type { Correlation, Incident } from '../../../contract/resources.ts';
import { likelihood } from '../activity-words.ts';
import { LIMITS } from '../limits.ts';
import { fitting } from '../message.ts';
import { arrow, capitalized, code, inline, mrkdwn, plural } from '../mrkdwn.ts';
import { readingModal } from '../reading-modal.ts';

const TITLE = 'Possible root services';
const NAME_LENGTH = 100;
const REASON_LENGTH = 300;
const SHOWN_CANDIDATES = 5;
const SHOWN_CALLS = 25;

/** The services that may be the root, with reasons and numbers, and the calls around the root. */
export function causesModal(incident: Pick<Incident, 'root_service'>, correlation: Correlation): ModalView {
  const heading = `Why ${code(incident.root_service, NAME_LENGTH)} is taken for the root`;
  const sure = `${capitalized(likelihood(Math.round(correlation.confidence * 100)))} (${percent(correlation.confidence)})`;
  const blocks: KnownBlock[] = [
    { type: 'section', text: mrkdwn(`*${heading}*\n${sure}. The services with their scores:`) },
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
  readonly score: number;
  readonly reasons: readonly string[];
}

/** Falls back to the scores of the services, with the reasons at the root. */
function candidates({ candidates: ranked, services, evidence }: Correlation): readonly Candidate[] {
  return (
    ranked ??
    services
      .map(({ name, score, is_root: isRoot }) => ({ service: name, score, reasons: isRoot ? evidence : [] }))
      .sort((one, other) => other.score - one.score)
  );
}

function candidateBlock({ service, score, reasons }: Candidate, index: number): KnownBlock {
  const head = `*${index + 1}. ${code(service, NAME_LENGTH)}* ${percent(score)}`;
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

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
