/** The plan, the commands and the programs of the guide to trials. That of Python with the package is in `test/python`. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { touchstone } from '../harness/cli-in-process.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'
import { blocksOf } from './documents.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const ITEMS = 100

let app: TestApp
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-trials-guide-'))
  app = await startTestApp(`file:${folder}/server.db`)
})
afterAll(async () => {
  await app?.close()
  rmSync(folder, { recursive: true, force: true })
})

it('goes from a plan to a gate, with a command and a program as workers', async () => {
  const { client, key } = await app.newWorkspace()
  const component = await client.create('/components', { name: 'Adder' })
  const path = `/components/${component}/datasets`
  const dataset = await client.create(path, { name: 'Sums' })
  const items = Array.from({ length: ITEMS }, (_, n) => ({ input: `${n} + 7`, expected: String(n + 7) }))
  await client.post(`${path}/${dataset}/items`, items)
  const fileOf = (name: string, text = '') => writeFileSync(join(folder, name), text)
  fileOf('plan.yaml', blocksOf('trials', 'plan', 'yaml')[0])
  fileOf('agent.py', blocksOf('trials', 'worker-command', 'python')[0])
  fileOf('program.mjs', stripTypeScriptTypes(blocksOf('trials', 'typescript', 'ts')[0] ?? ''))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(ROOT, 'packages/sdk'), join(folder, 'node_modules/touchstone-sdk'))

  const stop = new AbortController()
  const command = (section: string) => {
    const [, ...words] = blocksOf('trials', section)[0]?.trim().split(' ') ?? []
    const found = words.map((word) => (word === 'plan.yaml' ? join(folder, word) : word))
    return touchstone(found, { url: app.url, key, folder, ...(section === 'worker' && { signal: stop.signal }) })
  }
  const worker = command('worker')
  const trial = command('run')
  await until(async () => expect(await client.list(`/components/${component}/trials`)).toHaveLength(1))
  const env = { PATH: process.env['PATH'], TOUCHSTONE_URL: app.url, TOUCHSTONE_API_KEY: key }
  const program = run(process.execPath, ['program.mjs'], { cwd: folder, env })
  const { code, output, errors } = await trial
  expect(code, errors).toBe(0)
  expect(output).toContain(`new\t${ITEMS}\t0`)
  expect(output).toContain('Gate passed')
  const { stdout, stderr } = await program
  expect({ stdout, stderr }).toEqual({ stdout: `${ITEMS} 0\n`, stderr: '' })
  stop.abort()
  expect(await worker).toMatchObject({ code: 0, errors: expect.stringContaining(`${ITEMS} calls done`) })
})
