import type { Block, Ephemeral, Message, View } from '../workspace/model.ts';
import { type Complete, fill, type InputValues, stateValues } from './input-values.ts';
import type { Suggestions } from './suggestions.ts';

type Place = Message | Ephemeral | View;

/** The values of the elements in a message or view, in the form that apps receive. */
export interface InputState {
  completeIn(place: Place): Complete;
  /** `state.values` */
  stateOf(place: Place, values: InputValues): ReturnType<typeof stateValues>;
}

export function createInputState(suggestions: Suggestions): InputState {
  const completeIn = (place: Place): Complete => {
    return (block, element) => suggestions.complete(place, block, element);
  };
  return {
    completeIn,
    stateOf: (place, values) => stateValues(fill(blocksOf(place), values, completeIn(place))),
  };
}

export function blocksOf(place: Place): readonly Block[] {
  return place.kind === 'view' ? place.content.blocks : place.blocks;
}
