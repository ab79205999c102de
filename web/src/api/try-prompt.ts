/** Tries of a prompt: one call of a model, whose answer is streamed. */
import { readEvents } from './event-stream.ts'
import type { paths, TryEnd, TryStart, TryText, TryToolCall, TryWaiting } from './generated/api.ts'
import type { PromptKey } from './prompts-query.ts'

type Operation = paths['/components/{componentId}/prompts/{promptId}/try']['post']

export type TryBody = NonNullable<Operation['requestBody']>['content']['application/json']

export type TryEvent =
  | { name: 'start'; data: TryStart }
  | { name: 'waiting'; data: TryWaiting }
  | { name: 'text'; data: TryText }
  | { name: 'toolCall'; data: TryToolCall }
  | { name: 'end'; data: TryEnd }

interface TryOptions {
  /** Aborting it stops the call of the model on the server. */
  signal: AbortSignal
  onEvent: (event: TryEvent) => void
}

/** Resolves when the stream has ended; throws `ApiError` if the try was rejected, so that nothing was sent to a model. */
export function tryPrompt({ applicationId, ...path }: PromptKey, body: TryBody, options: TryOptions): Promise<void> {
  const { signal, onEvent } = options
  const [componentId, promptId] = [path.componentId, path.promptId].map(encodeURIComponent)
  return readEvents(`/components/${componentId}/prompts/${promptId}/try`, {
    applicationId,
    signal,
    body,
    // The description declares the events and their data; like bodies of responses, they are trusted to match it.
    onEvent: ({ event, data }) => isEventName(event) && onEvent({ name: event, data: JSON.parse(data) }),
  })
}

function isEventName(name: string | undefined): name is TryEvent['name'] {
  return ['start', 'waiting', 'text', 'toolCall', 'end'].some((known) => known === name)
}
