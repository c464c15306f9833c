import { OperatorError } from '../../runtime/operator-error.ts';

/** The bot cannot start with this configuration. The message names the setting and says what to do. */
export class BotStartError extends OperatorError {
  override readonly name = 'BotStartError';
}

export function missingScope(needed: string): string {
  return `SLACK_BOT_TOKEN lacks the scope ${needed}: update the app from manifest.yml and reinstall it in the workspace.`;
}
