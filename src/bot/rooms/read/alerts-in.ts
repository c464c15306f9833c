import { z } from 'zod';
import { cut } from '../../blocks/mrkdwn.ts';
import { messageContent } from '../note/message-content.ts';

/** Characters. */
const LIMITS = { title: 300, text: 1_500, key: 60, value: 200, link: 2_000 };
/** Of a line, so that a long one costs little. */
const LOOKED_AT = 1_000;
const MOST_FIELDS = 20;
/** Slack's limit for the attachments of a message. */
const MOST_ALERTS = 100;

const Field = z.object({ key: z.string(), value: z.string() });

/** What a message says of one failure. */
export const SaidAlert = z.object({
  title: z.string(),
  text: z.string(),
  /** By the color of the attachment, else by the first sign in the title. */
  color: z.enum(['red', 'amber', 'green', 'none']),
  link: z.string(),
  fields: z.array(Field),
});
export type SaidAlert = z.infer<typeof SaidAlert>;

const Text = z.string().catch('');
const Attachment = z
  .object({
    title: Text,
    title_link: Text,
    color: Text,
    fields: z.array(z.object({ title: Text, value: Text }).catch({ title: '', value: '' })).catch([]),
    blocks: z.array(z.unknown()).catch([]),
    /** The address in the message that Slack shows as this attachment. */
    from_url: Text,
  })
  .loose();
const EMPTY = Attachment.parse({});
const Message = z
  .object({ blocks: z.array(z.unknown()).catch([]), attachments: z.array(Attachment.catch(EMPTY)).catch([]) })
  .loose();

/**
 * What a message of a tool says: one alert for each attachment with a title where there are several, else one.
 *
 * @returns empty: it says nothing in words
 */
export function alertsIn(message: unknown): SaidAlert[] {
  const { data } = Message.safeParse(message);
  if (data === undefined) {
    return [];
  }
  const attachments = data.attachments.filter(({ from_url: shown }) => shown === '');
  const titled = attachments.filter(({ title }) => title.trim() !== '');
  return titled.length > 1
    ? titled.slice(0, MOST_ALERTS).flatMap((each) => alertIn({ attachments: [each] }, [each], []))
    : alertIn(data, attachments, data.blocks);
}

function alertIn(
  part: unknown,
  attachments: readonly z.infer<typeof Attachment>[],
  blocks: readonly unknown[],
): SaidAlert[] {
  const lines = messageContent(part)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !line.split(/\s+/).every((word) => IS_NO_WORD.test(word)));
  const [first, ...rest] = lines;
  if (first === undefined) {
    return [];
  }
  const named = attachments.flatMap(({ fields }) => fields.map(({ title, value }) => [title, value] as const));
  const inBlocks = [...blocks, ...attachments.flatMap((each) => each.blocks)].flatMap(fieldsOfBlock);
  const inText = rest.flatMap((line) => {
    const [, key, value] = PAIR.exec(line.slice(0, LOOKED_AT)) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
  const link =
    attachments.map((each) => each.title_link).find((url) => url !== '') ?? URL_IN.exec(lines.join('\n'))?.[0];
  return [
    {
      title: storable(withoutSigns(first.slice(0, LOOKED_AT)), LIMITS.title),
      text: storable(rest.join('\n'), LIMITS.text),
      color: attachments.map(({ color }) => colorOf(color)).find((color) => color !== 'none') ?? signIn(first),
      link: storable(link ?? '', LIMITS.link),
      fields: toFields([...named, ...inBlocks, ...inText]),
    },
  ];
}

/** Nothing, a mention, or an address. */
const IS_NO_WORD = /^(?:[@#!][\w^-]+|https?:\S+)?$/;
const URL_IN = /https?:\/\/[^\s)|>]+/;
/** `Severity: critical`, `• *Host* = web-7`; not an address. */
const PAIR = /^[\s•*_`-]*(\p{L}[\p{L}\p{N} ._/-]{0,40}?)[\s*_`]*[:=][\s*_`]*(?!\/\/)(\S.*?)[*_`]*$/u;

/** PostgreSQL stores no U+0000. */
function storable(text: string, limit: number): string {
  return cut(text.replaceAll('\u0000', '\ufffd'), limit);
}

/** A section's fields: `*Host*` above its value. */
function fieldsOfBlock(block: unknown): (readonly [string, string])[] {
  const { fields } = Object(block) as Readonly<Record<string, unknown>>;
  return (Array.isArray(fields) ? fields : []).flatMap((field: unknown) => {
    const { text } = Object(field) as Readonly<Record<string, unknown>>;
    const [key = '', ...value] = typeof text === 'string' ? text.split('\n') : [];
    return value.length === 0 ? [] : [[key.replaceAll(/[*_:]/g, ''), value.join(' ')] as const];
  });
}

/** Names in lower case; of equal ones the first. */
function toFields(pairs: readonly (readonly [string, string])[]): SaidAlert['fields'] {
  const known = new Map<string, string>();
  for (const [name, value] of pairs) {
    const key = storable(name.trim().toLowerCase(), LIMITS.key);
    const said = messageContent({ text: value.slice(0, LOOKED_AT) })
      .replaceAll(LINK, '')
      .trim();
    if (key !== '' && said !== '' && !known.has(key) && known.size < MOST_FIELDS) {
      known.set(key, storable(said, LIMITS.value));
    }
  }
  return [...known].map(([key, value]) => ({ key, value }));
}

const SIGNS = /:[a-z][\w+-]*:|\p{Extended_Pictographic}\uFE0F?/gu;
const GREEN = /green|check_mark|tick|✅|✔|🟢|💚/u;
const RED = /red|fire|rotating_light|boom|:x:|no_entry|🔴|🚨|🔥|❌|⛔|🛑/u;

/** The address behind the label of a link. */
const LINK = /\s*\(https?:[^)]*\)/g;

function withoutSigns(title: string): string {
  const words = title.replaceAll(SIGNS, '').replaceAll(LINK, '').replaceAll(/[*`]/g, '');
  return words.replaceAll(/\s+/g, ' ').trim() || title;
}

/** The first picture before or in a title. */
function signIn(title: string): SaidAlert['color'] {
  const [sign = ''] = title.match(SIGNS) ?? [];
  return GREEN.test(sign) ? 'green' : RED.test(sign) ? 'red' : 'none';
}

/** Where hues end, in degrees. */
const HUES = [
  [20, 'red'],
  [70, 'amber'],
  [175, 'green'],
  [335, 'none'],
  [360, 'red'],
] as const;

/** @param color six hexadecimal digits; Slack has no names for it in events */
function colorOf(color: string): SaidAlert['color'] {
  const [, red, green, blue] = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color) ?? [];
  const [r, g, b] = [red, green, blue].map((part) => Number.parseInt(part ?? '', 16)) as [number, number, number];
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const range = most - least;
  if (!(range > most / 4)) {
    return 'none'; // gray, or no color
  }
  const sector = most === r ? (g - b) / range : most === g ? 2 + (b - r) / range : 4 + (r - g) / range;
  const hue = (sector * 60 + 360) % 360;
  return HUES.find(([end]) => hue <= end)?.[1] ?? 'none';
}
