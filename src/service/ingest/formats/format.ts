import type { z } from 'zod';
import type { SignalBatch } from '../../core/signal.ts';
import type { Snippet } from '../../core/snippet.ts';
import type { SignatureScheme } from '../signature-scheme.ts';

/** A type of integration that sends signals: everything about it but its path, which the API's contract has. */
export interface IncomingFormat {
  /** Its name, for people. */
  readonly words: string;
  /** What people paste into its senders. */
  readonly setUp: (at: Address) => readonly Snippet[];
}

/** Where an integration takes what is sent. */
export interface Address {
  /** Without a slash at the end. */
  readonly publicUrl: string;
  /** With the path of the type. */
  readonly url: string;
  /** The ingest key, or a placeholder for it. */
  readonly key: string;
  /** The product that the integration is for, by the name of its preset. */
  readonly preset?: string;
}

/** A product whose webhook is one JSON object that code reads. */
export interface WebhookFormat extends IncomingFormat {
  readonly webhook: Webhook;
}

interface Described {
  readonly operationId: string;
  /** What a request has: "an event of …". */
  readonly what: string;
}

export interface Webhook extends Described {
  readonly schema: z.ZodType;
  /** @param body what the schema gives */
  readonly read: (body: unknown, now: Date) => SignalBatch;
  /** Whether the JSON may be the field `payload` of a form. */
  readonly isForm?: boolean;
  /** How its sender signs bodies; absent: it does not. */
  readonly signature?: SignatureScheme;
}

/** A format whose requests have a list of entries, or one; invalid entries are refused alone. Code reads them. */
export interface EntriesFormat extends IncomingFormat {
  readonly entries: Entries;
}

export interface Entries extends Described {
  /** The request's content in OpenAPI. */
  readonly content: Readonly<Record<string, object>>;
  readonly maxBytes: number;
  /** @returns a text: such a request is not supported, and what to send instead */
  readonly shapeOf: (headers: Headers) => EntriesShape | string;
  /** @param body what the schema gives: of one entry a list with it */
  readonly read: (body: unknown, now: Date) => SignalBatch;
}

/** Where a body has its entries. */
export type EntriesShape =
  /** In a list, which is the body or a member of it. */
  | { readonly list: z.ZodType; readonly member: string | null }
  /** It is a list of them, or one. */
  | { readonly list: z.ZodType; readonly one: z.ZodType }
  /** It is one, or the `data` of one that is otherwise in the headers. */
  | { readonly one: z.ZodType; readonly fields?: Readonly<Record<string, string>> };

/** A product with a type of its own that a preset of the same name reads. */
export interface PresetFormat extends IncomingFormat {
  readonly preset: Described;
}

/** One schema, whatever the headers say, and what reads it. */
export function readingList<Schema extends z.ZodType>(
  list: Schema,
  member: string,
  read: (body: z.output<Schema>, now: Date) => SignalBatch,
): Pick<Entries, 'shapeOf' | 'read'> {
  return { shapeOf: () => ({ list, member }), read: (body, now) => read(body as z.output<Schema>, now) }; // what the schema gives
}

/** The schema of a body and what reads it. */
export function reading<Schema extends z.ZodType>(
  schema: Schema,
  read: (body: z.output<Schema>, now: Date) => SignalBatch,
): Pick<Webhook, 'schema' | 'read'> {
  return { schema, read: (body, now) => read(body as z.output<Schema>, now) }; // what the schema gives
}
