import { LIMITS } from '../limits.ts';
import { boolean, byType, type Check, integer, list, object, oneOf, string } from './check.ts';

const type = string({ max: 40 });
const reference = string({ max: LIMITS.blockId });
const url = string({ max: LIMITS.buttonUrl });
const text = string({ max: LIMITS.richText });

const style = object(
  {},
  {
    bold: boolean,
    italic: boolean,
    strike: boolean,
    code: boolean,
    underline: boolean,
    highlight: boolean,
    client_highlight: boolean,
    unlink: boolean,
  },
);
const styled = { style };

/** The parts of a line of rich text. */
const inline = byType({
  text: object({ type, text }, styled),
  link: object({ type, url }, { ...styled, text, unsafe: boolean }),
  emoji: object({ type, name: reference }, { ...styled, unicode: reference, url, skin_tone: integer() }),
  user: object({ type, user_id: reference }, styled),
  usergroup: object({ type, usergroup_id: reference }, styled),
  channel: object({ type, channel_id: reference }, styled),
  team: object({ type, team_id: reference }, styled),
  broadcast: object({ type, range: oneOf('here', 'channel', 'everyone') }, styled),
  color: object({ type, value: reference }, styled),
  date: object({ type, timestamp: integer(), format: reference }, { ...styled, url, fallback: text }),
});

/** In preformatted text, references are not allowed. */
const plainInline = byType({
  text: object({ type, text }, styled),
  link: object({ type, url }, { ...styled, text, unsafe: boolean }),
});

const many = { min: 0, max: LIMITS.richTextElements };
const border = integer({ min: 0, max: 1 });
const section = object({ type, elements: list(inline, many) });

const part: Check = byType({
  rich_text_section: section,
  rich_text_list: object(
    { type, style: oneOf('bullet', 'ordered'), elements: list(byType({ rich_text_section: section }), many) },
    { indent: integer({ min: 0, max: LIMITS.richTextIndent }), offset: integer({ min: 0 }), border },
  ),
  rich_text_quote: object({ type, elements: list(inline, many) }, { border }),
  rich_text_preformatted: object({ type, elements: list(plainInline, many) }, { border, language: reference }),
});

/** `rich_text` as a block, as the value of an input and as a table cell. */
export const richText: Check = object(
  { type, elements: list(part, many) },
  { block_id: string({ max: LIMITS.blockId }) },
);
