import { EVENT_STREAM } from '../http/event-stream.ts'
import { nameListQuery, readNames } from '../http/query-parameters.ts'
import { route, streamedWhileRead } from '../http/route.ts'
import { closed } from '../http/schemas.ts'
import { applicationEvents } from './application-events.ts'
import { createStateReader, TOPICS } from './read-application-state.ts'

const EventsQuery = closed({
  topics: nameListQuery(TOPICS, {
    isEmptyAllowed: false,
    description: `Any of ${TOPICS.join(', ')}, separated by commas. Without it, all of them.`,
  }),
})

export function getEvents() {
  const readState = createStateReader()
  return route({
    method: 'GET',
    path: '/events',
    access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
    summary:
      'Stream what changes in the AI application as server-sent events: ready, changed with the topics, reconnect',
    tag: 'Events',
    query: EventsQuery,
    streams: [EVENT_STREAM],
    responses: { 200: null },
    handle: async ({ db, clock, principal, query, isStillAllowed }) => {
      const topics = readNames('topics', query.topics ?? TOPICS.join(','), TOPICS)
      const { workspaceId } = principal
      return streamedWhileRead(EVENT_STREAM, (isRead) =>
        applicationEvents(
          { readState: () => readState({ db, clock }, workspaceId), clock, isStillAllowed, isRead },
          topics,
        ),
      )
    },
  })
}
