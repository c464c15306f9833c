import { type Check, isFields, oneOf, string } from './check.ts';

/** An object with at least these fields. Further fields depend on the type of the entity. */
function holds(required: Readonly<Record<string, Check>>): Check {
  return (value, pointer, report) => {
    if (!isFields(value)) {
      report({ pointer, message: 'must provide an object' });
      return;
    }
    for (const [name, check] of Object.entries(required)) {
      if (value[name] === undefined || value[name] === null) {
        report({ pointer, message: `missing required field: ${name}` });
      } else {
        check(value[name], `${pointer}/${name}`, report);
      }
    }
  };
}

const text = string({ max: Number.POSITIVE_INFINITY });

/** A Work Object: https://docs.slack.dev/messaging/work-objects-implementation */
const fields = {
  entity_type: oneOf(
    'slack#/entities/task',
    'slack#/entities/file',
    'slack#/entities/item',
    'slack#/entities/incident',
    'slack#/entities/content_item',
  ),
  url: text,
  external_ref: holds({ id: text }),
  entity_payload: holds({ attributes: holds({ title: holds({ text }) }) }),
};

export const entity = holds(fields);
/** For `chat.unfurl`, which also needs the link as written in the message. */
export const unfurledEntity = holds({ ...fields, app_unfurl_url: text });
