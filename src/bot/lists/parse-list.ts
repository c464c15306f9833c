import { type IncidentFilter, NO_FILTER } from '../domain/incident-filter.ts';
import { parseIncidentsCommand } from '../listeners/parse-command.ts';
import { parseListName } from '../views/list-rows.ts';

export interface NamedList {
  readonly offset: number;
  readonly word: 'open' | 'mine' | 'closed';
  readonly filter: IncidentFilter;
}

/** @param name see `listName` */
export function parseList(name: string): NamedList {
  const { offset, words } = parseListName(name);
  const parsed = parseIncidentsCommand(words);
  const { word, filter } = parsed.kind === 'command' ? parsed : { word: 'open', filter: NO_FILTER };
  return { offset, word: word === 'mine' || word === 'closed' ? word : 'open', filter };
}
