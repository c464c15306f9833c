import { z } from 'zod';
import { plainMessage } from './plain-message.ts';

/** What is read of a message; everything else in it may be anything. */
const Text = z.string().catch('');
const Attachment = z.object({
  pretext: Text,
  title: Text,
  title_link: Text,
  text: Text,
  fallback: Text,
  fields: z.array(z.object({ title: Text, value: Text }).catch({ title: '', value: '' })).catch([]),
  blocks: z.array(z.unknown()).catch([]),
  /** The address in the message that Slack shows as this attachment. */
  from_url: Text,
});
const Message = z.object({
  text: Text,
  blocks: z.array(z.unknown()).catch([]),
  attachments: z.array(Attachment.catch(Attachment.parse({}))).catch([]),
});

/**
 * What a message says, as plain text. People write text, other tools post attachments and blocks beside or instead of it.
 *
 * @returns empty: it says nothing in words
 */
export function messageContent(message: unknown): string {
  const { data } = Message.safeParse(message);
  if (data === undefined) {
    return '';
  }
  const { text, blocks, attachments } = data;
  const own = isBlank(text) ? textsIn(blocks) : [plainMessage(text)];
  const others = attachments.filter(({ from_url: shown }) => shown === '').flatMap(readAttachment);
  const parts = [...own, ...others].map((part) => part.trim()).filter((part) => part !== '');
  return parts.filter((part, index) => !parts.slice(0, index).join('\n').split('\n').includes(part)).join('\n');
}

function readAttachment(attachment: z.infer<typeof Attachment>): string[] {
  const { pretext, title, title_link: link, text, fields, blocks, fallback } = attachment;
  const said = [
    plainMessage(pretext),
    [plainMessage(title), link].filter((part) => !isBlank(part)).join('\n'),
    plainMessage(text),
    ...fields.map((field) => plainMessage([field.title, field.value].filter((part) => !isBlank(part)).join(': '))),
    ...textsIn(blocks),
  ].filter((part) => !isBlank(part));
  return said.length > 0 ? said : [plainMessage(fallback)];
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Levels of blocks in blocks. */
const MAX_DEPTH = 8;

/** The texts of blocks in their order: one for each paragraph, without labels of buttons. */
function textsIn(blocks: readonly unknown[], depth = 0): string[] {
  return blocks.flatMap((block) => {
    const { type, text, url, elements, fields, title } = Object(block) as Readonly<Record<string, unknown>>;
    if (depth > MAX_DEPTH || type === 'button' || type === 'actions') {
      return [];
    }
    if (type === 'rich_text_section' || type === 'rich_text_preformatted' || type === 'rich_text_quote') {
      return [wordsOf(elements)];
    }
    const own = typeof text === 'string' ? [plainMessage(text)] : [];
    const inner = [text, title].filter((each) => typeof each === 'object' && each !== null);
    const more = [fields, elements].filter((each) => Array.isArray(each)).flat();
    return [
      ...own,
      ...textsIn([...inner, ...more], depth + 1),
      ...(type === 'link' && typeof url === 'string' ? [url] : []),
    ];
  });
}

/** A paragraph of rich text. */
function wordsOf(elements: unknown): string {
  const list = Array.isArray(elements) ? elements : [];
  return list
    .map((element: unknown) => {
      const { text, url, name } = Object(element) as Readonly<Record<string, unknown>>;
      const words = typeof text === 'string' ? text : typeof name === 'string' ? `:${name}:` : '';
      return typeof url === 'string' && url !== words ? [words, url].filter((each) => each !== '').join(' ') : words;
    })
    .join('');
}
