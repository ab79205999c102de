/** Trials from the command line, and workers that are commands, against a server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandResult, touchstone } from '../harness/cli-in-process.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'
import {
  allCalls,
  type Component,
  readTrial,
  seedComponent,
  seedPromptTrials,
  startTrial,
  trialWith,
  WORKER,
} from '../trials/seed-trial.ts'

const CLI = join(import.meta.dirname, '../../packages/cli/src/touchstone.ts')

/** Answers each line by a function of the call; it gets `answer` and `count`, the number of lines until now. */
const agent = (body: string) => `
import { createInterface } from 'node:readline'
import { existsSync, writeFileSync } from 'node:fs'
let count = 0
const answer = (fields) => console.log(JSON.stringify(fields))
createInterface({ input: process.stdin }).on('line', (line) => {
  count += 1
  const { id, input, variant, traceId } = JSON.parse(line)
  ${body}
})
`
const ECHO = agent(`answer({ id, output: input.question })`)

let app: TestApp
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-trials-'))
  app = await startTestApp(`file:${folder}/server.db`, { retryPauseMs: 1 })
})
afterAll(async () => {
  await app?.close()
  rmSync(folder, { recursive: true, force: true })
})

type Seeded = Component & { run(...words: string[]): Promise<CommandResult>; interrupt(): void }

async function seed(items: Parameters<typeof seedComponent>[1]): Promise<Seeded> {
  const of = await seedComponent(app, items)
  const controller = new AbortController()
  const options = { url: app.url, key: of.key, folder, signal: controller.signal }
  return {
    ...of,
    run: (...[first = '', second = '', ...words]) =>
      touchstone([first, second, '--component', 'Support', ...words], options),
    interrupt: () => controller.abort(),
  }
}

let scripts = 0
function scriptOf(text: string): string[] {
  const path = join(folder, `agent-${++scripts}.mjs`)
  writeFileSync(path, text)
  return ['--', process.execPath, path]
}

const SUMS = Array.from({ length: 40 }, (_, n) => ({
  input: JSON.stringify({ question: `${n} + 1` }),
  expected: `${n + 1}`,
}))
/** The variant "good" is right, "bad" is not in half of the cases. */
const CALCULATOR = agent(`
  const sum = input.question.split(' + ').reduce((total, one) => total + Number(one), 0)
  answer({ id, output: variant === 'bad' && sum % 2 ? 'unknown' : String(sum), costUsd: 0.01 })
`)

function planOf(baseline: string, candidate: string): string {
  return `
name: sums
component: Support
dataset: Questions
variants:
  - name: ${baseline}
    target: {type: worker, queue: agent}
  - name: ${candidate}
    target: {type: worker, queue: agent}
evaluation:
  evaluators: [exactMatch]
  gate: {metric: exactMatch, margin: 0.05}
`
}

