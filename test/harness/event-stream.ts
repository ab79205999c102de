export type ServerSentEvent = { name: string; data: Record<string, unknown> }

/** Reads server-sent events as a browser does: an event ends with an empty line. Comments are excluded. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerSentEvent> {
  let text = ''
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString('utf8')
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const [, name = '', data = '{}'] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? []
      if (!event.startsWith(':')) yield { name, data: JSON.parse(data) }
    }
  }
}
