import { LIMITS } from './limits.ts';
import type { View } from './model.ts';
import { faultsOf, isFields, list, object } from './validation/check.ts';
import { optionGroup, plainOption } from './validation/composition.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The options that the app offered for its external selects: what a person chooses among. */
export interface Suggestions {
  /** What an acknowledgement offers; null when it is no list of options or groups. */
  keep(place: Place, body: Fields | null): readonly Fields[] | null;
  /** The element with what was offered for it, and what it began with, as its options. */
  complete(place: Place, element: Fields): Fields;
  completeView(person: string, view: View): View;
}

interface Place {
  readonly person: string;
  readonly blockId: string;
  readonly actionId: unknown;
}

const KEPT = 1_000;

const options = object({ options: list(plainOption, { min: 0, max: LIMITS.options }) });
const groups = object({ option_groups: list(optionGroup, { min: 0, max: LIMITS.optionGroups }) });

export function createSuggestions(): Suggestions {
  const offered = new Map<string, readonly Fields[]>();

  function complete(place: Place, element: Fields): Fields {
    if (element.type !== 'external_select' && element.type !== 'multi_external_select') {
      return element;
    }
    const initial = [element.initial_option, element.initial_options].flat().filter(isFields);
    return { ...element, options: [...(offered.get(keyOf(place)) ?? []), ...initial] };
  }

  return {
    complete,
    completeView(person, view) {
      const blocks = view.content.blocks.map((block) => {
        const { element } = block;
        const place = { person, blockId: block.block_id, actionId: isFields(element) ? element.action_id : null };
        return isFields(element) ? { ...block, element: complete(place, element) } : block;
      });
      return { ...view, content: { ...view.content, blocks } };
    },
    keep(place, body) {
      const found = readOptions(body);
      if (found !== null) {
        offered.set(keyOf(place), found);
        for (const old of [...offered.keys()].slice(0, Math.max(0, offered.size - KEPT))) {
          offered.delete(old);
        }
      }
      return found;
    },
  };
}

/** https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#external_select */
function readOptions(body: Fields | null): readonly Fields[] | null {
  if (Array.isArray(body?.options) && faultsOf(options, body, '').length === 0) {
    return body.options.filter(isFields);
  }
  if (Array.isArray(body?.option_groups) && faultsOf(groups, body, '').length === 0) {
    return body.option_groups.filter(isFields).flatMap((group) => group.options as readonly Fields[]); // checked above
  }
  return null;
}

function keyOf({ person, blockId, actionId }: Place): string {
  return JSON.stringify([person, blockId, actionId]);
}
