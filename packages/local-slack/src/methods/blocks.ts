import { invalidArguments, SlackError } from '../errors.ts';
import { messageBlocks } from '../validation/blocks.ts';
import { type Check, isFields, type Violation, violationsOf } from '../validation/check.ts';
import { anyView } from '../validation/view.ts';
import type { Method } from './method.ts';

const messagePayload: Check = (value, pointer, report) => {
  if (!isFields(value)) {
    report({ pointer, message: 'must provide an object' });
    return;
  }
  messageBlocks(value.blocks ?? [], `${pointer}/blocks`, report);
};

const KINDS = { blocks: messageBlocks, message: messagePayload, view: anyView } as const;

/** https://docs.slack.dev/reference/methods/blocks.validate */
export const blockMethods: Readonly<Record<string, Method>> = {
  'blocks.validate': {
    token: 'none',
    scope: null,
    run(args) {
      const given = (['blocks', 'message', 'view'] as const).filter(
        (kind) => args.json(kind, 'invalid_json') !== undefined,
      );
      const [kind] = given;
      if (kind === undefined || given.length > 1) {
        throw invalidArguments('provide exactly one of blocks, view, or message');
      }
      const violations = violationsOf(KINDS[kind], args.json(kind, 'invalid_json'), '');
      if (violations.length > 0) {
        throw new SlackError(`invalid_${kind}`, { errors: violations.map(presentViolation) });
      }
      return {};
    },
  },
};

function presentViolation({ pointer, message, constraint }: Violation): Record<string, unknown> {
  return { pointer, code: 'failed_constraint', message, ...(constraint !== undefined && { constraint }) };
}
