import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import type { Actor } from '../people/actor.ts';
import type { Outcome } from '../people/interaction.ts';
import type { Ephemeral, Message, Person, View } from '../workspace/model.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { ReadMarks } from './read-marks.ts';

const Values = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const MessageRef = z.object({ kind: z.enum(['message', 'ephemeral']), channel: z.string(), ts: z.string() });
const ViewRef = z.object({ kind: z.literal('view'), id: z.string() });

const Say = z.object({ channel: z.string(), text: z.string().min(1), threadTs: z.string().optional() });
const Click = z.object({
  place: z.union([MessageRef, ViewRef]),
  target: z.object({ blockId: z.string(), actionId: z.string() }),
  chosen: z
    .union([z.string(), z.array(z.string())])
    .nullable()
    .default(null),
  values: Values.default({}),
});
const Suggest = z.object({
  place: z.union([MessageRef, ViewRef]),
  target: z.object({ blockId: z.string(), actionId: z.string() }),
  typed: z.string().max(150),
});
const Pin = z.object({ message: MessageRef, isOn: z.boolean() });
const Submit = z.object({ view: z.string(), values: Values });
const Close = z.object({ view: z.string() });
const Read = z.object({ channel: z.string(), ts: z.string() });
const DirectMessage = z.object({ people: z.array(z.string()).min(1) });
const UserGroup = z.object({ handle: z.string(), people: z.array(z.string()) });
const AppHome = z.object({ tab: z.enum(['home', 'messages']) });
const Shortcut = z.object({ callbackId: z.string(), message: MessageRef.optional() });

/** What a person does on the page: the same actions that tests call on an Actor. */
export function createPersonRoutes(deps: {
  workspace: Workspace;
  marks: ReadMarks;
  actorOf: (person: Person) => Actor;
}): Hono {
  const { workspace, marks } = deps;
  const routes = new Hono();

  function actor(reference: string): Actor {
    return deps.actorOf(found(workspace.findPerson(reference), 'that person is not here'));
  }

  function findMessage(viewer: string, reference: z.infer<typeof MessageRef>): Message {
    const place = findPlace(workspace, viewer, reference);
    if (place.kind !== 'message') {
      throw new HTTPException(409, { message: 'that is not a message that everybody sees' });
    }
    return place;
  }

  routes.post('/:person/message', async (context) => {
    const { channel, text, threadTs } = await read(context.req.raw, Say);
    return answer(await actor(context.req.param('person')).message(channel, text, threadTs));
  });

  routes.post('/:person/click', async (context) => {
    const { place, target, chosen, values } = await read(context.req.raw, Click);
    const who = actor(context.req.param('person'));
    return answer(await who.click(findPlace(workspace, who.id, place), target, chosen, values));
  });

  routes.post('/:person/suggest', async (context) => {
    const { place, target, typed } = await read(context.req.raw, Suggest);
    const who = actor(context.req.param('person'));
    const { shown, options, option_groups } = await who.suggest(findPlace(workspace, who.id, place), target, typed);
    return Response.json({ shown, options, option_groups });
  });

  routes.post('/:person/submit', async (context) => {
    const { view, values } = await read(context.req.raw, Submit);
    const who = actor(context.req.param('person'));
    return answer(await who.submit(findView(workspace, who.id, view), values));
  });

  routes.post('/:person/pin', async (context) => {
    const { message, isOn } = await read(context.req.raw, Pin);
    const who = actor(context.req.param('person'));
    const place = findMessage(who.id, message);
    if (isOn) {
      who.pin(place);
    } else {
      who.unpin(place);
    }
    return Response.json({ shown: null });
  });

  routes.post('/:person/close', async (context) => {
    const { view } = await read(context.req.raw, Close);
    const who = actor(context.req.param('person'));
    return answer(await who.close(findView(workspace, who.id, view)));
  });

  routes.post('/:person/user-group', async (context) => {
    const { handle, people } = await read(context.req.raw, UserGroup);
    actor(context.req.param('person')).setUserGroup(handle, people);
    return Response.json({ shown: null });
  });

  routes.post('/:person/shortcut', async (context) => {
    const { callbackId, message } = await read(context.req.raw, Shortcut);
    const who = actor(context.req.param('person'));
    const place = message && findPlace(workspace, who.id, message);
    return answer(await who.shortcut(callbackId, place?.kind === 'message' ? place : undefined));
  });

  routes.post('/:person/direct-message', async (context) => {
    const { people } = await read(context.req.raw, DirectMessage);
    return Response.json({ shown: null, channel: actor(context.req.param('person')).openDirectMessage(people) });
  });

  routes.post('/:person/app-home', async (context) => {
    const { tab } = await read(context.req.raw, AppHome);
    actor(context.req.param('person')).openAppHome(tab);
    return Response.json({ shown: null });
  });

  routes.post('/:person/read', async (context) => {
    const { channel, ts } = await read(context.req.raw, Read);
    marks.mark(actor(context.req.param('person')).id, channel, ts);
    return Response.json({ shown: null });
  });

  return routes;
}

function answer({ shown }: Outcome): Response {
  return Response.json({ shown });
}

async function read<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(await request.json().catch(() => null));
  if (!parsed.success) {
    throw new HTTPException(400, { message: z.prettifyError(parsed.error) });
  }
  return parsed.data;
}

function found<T>(value: T | null | undefined, message: string): T {
  if (value === null || value === undefined) {
    throw new HTTPException(409, { message });
  }
  return value;
}

function findView(workspace: Workspace, viewer: string, id: string): View {
  const view = [...workspace.openViews(viewer), workspace.findHome(viewer)].find((each) => each?.id === id);
  return found(view, 'that window is closed already');
}

function findPlace(
  workspace: Workspace,
  viewer: string,
  place: z.infer<typeof MessageRef> | z.infer<typeof ViewRef>,
): Message | Ephemeral | View {
  switch (place.kind) {
    case 'view':
      return findView(workspace, viewer, place.id);
    case 'message': {
      const isInside = workspace.findChannel(place.channel)?.members.includes(viewer) === true;
      return found(isInside ? workspace.findMessage(place.channel, place.ts) : null, 'that message is gone');
    }
    case 'ephemeral': {
      const message = workspace.ephemerals(viewer, place.channel).find(({ ts }) => ts === place.ts);
      return found(message, 'that message is gone');
    }
  }
}
