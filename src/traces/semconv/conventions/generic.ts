import type { Convention, MappableSpan } from './convention.ts'

/** Attributes of any instrumentation, including those unrelated to models. */
export const generic: Convention = {
  name: 'OpenTelemetry',
  fields: {
    sessionId: ['session_id'],
    userId: ['user.id', 'enduser.id'],
    tags: ['tags'],
    environment: ['deployment.environment.name', 'deployment.environment'],
    errorType: ['error.type'],
    exceptionMessage: [
      {
        events: ['exception'],
        uses: (key) => key === 'exception.type' || key === 'exception.message',
        assemble: ({ events }) => {
          // The last exception is the one that ended the span.
          const exception = events.findLast(({ name }) => name === 'exception')
          const text = exception ? describeException(exception) : ''
          return text === '' ? null : { text, key: null }
        },
      },
    ],
  },
}

function describeException({ attributes }: MappableSpan['events'][number]): string {
  const parts = [attributes.get('exception.type'), attributes.get('exception.message')]
  return parts.filter((part) => typeof part === 'string' && part !== '').join(': ')
}
