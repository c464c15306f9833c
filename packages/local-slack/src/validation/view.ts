import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { ViewContent } from '../workspace/model.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { viewBlocks } from './blocks.ts';
import { boolean, byType, type Check, every, isFields, object, string, violationsOf } from './check.ts';
import { plainText } from './composition.ts';
import { refuseViolations } from './refuse.ts';

const common = {
  callback_id: string({ min: 0, max: LIMITS.callbackId }),
  external_id: string({ min: 0, max: LIMITS.externalId }),
  private_metadata: string({ min: 0, max: LIMITS.privateMetadata }),
};

const type = string({ max: 20 });

const modal = every(
  object(
    { type, title: plainText(LIMITS.modalTitle), blocks: viewBlocks },
    {
      ...common,
      submit: plainText(LIMITS.modalButton),
      close: plainText(LIMITS.modalButton),
      clear_on_close: boolean,
      notify_on_close: boolean,
      submit_disabled: boolean,
    },
  ),
  needsSubmit,
);

/** A modal with inputs needs `submit`. */
function needsSubmit(...[value, pointer, report]: Parameters<Check>): void {
  if (!isFields(value) || value.submit !== undefined || !Array.isArray(value.blocks)) {
    return;
  }
  if (value.blocks.some((block) => isFields(block) && block.type === 'input')) {
    report({ pointer, message: 'missing required field: submit' });
  }
}

const modalView = byType({ modal });
const home = object({ type, blocks: viewBlocks }, common);
const homeView = byType({ home });
/** A modal or a Home tab, for `blocks.validate`. */
export const anyView = byType({ modal, home });

/** Validates a view by the rules of views.open, views.push, views.update and views.publish. @throws SlackError */
export function parseView(raw: unknown, type: 'modal' | 'home', workspace: Pick<Workspace, 'nameBlocks'>): ViewContent {
  refuseViolations('invalid_arguments', violationsOf(type === 'modal' ? modalView : homeView, raw, '/view'));
  if (Buffer.byteLength(JSON.stringify(raw)) > LIMITS.viewBytes) {
    throw new SlackError('view_too_large');
  }
  const view = raw as Partial<ViewContent>; // validated above
  return {
    type,
    title: view.title ?? null,
    submit: view.submit ?? null,
    close: view.close ?? null,
    blocks: workspace.nameBlocks(view.blocks ?? []),
    callback_id: view.callback_id ?? '',
    external_id: view.external_id ?? '',
    private_metadata: view.private_metadata ?? '',
    clear_on_close: view.clear_on_close ?? false,
    notify_on_close: view.notify_on_close ?? false,
  };
}
