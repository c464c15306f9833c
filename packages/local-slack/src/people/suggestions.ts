import { isFields } from '../validation/check.ts';
import type { Block, Ephemeral, Message, View } from '../workspace/model.ts';

type Place = Message | Ephemeral | View;
type Fields = Readonly<Record<string, unknown>>;

/** The options that an app has offered for external selects. Only an offered option can be chosen. */
export interface Suggestions {
  /** @returns false when the response has no valid options */
  remember(place: Place, block: Block, element: Fields, answer: Fields | null): boolean;
  /** The element with all options offered for it, so that a chosen value can be found. */
  complete(place: Place, block: Block, element: Fields): Fields;
}

export function createSuggestions(): Suggestions {
  const offered = new Map<string, Map<string, Fields>>();
  const keyOf = (place: Place, block: Block, element: Fields): string =>
    JSON.stringify([place.kind === 'view' ? place.id : place.ts, block.block_id, element.action_id]);

  function complete(place: Place, block: Block, element: Fields): Fields {
    const known = [...(offered.get(keyOf(place, block, element))?.values() ?? [])];
    return known.length === 0 ? element : { ...element, options: [...known, ...initialOptions(element)] };
  }

  return {
    remember(place, block, element, answer) {
      const options = optionsOf(answer);
      if (options === null) {
        return false;
      }
      const key = keyOf(place, block, element);
      const known = offered.get(key) ?? new Map<string, Fields>();
      for (const option of options) {
        known.set(String(option.value), option);
      }
      offered.set(key, known);
      return true;
    },
    complete,
  };
}

function initialOptions({ initial_option: one, initial_options: many }: Fields): Fields[] {
  return [one, ...(Array.isArray(many) ? many : [])].filter(isFields);
}

/** Null when there are no options or one is invalid. */
function optionsOf(answer: Fields | null): Fields[] | null {
  const groups = Array.isArray(answer?.option_groups) ? answer.option_groups : [answer];
  const options = groups.flatMap((group) => (isFields(group) && Array.isArray(group.options) ? group.options : [null]));
  const isOption = (each: unknown): each is Fields =>
    isFields(each) && typeof each.value === 'string' && isFields(each.text) && typeof each.text.text === 'string';
  return options.every(isOption) ? options : null;
}
