import type { ModalView } from '@slack/types';
import { classifySlackFailure } from '../slack/errors.ts';
import type { Answer } from './answering.ts';
import { notOpened } from './answers.ts';
import type { ListenerDeps } from './deps.ts';

/**
 * Opens a modal, and acknowledges once it is open.
 *
 * @returns its id; null: it did not open, and the person was told why
 */
export async function openForm(
  { api, logger }: Pick<ListenerDeps, 'api' | 'logger'>,
  { triggerId, modal }: { readonly triggerId: string; readonly modal: ModalView },
  answer: Answer,
  onOpen: () => Promise<void> = () => Promise.resolve(),
): Promise<string | null> {
  try {
    const { view } = await api.views.open({ trigger_id: triggerId, view: modal });
    await onOpen();
    return view?.id ?? null;
  } catch (error) {
    const failure = classifySlackFailure(error);
    logger.warn({ form: modal.callback_id, reason: failure.error }, 'a form did not open');
    await answer(notOpened('form', failure));
    return null;
  }
}
