// @module-tag deep
/** The Python package: its own tests, its checks, what is published of it, and the programs of its guide. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { blocksOf } from '../docs/documents.ts'
import { makeFolder, SERVER_KEY, startServer } from '../harness/server-process.ts'
import { createPythonEnvironment, PACKAGE, type PythonEnvironment, REPOSITORY, succeed } from './python-environment.ts'

/** Only there to end what hangs: packages are installed, and servers and programs started, on a machine that is busy. */
const TIMEOUT_MS = 1_800_000

let python: PythonEnvironment | undefined
let missing = ''
const folder = mkdtempSync(join(tmpdir(), 'touchstone-python-test-'))

beforeAll(async () => {
  const created = await createPythonEnvironment()
  if ('run' in created) {
    python = created
    return
  }
  missing = created.missing
  if (process.env['REQUIRE_PYTHON']) throw new Error(`REQUIRE_PYTHON is set, but ${missing}.`)
  console.warn(`\n  !! The Python package is not tested: ${missing}.\n`)
}, TIMEOUT_MS)

afterAll(() => {
  python?.remove()
  rmSync(folder, { recursive: true, force: true })
})

function requirePython({ skip }: TestContext): PythonEnvironment {
  return python ?? skip(missing)
}

describe('the Python package', () => {
  it('passes its own tests against a real server', { timeout: TIMEOUT_MS }, async (context) => {
    const { run } = requirePython(context)
    const environment = { TOUCHSTONE_REPOSITORY: REPOSITORY }
    await succeed(run('pytest', ['-q', '-p', 'no:cacheprovider'], { folder: PACKAGE, environment }))
  })

  it.for<[string, string[]]>([
    ['ruff', ['check', '--no-cache', '.']],
    ['ruff', ['format', '--no-cache', '--check', '.']],
    ['mypy', ['--cache-dir', join(folder, 'mypy')]],
  ])('passes %s %s', { timeout: TIMEOUT_MS }, async ([program, words], context) => {
    const { run } = requirePython(context)
    await succeed(run(program, words, { folder: PACKAGE }))
  })

  it('is a wheel and a source distribution that PyPI accepts', { timeout: TIMEOUT_MS }, async (context) => {
    const { run, packages } = requirePython(context)
    expect(packages).toHaveLength(2)
    await succeed(run('twine', ['check', '--strict', ...packages]))
  })

  it('is complete without its extras, and typed', { timeout: TIMEOUT_MS }, async (context) => {
    const bare = await requirePython(context).createBare(join(folder, 'bare'))
    const program = [
      'import importlib.metadata, importlib.resources, touchstone_sdk',
      'assert touchstone_sdk.__version__ == importlib.metadata.version("touchstone-sdk")',
      'assert importlib.resources.files(touchstone_sdk).joinpath("py.typed").is_file()',
      'print(touchstone_sdk.Touchstone("tsk_secret"), touchstone_sdk.init("A", api_key="tsk_secret"))',
    ]
    expect(await succeed(bare('python', ['-c', program.join('\n')]))).toBe(
      "Touchstone('http://127.0.0.1:3000') False\n",
    )
  })
})

it('the programs of the guide to the Python package run, word for word', { timeout: TIMEOUT_MS }, async (context) => {
  const { run } = requirePython(context)
  const [evaluate = ''] = blocksOf('sdkPython', 'evaluate', 'python')
  expect(evaluate.trimEnd().split('\n').length).toBeLessThanOrEqual(25)
  const storage = makeFolder()
  const server = await startServer(`file:${join(storage.folder, 'touchstone.db')}`)
  try {
    const environment = { TOUCHSTONE: server.url, TOUCHSTONE_API_KEY: SERVER_KEY }
    const program = (section: string) => {
      const [block = ''] = blocksOf('sdkPython', section, 'python')
      return succeed(run('python', ['-c', block], { environment }))
    }
    expect(await program('evaluate')).toMatch(new RegExp(`^improved True ${server.url}/a/\\S+/evaluations/\\S+\n$`))
    expect(await program('client')).toMatch(/^hello ok\n404 Run not found [0-9a-f-]{36}\n$/)
    expect(await program('prompts')).toBe('None fallback None 2\n')
    const componentId = await server.client.create('/components', { name: 'Support answers' })
    const prompts = `/components/${componentId}/prompts`
    const messages = [{ placeholder: 'history' }, { role: 'user', content: '{{company}}: {{question}}' }]
    const versions = `${prompts}/${await server.client.create(prompts, { name: 'answer' })}/versions`
    await server.client.post(versions, { content: { model: 'gpt-5-mini', messages }, labels: ['production'] })
    expect(await program('prompts')).toBe('1 network gpt-5-mini 2\n')
    const adder = `/components/${await server.client.create('/components', { name: 'Adder' })}`
    const datasetId = await server.client.create(`${adder}/datasets`, { name: 'Sums' })
    await server.client.post(`${adder}/datasets/${datasetId}/items`, [{ input: '1 + 7' }, { input: '2 + 7' }])
    const variants = [{ target: { type: 'worker', queue: 'new-adder' } }]
    await server.client.create(`${adder}/trials`, { datasetId, name: 'sums', variants })
    const [worker = ''] = blocksOf('trials', 'python', 'python')
    expect(await succeed(run('python', ['-c', worker], { environment }))).toBe('2 0\n')
    await program('traces')
    const { body } = await server.client.get('/traces?q=name:greet')
    expect(body.data).toEqual([expect.objectContaining({ name: 'greet', componentName: 'Greeter' })])

    const [tests = ''] = blocksOf('sdkPython', 'pytest', 'python')
    const [command = ''] = blocksOf('sdkPython', 'pytest', 'sh')
    writeFileSync(join(folder, 'test_multiplication.py'), tests)
    const [name = '', ...words] = command.trim().split(' ')
    const session = () => succeed(run(name, words, { folder, environment }))
    expect(await session()).toMatch(/50 passed/)
    expect(await session()).toMatch(/equivalent: .*\nGate: Passed/)
  } finally {
    await server.kill()
    storage.remove()
  }
})
