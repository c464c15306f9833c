import { z } from 'zod';

/** The part of the page's state that the game uses. */
const Block = z.looseObject({
  type: z.string(),
  block_id: z.string(),
  text: z.looseObject({ text: z.string() }).optional(),
  elements: z.array(z.looseObject({ action_id: z.string().optional(), text: z.unknown().optional() })).optional(),
});
const Message = z.object({
  ts: z.string(),
  channel: z.string(),
  text: z.string(),
  isFromApp: z.boolean(),
  blocks: z.array(Block),
  metadata: z.object({ event_type: z.string(), event_payload: z.record(z.string(), z.unknown()) }).nullable(),
});
const Look = z.object({
  channelId: z.string(),
  messages: z.array(Message),
  ephemerals: z.array(z.object({ ts: z.string(), revision: z.number(), from: z.enum(['app', 'slackbot']) })),
  views: z.array(z.object({ id: z.string(), content: z.object({ blocks: z.array(Block) }) })),
});
const Shown = z.object({ shown: z.string().nullish(), error: z.string().optional() });
const Pressed = z.object({ pressed: z.array(z.string()) });

export type Message = z.infer<typeof Message>;
export type Look = z.infer<typeof Look>;
export type Person = 'ana' | 'ben';

/** The body of `POST /local/faults` of local Slack. */
export type SlackFault = Readonly<{ kind: string } & Record<string, unknown>>;

export interface PanelContent {
  readonly title: string;
  readonly buttons: readonly { id: string; label: string; description: string; group: string; active: boolean }[];
  readonly metrics: readonly { label: string; value: string; alarming: boolean }[];
  readonly log: readonly string[];
}

/** Controls local Slack by its HTTP routes: acts as a person on the page, and causes faults. */
export interface SlackRemote {
  look(person: Person): Promise<Look>;
  /** These three return the error message that Slack shows to the person, or null. */
  click(person: Person, message: Message, target: ClickTarget): Promise<string | null>;
  submit(person: Person, view: string, values: Readonly<Record<string, string>>): Promise<string | null>;
  type(person: Person, channel: string, text: string): Promise<string | null>;
  break(fault: SlackFault): Promise<void>;
  recover(): Promise<void>;
  /** Returns the ids of the buttons pressed since the last call. */
  showPanel(panel: PanelContent): Promise<readonly string[]>;
  removePanel(): Promise<void>;
}

export interface ClickTarget {
  readonly blockId: string;
  readonly actionId: string;
}

const TIMEOUT_MS = 15_000;
const CHANNEL = 'incidents';

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
    if (!response.ok && response.status !== 409) {
      throw new Error(`local Slack responded with ${response.status} to ${method} ${path}: ${JSON.stringify(content)}`);
    }
    return answer.parse(content);
  }

  async function act(person: Person, action: string, body: unknown): Promise<string | null> {
    const { shown, error } = await ask('POST', `/people/${person}/${action}`, Shown, body);
    return error ?? shown ?? null;
  }

  return {
    look: (person) => ask('GET', `/page/state?as=${person}&channel=${CHANNEL}`, Look),
    click: (person, { channel, ts }, target) =>
      act(person, 'click', { place: { kind: 'message', channel, ts }, target }),
    submit: (person, view, values) => act(person, 'submit', { view, values }),
    type: (person, channel, text) => act(person, 'message', { channel, text }),
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
