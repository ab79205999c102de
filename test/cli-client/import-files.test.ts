/** Imports of files of other tools, each by the command against one server. The fixtures were written by the tools themselves. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkImport, PLANTED_SECRET } from '../harness/check-import.ts'
import { touchstone } from '../harness/cli-in-process.ts'
import { startLossyProxy } from '../harness/lossy-proxy.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'
import { waitFor } from '../harness/wait-for.ts'

const FIXTURES = join(import.meta.dirname, 'import-fixtures')

let app: TestApp
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-import-'))
  app = await startTestApp(`file:${folder}/server.db`)
})

afterAll(async () => {
  await app?.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('import inspect', () => {
  it('turns a log into a dataset, a run with the calls of each sample, and scores', { tags: 'deep' }, async () => {
    const file = join(FIXTURES, 'inspect/capitals.json')
    const { report, client, componentId } = await checkImport(app, ['inspect', file])
    expect(report.counts).toMatchObject({
      datasets: { created: 1 },
      items: { created: 3 },
      runs: { created: 1 },
      traces: { created: 3 },
      scores: { source: 6, created: 3, notTaken: 3 },
    })
    expect(report.notTaken).toContainEqual({
      of: 'scores',
      what: 'length_score',
      reason: 'a score must be between 0 and 1',
      count: 3,
    })
    const [run] = await client.list(`/components/${componentId}/runs`)
    const traces = await client.list(`/components/${componentId}/runs/${run?.['id']}/traces`)
    const { body } = await client.get(`/traces/${traces.find(({ totalTokens }) => totalTokens === 30)?.['id']}`)
    expect(body).toMatchObject({ name: 'capitals', input: 'What is 1 + 1?', output: 'It is 3.' })
    // A list of objects, as the description of the API has it.
    const spans = body['spans'] as Record<string, unknown>[]
    expect(spans.map(({ name, kind, parentSpanId }) => `${name} (${kind}) in ${nameOf(spans, parentSpanId)}`)).toEqual([
      'capitals (chain) in undefined',
      'solvers (chain) in capitals',
      'system_message (chain) in solvers',
      'use_tools (chain) in solvers',
      'generate (chain) in solvers',
      'mockllm/model (llm) in generate',
      'add (tool) in generate',
      'mockllm/model (llm) in generate',
      'scorers (evaluator) in capitals',
      'includes (evaluator) in scorers',
      'length_score (evaluator) in scorers',
    ])
    expect(spans[7]).toMatchObject({
      provider: 'mockllm',
      inputTokens: 12,
      outputTokens: 3,
      messages: [
        { role: 'system' },
        { role: 'user' },
        { role: 'assistant', parts: [{ type: 'text' }, { type: 'tool_call', name: 'add', arguments: { x: 1, y: 1 } }] },
        { role: 'tool', parts: [{ result: '2' }] },
        { role: 'assistant', parts: [{ text: 'It is 3.' }] },
      ],
    })
  })
})

describe('import langsmith', () => {
  it('turns runs into traces, examples into a dataset, and an experiment into a run with scores', async () => {
    const files = ['questions', 'experiment', 'runs', 'feedback'].map((name) =>
      join(FIXTURES, `langsmith/${name}.jsonl`),
    )
    const { report, client } = await checkImport(app, ['langsmith', ...files])
    expect(report.counts).toMatchObject({
      datasets: { created: 1 },
      items: { created: 2 },
      runs: { created: 1 },
      traces: { created: 3 },
      scores: { created: 2 },
      comments: { source: 3, created: 2, notTaken: 1 },
    })
    expect(report.notTaken).toEqual([
      { of: 'comments', what: 'feedback tone', reason: 'its run is not in the files', count: 1 },
    ])
    const traces = await client.list('/traces?q=name:support')
    const { body } = await client.get(`/traces/${traces[0]?.['id']}`)
    expect(body).toMatchObject({
      input: 'How long do refunds take?',
      output: 'Five days.',
      sessionId: 's-1',
      userId: 'u-7',
      tags: ['beta'],
      totalTokens: 24,
      totalCostUsd: 0.0000054,
      spans: [
        { name: 'support', kind: 'chain' },
        { name: 'search', kind: 'retriever' },
        { name: 'ChatOpenAI', kind: 'llm', model: 'gpt-4o-mini', provider: 'openai' },
        { name: 'notify', kind: 'tool', status: 'error' },
      ],
    })
    expect(JSON.stringify(body)).not.toContain(PLANTED_SECRET)
  })
})

describe('import helicone', () => {
  it('turns requests into traces with messages, costs, sessions, ratings and errors', async () => {
    const file = join(FIXTURES, 'helicone/requests.jsonl')
    const { report, client } = await checkImport(app, ['helicone', file])
    expect(report.counts).toMatchObject({
      traces: { source: 5, created: 4, notTaken: 1 },
      annotations: { created: 1 },
      comments: { created: 1 },
    })
    expect(report.notTaken.map(({ what }) => what)).toEqual([
      'input and output of requests',
      'requests.jsonl, record 5',
    ])
    const read = async (number: number) =>
      (await client.get(`/traces/3c1d4a52-0000-4000-8000-00000000000${number}`)).body
    expect(await read(1)).toMatchObject({
      input: 'How long do refunds take?',
      output: 'Five days.',
      durationMs: 800,
      sessionId: 's-1',
      userId: 'u-7',
      totalCostUsd: 0.0000054,
      spans: [
        { kind: 'llm', model: 'gpt-4o-mini-2024-07-18', provider: 'openai', modelParameters: { temperature: 0.2 } },
      ],
    })
    expect(await read(2)).toMatchObject({ status: 'error', spans: [{ statusMessage: 'Rate limit reached.' }] })
    expect(await read(4)).toMatchObject({ input: 'Hi', output: 'Hello.' })
  })

  // As Helicone's server writes it: 64-bit numbers as texts, feedback among the scores, a message where a body is missing.
  it('understands the response of the query of ClickHouse, from which exports are made', async () => {
    const file = join(FIXTURES, 'helicone/query-clickhouse.json')
    const { report, client } = await checkImport(app, ['helicone', file])
    expect(report.counts).toMatchObject({
      traces: { source: 4, created: 4, notTaken: 0 },
      annotations: { created: 2 },
      comments: { created: 2 },
    })
    expect(report.notTaken).toMatchObject([{ what: 'input and output of requests', count: 2 }])
    const read = async (number: number) =>
      (await client.get(`/traces/7e4b0000-0000-4000-8000-00000000000${number}`)).body
    const answered = {
      input: 'Which plan has single sign-on?',
      output: 'The business plan.',
      totalTokens: 36,
      totalCostUsd: 0.0000081,
      durationMs: 800,
    }
    expect(await read(1)).toMatchObject({ ...answered, spans: [{ inputTokens: 30, costBasis: 'reported' }] })
    expect(await read(2)).toMatchObject(answered)
    expect(await read(3)).toMatchObject({ input: null, output: null, totalCostUsd: 0.0000081 })
    expect(await read(4)).toMatchObject({ input: null, output: null, spans: [{ kind: 'embedding', inputTokens: 12 }] })
    const rated = async (number: number) =>
      (await client.get(`/traces/7e4b0000-0000-4000-8000-00000000000${number}/annotation`)).body
    expect([await rated(1), await rated(2)]).toMatchObject([{ rating: 'up' }, { rating: 'down' }])
    const comments = await client.list('/traces/7e4b0000-0000-4000-8000-000000000001/comments')
    expect(comments.map(({ text }) => text).sort()).toEqual([
      'Helicone score polite: true',
      'Helicone score relevance: 80',
    ])
  })
})

describe('import', () => {
  it('prints counts on stdout, and on stderr what was not imported and the equivalent evaluators', async () => {
    const { key } = await app.newWorkspace()
    const file = join(FIXTURES, 'promptfoo/capitals.yaml')
    const printed = await touchstone(['import', 'promptfoo', file, '--component', 'Bot', '--dry-run'], {
      url: app.url,
      key,
    })
    expect(printed).toMatchObject({ code: 0 })
    expect(printed.output).toBe(
      '\tSOURCE\tWOULD BE CREATED\tALREADY THERE\tNOT TAKEN\ncomponents\t1\t1\t0\t0\ndatasets\t1\t1\t0\t0\nitems\t3\t3\t0\t0\nprompts\t2\t2\t0\t0\nversions\t2\t2\t0\t0\nother\t7\t0\t0\t7\n',
    )
    expect(printed.errors).toContain(
      '  assertion javascript: it runs code of your own: deliver its results as external scores\n',
    )
    expect(printed.errors).toContain('evaluators:\n  - type: latency\n    maxMs: 5000\n')
    expect(printed.errors).toMatch(/\nDry run: nothing was sent\.\n$/)
  })

  it.each([
    ['promptfoo', 'langsmith/runs.jsonl', 'is neither a config nor a result of promptfoo'],
    ['inspect', 'promptfoo/capitals-results.json', 'is not a log of Inspect'],
    ['helicone', 'promptfoo/capitals.yaml', 'capitals.yaml:1: this line is not JSON'],
    ['helicone', 'missing.jsonl', 'cannot be read'],
  ])('%s rejects %s with the reason, and stores nothing', async (source, file, message) => {
    const { key, client } = await app.newWorkspace()
    const command = ['import', source, join(FIXTURES, file), '--component', 'Bot']
    expect(await touchstone(command, { url: app.url, key })).toMatchObject({
      code: 2,
      output: '',
      errors: expect.stringContaining(message),
    })
    expect(await client.list('/components')).toEqual([])
  })

  it('puts traces that arrived before into the run of the import', async () => {
    const { key, client } = await app.newWorkspace()
    const componentId = await client.create('/components', { name: 'Bot' })
    const traceId = 'nGoKztsBJP3e8TomeyXzHj'
    await client.post(`/components/${componentId}/traces`, { traceId, input: 'What is 1 + 1?', output: 'It is 3.' })
    const command = ['import', 'inspect', join(FIXTURES, 'inspect/capitals.json'), '--component', 'Bot', '--json']
    const { output } = await touchstone(command, { url: app.url, key })
    expect(JSON.parse(output).counts).toMatchObject({
      traces: { source: 3, created: 2, alreadyThere: 1 },
      scores: { created: 3 },
    })
    expect(await client.list(`/components/${componentId}/runs`)).toMatchObject([{ traceCount: 3 }])
  })

  it('does not import scores of cases that arrived after their evaluation was finished, and reports that', async () => {
    const { key, client } = await app.newWorkspace()
    const log = JSON.parse(readFileSync(join(FIXTURES, 'inspect/capitals.json'), 'utf8'))
    const file = join(folder, 'grown.json')
    const importFirst = async (count: number) => {
      writeFileSync(file, JSON.stringify({ ...log, samples: log.samples.slice(0, count) }))
      const { output } = await touchstone(['import', 'inspect', file, '--component', 'Bot', '--json'], {
        url: app.url,
        key,
      })
      return JSON.parse(output)
    }
    await importFirst(2)
    const [component] = await client.list('/components')
    await waitFor('the end of the evaluation', async () => {
      const [evaluation] = await client.list(`/components/${component?.['id']}/evaluations`)
      return evaluation?.['status'] === 'completed' || undefined
    })
    const { counts, notTaken } = await importFirst(3)
    expect(counts).toMatchObject({ traces: { created: 1 }, scores: { source: 6, alreadyThere: 2, notTaken: 4 } })
    expect(notTaken).toContainEqual(
      expect.objectContaining({ what: 'includes', reason: expect.stringMatching(/finished/) }),
    )
  })

  it('completes scores whose evaluation ended while the import was interrupted', async () => {
    const { key, client } = await app.newWorkspace()
    const command = ['import', 'inspect', join(FIXTURES, 'inspect/capitals.json'), '--component', 'Bot', '--json']
    const proxy = await startLossyProxy(app.url)
    while (!proxy.requests.some((request) => /^POST .*\/evaluations$/.test(request))) {
      const killed = new AbortController()
      proxy.loseNextWrite(() => killed.abort())
      await touchstone(command, { url: proxy.url, key, signal: killed.signal })
    }
    await proxy.close()
    const [component] = await client.list('/components')
    const evaluations = `/components/${component?.['id']}/evaluations`
    const [evaluation] = await client.list(evaluations)
    await client.send('POST', `${evaluations}/${evaluation?.['id']}/cancel`)
    await waitFor('the end of the evaluation', async () => {
      const { body } = await client.get(`${evaluations}/${evaluation?.['id']}`)
      return body['status'] === 'failed' || undefined
    })
    const { output } = await touchstone(command, { url: app.url, key })
    expect(JSON.parse(output).counts).toMatchObject({ scores: { source: 6, created: 3, notTaken: 3 } })
    expect(await client.list(`${evaluations}/${evaluation?.['id']}/scores?state=scored`)).toHaveLength(3)
    expect(await client.list(evaluations)).toHaveLength(1)
  })

  it('accepts every command of the guides', async () => {
    const { key } = await app.newWorkspace()
    const guides = [
      'import',
      ...['promptfoo', 'openai-evals', 'inspect', 'langsmith', 'helicone'].map((name) => `coming-from-${name}`),
    ]
    const commands = guides.flatMap((guide) => {
      const text = readFileSync(join(import.meta.dirname, `../../docs/guide/${guide}.md`), 'utf8')
      return [...text.matchAll(/^touchstone (import .*)$/gm)].map(([, command = '']) => command)
    })
    expect(commands.length).toBeGreaterThan(8)
    for (const command of commands) {
      const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
      // None of the files exists: a command that is understood ends there.
      expect({
        command,
        ...(await touchstone([...new Set([...words, '--dry-run'])], { url: app.url, key })),
      }).toMatchObject({
        errors: expect.stringContaining('cannot be read'),
      })
    }
  })
})

function nameOf(spans: Record<string, unknown>[], spanId: unknown): unknown {
  return spans.find((span) => span['spanId'] === spanId)?.['name']
}
