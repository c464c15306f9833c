import type { ModalView } from '@slack/types';
import type { ViewsOpenResponse } from '@slack/web-api';
import type { Answer } from '../../listeners/answering.ts';
import { notOpened } from '../../listeners/answers.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { failedReadOf } from '../../listeners/failed-read.ts';
import { classifySlackFailure, slackErrorCode } from '../../slack/errors.ts';

const LOADING = '⏳ Loading…';

/** A modal whose content comes from the service. */
export interface LoadedView {
  /** Id of the incident or signal that the modal shows, for messages and logs. */
  readonly subject: string;
  /** The modal with one sentence instead of its content. */
  readonly message: (text: string) => ModalView;
  /** @param viewId the modal that shows it */
  readonly load: (viewId: string) => Promise<ModalView>;
}

/**
 * Opens the modal at once, because the trigger expires after three seconds, and fills it once the service has answered.
 *
 * @param open calls `views.open` or `views.push`
 */
export async function showLoaded(
  deps: Pick<ListenerDeps, 'api' | 'logger' | 'store' | 'now'>,
  loaded: LoadedView,
  open: (view: ModalView) => Promise<ViewsOpenResponse>,
  answer: Answer,
  onOpen: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { subject } = loaded;
  let view: ViewsOpenResponse['view'];
  try {
    ({ view } = await open(loaded.message(LOADING)));
  } catch (error) {
    const failure = classifySlackFailure(error);
    deps.logger.warn({ subject, reason: failure.error }, 'a modal did not open');
    return answer(notOpened('list', failure));
  }
  await onOpen();
  if (view?.id === undefined) {
    return;
  }
  const { id, hash } = view;
  const content = await loadOrExplain(deps, loaded, id);
  try {
    await deps.api.views.update({ view_id: id, view: content, ...(hash !== undefined && { hash }) });
  } catch (error) {
    // The person closed it, or it shows something newer.
    deps.logger.info({ subject, reason: slackErrorCode(error) }, 'a modal was not filled');
  }
}

/** @returns the content, or a sentence that says why there is none */
export async function loadOrExplain(
  deps: Pick<ListenerDeps, 'logger' | 'store' | 'now'>,
  { subject, message, load }: LoadedView,
  viewId: string,
): Promise<ModalView> {
  try {
    return await load(viewId);
  } catch (error) {
    return message((await failedReadOf(deps, error, subject, 'signals')).text);
  }
}
