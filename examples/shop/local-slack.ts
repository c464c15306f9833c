import { z } from 'zod';

/** The part of the page's state that the game day uses. */
const Block = z.looseObject({
  text: z.looseObject({ text: z.string() }).optional(),
});
const Message = z.object({
  ts: z.string(),
  channel: z.string(),
  text: z.string(),
  blocks: z.array(Block),
  metadata: z.object({ event_type: z.string(), event_payload: z.record(z.string(), z.unknown()) }).nullable(),
});
const Look = z.object({ messages: z.array(Message) });
const Pressed = z.object({ pressed: z.array(z.string()) });

export type Message = z.infer<typeof Message>;

/** The body of `POST /local/faults` of local Slack. */
export type SlackFault = Readonly<{ kind: string } & Record<string, unknown>>;

export interface PanelContent {
  readonly title: string;
  readonly buttons: readonly { id: string; label: string; description: string; group: string; active: boolean }[];
  readonly metrics: readonly { label: string; value: string; alarming: boolean }[];
  readonly log: readonly string[];
}

/** Controls local Slack by its HTTP routes: reads the channel as a person sees it, and causes faults. */
export interface SlackRemote {
  messages(): Promise<readonly Message[]>;
  break(fault: SlackFault): Promise<void>;
  recover(): Promise<void>;
  /** Returns the ids of the buttons pressed since the last call. */
  showPanel(panel: PanelContent): Promise<readonly string[]>;
  removePanel(): Promise<void>;
}

const TIMEOUT_MS = 15_000;
const STATE = '/page/state?as=ana&channel=incidents';

/** @param url address of its page. Errors name the failed request. */
export function reachLocalSlack(url: string): SlackRemote {
  async function ask<T>(method: string, path: string, answer: z.ZodType<T>, body?: unknown): Promise<T> {
    const response = await fetch(new URL(path, url), {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const content: unknown = await response.json();
    if (!response.ok) {
      throw new Error(`local Slack responded with ${response.status} to ${method} ${path}: ${JSON.stringify(content)}`);
    }
    return answer.parse(content);
  }

  return {
    messages: async () => (await ask('GET', STATE, Look)).messages,
    async break(fault) {
      await ask('POST', '/local/faults', z.unknown(), fault);
    },
    async recover() {
      await ask('DELETE', '/local/faults', z.unknown());
    },
    showPanel: async (panel) => (await ask('PUT', '/local/panel', Pressed, panel)).pressed,
    async removePanel() {
      await ask('DELETE', '/local/panel', z.unknown());
    },
  };
}
