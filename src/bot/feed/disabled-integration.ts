import type { IntegrationEvent } from '../../contract/events.ts';
import { escapeMrkdwn } from '../blocks/mrkdwn.ts';

const TEXT_LIMIT = 300;

/** What people are told of a webhook that the service has disabled. */
export function disabledIntegration({ name, type, id, reason }: IntegrationEvent['integration']): string {
  const which =
    name === null
      ? `A ${escapeMrkdwn(type, TEXT_LIMIT)} integration`
      : `The ${escapeMrkdwn(type, TEXT_LIMIT)} *${escapeMrkdwn(name, TEXT_LIMIT)}*`;
  const why = reason === null ? '' : `: ${escapeMrkdwn(reason, TEXT_LIMIT)}`;
  return `${which} was disabled${why}. Its events are kept for 7 days. When its receiver works again, enable it with POST /integrations/${escapeMrkdwn(id, TEXT_LIMIT)}/enable.`;
}
