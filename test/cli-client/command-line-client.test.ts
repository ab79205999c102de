// @module-tag deep
/** The command line as its users run it: the built program in a process of its own, on the oldest Node that is installed, against one server. */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVER_KEY, type ServerProcess, startServer, waitFor } from '../harness/server-process.ts'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAM = join(ROOT, 'packages/cli/dist/touchstone.js')
/** The package supports Node 20, which the machine may have in addition to that of the repository. */
const NODE = existsSync('/usr/bin/node') ? '/usr/bin/node' : process.execPath

let server: ServerProcess
let folder: string
let project: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-cli-'))
  project = join(folder, 'prompt-gate')
  cpSync(join(ROOT, 'examples/prompt-gate'), project, { recursive: true })
  server = await startServer(`file:${folder}/server.db`)
})

afterAll(async () => {
  await server?.kill()
  rmSync(folder, { recursive: true, force: true })
})

interface Started {
  program?: string
  input?: string
  environment?: Record<string, string>
  cwd?: string
}

function start(args: string[], { program = PROGRAM, environment = {}, cwd = project }: Started = {}) {
  const base = { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') }
  const env = { ...base, TOUCHSTONE_URL: server.url, TOUCHSTONE_API_KEY: SERVER_KEY, ...environment }
  const child = spawn(NODE, [program, ...args], { cwd, env })
  const seen = { output: '', errors: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (seen.output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (seen.errors += text))
  const ended = new Promise<{ code: number | null; output: string; errors: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, ...seen }))
  })
  return { child, seen, ended }
}

async function touchstone(args: string[], started: Started = {}) {
  const { child, ended } = start(args, started)
  child.stdin.end(started.input ?? '')
  return ended
}

/** Sends the answers of a prompt as a run, as the README of the example does. */
async function answer(prompt: string, run: string, items = 'all') {
  const input = execFileSync(NODE, ['answer-questions.mjs', `prompts/${prompt}.txt`, run, items], {
    cwd: project,
    encoding: 'utf8',
  })
  expect(await touchstone(['traces', 'push', '-'], { input })).toMatchObject({ code: 0 })
}

describe('the example repository', () => {
  it('passes the same prompt, fails the worse one with the reason, and is undecided with too few items', async () => {
    await touchstone(['components', 'create', 'Message sorter'])
    expect(await touchstone(['datasets', 'import', 'questions.jsonl', '--create'])).toMatchObject({ code: 0 })
    await answer('v1', 'main')
    expect(await touchstone(['eval', 'run', '--run', 'main', '--no-baseline'])).toMatchObject({ code: 0 })

    await answer('v1', 'same')
    expect(await touchstone(['eval', 'run', '--run', 'same'])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Gate passed\n/),
    })

    await answer('v2', 'worse')
    const summary = join(folder, 'summary.md')
    const outputs = [
      '--junit',
      'results.xml',
      '--report',
      'report.html',
      '--comment',
      'comment.md',
      '--summary',
      '--annotations',
    ]
    const worse = await touchstone(['eval', 'run', '--run', 'worse', ...outputs], {
      environment: { GITHUB_STEP_SUMMARY: summary },
    })
    expect(worse).toMatchObject({
      code: 10,
      output: expect.stringMatching(/^Gate shut: worse\nNot passed: correct .*worse than main on correct by 0\.25/),
    })
    expect(worse.output.match(/^::(error|warning) /gm)).toHaveLength(10)
    const junit = readFileSync(join(project, 'results.xml'), 'utf8')
    expect(junit).toContain('<testsuites name="touchstone" tests="61" failures="16" errors="0" skipped="0">')
    expect(junit).toContain('Expected: shipping')
    expect(readFileSync(summary, 'utf8')).toContain('Gate shut: worse')
    expect(readFileSync(join(project, 'comment.md'), 'utf8')).toMatch(/^<!-- touchstone:/)
    expect(readFileSync(join(project, 'report.html'), 'utf8')).toMatch(/^<!doctype html>/i)

    await answer('v1', 'few', '8')
    const few = await touchstone(['eval', 'run', '--run', 'few', '--json'])
    expect(few.code).toBe(11)
    expect(JSON.parse(few.output)).toMatchObject({
      outcome: 'cannotDecide',
      summary: expect.stringMatching(/^Cannot decide: 52 of 60/),
    })
  })

  it('lets go of the evaluation on Ctrl-C, and waits for it again', async () => {
    const evaluators = join(folder, 'external.yaml')
    writeFileSync(
      evaluators,
      'component: Message sorter\ndataset: Messages\nevaluators: [{ type: external, name: mine }]\n',
    )
    const { child, seen, ended } = start(['eval', 'run', '--run', 'main', '--config', evaluators, '--debug'])
    await waitFor('the events of the evaluation', async () => seen.errors.includes('/events → 200') || undefined)
    child.kill('SIGINT')
    const stopped = await ended
    expect(stopped).toMatchObject({
      code: 130,
      output: '',
      errors: expect.stringContaining('The evaluation continues on the server'),
    })
    const [, id = ''] = /touchstone eval wait (\S+)/.exec(stopped.errors) ?? []
    expect(await touchstone(['evaluations', 'cancel', id])).toMatchObject({ code: 0 })
    expect(await touchstone(['eval', 'wait', id])).toMatchObject({
      code: 1,
      errors: expect.stringContaining('cancelled'),
    })
  })
})

