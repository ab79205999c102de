import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { buildDotEnv, buildSnippets } from '../../web/src/pages/onboarding/snippets.ts'
import { readOnlyTrace } from '../clients/stored-trace.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { paste, SHELLS, type Shell } from '../harness/shell.ts'
import type { TestApp } from '../harness/test-app.ts'
import { bareProgram, FAKE_PROVIDER, runProgram } from './trace-programs.ts'

const folder = join(import.meta.dirname, '../..')

/** Every character that a shell, a URL, JSON or a program could interpret. */
const COMPONENT = `Agent "$(id)" \\n \`x\` 'y'! 100% a=b,c ~*;&|<> é`

async function setUp(app: TestApp) {
  const { client, key } = await app.newWorkspace()
  await client.create('/components', { name: COMPONENT })
  const values = { origin: app.url, apiKey: key, component: COMPONENT }
  const codeOf = (tab: string) => buildSnippets(values).find(({ value }) => value === tab)?.code ?? ''
  return { client, values, codeOf }
}

async function pasteCleanly(blocks: string[], { shell = 'bash', program = '' }: { shell?: Shell; program?: string }) {
  const environment = { NODE: process.execPath, PROGRAM: program }
  const { output, errors } = await paste(shell, blocks, { folder, environment })
  expect(errors).toBe('')
  return output
}

describeEachEngine('the snippets of the onboarding page', (app) => {
  it.each(SHELLS)('curl sends a trace of the component (%s)', async (shell) => {
    const { client, codeOf } = await setUp(app())
    expect(await pasteCleanly([codeOf('curl')], { shell })).toContain('{}')
    const sent = { name: 'greet', componentName: COMPONENT, input: 'Greet the world.', output: 'Hello, world!' }
    expect(await readOnlyTrace(client)).toMatchObject(sent)
  })

  it('curl sends a trace when there is no component', async () => {
    const { client, key: apiKey } = await app().newWorkspace()
    const snippets = buildSnippets({ origin: app().url, apiKey, component: undefined })
    await pasteCleanly([snippets.find(({ value }) => value === 'curl')?.code ?? ''], {})
    expect(await readOnlyTrace(client)).toMatchObject({ name: 'greet', componentName: null })
  })

  it.each(SHELLS)('the variables configure a program without Touchstone in its code (%s)', async (shell) => {
    const { client, codeOf } = await setUp(app())
    await pasteCleanly([codeOf('opentelemetry'), runProgram], { shell, program: bareProgram('proto') })
    expect(await readOnlyTrace(client)).toMatchObject({ name: 'from anywhere', componentName: COMPONENT })
  })

  it('the .env file has the same effect as the variables', async () => {
    const { client, values } = await setUp(app())
    const lines = buildDotEnv(values).trimEnd().split('\n')
    const program = bareProgram('proto')
    await pasteCleanly([...lines.map((line) => `export ${line}`), runProgram], { program })
    expect(await readOnlyTrace(client)).toMatchObject({ componentName: COMPONENT })
  })

  it('the program for the Vercel AI SDK sends a trace of the component', async () => {
    const { client, codeOf } = await setUp(app())
    const program = `${FAKE_PROVIDER}${codeOf('vercel')}`
    expect(await pasteCleanly([runProgram], { program })).toBe('Hello, world!\n')
    expect(await readOnlyTrace(client)).toMatchObject({ componentName: COMPONENT, totalTokens: 16 })
  })

  it('the program for Python can be read by Python', async ({ skip }) => {
    const { codeOf } = await setUp(app())
    const { status, error } = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
      input: codeOf('python'),
    })
    skip(error !== undefined, 'python3 is not installed')
    expect(status).toBe(0)
  })
})
