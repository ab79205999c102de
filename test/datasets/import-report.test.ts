import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import { storeTrace } from '../conformance/stored-trace.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { BAD_ROWS, largeFile, MAPPING, ROWS } from './large-file.ts'

const CSV = { 'content-type': 'text/csv' }
const JSONL = { 'content-type': 'application/jsonl' }
const JSON_ARRAY = { 'content-type': 'application/json' }

describeEachEngine('an import with a report', (app) => {
  async function newDataset() {
    const { client, workspaceId } = await app().newWorkspace()
    const component = `/components/${await client.create('/components', { name: 'Assistant' })}`
    const dataset = `${component}/datasets/${await client.create(`${component}/datasets`, { name: 'Questions' })}`
    return { client, workspaceId, component, dataset, at: `${dataset}/import` }
  }

  async function contentsOf(client: Client, dataset: string) {
    const items = await client.list(`${dataset}/items?limit=100`)
    return items.toReversed().map(({ input, expected, metadata, split }) => ({ input, expected, metadata, split }))
  }

  const mapped = (mapping: unknown) => `mapping=${encodeURIComponent(JSON.stringify(mapping))}`

  it('names the 13 bad rows of 10,000 by row and column, imports the others, and a dry run stores nothing', async () => {
    const { client, dataset, at } = await newDataset()
    const options = `mapping=${encodeURIComponent(MAPPING)}&on_error=skip&file_name=large.csv`
    const dry = await client.send('POST', `${at}?dry_run=true&${options}`, { body: largeFile(), headers: CSV })
    expect(dry.body).toEqual({
      importId: null,
      dryRun: true,
      format: 'csv',
      encoding: 'utf-8',
      delimiter: ',',
      rows: ROWS,
      imported: ROWS - 13,
      bad: { count: 13, rows: BAD_ROWS },
      duplicates: { count: 0, skipped: 0, rows: [] },
      mapping: [
        { column: 'question', field: 'input', as: 'text' },
        { column: 'answer', field: 'expected', as: 'text' },
        { column: 'split', field: 'split', as: 'text' },
        { column: 'channel', field: 'metadata.channel', as: 'text' },
        { column: 'order', field: 'metadata.order', as: 'json' },
      ],
    })
    expect((await client.get(dataset)).body.itemCount).toBe(0)
    expect(await client.list(`${dataset}/imports`)).toEqual([])
    const failed = await client.send('POST', `${at}?mapping=${encodeURIComponent(MAPPING)}`, {
      body: largeFile(),
      headers: CSV,
    })
    const first = 'Row 7: split must be one of train, validation, test; nothing was imported. 12 more rows are wrong'
    expectError(failed, 400, first)
    const { body } = await client.send('POST', `${at}?${options}`, { body: largeFile(), headers: CSV })
    expect(body).toEqual({ ...dry.body, dryRun: false, importId: expect.any(String) })
    expect((await client.get(dataset)).body.itemCount).toBe(ROWS - 13)
    const [newest] = await client.list(`${dataset}/items?limit=1`)
    expect(newest).toMatchObject({
      input: 'Question 9998, with a\nline break',
      expected: 'Answer 9998',
      metadata: { channel: 'mail', order: 9_998 },
      split: 'train',
    })
    expect(await client.list(`${dataset}/imports`)).toEqual([
      expect.objectContaining({ id: body.importId, fileName: 'large.csv', rows: ROWS, imported: ROWS - 13, bad: 13 }),
    ])
  })

  it('sends all bad rows as CSV with their own cells and reasons, which can be imported when they are corrected', async () => {
    const { client, dataset, at } = await newDataset()
    const lines = ['question,split', ...Array.from({ length: 150 }, (_, place) => `=q${place},wrong`)]
    const { headers, text } = await client.post(`${at}/bad-rows`, lines.join('\n'), CSV)
    expect(headers.get('content-disposition')).toBe('attachment; filename="bad-rows.csv"')
    const [header, ...rows]: string[][] = parse(text)
    expect(header).toEqual(['question', 'split', 'import_row', 'import_column', 'import_reason'])
    expect(rows).toHaveLength(150)
    expect(rows[149]).toEqual(["'=q149", 'wrong', '151', 'split', 'must be one of train, validation, test'])
    const corrected = text.replaceAll('"wrong"', '"test"')
    expect((await client.post(`${at}?on_error=fail`, corrected, CSV)).body).toMatchObject({ imported: 150 })
    expect((await contentsOf(client, dataset))[0]).toMatchObject({ input: expect.stringMatching(/^=q/), metadata: {} })
    const json = await client.post(`${at}/bad-rows`, '[{"input": 1}, 2, {"x": 3}]', JSON_ARRAY)
    expect(parse(json.text)).toEqual([
      ['entry', 'import_row', 'import_column', 'import_reason'],
      ['2', '2', '', 'The entry must be a JSON object'],
      ['{"x": 3}', '3', 'input', 'An input or a traceId is required'],
    ])
  })

  describe('the mapping of columns', () => {
    it('maps exact names, keeps all others as metadata, and guesses nothing', async () => {
      const { client, dataset, at } = await newDataset()
      const file =
        'Question,prompt,Expected,answer,output,metadata,metadata.a,id,\nQ,p,E,a,o,"{""a"":1,""b"":2}",x,7,rest\n'
      const { body } = await client.post(`${at}?on_error=fail`, file, CSV)
      expect(body.mapping).toEqual([
        { column: 'Question', field: 'metadata.Question', as: 'text' },
        { column: 'prompt', field: 'input', as: 'text' },
        { column: 'Expected', field: 'metadata.Expected', as: 'text' },
        { column: 'answer', field: 'expected', as: 'text' },
        { column: 'output', field: 'output', as: 'text' },
        { column: 'metadata', field: 'metadata', as: 'json' },
        { column: 'metadata.a', field: 'metadata.a', as: 'text' },
        { column: 'id', field: 'id', as: 'text' },
        { column: 'column 9', field: 'metadata.column 9', as: 'text' },
      ])
      expect(await client.list(`${dataset}/items`)).toEqual([
        expect.objectContaining({
          input: 'p',
          expected: 'a',
          output: 'o',
          metadata: { Question: 'Q', Expected: 'E', a: 'x', b: 2, 'column 9': 'rest' },
        }),
      ])
    })

    it('prefers the own name of a field, and keeps a second name for it as metadata', async () => {
      const { client, dataset, at } = await newDataset()
      await client.post(`${at}?on_error=fail`, 'question,input\nq,i\n', CSV)
      await client.post(`${at}?on_error=fail`, '[{"question":"q","input":"i"}]', JSON_ARRAY)
      const both = { input: 'i', expected: null, metadata: { question: 'q' }, split: null }
      expect(await contentsOf(client, dataset)).toEqual([both, both])
      const late = await client.post(`${at}?on_error=fail`, '{"question":"q"}\n{"input":"i"}', JSONL)
      expectError(late, 400, /Two columns are mapped to input: "question" and "input"/)
    })

    it('reads a column as text or as JSON, and ignores one', async () => {
      const { client, dataset, at } = await newDataset()
      const mapping = {
        a: { field: 'input', as: 'json' },
        b: { field: 'metadata.b', as: 'json' },
        c: 'metadata.c',
        d: 'ignore',
      }
      await client.post(`${at}?${mapped(mapping)}`, 'a,b,c,d\n"[1, 2]","{""x"": 1}",5,gone\n"""t""",,,\n', CSV)
      await client.post(`${at}?${mapped(mapping)}`, '{"a":"{\\"k\\":1}","b":"5","c":5,"d":1}', JSONL)
      expect(await contentsOf(client, dataset)).toEqual([
        { input: '[1,2]', expected: null, metadata: { b: { x: 1 }, c: '5' }, split: null },
        { input: 't', expected: null, metadata: {}, split: null },
        { input: '{"k":1}', expected: null, metadata: { b: 5, c: 5 }, split: null },
      ])
    })

    it.each([
      ['not JSON', '{', /mapping must be a JSON object such as/],
      ['no object', '[]', /mapping must be a JSON object such as/],
      ['an unknown field', '{"a":"question"}', /must map "a" to one of id, input/],
      ['an unknown reading', '{"a":{"field":"input","as":"number"}}', /must read "a" as text or json/],
      ['an unknown key', '{"a":{"field":"input","type":"json"}}', /must be a JSON object such as/],
      ['a column that is not there', '{"a":"input","z":"expected"}', /has no column "z".*its columns are a, b/],
      ['one field twice', '{"a":"input","b":"input"}', /Two columns are mapped to input: "a" and "b"/],
      ['no input', '{"a":"expected"}', /No column is mapped to input or traceId; the columns are a, b/],
      ['a forbidden key', '{"a":"input","b":"metadata.__proto__"}', /forbidden column __proto__/],
    ])('400 for a mapping that is or has %s', async (_, mapping, message) => {
      const { client, at } = await newDataset()
      const path = `${at}?dry_run=true&mapping=${encodeURIComponent(mapping)}`
      expectError(await client.post(path, 'a,b\n1,2\n', CSV), 400, message)
    })
  })

  describe('the file', () => {
    const TEXT = 'question;answer;metadata.note\r\n"Größe; 😀\r\n?";"a ""b""";x,y\r\n'
    const utf16 = Buffer.from(`\ufeff${TEXT}`, 'utf16le')
    it.each([
      ['UTF-8', Buffer.from(TEXT), 'utf-8'],
      ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`), 'utf-8'],
      ['UTF-16 little endian', utf16, 'utf-16le'],
      ['UTF-16 big endian', Buffer.from(utf16).swap16(), 'utf-16be'],
    ])('in %s with semicolons is read correctly', async (_, file, encoding) => {
      const { client, dataset, at } = await newDataset()
      const { body } = await client.send('POST', `${at}?on_error=fail`, { body: file, headers: CSV })
      expect(body).toMatchObject({ encoding, delimiter: ';', imported: 1 })
      const said = { input: 'Größe; 😀\r\n?', expected: 'a "b"', metadata: { note: 'x,y' }, split: null }
      expect(await contentsOf(client, dataset)).toEqual([said])
    })

    it('has the delimiter of its header line, also of a quoted one', async () => {
      const { client, at } = await newDataset()
      const delimiterOf = async (file: string) => (await client.post(`${at}?dry_run=true`, file, CSV)).body.delimiter
      expect(await delimiterOf('input\texpected\na,b;c\td\n')).toBe('\t')
      expect(await delimiterOf('"input";"a,b,c"\nx;y\n')).toBe(';')
      expect(await delimiterOf('\n\ninput\nx;y\n')).toBe(',')
    })

    it('with broken UTF-16 is reported by row', async () => {
      const { client, at } = await newDataset()
      const body = Buffer.concat([
        Buffer.from('\ufeffinput,expected\nfine,\n', 'utf16le'),
        Buffer.from('x\ud800y,z\nfine too,\n', 'utf16le'),
        Buffer.from([0x41]),
      ])
      const answer = await client.send('POST', `${at}?dry_run=true`, { body, headers: CSV })
      expect(answer.body.bad).toMatchObject({ count: 2, rows: [{ row: 3, column: 'input' }, { row: 5 }] })
      expect(answer.body.imported).toBe(2)
    })

    it('of JSON lines with broken characters is reported by line', async () => {
      const { client, at } = await newDataset()
      const body = Buffer.from('{"input":"a"}\n{"input":"\xe9"}\n{"input":"b"}', 'latin1')
      const answer = await client.send('POST', `${at}?dry_run=true`, { body, headers: JSONL })
      expect(answer.body).toMatchObject({
        imported: 2,
        bad: { count: 1, rows: [{ row: 2, column: null, reason: 'The line is not valid UTF-8' }] },
      })
    })

    it('of a JSON array is read entry by entry, and a bad entry is one row', async () => {
      const { client, dataset, at } = await newDataset()
      const file = '\ufeff [ {"input":"a ] , [","expected":{"k":[1]}} ,\n{"input":"b\\"]"}, {"input": tru}, 5, {}, ] '
      const { body } = await client.post(`${at}?on_error=skip`, file, JSON_ARRAY)
      expect(body).toMatchObject({ format: 'json', delimiter: null, rows: 6, imported: 2 })
      expect(body.bad).toEqual({
        count: 4,
        rows: [
          { row: 3, column: null, reason: 'The entry is not valid JSON', found: '{"input": tru}' },
          { row: 4, column: null, reason: 'The entry must be a JSON object', found: '5' },
          { row: 5, column: 'input', reason: 'An input or a traceId is required', found: null },
          { row: 6, column: null, reason: 'The entry is not valid JSON', found: '' },
        ],
      })
      expect((await contentsOf(client, dataset)).map(({ input }) => input)).toEqual(['a ] , [', 'b"]'])
      const plain = await client.post(at, '[{"input":"c"},{"input":"d"}]', JSON_ARRAY)
      expect(plain.body).toEqual({ imported: 2, skipped: 0, errors: [] })
      expect((await client.post(`${at}?dry_run=true`, ' [\n] ', JSON_ARRAY)).body).toMatchObject({
        rows: 0,
        imported: 0,
      })
    })

    it.each([
      ['no array', '{"input":"a"}', /must be a JSON array of objects/],
      ['nothing', '', /must be a JSON array of objects/],
      ['an array that is never closed', '[{"input":"a"}', /never closed; nothing was imported/],
      ['text after the array', '[{"input":"a"}] x', /text after the end/],
    ])('400 for JSON that is or has %s', async (_, file, message) => {
      const { client, dataset, at } = await newDataset()
      for (const path of [at, `${at}?on_error=skip`])
        expectError(await client.send('POST', path, { body: file, headers: JSON_ARRAY }), 400, message)
      expect((await client.get(dataset)).body.itemCount).toBe(0)
    })
  })

  describe('duplicates', () => {
    it('are rows with the question of an item or of an earlier row; they are kept, or skipped by a parameter', async () => {
      const { client, dataset, at } = await newDataset()
      const { body: added } = await client.post(`${dataset}/items`, { input: 'old' })
      const [item] = Array.isArray(added.data) ? added.data : []
      const file = 'input,expected\nnew,1\n old ,2\nnew,3\nother,4\n'
      const rows = [
        { row: 3, by: 'input', itemId: item.id, firstRow: null, found: ' old ' },
        { row: 4, by: 'input', itemId: null, firstRow: 2, found: 'new' },
      ]
      const keep = await client.post(`${at}?dry_run=true`, file, CSV)
      expect(keep.body).toMatchObject({ imported: 4, duplicates: { count: 2, skipped: 0, rows } })
      const skip = await client.post(`${at}?dry_run=true&duplicates=skip`, file, CSV)
      expect(skip.body).toMatchObject({ imported: 2, duplicates: { count: 2, skipped: 2, rows } })
      const { body } = await client.post(`${at}?duplicates=skip`, file, CSV)
      expect(body).toEqual({ ...skip.body, dryRun: false, importId: expect.any(String) })
      expect((await contentsOf(client, dataset)).map(({ expected }) => expected)).toEqual([null, '1', '4'])
      const again = await client.post(`${at}?duplicates=skip`, file, CSV)
      expect(again.body).toMatchObject({ imported: 0, importId: null, duplicates: { count: 4, skipped: 4 } })
      expect((await client.post(`${at}?duplicates=keep`, file, CSV)).body).toMatchObject({ imported: 4 })
    })

    it('of a trace are always skipped, under either of its names', async () => {
      const { client, workspaceId, at } = await newDataset()
      const trace = await storeTrace(app(), workspaceId, { root: { input: 'asked', output: 'answered' } })
      const file = `traceId\n${trace.id}\n${trace.traceId}\nother\n`
      const dry = await client.post(`${at}?dry_run=true`, file, CSV)
      expect(dry.body).toMatchObject({
        imported: 2,
        duplicates: { count: 1, skipped: 1, rows: [{ row: 3, by: 'trace', itemId: null, firstRow: 2 }] },
      })
      const { body } = await client.post(`${at}?on_error=fail`, file, CSV)
      expect(body).toEqual({ ...dry.body, dryRun: false, importId: expect.any(String) })
      expect((await client.post(`${at}?dry_run=true`, file, CSV)).body).toMatchObject({
        imported: 0,
        duplicates: { count: 3, skipped: 3 },
      })
    })
  })

  it('400 for unknown values of its parameters; 404 for a dataset that is missing, also of a dry run', async () => {
    const { client, component, at } = await newDataset()
    expectError(await client.post(`${at}?dry_run=yes`, 'input\na\n', CSV), 400, /dry_run must be true or false/)
    expectError(
      await client.post(`${at}?on_error=ignore`, 'input\na\n', CSV),
      400,
      /on_error must be one of fail, skip/,
    )
    expectError(
      await client.post(`${at}?duplicates=no`, 'input\na\n', CSV),
      400,
      /duplicates must be one of keep, skip/,
    )
    for (const part of ['import?dry_run=true', 'import/bad-rows'])
      expectError(
        await client.post(`${component}/datasets/${ABSENT_ID}/${part}`, 'input\na\n', CSV),
        404,
        'Dataset not found',
      )
  })
})
