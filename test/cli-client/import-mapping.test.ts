/** The mappings of importers, without a server. */
import { ValidationError } from 'touchstone-sdk/client'
import { describe, expect, it } from 'vitest'
import { mapRequest } from '../../packages/cli/src/import/helicone/map-requests.ts'
import { startTally } from '../../packages/cli/src/import/import-report.ts'
import { sendInHalves } from '../../packages/cli/src/import/import-target.ts'
import { mapLog } from '../../packages/cli/src/import/inspect/map-log.ts'
import { chatOf } from '../../packages/cli/src/import/langsmith/langchain-messages.ts'
import { examplesOfCsv } from '../../packages/cli/src/import/langsmith/map-examples.ts'
import { readTrees, traceOf } from '../../packages/cli/src/import/langsmith/map-runs.ts'
import { evaluatorFor } from '../../packages/cli/src/import/promptfoo/map-assertions.ts'
import { mapResults, readResults } from '../../packages/cli/src/import/promptfoo/map-results.ts'
import { itemOf, mapAssertions, readTests } from '../../packages/cli/src/import/promptfoo/map-tests.ts'
import { testsOfCsv } from '../../packages/cli/src/import/promptfoo/read-test-files.ts'
import { parseJsonRecords, stableId, timeOf } from '../../packages/cli/src/import/source-values.ts'

describe('assertions of promptfoo', () => {
  const paris = { expected: 'Paris', isShared: false }
  const shared = { expected: undefined, isShared: true }

  it.each([
    [{ type: 'equals', value: 'Paris' }, paris, { type: 'exactMatch' }],
    [
      { type: 'icontains', value: 'Paris', metric: 'city' },
      paris,
      { type: 'contains', ignoreCase: true, name: 'city' },
    ],
    [{ type: 'similar', value: 'Paris', threshold: 0.9 }, paris, { type: 'embeddingSimilarity', passAt: 0.9 }],
    [{ type: 'factuality', value: 'Paris' }, paris, { type: 'comparisonJudge' }],
    [{ type: 'not-contains', value: 'sorry' }, shared, { type: 'contains', value: 'sorry', not: true }],
    [{ type: 'contains-any', value: 'a, b' }, shared, { type: 'containsAny', values: ['a', 'b'] }],
    [
      { type: 'not-icontains-any', value: ['a'] },
      shared,
      { type: 'containsAny', values: ['a'], ignoreCase: true, not: true },
    ],
    [{ type: 'is-json', value: { type: 'object' } }, shared, { type: 'jsonSchema', schema: { type: 'object' } }],
    [{ type: 'is-json' }, shared, { type: 'jsonValid' }],
    [{ type: 'cost', threshold: 0.01 }, shared, { type: 'cost', maxUsd: 0.01 }],
    [{ type: 'llm-rubric', value: 'is polite' }, shared, { type: 'llmJudge', instructions: 'is polite' }],
  ])('become the evaluator that does the same: %j', (assertion, context, evaluator) => {
    expect(evaluatorFor(assertion, context)).toEqual({ evaluator })
  })

  it.each([
    [{ type: 'contains', value: 'Lyon' }, paris],
    [{ type: 'regex', value: 'P.*' }, paris],
    [{ type: 'not-equals', value: 'Paris' }, paris],
    [{ type: 'python', value: 'len(output) < 9' }, shared],
    [{ type: 'javascript', value: 'file://check.js' }, shared],
    [{ type: 'moderation' }, shared],
  ])('are not taken with a reason if no evaluator scores all items alike: %j', (assertion, context) => {
    expect(evaluatorFor(assertion, context)).toEqual({ reason: expect.stringMatching(/\w{3}/) })
  })

  it('that differ get different names of evaluators', () => {
    const assert = [
      { type: 'regex', value: 'a' },
      { type: 'regex', value: 'b' },
    ]
    const found = [...mapAssertions(readTests([{ vars: { q: 1 }, assert }], undefined))]
    expect(found).toMatchObject([{ evaluator: { type: 'regex' } }, { evaluator: { type: 'regex', name: 'regex 2' } }])
  })
})

