import type { Comparison } from '../../../contract/comparison.ts';
import { deployedWords } from '../../../incident/deploys.ts';
import { pathPhrase, statePhrase } from '../../../incident/words.ts';
import { timelineOf } from '../../core/incident.ts';
import { harmWords, plainPhrase, rootSureness, rootWords, signalWords, statedOf } from '../parts/incident-words.tsx';
import { exactTime } from '../parts/time.tsx';
import { differenceWords, noDifferenceWords } from './differences-of.ts';
import type { IncidentView } from './incident-view.ts';
import { detailOf, momentWords } from './timeline.tsx';

/** The incident as Markdown, for a chat or a report. */
export function incidentText({ incident, similar }: IncidentView, publicUrl: string): string {
  const { correlation, closing, changes, openedAt } = incident;
  const harm = harmWords(incident);
  const path = plainPhrase(pathPhrase(correlation.path));
  const lines = [
    `# #${incident.number} ${inline(incident.title)}`,
    '',
    `- State: ${stateText(incident)}`,
    `- Severity: ${incident.severity}`,
    `- Root service: ${inline(rootWords(incident))}, ${rootSureness(incident)}`,
    ...(harm === '' ? [] : [`- Harm: ${inline(harm)}`]),
    ...(path === '' ? [] : [`- Way to people: ${inline(path)}`]),
    ...changes.map((change) => {
      const what = `${change.service} ${change.version ?? ''}`.trim();
      return `- Changed: ${inline(what)}, ${deployedWords(change, openedAt.toISOString())}`;
    }),
    `- Services: ${inline(incident.services.join(', '))}`,
    `- Signals: ${signalWords(incident)}`,
    `- Opened: ${exactTime(incident.openedAt)}`,
    `- Last seen: ${exactTime(incident.lastSeenAt)}`,
    `- Page: ${publicUrl}/dashboard/incidents/${incident.number}`,
    ...(closing === null || closing.note === '' ? [] : ['', '## Resolution note', '', quoted(closing.note)]),
    '',
    '## Where it comes from',
    '',
    ...correlation.evidence.map((sentence) => `- ${inline(sentence)}`),
    ...differenceLines(correlation.comparison),
    '',
    '## Timeline',
    '',
    ...timelineOf(incident).map((entry) => {
      const detail = plainPhrase(detailOf(entry));
      const text = detail === '' ? '' : `: ${inline(detail)}`;
      return `- ${exactTime(new Date(entry.at))} ${inline(momentWords(entry))}${text}`;
    }),
    ...(similar.length === 0 ? [] : ['', '## Happened before', '']),
    ...similar.map(({ number, title, closing: { note } }) => `- #${number} ${inline(title)}: ${inline(note)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** What lost requests have that good ones do not; none: nothing was compared. */
function differenceLines(comparison: Comparison | null | undefined): string[] {
  if (comparison === null || comparison === undefined) {
    return [];
  }
  const none = noDifferenceWords(comparison);
  const lines = comparison.differences.map((difference) => `- ${inline(differenceWords(difference))}`);
  const shown = none === '' ? lines : [inline(none)];
  return shown.length === 0 ? [] : ['', '## What differs between lost and good requests', '', ...shown];
}

function stateText(incident: IncidentView['incident']): string {
  const { name, detail } = statePhrase(statedOf(incident));
  return `${name}${inline(plainPhrase(detail))}`;
}

/** One line, in which nothing is markup. */
function inline(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>#|]/g, '\\$&');
}

function quoted(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${inline(line)}`)
    .join('\n');
}
