import { said } from './incident-lines.ts';

/** Characters of a section and of small print in a line of a phone 390 px wide, measured in Chromium. */
export const PHONE = { section: 42, small: 52 } as const;

/** The lines that mrkdwn takes where a line holds `width` characters. Dates count as long as Slack usually shows them. */
export function phoneLines(mrkdwn: string, width: number): number {
  return shown(mrkdwn)
    .split('\n')
    .reduce((total, line) => total + wrapped(line, width), 0);
}

/**
 * Joins the texts, most important first, that fit into that many lines before the last one, which is always there. Leaves
 * out what does not fit.
 */
export function fittingPhone(
  texts: readonly string[],
  { last = '', lines, width }: { readonly last?: string; readonly lines: number; readonly width: number },
): string {
  const kept: string[] = [];
  for (const text of texts) {
    if (phoneLines(said([...kept, text, last]), width) <= lines) {
      kept.push(text);
    }
  }
  return said([...kept, last]);
}

function shown(mrkdwn: string): string {
  return mrkdwn
    .replace(/<!date\^\d+\^\{ago\}\|[^>]*>/g, '14 minutes ago')
    .replace(/<!date[^>]*>/g, 'Today 10:02 AM')
    .replace(/<[@#!][^>]*>/g, '@somebody')
    .replace(/<[^|>]*\|([^>]*)>/g, '$1')
    .replace(/&(?:amp|lt|gt);/g, '&')
    .replaceAll('*', '');
}

function wrapped(line: string, width: number): number {
  let lines = 1;
  let used = 0;
  for (const { length } of line.split(' ')) {
    if (used > 0 && used + 1 + length > width) {
      lines += 1;
      used = 0;
    }
    lines += Math.max(0, Math.ceil(length / width) - 1);
    used += (used === 0 ? 0 : 1) + (length % width);
  }
  return lines;
}
