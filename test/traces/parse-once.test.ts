/** Inputs and outputs may be long: each is parsed once, for any number of fields that are read from it. */
import { describe, expect, it, vi } from 'vitest'
import { hashContent, hashInput } from '../../src/datasets/items/input-hash.ts'
import { findTraceContents } from '../../src/traces/trace-contents.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

async function parseCount(text: string, work: () => unknown): Promise<number> {
  const parse = vi.spyOn(JSON, 'parse')
  try {
    await work()
    return parse.mock.calls.filter(([parsed]) => parsed === text).length
  } finally {
    parse.mockRestore()
  }
}

describe('the hash of an input', () => {
  it.each([
    ['data', '{"city":"Zürich","day":3}', '{"day":3,"city":"Zürich"}'],
    ['a list', '[3, 1, {"b":1,"a":[]}]', '[3,1,{"a":[],"b":1}]'],
    ['data in a wrapper', '{"input":{"city":"Zürich","day":3}}', '{"day":3,"city":"Zürich"}'],
  ])('of %s parses it once', async (_, text, same) => {
    expect(await parseCount(text, () => hashInput(text))).toBe(1)
    expect(hashInput(text)).toBe(hashContent(same))
  })
})

describeEachEngine('the content of a trace', (app) => {
  it('is read from a root that has only one of input and output by parsing it once', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const output = '{"answer":"It is 21 degrees."}'
    const span = { traceId: traceIdOf(1), spanId: spanIdOf(1), start: Date.now() - 60_000 }
    await sendSpans(client, [{ ...span, attributes: { 'touchstone.output': output } }])
    const { read } = app().storage
    expect(await parseCount(output, () => findTraceContents(read, workspaceId, [traceIdOf(1)]))).toBe(1)
    const contents = await findTraceContents(read, workspaceId, [traceIdOf(1)])
    expect(contents.get(traceIdOf(1))).toMatchObject({ input: null, output: 'It is 21 degrees.' })
  })
})
