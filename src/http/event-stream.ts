/** What all streams of server-sent events have in common. */

/** Proxies close idle connections, so a comment is sent after this time. */
export const SILENCE_MS_MAX = 15_000
/** After a key is revoked, a session expires or a member leaves, a stream ends within this time, or at the next event. */
export const RIGHTS_MS_MAX = 1_000

export const EVENT_STREAM = 'text/event-stream'

export const KEEP_ALIVE = ': still here\n\n'

/** JSON text has no line breaks, which would end the field. */
export function serverSentEvent(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
