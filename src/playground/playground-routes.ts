import { EVENT_STREAM } from '../http/event-stream.ts'
import { ok, type Route, route, streamedWhileRead } from '../http/route.ts'
import { renderPrompt } from '../prompts/calls/render-prompt.ts'
import { PromptParams } from '../prompts/prompt-schemas.ts'
import type { Playground } from './create-playground.ts'
import { prepareRender, prepareTry } from './prepare-try.ts'
import { tryEvents } from './try-events.ts'
import {
  RenderedPrompt,
  RenderPromptBody,
  TryEnd,
  TryPromptBody,
  TryStart,
  TryText,
  TryToolCall,
  TryWaiting,
} from './try-schemas.ts'

const tag = 'Prompts'
const path = '/components/:componentId/prompts/:promptId'

export function playgroundRoutes(playground: Playground): Route[] {
  return [
    route({
      method: 'POST',
      path: `${path}/render`,
      access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
      summary: 'Insert values into a version of a prompt, or into content that is not saved',
      tag,
      params: PromptParams,
      body: RenderPromptBody,
      isRepeatable: true,
      responses: { 200: RenderedPrompt },
      handle: async ({ db, principal, params, body }) => {
        const { content, values } = await prepareRender({ db }, principal, { ...params, ...body })
        return ok(renderPrompt(content.messages, values))
      },
    }),
    route({
      method: 'POST',
      path: `${path}/try`,
      // It spends money and stores a trace.
      access: { auth: 'key-or-session', workspace: 'header', role: 'editor' },
      summary:
        'Send a version of a prompt, or content that is not saved, to a model, and stream its answer as server-sent events: start, waiting, text, toolCall, end',
      tag,
      params: PromptParams,
      body: TryPromptBody,
      streams: [EVENT_STREAM],
      events: { start: TryStart, waiting: TryWaiting, text: TryText, toolCall: TryToolCall, end: TryEnd },
      responses: { 200: null },
      prepare: ({ principal, params, body, ...context }) =>
        prepareTry(context, playground, principal, { ...params, ...body }),
      handle: async ({ principal, params, prepared, isStillAllowed, ...context }) => {
        const { clock } = context
        const started = await playground.start(context, principal, { ...params, prepared })
        return streamedWhileRead(EVENT_STREAM, (_, left) => tryEvents(started, { clock, isStillAllowed, left }))
      },
    }),
  ]
}
