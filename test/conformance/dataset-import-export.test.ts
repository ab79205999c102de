// @module-tag sql
import { describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError } from './answer-forms.ts'
import { storeTrace } from './stored-trace.ts'

const CSV = { 'content-type': 'text/csv' }
const JSONL = { 'content-type': 'application/jsonl' }

describeEachEngine('a dataset as a file', (app, engine) => {
  async function newDataset(name = 'Questions') {
    const { client, workspaceId, key } = await app().newWorkspace()
    const component = `/components/${await client.create('/components', { name: 'Summarizer' })}`
    const dataset = `${component}/datasets/${await client.create(`${component}/datasets`, { name })}`
    return { client, key, workspaceId, component, dataset, at: `${dataset}/import` }
  }

  /** What the items say, oldest first. */
  async function contentsOf(client: Client, dataset: string): Promise<unknown[]> {
    const items = await client.list(`${dataset}/items?limit=100`)
    return items.toReversed().map(({ input, output, expected, metadata, traceId }) => ({
      ...{ input, output, expected, metadata, traceId },
    }))
  }

  const nothing = { input: null, output: null, expected: null, metadata: {}, traceId: null }

  describe('POST …/import', () => {
    it('200 takes CSV in any order of columns, with quotes, line breaks, a byte order mark and empty lines', async () => {
      const { client, dataset, at } = await newDataset()
      const file =
        '\ufeffexpected,input,metadata\r\n"a ""b""","two\r\nlines","{""k"": [1]}"\r\n\r\n,plain,\r\n"",\'=1+1,{}\r\n'
      expect(await client.post(at, file, CSV)).toMatchObject({
        status: 200,
        body: { imported: 3, skipped: 0, errors: [] },
      })
      expect(await contentsOf(client, dataset)).toEqual([
        { ...nothing, expected: 'a "b"', input: 'two\r\nlines', metadata: { k: [1] } },
        { ...nothing, input: 'plain' },
        { ...nothing, expected: '', input: '=1+1' },
      ])
      expect((await client.get(dataset)).body.itemCount).toBe(3)
    })

    it('200 imports JSON lines, in which a value that is no text is stored as JSON text', async () => {
      const { client, dataset, at } = await newDataset()
      const lines = [
        { input: 'a', expected: null },
        { input: { q: 1 }, output: ['o'], metadata: { k: null } },
        { traceId: 'T' },
      ]
      const file = `${lines.map((line) => JSON.stringify(line)).join('\r\n')}\n\n`
      expect((await client.post(at, file, JSONL)).body).toEqual({ imported: 3, skipped: 0, errors: [] })
      expect(await contentsOf(client, dataset)).toEqual([
        { ...nothing, input: 'a' },
        { ...nothing, input: '{"q":1}', output: '["o"]', metadata: { k: null } },
        { ...nothing, traceId: 'T' },
      ])
    })

    it('200 excludes rows whose trace is an item already, under either of its ids, and copies the contents of a trace', async () => {
      const { client, workspaceId, dataset, at } = await newDataset()
      const trace = await storeTrace(app(), workspaceId, { root: { input: 'asked', output: 'answered' } })
      const file = `traceId,expected\n${trace.id},first\n${trace.traceId},second\nother,\n`
      expect((await client.post(at, file, CSV)).body).toEqual({ imported: 2, skipped: 1, errors: [] })
      expect((await client.post(at, file, CSV)).body).toEqual({ imported: 0, skipped: 3, errors: [] })
      expect(await contentsOf(client, dataset)).toEqual([
        { ...nothing, traceId: trace.traceId, input: 'asked', output: 'answered', expected: 'first' },
        { ...nothing, traceId: 'other' },
      ])
      expect((await client.get(dataset)).body.itemCount).toBe(2)
    })

    it('200 takes the split of a row, and 400 names a row whose split is not one', async () => {
      const { client, dataset, at } = await newDataset()
      await client.post(at, 'input,split\na,train\nb,\nc,test\n', CSV)
      await client.post(at, '{"input":"d","split":"validation"}\n{"input":"e","split":null}\n', JSONL)
      const items = await client.list(`${dataset}/items`)
      expect(items.toReversed().map(({ split }) => split)).toEqual(['train', null, 'test', 'validation', null])
      const wrong = await client.post(at, '{"input":"d","split":"holdout"}', JSONL)
      expectError(wrong, 400, 'Row 1: split must be one of train, validation, test; nothing was imported')
    })

    it('200 for a file without items', async () => {
      const { client, at } = await newDataset()
      const none = { imported: 0, skipped: 0, errors: [] }
      expect((await client.post(at, 'input\n', CSV)).body).toEqual(none)
      expect((await client.post(at, '\n', JSONL)).body).toEqual(none)
      expect((await client.send('POST', at, { headers: JSONL })).body).toEqual(none)
    })

    it('400 names the first wrong row and how many more there are, and imports nothing', async () => {
      const { client, dataset, at } = await newDataset()
      const rows = ['input,metadata', 'fine,', '"two\nlines",', 'x,"{"', 'y,[]', 'z', ',', 'good,{}']
      expectError(
        await client.post(at, rows.join('\n'), CSV),
        400,
        'Row 4: metadata is not valid JSON; nothing was imported. 3 more rows are wrong',
      )
      const lines = ['{"input":"a"}', '', '{"input":1,"inputs":2}', '[]']
      expectError(
        await client.post(at, lines.join('\n'), JSONL),
        400,
        'Row 3: The column "inputs" is not known; the columns are id, input, output, expected, metadata, traceId, split; nothing was imported. 1 more row is wrong',
      )
      expect(await client.list(`${dataset}/items`)).toEqual([])
      expect((await client.get(dataset)).body.itemCount).toBe(0)
    })

    it('200 with partial=true imports the valid rows and returns the first hundred errors', async () => {
      const { client, dataset, at } = await newDataset()
      const rows = ['input,metadata,traceId', 'fine,,', 'x,"{",', 'y,5,', 'z', ',,', `,,${'t'.repeat(129)}`, 'good,{},']
      expect((await client.post(`${at}?partial=true`, rows.join('\n'), CSV)).body).toEqual({
        imported: 2,
        skipped: 5,
        errors: [
          { row: 3, error: 'metadata is not valid JSON' },
          { row: 4, error: 'metadata must be a JSON object' },
          { row: 5, error: '1 cells where there are 3 columns' },
          { row: 6, error: 'An input or a traceId is required' },
          { row: 7, error: 'traceId must be a text of 1 to 128 characters' },
        ],
      })
      expect((await client.get(dataset)).body.itemCount).toBe(2)
      const wrong = Array.from({ length: 150 }, () => '{}').join('\n')
      const { body } = await client.post(`${at}?partial=true`, wrong, JSONL)
      expect(body).toMatchObject({ imported: 0, skipped: 150 })
      expect(body.errors).toHaveLength(100)
    })

    it('a row with a misplaced quote is named with its column, and the other rows can be imported', async () => {
      const { client, dataset, at } = await newDataset()
      const file = 'input,expected\na,b\nc"d,e\n\nf,"g"h\n"""i"" j","k"\n'
      const reason = 'has a quote in the wrong place: quotes are around the whole cell and doubled within it'
      const sendTo = (query: string) => client.send('POST', `${at}${query}`, { body: file, headers: CSV })
      expectError(await sendTo(''), 400, `Row 3: input ${reason}; nothing was imported. 1 more row is wrong`)
      expect((await sendTo('?dry_run=true&on_error=skip')).body).toMatchObject({
        imported: 2,
        bad: {
          count: 2,
          rows: [
            { row: 3, column: 'input', reason, found: 'c"d' },
            { row: 5, column: 'expected', reason, found: '"g"h' },
          ],
        },
      })
      expect((await sendTo('?partial=true')).body).toEqual({
        imported: 2,
        skipped: 2,
        errors: [
          { row: 3, error: `input ${reason}` },
          { row: 5, error: `expected ${reason}` },
        ],
      })
      const items = await client.list(`${dataset}/items`)
      expect(items.map(({ input }) => input).sort()).toEqual(['"i" j', 'a'])
    })

    it('a misplaced quote is found in any part of a large file, next to texts that begin with a quote', async () => {
      const { client, at } = await newDataset()
      const good = Array.from({ length: 9000 }, (_, index) => `"""ä"" ${index}",b\r\n`)
      const file = `\ufeffinput,expected\r\n${good.slice(0, 6000).join('')}\r\n"x"y,z\r\n${good.slice(6000).join('')}`
      const { body } = await client.send('POST', `${at}?dry_run=true&on_error=skip`, { body: file, headers: CSV })
      expect(body).toMatchObject({ imported: 9000, bad: { count: 1, rows: [{ row: 6003, column: 'input' }] } })
    })

    it.each([
      ['an unknown column', 'input,inputs\na,b\n', /"inputs" is not known; the columns are id, input/],
      ['a column twice', 'input,input\na,b\n', /input is there twice/],
      ['a quote that is never closed', 'input\na\n"b\n', /Line \d+: a quote is opened and never closed/],
      ['a quote inside the name of a column', 'in"put\na\n', /column name has a quote in the wrong place/],
      ['no columns', '', /must begin with a row that names the columns/],
      ['bytes that are no UTF-8', Buffer.from('input\n\xe9\n', 'latin1'), /not valid UTF-8/],
    ])('400 for CSV with %s, also with partial=true', async (_, file, message) => {
      const { client, dataset, at } = await newDataset()
      expectError(await client.send('POST', `${at}?partial=true`, { body: file, headers: CSV }), 400, message)
      expect((await client.get(dataset)).body.itemCount).toBe(0)
    })

    it.each([
      ['{"input":"\\u0000"}', /The line has characters that cannot be stored/],
      [`{"input":${'['.repeat(70)}${']'.repeat(70)}}`, /The line is nested too deeply/],
      ['{"input":1e400}', /The line has a number that is too large/],
      ['{"metadata":{"__proto__":1}}', /The line has the forbidden key __proto__/],
      ['{"input":"a"', /The line is not valid JSON/],
      ['{"input":"a","traceId":5}', /traceId must be a text/],
      ['"a"', /The line must be a JSON object/],
    ])('400 for the JSON line %s, as for a request body', async (line, message) => {
      const { client, at } = await newDataset()
      expectError(await client.post(at, line, JSONL), 400, message)
    })

    it('400 for U+0000 in CSV, for an unknown value of partial, and for partial given twice', async () => {
      const { client, at } = await newDataset()
      expectError(await client.post(at, 'input\na\0b\n', CSV), 400, /Row 2: A cell has a character/)
      expectError(await client.post(`${at}?partial=yes`, 'input\na\n', CSV), 400, /partial must be one of true, false/)
      expectError(await client.post(`${at}?partial=true&partial=true`, 'input\na\n', CSV), 400, /partial/)
    })

    it('404 for a dataset that is missing or foreign; 415 for another media type; 413 above 20 MiB', async () => {
      const { client, component, at } = await newDataset()
      const foreign = await newDataset()
      for (const path of [`${component}/datasets/${ABSENT_ID}/import`, foreign.at])
        expectError(await client.post(path, 'input\na\n', CSV), 404, 'Dataset not found')
      expectError(await client.post(at, 'a', { 'content-type': 'text/plain' }), 415, /text\/csv or application\/jsonl/)
      expectError(await client.post(at, { input: 'a' }), 400, /must be a JSON array/)
      expectError(await client.post(at, Buffer.alloc((20 << 20) + 1, 'a'), CSV), 413)
      expect(await foreign.client.list(`${foreign.dataset}/items`)).toEqual([])
    })

    it('400 above 100,000 rows, and 200 for as many, which are exported in their order', {
      tags: 'deep',
    }, async () => {
      const { client, dataset, at } = await newDataset()
      const rows = Array.from({ length: 100_001 }, (_, place) => `{"input":"${place}"}`)
      expectError(await client.post(at, rows.join('\n'), JSONL), 400, 'The file has more than 100000 rows')
      // As many rows need long on a database server, and prove no more there.
      const count = engine === 'sqlite' ? 100_000 : 10_000
      const { body } = await client.post(at, rows.slice(0, count).join('\n'), JSONL)
      expect(body).toEqual({ imported: count, skipped: 0, errors: [] })
      expect((await client.get(dataset)).body.itemCount).toBe(count)
      const { text } = await client.get(`${dataset}/export`)
      const lines = text.trimEnd().split('\n')
      expect(lines.map((line) => JSON.parse(line).input)).toEqual(
        Array.from({ length: count }, (_, place) => `${place}`),
      )
    })
  })

  describe('GET …/export', () => {
    it('200 sends JSON lines, oldest first, under a name that every system takes', async () => {
      const { client, dataset } = await newDataset('Größe / "a";\r\nb')
      const { body } = await client.post(`${dataset}/items`, [
        { input: 'a', expected: '', split: 'test' },
        { traceId: 't' },
      ])
      const [first, second]: Record<string, unknown>[] = Array.isArray(body.data) ? body.data : []
      const { status, headers, text } = await client.get(`${dataset}/export`)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
      expect(headers.get('content-disposition')).toBe('attachment; filename="Gro-e-a-b.jsonl"')
      expect(text.split('\n')).toEqual([
        JSON.stringify({ id: first?.id, ...nothing, input: 'a', expected: '', split: 'test' }),
        JSON.stringify({ id: second?.id, ...nothing, traceId: 't', split: null }),
        '',
      ])
    })

    it('200 sends CSV in which nothing is run, and in which an empty text is not nothing', async () => {
      const { client, dataset } = await newDataset('日本')
      await client.post(`${dataset}/items`, [
        { input: '=HYPERLINK("http://x")', expected: '' },
        { input: "'-1", output: '@SUM', metadata: { a: 1 }, split: 'train' },
        { traceId: '+1', expected: '\tx' },
      ])
      const { headers, text } = await client.get(`${dataset}/export?format=csv`)
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
      expect(headers.get('content-disposition')).toBe('attachment; filename="dataset.csv"')
      expect(text.replace(/"[0-9a-f-]{36}"/g, '"id"').split('\r\n')).toEqual([
        '"id","input","output","expected","metadata","traceId","split"',
        `"id","'=HYPERLINK(""http://x"")",,"",,,`,
        `"id","''-1","'@SUM",,"{""a"":1}",,"train"`,
        `"id",,,"'\tx",,"'+1",`,
        '',
      ])
    })

    it('200 for a dataset without items is a file without rows', async () => {
      const { client, dataset } = await newDataset()
      expect((await client.get(`${dataset}/export`)).text).toBe('')
      expect((await client.get(`${dataset}/export?format=json`)).text).toBe('[]\n')
      const { text } = await client.get(`${dataset}/export?format=csv`)
      expect(text).toBe('"id","input","output","expected","metadata","traceId","split"\r\n')
    })

    it('aborts the connection if the dataset is deleted meanwhile: a partial file must not look complete', async () => {
      const { client, key, dataset, at } = await newDataset()
      const row = JSON.stringify({ input: 'x'.repeat(18_000) })
      await client.post(at, Array.from({ length: 1_000 }, () => row).join('\n'), JSONL)
      const response = await fetch(`${app().url}/api/v1${dataset}/export`, {
        headers: { authorization: `Bearer ${key}` },
      })
      const reader = response.body?.getReader()
      expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
      expect((await client.delete(dataset)).status).toBe(204)
      const rest = async () => {
        while (!(await reader?.read())?.done);
      }
      await expect(rest()).rejects.toThrow()
    })

    it('400 for another format; 404 for a dataset that is missing or foreign', async () => {
      const { client, component, dataset } = await newDataset()
      const foreign = await newDataset()
      expectError(await client.get(`${dataset}/export?format=xml`), 400, /format must be one of csv, jsonl, json/)
      for (const path of [`${component}/datasets/${ABSENT_ID}/export`, `${foreign.dataset}/export`])
        expectError(await client.get(path), 404, 'Dataset not found')
    })
  })
})
