import { SlackError } from '../errors.ts';
import { isFields, violationsOf } from '../validation/check.ts';
import { entity } from '../validation/entity.ts';
import { refuseViolations } from '../validation/refuse.ts';
import type { Entity } from '../workspace/model.ts';
import type { Trigger } from '../workspace/triggers.ts';
import type { Arguments, Method, MethodDeps } from './method.ts';

export const entityMethods: Readonly<Record<string, Method>> = {
  'entity.presentDetails': {
    token: 'bot',
    scope: null,
    run(args, deps) {
      const trigger = args.needed('trigger_id');
      const authUrl = args.text('user_auth_url');
      if (args.flag('user_auth_required') && authUrl === null) {
        throw new SlackError('user_auth_url_missing');
      }
      const shown = readEntity(args);
      const error = args.json('error', 'invalid_arguments');
      if (shown === null && authUrl === null && !isFields(error)) {
        throw new SlackError('invalid_metadata');
      }
      const { userId, entityId } = redeem(deps, trigger);
      if (shown !== null && entityId !== null && entityId !== shown.external_ref.id) {
        throw new SlackError('entity_metadata_does_not_match_trigger');
      }
      deps.workspace.entityDetails.put({ id: userId, entity: shown, authUrl, error: isFields(error) ? error : null });
      return {};
    },
  },
};

function readEntity(args: Arguments): Entity | null {
  const metadata = args.json('metadata', 'invalid_metadata');
  if (metadata === undefined) {
    return null;
  }
  refuseViolations('invalid_metadata', violationsOf(entity, metadata, '/metadata'));
  return metadata as Entity; // validated above
}

/** This method has one error for unknown, expired and used triggers. */
function redeem(deps: MethodDeps, trigger: string): Trigger {
  try {
    return deps.triggers.redeem(trigger);
  } catch (error) {
    if (error instanceof SlackError) {
      throw new SlackError('invalid_trigger_id');
    }
    throw error;
  }
}
