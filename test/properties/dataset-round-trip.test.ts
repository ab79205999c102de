/** An export can be imported again: for any items, in both formats. fast-check prints the seed. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { guardCell, unguardCell } from '../../src/datasets/files/formula-guard.ts'
import { hashContent, hashInput } from '../../src/datasets/items/input-hash.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'

const TROUBLE = [
  '',
  "'",
  "''",
  '=1+1',
  "'=1+1",
  "''=1+1",
  '+1',
  '-1',
  '@SUM(A1)',
  '\tx',
  '\rx',
  '"',
  '""',
  'a"b',
  ',',
  'a,b',
  '\n',
  '\r\n',
  'a\nb\r\nc\rd',
  ' x ',
  '\ufeff',
  '\u2028',
  'null',
  'undefined',
  'NaN',
  '{"a": 1}',
  '[1,2]',
  '\\',
  '\\"',
  '😀',
  'é',
]
const word = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => text.isWellFormed() && !text.includes('\0'))
const text = fc.oneof(
  fc.constantFrom(...TROUBLE),
  word,
  fc.tuple(fc.constantFrom(...TROUBLE), word).map((parts) => parts.join('')),
)
const storable = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => JSON.stringify(value).isWellFormed() && !/\\u0000|\\ud|__proto__/.test(JSON.stringify(value)))
const metadata = fc.dictionary(
  word.filter((key) => key !== '__proto__'),
  storable,
  { maxKeys: 4 },
)
const content = fc.oneof(text, fc.constant(null), storable)
const split = fc.constantFrom('train', 'validation', 'test', null)
const optional = { output: content, expected: content, metadata, split }
const item = fc.oneof(
  fc.record(
    {
      input: fc.oneof(
        text,
        storable.filter((value) => value !== null),
      ),
      ...optional,
    },
    { requiredKeys: ['input'] },
  ),
  fc.record(
    { traceId: text.filter((ref) => ref !== '' && [...ref].length <= 128), input: content, ...optional },
    { requiredKeys: ['traceId'] },
  ),
)

describeEachEngine('a dataset that is exported and imported', (app) => {
  let client: Client
  let datasets: string

  beforeAll(async () => {
    const workspace = await app().newWorkspace()
    client = workspace.client
    datasets = `/components/${await client.create('/components', { name: 'Round trip' })}/datasets`
  })

  /** What the items say, oldest first. */
  async function contentsOf(dataset: string): Promise<unknown[]> {
    const items = await client.list(`${dataset}/items?limit=100`)
    return items.toReversed().map(({ id, datasetId, createdAt, ...said }) => said)
  }

  describe.each([
    ['jsonl', 'application/jsonl'],
    ['jsonl', 'application/x-ndjson'],
    ['csv', 'text/csv'],
    ['json', 'application/json'],
  ])('as %s (%s)', (format, mediaType) => {
    it('has the same content as before, in the same order', { tags: 'sized' }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(item, { maxLength: 12 }), async (items) => {
          const source = `${datasets}/${await client.create(datasets, { name: 'Source' })}`
          expect((await client.post(`${source}/items`, items)).status).toBe(201)
          const target = `${datasets}/${await client.create(datasets, { name: 'Target' })}`
          const file = await client.get(`${source}/export?format=${format}`)
          const before = await contentsOf(source)
          const answer = await client.post(`${target}/import`, file.text, { 'content-type': mediaType })
          expect(answer.body, answer.text).toEqual({ imported: before.length, skipped: 0, errors: [] })
          expect(await contentsOf(target)).toEqual(before)
          expect((await client.get(target)).body.itemCount).toBe(before.length)
          const mapped = `${datasets}/${await client.create(datasets, { name: 'Mapped by default' })}`
          const report = await client.post(`${mapped}/import?on_error=fail`, file.text, { 'content-type': mediaType })
          expect(report.body, report.text).toMatchObject({ imported: before.length, bad: { count: 0 } })
          expect(await contentsOf(mapped)).toEqual(before)
        }),
        { numRuns: runs(10), endOnFailure: true },
      )
    })
  })

  it('is rejected with a message, or imported, for any bytes of the file', { tags: 'sized' }, async () => {
    const target = `${datasets}/${await client.create(datasets, { name: 'Target' })}/import?partial=true`
    const piece = fc.oneof(
      fc.constantFrom(
        '"',
        '""',
        ',',
        '\n',
        '\r\n',
        '\r',
        'input',
        'input,metadata\n',
        '{',
        '}',
        '{"input":1}',
        '\ufeff',
      ),
      text,
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    )
    const file = fc
      .array(piece, { maxLength: 15 })
      .map((pieces) => Buffer.concat(pieces.map((part) => Buffer.from(part))))
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.boolean(),
        fc.constantFrom('text/csv', 'application/jsonl', 'application/json'),
        async (bytes, isNamed, type) => {
          const body = isNamed ? Buffer.concat([Buffer.from('input\n'), bytes]) : bytes
          for (const path of [target, `${target}&dry_run=true`, `${target}&duplicates=skip`]) {
            const { status, text: answer } = await client.send('POST', path, {
              body,
              headers: { 'content-type': type },
            })
            expect([200, 400], answer).toContain(status)
          }
        },
      ),
      { numRuns: runs(60) },
    )
  })

  it('has no cell that a spreadsheet would run', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 8 }), async (items) => {
        const source = `${datasets}/${await client.create(datasets, { name: 'Source' })}`
        await client.post(`${source}/items`, items)
        const { text: file } = await client.get(`${source}/export?format=csv`)
        const rows: string[][] = parse(file)
        expect(rows.length).toBeGreaterThan(1)
        for (const cell of rows.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/)
      }),
      { numRuns: runs(6) },
    )
  })
})

