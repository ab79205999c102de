import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/base/errors.ts'
import type { ReceivedBatch } from '../../src/traces/storing/received-span.ts'
import { runs } from '../harness/stage.ts'
import { decodeJson, decodeProtobuf } from './decoded.ts'
import { requestType, toJson } from './otlp-messages.ts'
import { requestArbitrary } from './request-arbitrary.ts'

/** A change of bytes: what is at a place is replaced by something else, of another length perhaps. */
const edits = fc.array(fc.record({ at: fc.nat(), removed: fc.nat(12), put: fc.uint8Array({ maxLength: 12 }) }), {
  minLength: 1,
  maxLength: 6,
})

function edit(bytes: Buffer, changes: { at: number; removed: number; put: Uint8Array }[]): Buffer {
  let edited = bytes
  for (const { at, removed, put } of changes) {
    const place = at % (edited.length + 1)
    edited = Buffer.concat([edited.subarray(0, place), put, edited.subarray(place + removed)])
  }
  return edited
}

/** Decodes; an error must have a message for the sender. */
async function survive(decode: (bytes: Buffer) => Promise<ReceivedBatch>, bytes: Buffer): Promise<void> {
  try {
    const { spans, rejectedCount, problems } = await decode(bytes)
    expect(rejectedCount).toBeGreaterThanOrEqual(0)
    expect(problems.length).toBeLessThan(20)
    for (const { traceId, spanId, startNs, endNs, name } of spans) {
      expect(`${traceId} ${spanId}`).toMatch(/^[0-9a-f]{32} [0-9a-f]{16}$/)
      expect(startNs >= 0n && (endNs === null || endNs >= startNs)).toBe(true)
      expect(name.isWellFormed() && !name.includes('\0')).toBe(true)
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect([400, 413]).toContain(error.status)
    expect(error.message).toMatch(/^[A-Z].{10,200}$/s)
  }
}

describe('any request body', () => {
  afterEach(() => {
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted')
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('random bytes are read as protobuf or rejected with a message', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), (bytes) => survive(decodeProtobuf, Buffer.from(bytes))),
      { numRuns: runs(3_000) },
    )
  })

  it('a damaged protobuf request is read or rejected with a message', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(requestArbitrary, edits, (request, changes) =>
        survive(decodeProtobuf, edit(requestType.encode(request), changes)),
      ),
      { numRuns: runs(2_000) },
    )
  })

  it('a damaged JSON request is read or rejected with a message', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(requestArbitrary, edits, (request, changes) =>
        survive(decodeJson, edit(toJson(request), changes)),
      ),
      { numRuns: runs(1_000) },
    )
  })

  it('any JSON as any part of a request is read or rejected with a message', {
    tags: 'sized',
  }, async () => {
    const parts: ((value: unknown) => unknown)[] = [
      (value) => value,
      (value) => ({ resourceSpans: value }),
      (value) => ({ resourceSpans: [{ resource: value, scopeSpans: value }] }),
      (value) => ({ resourceSpans: [{ scopeSpans: [{ scope: value, spans: value }] }] }),
      (value) => ({ resourceSpans: [{ scopeSpans: [{ spans: [value] }] }] }),
      (value) => ({ resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: value, name: value, events: value }] }] }] }),
      (value) => ({ resourceSpans: [{ scopeSpans: [{ spans: [{ attributes: [{ key: 'k', value }] }] }] }] }),
    ]
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.constantFrom(...parts), (value, place) =>
        survive(decodeJson, Buffer.from(JSON.stringify(place(value)))),
      ),
      { numRuns: runs(2_000) },
    )
  })
})
