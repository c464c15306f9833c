import { z } from 'zod';

const Line = z.string().min(1).max(200);
const Description = z.string().max(300).default('');

/** What another program shows on the page, for example a rehearsal with its buttons and its score. */
export const Panel = z.strictObject({
  title: z.string().min(1).max(60),
  /** Grouped by `group`, in the given order. `active` buttons look pressed. */
  buttons: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(100),
        label: z.string().min(1).max(80),
        description: Description,
        group: z.string().max(60).default(''),
        active: z.boolean().default(false),
      }),
    )
    .max(60)
    .refine((buttons) => new Set(buttons.map(({ id }) => id)).size === buttons.length, 'two buttons have the same id')
    .default([]),
  metrics: z
    .array(z.strictObject({ label: Line, value: z.string().max(60), alarming: z.boolean().default(false) }))
    .max(40)
    .default([]),
  /** Newest first. */
  log: z.array(Line).max(100).default([]),
});
export type Panel = z.infer<typeof Panel>;

export interface PanelBoard {
  shown(): Panel | null;
  /** Replaces the panel. Returns the ids of the buttons pressed since the last call, oldest first. */
  show(panel: Panel): readonly string[];
  /** @returns false when there is no such button */
  press(button: string): boolean;
  remove(): void;
}

/** A panel is removed when its program has sent nothing for this long. */
const EXPIRES_MS = 10_000;
const MAX_PRESSES = 100;

/** Holds one panel at a time. @param onChange called when the panel appears, changes or disappears */
export function createPanelBoard(
  clock: { after(ms: number, run: () => void): () => void },
  onChange: () => void,
): PanelBoard {
  let panel: Panel | null = null;
  let pressed: readonly string[] = [];
  let cancelExpiry = (): void => {};

  function put(next: Panel | null): void {
    const isDifferent = JSON.stringify(next) !== JSON.stringify(panel);
    panel = next;
    if (isDifferent) {
      onChange();
    }
  }

  function remove(): void {
    cancelExpiry();
    pressed = [];
    put(null);
  }

  return {
    shown: () => panel,
    show(next) {
      cancelExpiry();
      cancelExpiry = clock.after(EXPIRES_MS, remove);
      put(next);
      const taken = pressed;
      pressed = [];
      return taken;
    },
    press(button) {
      if (panel?.buttons.some(({ id }) => id === button) !== true) {
        return false;
      }
      pressed = [...pressed, button].slice(-MAX_PRESSES);
      return true;
    },
    remove,
  };
}