describe('a guarded cell', () => {
  it('never begins like a formula and restores guarded values', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(text, (cell) => {
        expect(guardCell(cell)).not.toMatch(/^[=+\-@\t\r]/)
        expect(unguardCell(guardCell(cell))).toBe(cell)
      }),
      { numRuns: runs(400) },
    )
  })
})

describe('the hash of an input', () => {
  it('does not depend on the order of keys or on white space', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 4, '\t'), (value, indent) => {
        const hash = hashInput(JSON.stringify(value))
        expect(hash).toMatch(/^[A-Za-z0-9_-]{22}$/)
        expect(hashInput(` \n${JSON.stringify(turned(value), null, indent)}\t`)).toBe(hash)
      }),
      { numRuns: runs(200) },
    )
  })

  it('of a question depends only on the question, and of the arguments of a tool on all of them', () => {
    const [first, second] = ['{"query":"x","page":1}', '{"query":"x","page":2}']
    expect(hashInput(first)).toBe(hashInput('x'))
    expect(hashContent(first)).not.toBe(hashContent(second))
    expect(hashContent(first)).toBe(hashContent('{ "page": 1, "query": "x" }'))
  })

  it('does not depend on white space around a text', () => {
    fc.assert(
      fc.property(word, fc.constantFrom('', ' ', '\n', '\t \r\n'), (said, around) => {
        expect(hashInput(`${around}${said}${around}`)).toBe(hashInput(said))
      }),
    )
  })

  it('differs for values that differ', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        fc.pre(JSON.stringify(sorted(one)) !== JSON.stringify(sorted(other)))
        expect(hashInput(JSON.stringify(one))).not.toBe(hashInput(JSON.stringify(other)))
      }),
      { numRuns: runs(400) },
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const wrapped = [[value], [[value]], { value }, String(JSON.stringify(value))]
        expect(new Set(wrapped.map((each) => hashInput(JSON.stringify(each)))).size).toBe(wrapped.length)
      }),
    )
  })

  it('is computed for brackets of any depth', () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(hashInput(deep(100_000))).toMatch(/^.{22}$/)
    expect(hashInput(deep(100_000))).not.toBe(hashInput(deep(100_001)))
  })
})

/** The same value with the keys of every object the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, entry]) => [key, turned(entry)]),
  )
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => [key, sorted(entry), 'field'])
}