describe('tests of promptfoo', () => {
  it('inherit from defaultTest, and are one per value of a variable', () => {
    const tests = [{ vars: { question: ['a', 'b'], language: 'en' }, assert: [{ type: 'equals', value: 'x' }] }]
    const defaults = { vars: { tone: 'kind' }, assert: [{ type: 'cost', threshold: 1 }], metadata: { team: 'support' } }
    expect(readTests(tests, defaults).map((test) => itemOf(test, 'D'))).toMatchObject([
      { input: { tone: 'kind', question: 'a', language: 'en' }, expected: 'x', metadata: { team: 'support' } },
      { input: { tone: 'kind', question: 'b', language: 'en' }, expected: 'x' },
    ])
  })

  it('of an export of OpenAI Evals have their expected output filled in from the row', () => {
    const vars = { item: { ticket: 'The printer is on fire', correct_label: 'Hardware' } }
    const tests = readTests([{ vars, assert: [{ type: 'equals', value: '{{ item.correct_label }}' }] }], undefined)
    expect(tests.map((test) => itemOf(test, 'D'))).toMatchObject([{ input: vars.item, expected: 'Hardware' }])
    expect([...mapAssertions(tests)]).toEqual([{ kind: 'suggestedEvaluator', evaluator: { type: 'exactMatch' } }])
  })

  it('expect what an answer must contain only if it is a variable, because a part is no whole answer', () => {
    const contains = { type: 'contains', value: 'Paris' }
    const [own] = readTests([{ vars: { q: 'France?' }, assert: [contains] }], undefined)
    const defaults = { assert: [{ type: 'icontains', value: '{{ city }}' }] }
    const tests = readTests(
      [{ vars: { q: 'France?', city: 'Paris' } }, { vars: { q: 'Peru?', city: 'Lima' } }],
      defaults,
    )
    expect(own && itemOf(own, 'D')).not.toHaveProperty('expected')
    expect(tests.map((test) => itemOf(test, 'D'))).toMatchObject([{ expected: 'Paris' }, { expected: 'Lima' }])
    const evaluator = { type: 'contains', ignoreCase: true }
    expect([...mapAssertions(tests)]).toEqual([0, 1].map(() => ({ kind: 'suggestedEvaluator', evaluator })))
  })

  it('are read from CSV with its columns for assertions, descriptions and metadata', () => {
    const csv =
      'question,__expected,__expected2,__description,__metadata:topic\n"a, b",icontains: Paris,similar(0.8):Lyon,first,geo\nc,Rome,,,\n'
    expect(testsOfCsv(csv)).toMatchObject([
      {
        vars: { question: 'a, b' },
        assert: [
          { type: 'icontains', value: 'Paris' },
          { type: 'similar', value: 'Lyon', threshold: 0.8 },
        ],
        description: 'first',
        metadata: { topic: 'geo' },
      },
      { vars: { question: 'c' }, assert: [{ type: 'equals', value: 'Rome' }] },
    ])
  })
})

describe('results of promptfoo', () => {
  const row = {
    vars: { q: 'a' },
    prompt: { raw: '[{"role":"user","content":"a"}]', label: 'p' },
    success: false,
    score: 0,
  }
  const rows = [
    { ...row, provider: 'openai:chat:gpt-4o', promptIdx: 0, response: { output: 'x', cost: 0.5 }, latencyMs: 20 },
    { ...row, provider: 'https://user:pass@host.example/v1?key=1', promptIdx: 1, error: 'timeout', failureReason: 2 },
  ]

  it.each([
    ['newer', { evalId: 'e', results: { results: rows, timestamp: '2026-01-01T00:00:00Z' } }],
    ['shared', { data: { id: 'e', createdAt: '2026-01-01T00:00:00Z', results: rows } }],
  ])('are understood in the form of %s versions', (_, document) => {
    const results = readResults(document, { file: 'f', dataset: 'D' })
    const records = results ? [...mapResults(results)] : []
    expect(records.map(({ kind }) => kind)).toEqual(['item', 'run', 'trace', 'run', 'trace'])
    const traces = records.flatMap((record) => (record.kind === 'trace' ? [record.trace] : []))
    expect(traces).toMatchObject([
      {
        model: 'gpt-4o',
        provider: 'openai',
        costUsd: 0.5,
        input: { messages: [{ role: 'user', content: 'a' }] },
        startTime: '2026-01-01T00:00:00.000Z',
        endTime: '2026-01-01T00:00:00.020Z',
      },
      { status: 'error', statusMessage: 'timeout' },
    ])
    expect(JSON.stringify(records)).not.toMatch(/user:pass|key=1/)
  })
})

describe('logs of Inspect', () => {
  it('without events keep the tokens of each sample, and letters as scores', () => {
    const sample = {
      id: 1,
      epoch: 1,
      input: [{ role: 'user', content: 'Hi' }],
      target: ['a', 'b'],
      output: { model: 'm', completion: 'a', choices: [] },
      scores: { match: { value: 'P' }, parts: { value: { tone: 0.5, label: 'good' } }, list: { value: [1] } },
      model_usage: { m: { input_tokens: 3, output_tokens: 1 }, judge: { input_tokens: 2, output_tokens: 1 } },
    }
    const log = { evaluation: { task: 't', model: 'm', eval_id: 'e' }, samples: [sample], results: {}, dataset: 'D' }
    const records = [...mapLog(log)]
    expect(records).toMatchObject([
      { kind: 'dataset' },
      { kind: 'item', input: 'Hi', expected: ['a', 'b'] },
      { kind: 'run', name: 't, m (e)' },
      { kind: 'trace', trace: { kind: 'llm', model: 'm', inputTokens: 5, outputTokens: 2, output: 'a' } },
      {
        kind: 'evaluation',
        scores: [
          { evaluator: 'match', score: 0.5, passed: false },
          { evaluator: 'parts tone', score: 0.5 },
          { evaluator: 'parts label', label: 'good' },
          { evaluator: 'list' },
        ],
      },
    ])
  })
})

