/** Tells parts that are made later what happens, so that neither part knows the other. */
export interface Topic<Told> {
  tell(told: Told): void;
  /** Called each time from now on. */
  hear(listener: (told: Told) => void): void;
}

export function createTopic<Told = void>(): Topic<Told> {
  const listeners: ((told: Told) => void)[] = [];
  return {
    tell(told) {
      for (const listener of listeners) {
        listener(told);
      }
    },
    hear: (listener) => void listeners.push(listener),
  };
}
