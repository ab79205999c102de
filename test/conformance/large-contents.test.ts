// @module-tag deep
/** Items and spans may have more than a mebibyte: a field that is too long is rejected with its name, and the rest is read in small pieces. */
import { describe, expect, it } from 'vitest'
import { hashInput } from '../../src/datasets/items/input-hash.ts'
import { listItems } from '../../src/datasets/items/list-items.ts'
import { chunkRows } from '../../src/traces/chunk-rows.ts'
import { readTrace } from '../../src/traces/read-trace.ts'
import { findTrace } from '../../src/traces/trace-queries.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf } from '../harness/otlp-json.ts'
import { expectError } from './answer-forms.ts'
import { newTraceId } from './stored-trace.ts'

const MAX = 1 << 20
const PIECE_MAX = 2 << 20
const FIELDS = ['input', 'output', 'expected', 'metadata'] as const

function textOf(field: string, length: number): unknown {
  // As JSON, `{"k":"…"}` has eight characters more.
  return field === 'metadata' ? { k: 'x'.repeat(length - 8) } : 'x'.repeat(length)
}

async function piecesOf(text: AsyncIterable<string>): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of text) pieces.push(piece)
  return pieces
}

describeEachEngine(
  'large contents',
  (app) => {
    async function newDataset() {
      const { client, workspaceId } = await app().newWorkspace()
      const componentId = await client.create('/components', { name: 'Large' })
      const datasets = `/components/${componentId}/datasets`
      const datasetId = await client.create(datasets, { name: 'Large' })
      const dataset = `${datasets}/${datasetId}`
      return { client, at: `${dataset}/items`, dataset, scope: { workspaceId, componentId, datasetId } }
    }

    it.each(FIELDS)('an item takes 1 MiB of %s and not a character more', async (field) => {
      const { client, at, dataset } = await newDataset()
      const most = { input: 'i', [field]: textOf(field, MAX) }
      const over = { input: 'i', [field]: textOf(field, MAX + 1) }
      const { status, body } = await client.post(at, most)
      expect(status).toBe(201)
      const complaint = `${field} must have at most 1048576 characters`
      expectError(await client.post(at, over), 400, `The field ${complaint}`)
      expectError(await client.post(at, [{ input: 'a' }, over]), 400, `The field [1].${complaint}`)
      const id = Array.isArray(body.data) ? body.data[0].id : ''
      expectError(await client.patch(`${at}/${id}`, { [field]: over[field] }), 400, `The field ${complaint}`)
      const lines = [most, over].map((row) => JSON.stringify(row)).join('\n')
      const jsonl = { 'content-type': 'application/jsonl' }
      expect((await client.post(`${dataset}/import?partial=true`, lines, jsonl)).body).toEqual({
        imported: 1,
        skipped: 1,
        errors: [{ row: 2, error: complaint }],
      })
      const cell = (row: Record<string, unknown>) => {
        const text = typeof row[field] === 'string' ? row[field] : JSON.stringify(row[field])
        return `a trace,"${text.replaceAll('"', '""')}"`
      }
      const rows = ['traceId', field].join().concat('\n', cell(most), '\n', cell(over))
      const csv = { 'content-type': 'text/csv' }
      expect((await client.post(`${dataset}/import?partial=true`, rows, csv)).body).toEqual({
        imported: 1,
        skipped: 1,
        errors: [{ row: 3, error: complaint }],
      })
      expect((await client.get(dataset)).body.itemCount).toBe(3)
    })

    it('a line above the size limit is rejected unread, and the other lines are imported', async () => {
      const { client, dataset } = await newDataset()
      const line = `{"input": ${'['.repeat(5 << 20)}${']'.repeat(5 << 20)}}`
      const file = ['{"input":"a"}', line, '{"input":"b"}'].join('\n')
      const { body } = await client.post(`${dataset}/import?partial=true`, file, {
        'content-type': 'application/jsonl',
      })
      const error = expect.stringMatching(/longer than 8388608 bytes; input, output, expected and metadata/)
      expect(body).toEqual({ imported: 2, skipped: 1, errors: [{ row: 2, error }] })
    })

    it('a page of large items is sent in chunks, complete and in order', async () => {
      const { client, at, scope } = await newDataset()
      for (let place = 0; place < 8; place += 1) {
        const text = `${place}${'x'.repeat(MAX - 1)}`
        await client.post(at, [{ input: text }, { input: `small ${place}`, metadata: { place } }])
      }
      const pieces = await piecesOf((await listItems(app().storage.read, scope, { limit: 100, offset: 1 })).pieces)
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(PIECE_MAX)
      const { text, body, headers } = await client.get(`${at}?limit=100&offset=1`)
      expect(text).toBe(pieces.join(''))
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      const begun = Array.isArray(body.data) ? body.data.map(({ input }) => input.slice(0, 7)) : []
      expect(begun).toEqual([7, 6, 5, 4, 3, 2, 1, 0].flatMap((place) => [`small ${place}`, `${place}xxxxxx`]).slice(1))
    })

    it('a trace of large spans is sent in chunks, complete and in the order of time', async () => {
      const { client, scope } = await newDataset()
      const traceId = newTraceId()
      const spans = Array.from({ length: 15 }, (_, place) => ({
        traceId,
        spanId: spanIdOf(place),
        start: 1_000 + place,
        attributes: { 'input.value': 'i'.repeat(100_000), 'output.value': 'o'.repeat(100_000), place },
      }))
      await sendSpans(client, spans.toReversed())
      const { read } = app().storage
      const trace = await findTrace(read, scope.workspaceId, traceId)
      const pieces = trace ? await piecesOf(readTrace(read, scope.workspaceId, trace)) : []
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(PIECE_MAX)
      const { text, body } = await client.get(`/traces/${traceId}`)
      expect(text).toBe(pieces.join(''))
      expect(body).toMatchObject({ spans: spans.map(({ spanId }) => ({ spanId })) })
    })
  },
  { environment: { TOUCHSTONE_BODY_BYTES_MAX: String(16 << 20) } },
)

describe('chunks', () => {
  it('have all rows in order, at most 200 and at most 512 KiB each, and a larger row alone', () => {
    const rows = [...Array.from({ length: 450 }, () => 1), 1 << 19, 1, (1 << 19) + 1, 300_000, 300_000].map(
      (bytes, place) => ({ place, bytes }),
    )
    const chunks = [...chunkRows(rows)]
    expect(chunks.flat()).toEqual(rows)
    expect(chunks.map((chunk) => chunk.length)).toEqual([200, 200, 50, 1, 1, 1, 1, 1])
    expect([...chunkRows([])]).toEqual([])
  })
})

describe('the hash of a long input', () => {
  it('is that of its text, which need not be parsed', () => {
    const json = (space: string) => `{"a":${space}"${'x'.repeat(256 * 1024)}"}`
    expect(hashInput(` ${json('')}\n`)).toBe(hashInput(json('')))
    expect(hashInput(json(' '))).not.toBe(hashInput(json('')))
  })
})
