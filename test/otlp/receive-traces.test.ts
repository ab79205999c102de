import { describe, expect, it } from 'vitest'
import { badRequest, unauthorized, unavailable } from '../../src/base/errors.ts'
import { createLogger } from '../../src/base/log.ts'
import { createReceiver } from '../../src/otlp/receive-traces.ts'

function failureOf(error: unknown) {
  const logged: unknown[] = []
  const log = Object.assign(createLogger('silent'), { error: (fields: unknown) => logged.push(fields) })
  const unused = () => expect.unreachable()
  const told = createReceiver({ authenticate: unused, ingest: unused, log }).failure(error, 'request-1')
  return { status: told.status, message: told.message, logged }
}

const withCode = (code: string) => Object.assign(new Error('private'), { code })

describe('what a sender is told about a failure', () => {
  it.each([
    ['a number that PostgreSQL cannot hold', withCode('22003')],
    ['bytes that PostgreSQL takes for no text', withCode('22021')],
    ['a type that SQLite refuses', withCode('SQLITE_MISMATCH')],
    ['a place that SQLite does not have', withCode('SQLITE_RANGE')],
    ['a text that is too big for SQLite', withCode('SQLITE_TOOBIG')],
    ['a number that our own code cannot hold', new RangeError('private')],
    ['a value that our own code stumbles over', new TypeError('private')],
  ])('%s is 400, because the batch would be sent for ever, and we are told by the log', (_, error) => {
    const { status, message, logged } = failureOf(error)
    expect(status).toBe(400)
    expect(message).not.toContain('private')
    expect(logged).toEqual([expect.objectContaining({ cause: error, requestId: 'request-1' })])
  })

  it.each([
    ['a lost connection', withCode('ECONNRESET')],
    ['a deadlock', withCode('40P01')],
    ['a full disk', withCode('SQLITE_FULL')],
    ['a busy database', unavailable('Busy', withCode('SQLITE_BUSY'))],
    ['a range error of the system', Object.assign(new RangeError('private'), { code: 'ERR_OUT_OF_RANGE' })],
    ['anything else', 'private'],
  ])('%s may pass and is 503', (_, error) => {
    expect(failureOf(error)).toMatchObject({
      status: 503,
      logged: [expect.objectContaining({ requestId: 'request-1' })],
    })
  })

  it.each([badRequest('No'), unauthorized()])('what the sender did wrong is said as it is, and not logged', (error) => {
    expect(failureOf(error)).toEqual({ status: error.status, message: error.message, logged: [] })
  })
})
