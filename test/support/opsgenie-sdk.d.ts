/** The parts that tests use. The package has no types. */
declare module 'opsgenie-sdk' {
  type Callback = (
    error: Error | null,
    answer: { readonly requestId: string; readonly data: { readonly alertId: string } },
  ) => void;
  interface Identifier {
    readonly identifier: string;
    readonly identifierType: 'id' | 'alias';
  }
  type Act = (alert: Identifier, data: object, options: object, callback: Callback) => void;

  export function configure(options: { readonly host: string; readonly api_key: string }): void;
  export const alertV2: {
    readonly create: (alert: object, options: object, callback: Callback) => void;
    readonly getRequestStatus: (requestId: string, options: object, callback: Callback) => void;
    readonly acknowledge: Act;
    readonly addNote: Act;
    readonly close: Act;
  };
}
