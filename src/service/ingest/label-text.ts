/** Characters of a description that are read; the labels of its first alert stand at its beginning. */
const READ_CHARACTERS = 20_000;
const MAX_LABELS = 64;

/**
 * The labels of the first alert in the text of Alertmanager's default templates, which other receivers get as their
 * description: a line `Labels:`, and for each label a line ` - service = payments`.
 */
export function labelsInText(text: unknown): Record<string, string> {
  const lines = typeof text === 'string' ? text.slice(0, READ_CHARACTERS).split('\n') : [];
  const start = lines.findIndex((line) => line.trim() === 'Labels:');
  const labels: [string, string][] = [];
  for (const line of start === -1 ? [] : lines.slice(start + 1)) {
    const [, name, value] = /^\s*- (\w+) = (.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || labels.length === MAX_LABELS) {
      break;
    }
    labels.push([name, value.trim()]);
  }
  return Object.fromEntries(labels);
}
