import { type IncidentFilter, NO_FILTER } from '../../incident/incident-filter.ts';
import { parseIncidentsCommand } from '../../listeners/parse-command.ts';
import { parseListName } from './list-rows.ts';
import { LIST_WORDS } from './list-words.ts';

export interface NamedList {
  readonly offset: number;
  readonly word: 'open' | 'mine' | 'closed';
  readonly filter: IncidentFilter;
}

/** @param name see `listName` */
export function parseList(name: string): NamedList {
  const { offset, words } = parseListName(name);
  const parsed = parseIncidentsCommand(words, LIST_WORDS);
  const { word, filter } = parsed.kind === 'command' ? parsed : { word: 'open', filter: NO_FILTER };
  return { offset, word: word === 'mine' || word === 'closed' ? word : 'open', filter };
}