describe('touchstone trial run', () => {
  async function runPlan(items: Parameters<typeof seedComponent>[1], plan: string, ...words: string[]) {
    const seeded = await seed(items)
    const file = join(folder, 'plan.yaml')
    writeFileSync(file, plan)
    const ended = touchstone(['trial', 'run', file, ...words], { url: app.url, key: seeded.key, folder })
    const trial = await until(async () => {
      const [found] = await seeded.client.list(`/components/${seeded.componentId}/trials`)
      expect(found).toBeDefined()
      return found
    })
    const worker = await seeded.run('trial', 'worker', '--queue', 'agent', '--trial', 'sums', ...scriptOf(CALCULATOR))
    return { ...seeded, ...(await ended), trial, worker }
  }

  it('exits with 0 if the gates pass, and prints a line per variant', async () => {
    const { code, output, errors, worker } = await runPlan(SUMS, planOf('bad', 'good'), '--wait', '--gate')
    expect(code, errors).toBe(0)
    const rows = output.split('\n').map((line) => line.split('\t'))
    expect(rows[0]).toEqual(['variant', 'done', 'failed', 'cost (USD)', 'duration', 'verdict', 'summary'])
    expect(rows[1]?.slice(0, 4)).toEqual(['bad', '40', '0', '0.4'])
    expect(rows[1]?.[5]).toBe('baseline')
    expect(rows[2]?.slice(0, 4)).toEqual(['good', '40', '0', '0.4'])
    expect(rows[2]?.slice(5)).toEqual(['improved', expect.stringContaining('better')])
    expect(output).toContain('Gate passed')
    expect(worker).toMatchObject({ code: 0, errors: expect.stringContaining('80 calls done') })
  })

  it('exits with 10 if a variant is worse, with the cases as JUnit XML and Markdown', { tags: 'deep' }, async () => {
    const junit = join(folder, 'results.xml')
    const { code, output } = await runPlan(SUMS, planOf('good', 'bad'), '--gate', '--junit', junit, '--summary')
    expect(code).toBe(10)
    expect(output).toMatch(/^## Gate shut: worse: sums\n/)
    expect(output).toContain('| bad | 40 | 0 |')
    const xml = readFileSync(junit, 'utf8')
    expect(xml).toContain('<testsuites name="touchstone" tests="41" failures="21" errors="0" skipped="0">')
    expect(xml).toContain('<testsuite name="bad" tests="40" failures="20"')
  })

  it('exits with 11 if it cannot be decided, also as JSON', async () => {
    const { code, output } = await runPlan(SUMS.slice(0, 2), planOf('good', 'bad'), '--gate', '--json')
    expect(code).toBe(11)
    const report = JSON.parse(output)
    expect(report).toMatchObject({ outcome: 'cannotDecide', name: 'sums', progress: { total: 4, done: 4 } })
    expect(report.reports).toMatchObject([{ outcome: 'cannotDecide', evaluation: { name: 'bad' } }])
  })

  it('takes variables with any name from the plan: __proto__ and constructor are names like others', async () => {
    const seeded = await seedPromptTrials(app, { items: [{ input: '{"a": "Halden"}' }] })
    const content = { messages: [{ role: 'user', content: '{{__proto__}} {{constructor}}' }], provider: 'models' }
    expect((await seeded.client.post(`${seeded.path}/versions`, { content })).status).toBe(201)
    const file = join(folder, 'names.yaml')
    const estimate = async (variables: string) => {
      writeFileSync(
        file,
        `
component: ${seeded.componentId}
dataset: Questions
variants: [{name: a, target: {type: prompt, promptId: ${seeded.promptId}, version: 3}}]
variables: ${variables}
`,
      )
      const run = await touchstone(['trial', 'run', file, '--dry-run', '--json'], {
        url: app.url,
        key: seeded.key,
        folder,
      })
      expect(run.code, run.errors).toBe(0)
      return JSON.parse(run.output)
    }
    expect(await estimate('{__proto__: input.a, constructor: {value: c}}')).toMatchObject({ missing: [] })
    expect(await estimate('{__proto__: input.a}')).toMatchObject({ missing: [{ variable: 'constructor' }] })
    expect(await estimate('{constructor: input.a}')).toMatchObject({ missing: [{ variable: '__proto__' }] })
  })

  it('reports what is wrong with a plan before anything is started', async () => {
    const seeded = await seed(2)
    const failed = async (plan: string, ...words: string[]) => {
      const file = join(folder, 'wrong.yaml')
      writeFileSync(file, plan)
      const { code, errors } = await seeded.run('trial', 'run', file, ...words)
      return { code, errors }
    }
    const plan = planOf('a', 'b')
    writeFileSync(join(folder, 'right.yaml'), plan)
    const dry = await seeded.run('trial', 'run', join(folder, 'right.yaml'), '--dry-run', '--json')
    expect(JSON.parse(dry.output)).toMatchObject({ calls: 4, missing: [] })
    expect(await failed('variants: [\n  a: {')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('wrong.yaml:'),
    })
    expect(await failed('- a')).toMatchObject({ code: 2, errors: expect.stringContaining('must be an object') })
    expect(await failed('dataset: 7')).toMatchObject({ code: 2, errors: expect.stringContaining('name or an id') })
    expect(await failed('variants: []')).toMatchObject({ code: 2, errors: expect.stringContaining('Which dataset') })
    expect(await failed(plan.replace('Questions', 'Gone'))).toMatchObject({ code: 4 })
    expect(await failed(plan.replace('queue: agent', 'prompt: gone'))).toMatchObject({ code: 4 })
    expect(await failed(`${plan}surprise: 1`)).toMatchObject({ code: 2, errors: expect.stringContaining('surprise') })
    const withoutGate = plan.replace(/ {2}gate.*\n/, '')
    expect(await failed(withoutGate, '--gate')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('evaluation.gate'),
    })
    expect(await failed(plan.slice(0, plan.indexOf('evaluation:')), '--junit', 'x.xml')).toMatchObject({ code: 2 })
    expect(await seeded.client.list(`/components/${seeded.componentId}/trials`)).toEqual([])
  })

  it('leaves the trial on the server when waiting is interrupted, and lists, cancels and retries it by name', async () => {
    const seeded = await seed(2)
    const trial = await startTrial(seeded, { name: 'nightly', variants: [WORKER] })
    await trialWith(seeded.client, trial.path, ['running'])
    const waiting = seeded.run('trial', 'wait', 'nightly')
    seeded.interrupt()
    expect(await waiting).toMatchObject({ code: 130 })
    const { run } = await again(seeded)
    expect((await run('trial', 'list')).output).toContain(`${trial.id}\tnightly\trunning`)
    expect((await run('trial', 'get', 'nightly', '--json')).output).toContain('"my code"')
    expect(await run('trial', 'cancel', 'nightly')).toMatchObject({
      code: 0,
      output: expect.stringContaining('canceled'),
    })
    await trialWith(seeded.client, trial.path)
    const ended = await run('trial', 'wait', 'nightly')
    expect(ended).toMatchObject({ code: 1, errors: expect.stringContaining('The trial failed: canceled') })
    expect(await run('trial', 'retry', 'nightly')).toMatchObject({ code: 0 })
    await run('trial', 'worker', '--queue', 'agent', '--trial', 'nightly', ...scriptOf(ECHO))
    expect(await run('trial', 'wait', 'nightly')).toMatchObject({
      code: 0,
      output: expect.stringContaining('my code\t2\t0'),
    })
    expect(await run('trial', 'get', 'gone')).toMatchObject({ code: 4 })
  })

  /** The same application with a signal that was not aborted. */
  async function again({ key }: Seeded) {
    const options = { url: app.url, key, folder }
    return {
      run: (...[first = '', second = '', ...words]: string[]) =>
        touchstone([first, second, '--component', 'Support', ...words], options),
    }
  }
})