describe('exports of LangSmith', () => {
  it('have messages in the forms of LangChain, which become chat messages', () => {
    const dumped = (name: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', name], kwargs })
    const call = { id: 'c', name: 'add', args: { x: 1 } }
    const inputs = [[dumped('HumanMessage', { content: 'Hi' }), { type: 'ai', content: '', tool_calls: [call] }]]
    expect(chatOf({ messages: inputs })).toEqual({
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{"x":1}' } }],
        },
      ],
    })
    const generations = [[{ text: 'Yes', message: dumped('AIMessage', { content: 'Yes' }) }]]
    expect(chatOf({ generations })).toEqual({ messages: [{ role: 'assistant', content: 'Yes' }] })
    expect(chatOf({ question: 'Hi' })).toEqual({ question: 'Hi' })
  })

  it('without the root of a trace still become one trace', () => {
    const run = (id: string, start: string) => ({
      id,
      trace_id: 't',
      parent_run_id: 'gone',
      run_type: 'llm',
      name: id,
      start_time: start,
    })
    const trees = readTrees([run('b', '2026-01-01T00:00:02'), run('a', '2026-01-01T00:00:01')])
    expect(trees.map((tree) => traceOf(tree, undefined).trace)).toMatchObject([
      { traceId: 't', name: 'trace', startTime: '2026-01-01T00:00:01.000Z', spans: [{ name: 'b' }, { name: 'a' }] },
    ])
  })

  it.each([
    ['id,input_q,output_a\n1,Hi,Hello\n', { id: '1', inputs: { q: 'Hi' }, outputs: { a: 'Hello' } }],
    ['inputs.q,outputs.a\nHi,Hello\n', { inputs: { q: 'Hi' }, outputs: { a: 'Hello' } }],
    ['inputs,outputs\n"{""q"":""Hi""}","{""a"":""Hello""}"\n', { inputs: { q: 'Hi' }, outputs: { a: 'Hello' } }],
    ['question,expected_answer\nHi,Hello\n', { inputs: { question: 'Hi' }, outputs: { expected_answer: 'Hello' } }],
  ])('as CSV are read by their columns: %j', (csv, example) => {
    expect(examplesOfCsv(csv)).toMatchObject([example])
  })
})

describe('requests of Helicone', () => {
  it('are found as embeddings and tools, and end when the response came', () => {
    const request = {
      request_id: 'r',
      request_created_at: '2026-01-01 00:00:00',
      response_created_at: '2026-01-01 00:00:02',
    }
    const [embedding] = mapRequest({ ...request, request_path: '/v1/embeddings', request_body: { input: 'Hi' } })
    expect(embedding).toMatchObject({ trace: { kind: 'embedding', input: 'Hi', endTime: '2026-01-01T00:00:02.000Z' } })
    const [tool] = mapRequest({ ...request, request_body: { _type: 'tool', toolName: 'search', input: { q: 1 } } })
    expect(tool).toMatchObject({ trace: { kind: 'tool', name: 'search' } })
  })
})

describe('the framework of imports', () => {
  it('loses only the entries that the server rejects, and stops at other errors', async () => {
    const sent: number[] = []
    const rejected: number[] = []
    const send = async (entries: number[]) => {
      const details = { status: 400, requestId: undefined, retryAfter: undefined }
      if (entries.some((entry) => entry % 5 === 0)) throw new ValidationError('fives are bad', details)
      sent.push(...entries)
    }
    const onRejected = (entry: number) => void rejected.push(entry)
    await sendInHalves([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], send, onRejected)
    expect({ sent, rejected }).toEqual({ sent: [1, 2, 3, 4, 6, 7, 8, 9], rejected: [5, 10] })
    await expect(sendInHalves([1, 2], () => Promise.reject(new Error('offline')), onRejected)).rejects.toThrow(
      'offline',
    )
  })

  it('counts every thing once, and lists equal reasons together', () => {
    const tally = startTally()
    tally.created('items', 3)
    tally.alreadyThere('items')
    for (const what of ['a', 'a', 'b']) tally.notTaken({ of: 'items', what, reason: 'bad' })
    expect(tally.report()).toMatchObject({
      counts: { items: { source: 7, created: 3, alreadyThere: 1, notTaken: 3 } },
      notTaken: [
        { what: 'a', count: 2 },
        { what: 'b', count: 1 },
      ],
    })
  })

  it('derives ids from values alone, not from the order of their keys', () => {
    expect(stableId({ a: 1, b: [{ c: 2, d: 3 }] })).toBe(stableId({ b: [{ d: 3, c: 2 }], a: 1 }))
    expect(stableId('a', 'b')).not.toBe(stableId('ab'))
  })

  it('names the line that is no JSON, and reads times without a zone as UTC', () => {
    expect(() => parseJsonRecords('{"a":1}\n{"a"\n', 'f.jsonl')).toThrow('f.jsonl:2: this line is not JSON.')
    expect(timeOf('2026-01-01 10:00:00.5')).toBe('2026-01-01T10:00:00.500Z')
    expect(timeOf('soon')).toBeUndefined()
  })
})
