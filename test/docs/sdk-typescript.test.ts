// @module-tag deep
/** The programs of the guide to the TypeScript SDK, with the package as it is published, in the oldest Node of this machine. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { evaluate, Touchstone } from '../../packages/sdk/src/sdk.ts'
import { readOnlyTrace } from '../clients/stored-trace.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { blocksOf, codeBlocks, textOf } from './documents.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const oldNode = findOldNode()
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-sdk-'))
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(ROOT, 'packages/sdk')])
  await run('npm', ['pack', '--pack-destination', folder], { cwd: join(ROOT, 'packages/sdk') })
  const place = join(folder, 'node_modules/touchstone-sdk')
  mkdirSync(place, { recursive: true })
  await run('tar', ['-xzf', join(folder, 'touchstone-sdk-0.1.0.tgz'), '-C', place, '--strip-components=1'])
  // What `npm install` would install: its dependencies, and Vitest.
  for (const name of ['@opentelemetry', '@types', 'vitest'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describeEachEngine('the guide to the TypeScript SDK', (app) => {
  const connect = async () => {
    const { key, client } = await app().newWorkspace()
    const env = { PATH: process.env['PATH'], TOUCHSTONE_URL: app().url, TOUCHSTONE_API_KEY: key }
    return { client, sdk: new Touchstone({ apiKey: key, baseUrl: app().url }), env }
  }

  const runBlock = async (section: string, env: NodeJS.ProcessEnv) => {
    const [block = ''] = blocksOf('sdkTypeScript', section, 'ts')
    writeFileSync(join(folder, 'program.js'), stripTypeScriptTypes(block))
    const { stdout, stderr } = await run(oldNode, ['program.js'], { cwd: folder, env })
    expect(stderr).toBe('')
    return stdout
  }

  it('goes from a component to a verdict in 25 lines', async () => {
    const { env } = await connect()
    expect(blocksOf('sdkTypeScript', 'sdk-chain', 'ts')[0]?.trimEnd().split('\n').length).toBeLessThanOrEqual(25)
    const output = await runBlock('sdk-chain', env)
    expect(output).toMatch(
      /^improved true v2 is better than v1 on exactMatch .* http:\/\/.*\/evaluations\/[0-9a-f-]+\n$/,
    )
  })

  it('sends traces', async () => {
    const { client, env } = await connect()
    await client.create('/components', { name: 'Adder' })
    await runBlock('sdk-traces', env)
    const stored = await readOnlyTrace(client)
    expect(stored).toMatchObject({ name: 'answer', componentName: 'Adder', output: 'about sums' })
  })

  it('reads a prompt, or its fallback', async () => {
    const { client, env } = await connect()
    const componentId = await client.create('/components', { name: 'Support answers' })
    expect(await runBlock('sdk-prompts', env)).toBe('undefined fallback null 2\n')
    const prompts = `/components/${componentId}/prompts`
    const messages = [{ placeholder: 'history' }, { role: 'user', content: '{{company}}: {{question}}' }]
    const path = `${prompts}/${await client.create(prompts, { name: 'answer' })}/versions`
    await client.post(path, { content: { model: 'gpt-5-mini', messages }, labels: ['production'] })
    expect(await runBlock('sdk-prompts', env)).toBe('1 network gpt-5-mini 2\n')
  })

  it('sends requests', async () => {
    const { env } = await connect()
    expect(await runBlock('sdk-requests', env)).toBe('0 0 true\ntrue\n')
  })

  it('tests with Vitest', async () => {
    const { sdk, env } = await connect()
    await sdk.components.create({ name: 'Adder' })
    const data = Array.from({ length: 40 }, (_, n) => ({ input: `${n} + 7`, expected: String(n + 7) }))
    const check = { name: 'check', score: () => true }
    const shared = { client: sdk, component: 'Adder', dataset: 'Sums', data }
    await evaluate({ ...shared, name: 'main', task: () => 'x', evaluators: [check] })
    const [block = ''] = blocksOf('sdkTypeScript', 'sdk-vitest', 'ts')
    writeFileSync(join(folder, 'adder.test.ts'), block)
    const { stdout } = await run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run'], { cwd: folder, env })
    expect(stdout).toMatch(/Tests .*41 passed/)
  })
})

it('the programs of the guide and of the package have correct types', async () => {
  const readme = readFileSync(join(ROOT, 'packages/sdk/README.md'), 'utf8')
  const programs = [...codeBlocks(textOf('sdkTypeScript'), 'ts'), ...codeBlocks(readme, 'ts')]
  expect(programs).toHaveLength(6)
  for (const [place, program] of programs.entries()) writeFileSync(join(folder, `typed-${place}.ts`), program)
  const settings = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    'node',
    '--skipLibCheck',
  ]
  const files = programs.map((_, place) => `typed-${place}.ts`)
  const words = [join(ROOT, 'node_modules/typescript/bin/tsc'), ...settings, ...files]
  const { stdout } = await run(process.execPath, words, { cwd: folder }).catch((error) => error)
  expect(stdout).toBe('')
})

/** The package promises Node 20. The repository's own Node is newer; that of the machine may be older. */
function findOldNode(): string {
  const versions = (process.env['PATH'] ?? '').split(delimiter).flatMap((place) => {
    const path = join(place, 'node')
    const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
    return status === 0 ? [{ path, major: Number(/^v(\d+)/.exec(stdout)?.[1]) }] : []
  })
  const [oldest] = versions.filter(({ major }) => major >= 20).sort((a, b) => a.major - b.major)
  if (oldest?.major !== 20) console.warn('\n  !! The SDK is not tested in Node 20, which is not installed.\n')
  return oldest?.path ?? process.execPath
}
