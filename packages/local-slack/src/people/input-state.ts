import type { Block, Ephemeral, Message, View } from '../workspace/model.ts';
import { presentFile } from '../workspace/present.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { fill, type InputValues, stateValues, type ValueSources } from './input-values.ts';
import type { Suggestions } from './suggestions.ts';

type Place = Message | Ephemeral | View;

/** The values of the elements in a message or view, in the form that apps receive. */
export interface InputState {
  sourcesOf(place: Place): ValueSources;
  /** `state.values` */
  stateOf(place: Place, values: InputValues): ReturnType<typeof stateValues>;
}

export function createInputState(deps: {
  workspace: Workspace;
  suggestions: Suggestions;
  baseUrl: () => string;
}): InputState {
  function sourcesOf(place: Place): ValueSources {
    return {
      complete: (block, element) => deps.suggestions.complete(place, block, element),
      fileOf(id) {
        const file = deps.workspace.files.find(id);
        return file && presentFile(file, `${deps.baseUrl()}/`);
      },
    };
  }

  return {
    sourcesOf,
    stateOf(place, values) {
      const sources = sourcesOf(place);
      return stateValues(fill(blocksOf(place), values, sources), sources);
    },
  };
}

export function blocksOf(place: Place): readonly Block[] {
  return place.kind === 'view' ? place.content.blocks : place.blocks;
}
