import { describe, expect, it } from 'vitest'
import { createBodyBudget } from '../../src/base/body-budget.ts'
import { badRequest, unauthorized, unavailable } from '../../src/base/errors.ts'
import { createLogger } from '../../src/base/log.ts'
import { createReceiver } from '../../src/ingestion/otlp/receive-traces.ts'
import { PRINCIPAL } from './otlp-server.ts'

function failureOf(error: unknown) {
  const logged: unknown[] = []
  const log = Object.assign(createLogger('silent'), { error: (fields: unknown) => logged.push(fields) })
  const unused = () => expect.unreachable()
  const response = createReceiver({
    authenticate: unused,
    ingest: unused,
    ingestEvents: unused,
    log,
    bodies: createBodyBudget({ bytesMax: 1 }),
  }).failure(error, 'request-1')
  return { status: response.status, message: response.message, logged }
}

const withCode = (code: string) => Object.assign(new Error('private'), { code })

describe('the response to a failure', () => {
  it.each([
    ['a number that PostgreSQL cannot hold', withCode('22003')],
    ['bytes that PostgreSQL takes for no text', withCode('22021')],
    ['a type that SQLite rejects', withCode('SQLITE_MISMATCH')],
    ['a parameter that SQLite does not have', withCode('SQLITE_RANGE')],
    ['a text that is too big for SQLite', withCode('SQLITE_TOOBIG')],
    ['a number that our own code cannot hold', new RangeError('private')],
    ['a value that causes an error in our own code', new TypeError('private')],
  ])('%s is 400, because the batch would be sent again forever, and is logged', (_, error) => {
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

  it.each([badRequest('No'), unauthorized()])(
    'an error of the sender is returned with its message, and not logged',
    (error) => {
      expect(failureOf(error)).toEqual({ status: error.status, message: error.message, logged: [] })
    },
  )
})

describe('batches that wait for their turn', () => {
  type Batch = number | { bytes: number; of: string }

  /** Starts batches of these sizes, of one application or of those named; returns which are being stored, and ends one of them. */
  function storing(batches: Batch[]) {
    const begun: number[] = []
    const ends = new Map<number, () => void>()
    const { store } = createReceiver({
      authenticate: () => expect.unreachable(),
      ingest: async (_principal, read) => {
        const { rejectedCount: number } = await read(() => undefined)
        begun.push(number)
        await new Promise<void>((resolve) => ends.set(number, resolve))
        return { rejectedCount: 0, problems: [] }
      },
      ingestEvents: () => expect.unreachable(),
      log: createLogger('silent'),
      bodies: createBodyBudget({ bytesMax: 1 }),
    })
    const all = batches.map((batch, number) => {
      const { bytes, of } = typeof batch === 'number' ? { bytes: batch, of: PRINCIPAL.workspaceId } : batch
      const read = async () => ({ spans: [], rejectedCount: number, problems: [] })
      return store({ ...PRINCIPAL, workspaceId: of }, { bytes, read })
    })
    const settle = () => new Promise((resolve) => setImmediate(resolve))
    const end = async (number: number) => {
      ends.get(number)?.()
      await settle()
    }
    return { begun, end, settle, all }
  }

  const MEBIBYTE = 1 << 20

  it('small ones are stored together, because they share a commit', async () => {
    const { begun, settle } = storing(Array.from({ length: 40 }, () => 1_000))
    await settle()
    expect(begun).toHaveLength(32)
  })

  it('large ones are stored one after the other, in the order of arrival, and a small one does not overtake', async () => {
    const { begun, end, settle, all } = storing([3 * MEBIBYTE, 3 * MEBIBYTE, 1_000, 1_000])
    await settle()
    expect(begun).toEqual([0])
    await end(0)
    expect(begun).toEqual([0, 1])
    await end(1)
    expect(begun).toEqual([0, 1, 2, 3])
    await end(2)
    await end(3)
    await Promise.all(all)
  })

  it('those of another application wait neither for the large ones of the first nor for its queue', async () => {
    const large = { bytes: 3 * MEBIBYTE, of: 'a' }
    const { begun, end, settle } = storing([large, large, { bytes: 1_000, of: 'b' }, { ...large, of: 'b' }])
    await settle()
    expect(begun).toEqual([0, 2])
    // Of the large ones one at a time is in memory, and applications take turns.
    await end(2)
    expect(begun).toEqual([0, 2])
    await end(0)
    expect(begun).toEqual([0, 2, 1])
    await end(1)
    expect(begun).toEqual([0, 2, 1, 3])
  })

  it('those of many applications take turns', async () => {
    const { begun, end, settle } = storing([...'abcdeea'].map((of) => ({ bytes: 2 * MEBIBYTE, of })))
    await settle()
    expect(begun).toEqual([0, 1, 2, 3])
    for (const number of [0, 1]) await end(number)
    expect(begun).toEqual([0, 1, 2, 3, 4, 6])
  })

  it('too many of an application are rejected, but none of another one', async () => {
    const of = (name: string) => ({ bytes: 1_000, of: name })
    const { all, settle, begun } = storing([...Array.from({ length: 65 }, () => of('a')), of('b')])
    const [last, other] = [all[64], all[65]]
    await expect(last).rejects.toMatchObject({ status: 503 })
    await settle()
    expect(begun).toContain(65)
    expect(other).toBeInstanceOf(Promise)
  })

  it('one that fails releases its slot', async () => {
    const { store } = createReceiver({
      authenticate: () => expect.unreachable(),
      ingest: async (_principal, read) => read(() => undefined),
      ingestEvents: () => expect.unreachable(),
      log: createLogger('silent'),
      bodies: createBodyBudget({ bytesMax: 1 }),
    })
    const failing = store(PRINCIPAL, { bytes: 3 * MEBIBYTE, read: async () => expect.unreachable('no') })
    const next = store(PRINCIPAL, {
      bytes: 3 * MEBIBYTE,
      read: async () => ({ spans: [], rejectedCount: 7, problems: [] }),
    })
    await expect(failing).rejects.toThrow('no')
    expect(await next).toMatchObject({ rejectedCount: 7 })
  })
})
