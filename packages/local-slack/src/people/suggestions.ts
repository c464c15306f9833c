import { LIMITS } from '../limits.ts';
import { isFields, list, object, violationsOf } from '../validation/check.ts';
import { optionGroup, plainOption } from '../validation/composition.ts';
import type { Block, Ephemeral, Message, View } from '../workspace/model.ts';

type Place = Message | Ephemeral | View;
type Fields = Readonly<Record<string, unknown>>;

/** The response to a request for options. An empty list of options means no result. */
const anyOptions = object(
  {},
  {
    options: list(plainOption, { min: 0, max: LIMITS.options }),
    option_groups: list(optionGroup, { max: LIMITS.optionGroups }),
  },
);

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
    if (!/^(multi_)?external_select$/.test(String(element.type))) {
      return element;
    }
    const known = [...(offered.get(keyOf(place, block, element))?.values() ?? [])];
    return { ...element, options: [...known, ...initialOptions(element)] };
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

/** Null when there are no options, or when Slack would refuse one. */
function optionsOf(answer: Fields | null): Fields[] | null {
  const { options, option_groups: groups } = answer ?? {};
  if ((options === undefined) === (groups === undefined)) {
    return null;
  }
  if (violationsOf(anyOptions, { options, option_groups: groups }, '').length > 0) {
    return null;
  }
  const lists = Array.isArray(groups) ? groups.map((group: Fields) => group.options) : [options];
  return lists.flat() as Fields[];
}
