import type { EventSourceMessage } from 'eventsource-parser'
import { fetchOrThrow } from './api-client.ts'

/** Reads server-sent events until the stream ends. `EventSource` cannot send the header that names the application. */
export async function readEvents(path: string, { applicationId, signal, onEvent }: ReadEventsOptions): Promise<void> {
  const headers = { Accept: 'text/event-stream', 'X-AI-Application-Id': applicationId }
  const [response, { createParser }] = await Promise.all([
    fetchOrThrow(new Request(`/api/v1${path}`, { headers, signal })),
    // Not part of the first load: no page needs an event to be shown.
    import('eventsource-parser'),
  ])
  const reader = response.body?.getReader()
  if (!reader) return
  const parser = createParser({ onEvent })
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    parser.feed(decoder.decode(value, { stream: true }))
  }
}

interface ReadEventsOptions {
  applicationId: string
  signal: AbortSignal
  onEvent: (event: EventSourceMessage) => void
}
