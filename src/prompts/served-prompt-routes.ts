import { EVENT_STREAM } from '../http/event-stream.ts'
import { type Route, route, streamedWhileRead } from '../http/route.ts'
import { ServedPrompt, ServedPromptParams, ServedPromptQuery } from './prompt-schemas.ts'
import { createPromptServer } from './serve-prompt.ts'
import { MOVES_MAX, servedPromptEvents } from './served-prompt-events.ts'
import { listNewestMoves } from './served-prompt-queries.ts'

const tag = 'Prompts'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const

export function servedPromptRoutes(): Route[] {
  const servePrompt = createPromptServer()
  return [
    route({
      method: 'GET',
      path: '/components/:componentId/served-prompts/:name',
      access: reading,
      summary:
        'Get what a label of a prompt serves, for clients that keep it; 304 with the ETag of an earlier response',
      tag,
      params: ServedPromptParams,
      query: ServedPromptQuery,
      headers: {
        ETag: { description: 'Changes with the label', schema: { type: 'string' } },
      },
      responses: { 200: ServedPrompt, 304: null },
      handle: ({ db, principal, params, query: { label = 'production' } }) =>
        servePrompt(db.read, { workspaceId: principal.workspaceId, ...params, label }),
    }),
    route({
      method: 'GET',
      path: '/served-prompts/events',
      access: reading,
      summary: 'Stream which labels move as server-sent events: ready, moved, reconnect',
      tag,
      streams: [EVENT_STREAM],
      responses: { 200: null },
      handle: async ({ db, clock, principal: { workspaceId }, isStillAllowed }) =>
        streamedWhileRead(EVENT_STREAM, (isRead) =>
          servedPromptEvents({
            readMoves: () => listNewestMoves(db.read, { workspaceId, limit: MOVES_MAX }),
            clock,
            isStillAllowed,
            isRead,
          }),
        ),
    }),
  ]
}
