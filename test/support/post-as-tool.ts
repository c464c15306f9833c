import type { LocalSlack } from 'local-slack';

/** Calls the Web API as another app, `chat.postMessage` and the like. @returns the `ts` of the message */
export async function callAsTool(
  slack: Pick<LocalSlack, 'apiUrl'>,
  tool: string,
  method: string,
  args: object,
): Promise<string> {
  const response = await fetch(slack.apiUrl + method, {
    method: 'POST',
    headers: { authorization: `Bearer xoxb-tool-${tool}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
  });
  const answer = (await response.json()) as { readonly ok: boolean; readonly error?: string; readonly ts?: string };
  if (!answer.ok) {
    throw new Error(`${method}: ${answer.error}`);
  }
  return answer.ts ?? '';
}
