import { unavailable } from '../base/errors.ts'
import { EVENT_STREAM } from '../http/event-stream.ts'
import { type Route, route } from '../http/route.ts'
import { PromptParams } from '../prompts/prompt-schemas.ts'
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

export function playgroundRoutes(): Route[] {
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
      handle: async () => {
        throw unavailable('Prompts cannot be rendered yet')
      },
    }),
    route({
      method: 'POST',
      path: `${path}/try`,
      access: { auth: 'key-or-session', workspace: 'header', role: 'editor' },
      summary:
        'Send a version of a prompt, or content that is not saved, to a model, and stream its answer as server-sent events: start, waiting, text, toolCall, end',
      tag,
      params: PromptParams,
      body: TryPromptBody,
      streams: [EVENT_STREAM],
      events: { start: TryStart, waiting: TryWaiting, text: TryText, toolCall: TryToolCall, end: TryEnd },
      responses: { 200: null },
      handle: async () => {
        throw unavailable('Prompts cannot be tried yet')
      },
    }),
  ]
}
