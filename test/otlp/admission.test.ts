import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Admission, createAdmission } from '../../src/otlp/admission.ts'

const REFUSED = expect.objectContaining({ status: 503, headers: { 'retry-after': '1' } })

describe('admission', () => {
  it('refuses what would hold more bytes than the limit, and takes it again when there is room', () => {
    const { admit } = createAdmission({ bytesMax: 100, requestsMax: 10 })
    const first = admit(60)
    expect(() => admit(41)).toThrow(REFUSED)
    const second = admit(40)
    expect(() => second.resize(41)).toThrow(REFUSED)
    first.resize(59)
    second.resize(41)
    first.release()
    expect(() => admit(60)).toThrow(REFUSED)
    admit(59).release()
  })

  it('refuses more requests than the limit, however small they are', () => {
    const { admit } = createAdmission({ bytesMax: 100, requestsMax: 2 })
    const first = admit(0)
    admit(0)
    expect(() => admit(0)).toThrow(REFUSED)
    first.release()
    admit(0)
  })

  it('lets a request become smaller even when the others have become too many', () => {
    const { admit } = createAdmission({ bytesMax: 100, requestsMax: 2 })
    const first = admit(100)
    first.resize(10)
    admit(90)
    first.resize(5)
  })
})

describe('admission in turn', () => {
  const never = new AbortController().signal
  const patiently = { patienceMs: 60_000, signal: never }
  const soon = (admission: Promise<Admission>) =>
    Promise.race([admission.then(() => 'admitted'), setImmediate('still waiting')])

  it('lets those in who wait, in the order in which they came, as soon as there is room', async () => {
    const { admit, admitInTurn } = createAdmission({ bytesMax: 100, requestsMax: 10 })
    const other = admit(70)
    const [first, second, small] = [admitInTurn(60, patiently), admitInTurn(60, patiently), admitInTurn(10, patiently)]
    expect(await soon(small)).toBe('still waiting')
    other.release()
    const admission = await first
    expect(await soon(second)).toBe('still waiting')
    admission.resize(20)
    await second
    await small
    expect(() => admit(11)).toThrow(REFUSED)
  })

  it('refuses when the patience is over, and then nothing is held for it', async () => {
    const { admit, admitInTurn } = createAdmission({ bytesMax: 100, requestsMax: 2 })
    const other = admit(70)
    const late = admitInTurn(60, { patienceMs: 1, signal: never })
    await expect(late).rejects.toEqual(REFUSED)
    admit(30).release()
    other.release()
    admit(100)
  })

  it('counts those who wait among the requests, and refuses more of them at once', async () => {
    const { admit, admitInTurn } = createAdmission({ bytesMax: 100, requestsMax: 2 })
    admit(70)
    const gone = new AbortController()
    const waiting = admitInTurn(60, { patienceMs: 60_000, signal: gone.signal })
    await expect(admitInTurn(1, patiently)).rejects.toEqual(REFUSED)
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await admitInTurn(1, patiently)
  })

  it('does not let in who has gone already', async () => {
    const { admit, admitInTurn } = createAdmission({ bytesMax: 100, requestsMax: 1 })
    await expect(admitInTurn(1, { patienceMs: 1, signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow(
      'gone',
    )
    admit(100)
  })
})