describe('touchstone trial worker', () => {
  async function work(seeded: Seeded, script: string, ...words: string[]) {
    const trial = await startTrial(seeded, { name: 'work', variants: [WORKER] })
    const of = ['--queue', 'agent', '--trial', 'work', ...words, ...scriptOf(script)]
    return { trial, ended: seeded.run('trial', 'worker', ...of) }
  }

  it('ignores lines that answer no call, and fails a call whose answer has neither an output nor an error', async () => {
    const seeded = await seed(5)
    const { trial, ended } = await work(
      seeded,
      agent(`
        console.log('debug: ' + input.question)
        console.log('{"id": "unknown", "output": 1}')
        console.log('{"id": ')
        console.log('[' + JSON.stringify(id) + ']')
        if (input.question === 'question 1') answer({ id, result: 1 })
        else if (input.question === 'question 2') answer({ id, error: 'no twos' })
        else if (input.question === 'question 3') answer({ id, output: 'x', costUsd: 'much' })
        else if (count > 20 || input.question === 'question 4') answer({ id, output: { said: traceId } })
        else answer({ id, error: 'busy', transient: count < 8 })
      `),
      '--json',
    )
    const { code, output, errors } = await ended
    expect({ code, ...JSON.parse(output) }).toMatchObject({ code: 0, done: 1, lost: 0 })
    expect(errors).toContain('Ignored, because it answers no call: debug: question 1')
    const failed = await allCalls(seeded.client, trial.path, '&state=failed')
    expect(failed.map(({ reason }) => reason)).toEqual([
      'The command returned neither an output nor an error',
      'no twos',
      'The command returned a costUsd that is no amount',
      'busy',
    ])
  })

  it('starts a command again that ends in the middle, and no call of it is lost', async () => {
    const seeded = await seed(6)
    const mark = join(folder, 'crashed')
    const { trial, ended } = await work(
      seeded,
      agent(`
        if (input.question === 'question 3' && !existsSync(${JSON.stringify(mark)})) {
          writeFileSync(${JSON.stringify(mark)}, '')
          console.error('out of luck')
          process.exit(3)
        }
        answer({ id, output: 'fine' })
      `),
    )
    expect(await ended).toMatchObject({ code: 0, errors: expect.stringContaining('exit code 3') })
    expect(await readTrial(seeded.client, trial.path)).toMatchObject({ progress: { total: 6, done: 6 } })
  })

  it('gives up with a command that never answers, with what it wrote to stderr', { tags: 'deep' }, async () => {
    const seeded = await seed(1)
    const { trial, ended } = await work(seeded, 'console.error("no module"); process.exit(7)')
    const { code, errors } = await ended
    expect(code).toBe(1)
    expect(errors).toContain('ended 5 times without an answer; the last time with exit code 7: no module')
    expect(await allCalls(seeded.client, trial.path, '&state=running')).toEqual([])
  })

  it('a command that does not answer in time is killed, and its call is tried again', async () => {
    const seeded = await seed(1)
    const mark = join(folder, 'stuck')
    const { trial, ended } = await work(
      seeded,
      agent(`
        if (existsSync(${JSON.stringify(mark)})) answer({ id, output: 'fine' })
        else writeFileSync(${JSON.stringify(mark)}, '')
      `),
      '--timeout',
      '1',
    )
    expect(await ended).toMatchObject({ code: 0, errors: expect.stringContaining('has written nothing for 1 s') })
    expect(await allCalls(seeded.client, trial.path)).toMatchObject([{ state: 'done', attempt: 2 }])
  })

  it('when interrupted, returns the calls of a command that does not answer, and ends it', async () => {
    const seeded = await seed(6)
    const mark = join(folder, 'begun')
    const { trial, ended } = await work(
      seeded,
      agent(`if (count === 3) writeFileSync(${JSON.stringify(mark)}, String(process.pid))`),
      '--concurrency',
      '3',
      '--grace',
      '0',
    )
    const pid = await until(() => Number(readFileSync(mark, 'utf8')))
    seeded.interrupt()
    expect(await ended).toMatchObject({ code: 0, errors: expect.stringContaining('0 calls done, 3 returned') })
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect(await allCalls(seeded.client, trial.path, '&state=running')).toEqual([])
  })

  it('the calls of a worker that was killed are done by another one, none twice', async () => {
    const seeded = await seed(12)
    const { client, workspaceId, key, componentId } = seeded
    const trial = await startTrial(seeded, { name: 'work', variants: [WORKER] })
    const [, , script = ''] = scriptOf(
      agent(
        // The next four were fetched once the first four had been completed.
        `if (count <= 4) answer({ id, output: 'first' })
        else if (count === 8) writeFileSync(${JSON.stringify(join(folder, 'half'))}, '')`,
      ),
    )
    const words = ['trial', 'worker', '--component', 'Support', '--queue', 'agent', '--concurrency', '4']
    const killed = startProcess([...words, '--', process.execPath, script], { url: app.url, key })
    await until(() => readFileSync(join(folder, 'half')))
    const closed = once(killed, 'close')
    killed.kill('SIGKILL')
    await closed
    const running = await allCalls(client, trial.path, '&state=running')
    expect(running).toHaveLength(4)
    await app.storage.transaction((tx) =>
      tx
        .updateTable('trial_calls')
        .set({ lease_until: '2026-01-01T00:00:00.000Z' })
        .where('workspace_id', '=', workspaceId)
        .where('state', '=', 'running')
        .execute(),
    )
    const other = scriptOf(agent(`answer({ id, output: 'second' })`))
    const result = await seeded.run('trial', 'worker', '--queue', 'agent', '--trial', 'work', '--json', ...other)
    expect(JSON.parse(result.output)).toEqual({ done: 8, failed: 0, retrying: 0, returned: 0, lost: 0 })
    expect(await trialWith(client, trial.path)).toMatchObject({ progress: { total: 12, done: 12 } })
    const traces = await client.list(`/components/${componentId}/runs/${trial.runs[0]?.runId}/traces`)
    expect(new Set(traces.map(({ itemId }) => itemId)).size).toBe(12)
    expect(traces).toHaveLength(12)
  })

  it('needs a queue and a command that can be started', async () => {
    const { run } = await seed(1)
    expect(await run('trial', 'worker', '--', 'node')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('--queue'),
    })
    const withoutCommand = await run('trial', 'worker', '--queue', 'agent')
    expect(withoutCommand).toMatchObject({ code: 2, errors: expect.stringContaining('-- node agent.js') })
    const missing = await run('trial', 'worker', '--queue', 'agent', '--', join(folder, 'missing'))
    expect(missing).toMatchObject({ code: 2, errors: expect.stringContaining('cannot be started') })
    expect(await run('trial', 'worker', '--queue', 'agent', '--trial', 'gone', '--', 'node')).toMatchObject({ code: 4 })
  })

  function startProcess(words: string[], { url, key }: { url: string; key: string }): ChildProcess {
    const env = {
      PATH: process.env['PATH'],
      XDG_CONFIG_HOME: '/nonexistent',
      TOUCHSTONE_URL: url,
      TOUCHSTONE_API_KEY: key,
    }
    return spawn(process.execPath, [CLI, ...words], { env, stdio: 'ignore' })
  }
})