describe('commands', () => {
  it('print data on stdout and messages on stderr, with the same exit codes everywhere', async () => {
    const list = await touchstone(['components', 'list'])
    expect(list).toMatchObject({
      code: 0,
      errors: '',
      output: expect.stringMatching(/^ID\tNAME\tDESCRIPTION\tCREATED AT\n/),
    })
    expect(await touchstone(['components', 'get', 'Nope'])).toMatchObject({
      code: 4,
      output: '',
      errors: expect.stringContaining('Nope'),
    })
    expect(await touchstone(['componets'])).toMatchObject({
      code: 2,
      errors: expect.stringContaining('did you mean `components`'),
    })
    const unknown = await touchstone(['components', 'list', '--nope'])
    expect(unknown).toMatchObject({ code: 2, errors: expect.not.stringContaining('did you mean') })
    expect(await touchstone(['api', 'GET', '/components?limit=1'])).toMatchObject({
      output: expect.stringMatching(/\}\n$/),
    })
    expect(await touchstone(['components', 'delete', 'Message sorter'])).toMatchObject({
      code: 2,
      errors: expect.stringContaining('--yes'),
    })
    const elsewhere = { environment: { TOUCHSTONE_URL: 'http://127.0.0.1:1' } }
    expect(await touchstone(['api', 'GET', '/components'], elsewhere)).toMatchObject({ code: 5, output: '' })
    expect(await touchstone(['api', 'GET', '/components'], { environment: { TOUCHSTONE_API_KEY: '' } })).toMatchObject({
      code: 3,
    })
  })

  it('move a dataset to a file and back', async () => {
    await touchstone(['datasets', 'export', 'copy.jsonl'])
    const copied = await touchstone(['datasets', 'import', 'copy.jsonl', '--dataset', 'Copy', '--create', '--json'])
    expect(JSON.parse(copied.output)).toMatchObject({ rows: 60, imported: 60 })
    const bad = await touchstone(['datasets', 'import', '-', '--format', 'jsonl', '--dataset', 'Copy'], {
      input: '{"input":"a"}\nnothing\n',
    })
    expect(bad).toMatchObject({ code: 2 })
    expect(await touchstone(['datasets', 'import', 'copy.jsonl', '--dataset', 'None'])).toMatchObject({
      code: 4,
      errors: expect.stringContaining('There is no dataset named "None". Pass --create to create it.'),
    })
  })

  it('print traces as they arrive', async () => {
    const { child, seen, ended } = start(['traces', 'tail', '--last', '0', '--json', '--debug'])
    await waitFor('the stream of events', async () => seen.errors.includes('/events?topics=traces → 200') || undefined)
    await touchstone(['traces', 'push', '-'], { input: '{"name":"arrived"}' })
    const line = await waitFor('the trace', async () => seen.output.split('\n').find((one) => one.includes('arrived')))
    expect(JSON.parse(line)).toMatchObject({ name: 'arrived' })
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130 })
  })

  it('store a key by login, use it for its server only, and delete it', async () => {
    const environment = { TOUCHSTONE_API_KEY: '' }
    expect(await touchstone(['login', '--with-key'], { environment, input: `${SERVER_KEY}\n` })).toMatchObject({
      code: 0,
    })
    const who = await touchstone(['whoami', '--json'], { environment })
    expect(JSON.parse(who.output)).toMatchObject({ url: server.url, keySource: expect.stringContaining('config.json') })
    const other = server.url.replace('127.0.0.1', 'localhost')
    expect(await touchstone(['whoami', '--url', other], { environment })).toMatchObject({ code: 3 })
    expect(await touchstone(['logout'], { environment })).toMatchObject({ code: 0 })
    expect(await touchstone(['whoami'], { environment })).toMatchObject({ code: 3 })
  })
})

describe('the package', () => {
  it('contains everything that it needs, as npm packs it', async () => {
    const modules = join(folder, 'installed/node_modules')
    for (const name of ['sdk', 'cli']) {
      const target = join(modules, `touchstone-${name}`)
      mkdirSync(target, { recursive: true })
      const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
        cwd: join(ROOT, 'packages', name),
        encoding: 'utf8',
      })
      const [{ filename }] = JSON.parse(packed)
      execFileSync('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', target])
    }
    for (const name of ['@stricli/core', 'csv-parse', 'yaml'])
      cpSync(join(ROOT, 'node_modules', name), join(modules, name), { recursive: true })
    const program = join(modules, 'touchstone-cli/dist/touchstone.js')
    expect(await touchstone(['--version'], { program })).toMatchObject({ code: 0, output: '0.1.0\n', errors: '' })
    expect(await touchstone(['whoami'], { program })).toMatchObject({ code: 0, errors: '' })
    expect(
      await touchstone(['import', 'langsmith', 'none.csv', '--component', 'Bot', '--dry-run'], { program }),
    ).toMatchObject({
      code: 2,
      errors: expect.stringContaining('cannot be read'),
    })
    expect(await touchstone(['__complete', 'eval', 'r'], { program })).toMatchObject({ code: 0, output: 'run\n' })
  })
})
