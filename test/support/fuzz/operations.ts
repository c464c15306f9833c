import { z } from 'zod';

export type Schema = Readonly<Record<string, unknown>>;

const Content = z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()).optional() }));
const Response = z.object({ content: Content.optional() });

const OperationItem = z.object({
  operationId: z.string(),
  parameters: z
    .array(z.object({ name: z.string(), in: z.string(), schema: z.record(z.string(), z.unknown()) }))
    .default([]),
  security: z.array(z.unknown()).optional(),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), Response),
});

const Description = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), OperationItem)),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});
export type Description = z.infer<typeof Description>;

/** One operation of the OpenAPI document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With the version, such as `/v1/incidents/{id}`. */
  readonly path: string;
  readonly parameters: z.infer<typeof OperationItem>['parameters'];
  /** Schema by media type; null: the operation has no body. */
  readonly body: z.infer<typeof Content> | null;
  /** Responses by status, such as `200` or `4XX`. */
  readonly responses: Readonly<Record<string, z.infer<typeof Response>>>;
  readonly isPublic: boolean;
}

export function parseDescription(document: unknown): Description {
  return Description.parse(document);
}

export function listOperations({ paths }: Description): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path: path.startsWith('/v2') ? path : `/v1${path}`,
      parameters: operation.parameters,
      body: operation.requestBody?.content ?? null,
      responses: operation.responses,
      isPublic: operation.security?.length === 0,
    })),
  );
}

/** Whether a path of a URL is that of an operation. */
export function isAt(template: string, pathname: string): boolean {
  return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
}
