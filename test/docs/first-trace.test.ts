import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { WITH_GRPC } from '../clients/exporters.ts'
import { readOnlyTrace } from '../clients/stored-trace.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { paste, SHELLS, type Shell } from '../harness/shell.ts'
import type { TestApp } from '../harness/test-app.ts'
import { blocksOf, type Document, filledIn, sectionOf } from './documents.ts'
import { bareProgram, FAKE_PROVIDER, runProgram } from './trace-programs.ts'

const run = promisify(execFile)
const folder = join(import.meta.dirname, '../..')
const [createComponent = '', configureOpenTelemetry = '', ...sendJson] = blocksOf('readme', 'first-trace')
const [configureAgain = '', ...sendOtlp] = blocksOf('instrumentation', 'instrumentation')

const hasPython = works('python3', ['--version'])
const hasOpenTelemetryForPython = works('python3', [
  '-c',
  'import opentelemetry.exporter.otlp.proto.http.trace_exporter',
])
if (!hasOpenTelemetryForPython) {
  console.warn(
    `\n  !! The Python of the README is ${hasPython ? 'only checked for its syntax' : 'not checked at all'}: ` +
      `${hasPython ? 'opentelemetry-sdk and opentelemetry-exporter-otlp-proto-http are' : 'python3 is'} not installed.\n`,
  )
}

function works(program: string, words: string[]): boolean {
  return spawnSync(program, words, { stdio: 'ignore' }).status === 0
}

/** The only block of a language, which is then run word for word. */
function programIn(document: Document, section: string, language: 'ts' | 'python'): string {
  const [program, another] = blocksOf(document, section, language)
  if (program === undefined || another !== undefined) throw new Error(`not exactly one block of ${language}`)
  return program
}
const pythonProgram = programIn('readme', 'first-trace', 'python')
const typeScriptProgram = programIn('readme', 'first-trace', 'ts')
const aiSdkProgram = programIn('instrumentation', 'instrumentation', 'ts')

type Setting = { app: TestApp; key: string; shell?: Shell }

/** Runs commands as a newcomer pastes them, and returns what they print. */
async function pasteAll(
  blocks: string[],
  { app, key, shell = 'bash' }: Setting,
  variables: Record<string, string> = {},
) {
  const environment = { NODE: process.execPath, ...variables }
  const { output, errors } = await paste(shell, filledIn(blocks, app.url, [key]), { folder, environment })
  expect(errors).toBe('')
  return output
}

/** The blocks that everything else builds on. */
const preparations = [createComponent, configureOpenTelemetry]
/** What the programs of the README send. */
const GREETING = { name: 'greet', componentName: 'Greeter', input: 'Greet the world.', output: 'Hello, world!' }

describeEachEngine(
  'the first trace of the README and of the guide to instrumentation',
  (app) => {
    it.each(SHELLS)('arrives by curl, word for word, and is there to be read (%s)', async (shell) => {
      const { key } = await app().newWorkspace()
      const output = await pasteAll([...preparations, configureAgain, ...sendOtlp, ...sendJson], {
        app: app(),
        key,
        shell,
      })
      const [response, trace, ids, list] = output
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
      expect(response).toEqual({})
      expect(ids).toEqual({ id: expect.any(String), traceId: expect.any(String) })
      expect(list.total).toBe(2)
      expect(list.data).toContainEqual(
        expect.objectContaining({ name: 'greet over OTLP', componentName: 'Greeter', durationMs: expect.any(Number) }),
      )
      expect(list.data).toContainEqual(
        expect.objectContaining({ id: ids.id, name: 'greet in JSON', componentName: 'Greeter', totalTokens: 16 }),
      )
      expect(trace).toMatchObject({ input: 'Greet the world.', output: 'Hello, world!', componentName: 'Greeter' })
    })

    it.each(['proto', 'http'] as const)('arrives with the settings alone: exporter of OTLP/%s', async (exporter) => {
      const { client, key } = await app().newWorkspace()
      await pasteAll([...preparations, runProgram], { app: app(), key }, { PROGRAM: bareProgram(exporter) })
      const trace = await readOnlyTrace(client)
      expect(trace).toMatchObject({ name: 'from anywhere', componentName: 'Greeter' })
      expect(trace.spans[0]?.metadata['service.name']).toBe('greeter')
    })

    it('arrives over gRPC when the settings name its protocol and port', async () => {
      const { client, key } = await app().newWorkspace()
      expect(sectionOf('instrumentation', 'instrumentation')).toContain('| OTLP over gRPC | `grpc` | `4317` |')
      const grpcSettings = preparations.map((block) =>
        block.replace(/ENDPOINT=.*/, `ENDPOINT=${app().grpcUrl}`).replace('PROTOCOL=http/protobuf', 'PROTOCOL=grpc'),
      )
      await pasteAll([...grpcSettings, runProgram], { app: app(), key }, { PROGRAM: bareProgram('grpc') })
      expect(await readOnlyTrace(client)).toMatchObject({ name: 'from anywhere', componentName: 'Greeter' })
    })

    it('has the same OpenTelemetry settings in both documents', () => {
      expect(configureAgain).toBe(configureOpenTelemetry)
    })

    it('arrives from TypeScript, word for word', async () => {
      const { client, key } = await app().newWorkspace()
      const own = mkdtempSync(join(tmpdir(), 'touchstone-readme-'))
      // As `npm init -y` writes it: modules of CommonJS.
      writeFileSync(join(own, 'package.json'), '{"name": "own", "version": "1.0.0", "type": "commonjs"}')
      symlinkSync(join(folder, 'node_modules'), join(own, 'node_modules'))
      const [, file = '', command = ''] =
        /save it as `(\S+\.mts)`, then `(node \S+)`/.exec(sectionOf('readme', 'first-trace')) ?? []
      writeFileSync(join(own, file), typeScriptProgram)
      const start = command.replace(/^node/, '"$NODE"')
      await pasteAll([...preparations, `cd "$OWN" && ${start}`], { app: app(), key }, { OWN: own })
      rmSync(own, { recursive: true, force: true })
      expect(await readOnlyTrace(client)).toMatchObject(GREETING)
    })

    it('arrives from the AI SDK, word for word', async () => {
      const { client, key } = await app().newWorkspace()
      const environment = { PROGRAM: `${FAKE_PROVIDER}${aiSdkProgram}` }
      const output = await pasteAll([...preparations, runProgram], { app: app(), key }, environment)
      expect(output).toBe('Hello, world!\n')
      const trace = await readOnlyTrace(client)
      expect(trace).toMatchObject({ name: 'greet', componentName: 'Greeter', sessionId: 'first-session' })
      expect(trace.totalTokens).toBe(16)
      expect(trace.spans.find(({ kind }) => kind === 'llm')).toMatchObject({
        messages: [
          { role: 'user', parts: [{ type: 'text', text: 'Greet the world.' }] },
          { role: 'assistant', parts: [{ type: 'text', text: 'Hello, world!' }] },
        ],
      })
    })

    it.skipIf(!hasOpenTelemetryForPython)('arrives from Python, word for word', async () => {
      const { client, key } = await app().newWorkspace()
      const environment = { PROGRAM: pythonProgram }
      await pasteAll([...preparations, 'python3 -c "$PROGRAM"'], { app: app(), key }, environment)
      expect(await readOnlyTrace(client)).toMatchObject(GREETING)
    })
  },
  WITH_GRPC,
)

it.skipIf(!hasPython)('the Python of the README can be read by Python', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-readme-'))
  try {
    const file = join(folder, 'greet.py')
    writeFileSync(file, pythonProgram)
    await run('python3', ['-m', 'py_compile', file])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
