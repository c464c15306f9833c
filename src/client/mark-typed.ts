import { markedName } from '../contract/actor.ts';

const NAMED = /^(.*by)_id$/;

/** Marks the names that a holder of an API key typed, so that no view can show one as that of a verified person. */
export function markTyped<Fields extends object>(fields: Fields): Fields {
  const marked = Object.entries(fields).flatMap(([key, byId]) => {
    const field = NAMED.exec(key)?.[1] ?? '';
    const by = (fields as Readonly<Record<string, unknown>>)[field]; // read by name
    return typeof byId === 'string' && typeof by === 'string' ? [[field, markedName({ by, byId })]] : [];
  });
  return marked.length === 0 ? fields : { ...fields, ...Object.fromEntries(marked) };
}
