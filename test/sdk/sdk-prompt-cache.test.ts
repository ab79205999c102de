/** The cache of prompts: the rule that all SDKs share, and its files. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readClientSettings } from '../../packages/sdk/src/client-options.ts'
import { createHttpSender } from '../../packages/sdk/src/http-sender.ts'
import { PromptFolder } from '../../packages/sdk/src/prompts/prompt-folder.ts'
import { PromptResource } from '../../packages/sdk/src/resources/prompt-resource.ts'
import { ConnectionError, NotFoundError, Touchstone } from '../../packages/sdk/src/sdk.ts'
import { type ServerState, VECTORS } from '../prompts/prompt-vectors.ts'
import { contentOf } from '../prompts/seed-prompt.ts'

const COMPONENT = '01890a5d-ac96-774b-bcce-b302099a8057'
const FALLBACK = { messages: [{ role: 'user' as const, content: 'Hello' }] }
const SETTINGS = { apiKey: 'tsk_key', baseUrl: 'http://127.0.0.1:3000' }

let root = ''
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'touchstone-prompt-cache-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const newFolder = () => join(mkdtempSync(join(root, 'case-')), 'prompts')
const filesIn = (folder: string) => readdirSync(folder).map((name) => join(folder, name))

function servedVersion(number: number) {
  const splits = [{ weight: 100, version: { number, content: contentOf(`Text ${number}`) } }]
  return { name: 'answer', label: 'production', promptId: COMPONENT, change: number, seed: 1, splits }
}

/** A server that is as the test says, and programs that use it one after the other. */
function startPrograms(folder: string | undefined) {
  const server = { state: 'away' as ServerState, requests: 0, unchanged: 0, nowMs: 0 }
  const fetch = async (_url: unknown, init: RequestInit = {}): Promise<Response> => {
    server.requests += 1
    const { state } = server
    if (state === 'away') throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
    if (state === 'busy') return Response.json({ error: 'Busy.' }, { status: 503 })
    if (state === 'missing') return Response.json({ error: 'Prompt answer has no label.' }, { status: 404 })
    const etag = `"${state}"`
    if (new Headers(init.headers).get('if-none-match') !== etag)
      return Response.json(servedVersion(state), { headers: { etag } })
    server.unchanged += 1
    return new Response(null, { status: 304 })
  }
  const startProgram = () => {
    const settings = readClientSettings({ ...SETTINGS, fetch, maxRetries: 0 }, {})
    const { components } = new Touchstone(settings)
    const sender = createHttpSender(settings)
    return new PromptResource(sender, components, {
      folder: folder === undefined ? undefined : new PromptFolder({ folder, ...SETTINGS }),
      nowMs: () => server.nowMs,
    })
  }
  return { server, startProgram }
}

function damageFile(folder: string, damage: string): void {
  const [path = ''] = filesIn(folder)
  const text = readFileSync(path, 'utf8')
  if (damage === 'remove') rmSync(path)
  else if (damage === 'half') writeFileSync(path, text.slice(0, text.length / 2))
  else writeFileSync(path, damage === 'empty' ? '' : text.replace('Text', 'Test'))
}

describe('a cache', () => {
  it.each(VECTORS.cache.scenarios)('$name', async ({ hasFolder, steps }) => {
    const folder = hasFolder ? newFolder() : undefined
    const { server, startProgram } = startPrograms(folder)
    let prompts = startProgram()
    for (const [place, step] of steps.entries()) {
      if (folder !== undefined && step.damage) damageFile(folder, step.damage)
      if (step.isNewProcess) prompts = startProgram()
      server.state = step.server
      server.nowMs = step.at * 1_000
      const reading = prompts.get('answer', { component: COMPONENT, ...(step.hasFallback && { fallback: FALLBACK }) })
      if (step.get === 'missing') await expect(reading, `step ${place}`).rejects.toThrow(NotFoundError)
      else if (step.get === 'away') await expect(reading, `step ${place}`).rejects.toThrow(ConnectionError)
      else {
        const { version = null, source, isStale, attributes } = await reading
        expect({ version, source, isStale }, `step ${place}`).toEqual(step.get)
        expect(attributes['touchstone.prompt.source']).toBe(source)
      }
      await prompts.settled()
      const { requests, unchanged } = server
      expect({ requests, unchanged }, `step ${place}`).toMatchObject({
        ...(step.requests !== undefined && { requests: step.requests }),
        ...(step.unchanged !== undefined && { unchanged: step.unchanged }),
      })
      if (folder !== undefined && step.files !== undefined)
        expect(filesIn(folder), `step ${place}`).toHaveLength(step.files)
    }
  })
})

describe('the folder of a cache', () => {
  const { file } = VECTORS.cache

  it('has the files of the vectors, which every SDK reads', async () => {
    const folder = newFolder()
    const files = new PromptFolder({ folder, ...file })
    const [, text = ''] = file.text.split('\n')
    const prompt = JSON.parse(text)
    await files.write(file, prompt)
    expect(readdirSync(folder)).toEqual([file.fileName])
    expect(readFileSync(join(folder, file.fileName), 'utf8')).toBe(file.text)
    expect(await files.read(file)).toEqual(prompt)
    for (const other of [{ label: 'staging' }, { name: 'other' }, { component: 'Other' }])
      expect(await files.read({ ...file, ...other })).toBeUndefined()
    for (const other of [{ apiKey: 'tsk_other' }, { baseUrl: 'http://127.0.0.1:4000' }])
      expect(await new PromptFolder({ folder, ...file, ...other }).read(file)).toBeUndefined()
  })

  it('and its files can only be read by their owner, and the key is in none of them', async () => {
    const folder = newFolder()
    const { server, startProgram } = startPrograms(folder)
    server.state = 1
    await startProgram().get('answer', { component: COMPONENT })
    const [path = ''] = filesIn(folder)
    expect([statSync(folder).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600])
    expect(path + readFileSync(path, 'utf8')).not.toContain(SETTINGS.apiKey)
  })

  it('loses the temporary files of processes that were killed an hour ago', async () => {
    const folder = newFolder()
    const { server, startProgram } = startPrograms(folder)
    server.state = 1
    await startProgram().get('answer', { component: COMPONENT })
    const [path = ''] = filesIn(folder)
    const [old, young] = ['0', '1'].map((digit) => `${path}.${COMPONENT.replace('0', digit)}.tmp`)
    for (const name of [old ?? '', young ?? '', join(folder, 'own.tmp')]) writeFileSync(name, '')
    const before = new Date(Date.now() - 3_700_000)
    for (const name of [old ?? '', join(folder, 'own.tmp')]) utimesSync(name, before, before)
    server.state = 2
    await startProgram().get('answer', { component: COMPONENT })
    expect(filesIn(folder).sort()).toEqual([path, young, join(folder, 'own.tmp')].sort())
  })

  it('that cannot be used costs a line on stderr, and no prompt', async () => {
    const file = join(root, 'file')
    writeFileSync(file, '')
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    try {
      const { server, startProgram } = startPrograms(join(file, 'prompts'))
      server.state = 1
      const prompts = startProgram()
      for (server.nowMs = 0; server.nowMs < 60_000; server.nowMs += 10_000) {
        expect(await prompts.get('answer', { component: COMPONENT })).toMatchObject({ version: 1 })
        await prompts.settled()
      }
      server.state = 'missing'
      await expect(startProgram().get('answer', { component: COMPONENT })).rejects.toThrow(NotFoundError)
      const lines = written.mock.calls.map(([line]) => String(line))
      expect(new Set(lines).size).toBe(lines.length)
      expect(lines.join('')).toMatch(/a prompt in \S+file\/prompts cannot be written: /)
    } finally {
      written.mockRestore()
    }
  })

  it('is shared by processes that write at the same time: every file is whole at every moment', {
    tags: 'deep',
  }, async () => {
    const folder = newFolder()
    const source = (path: string) => JSON.stringify(new URL(`../../packages/sdk/src/${path}`, import.meta.url).href)
    const program = `
      import { PromptFolder } from ${source('prompts/prompt-folder.ts')}
      const files = new PromptFolder(${JSON.stringify({ folder, ...file })})
      const served = ${JSON.stringify(servedVersion(1))}
      let found = 0
      for (let round = 0; round < 200; round++) {
        served.splits[0].version.content.messages[0].content = 'x'.repeat(round * 500)
        await files.write(${JSON.stringify(file)}, { componentId: 'a', etag: process.pid + '.' + round, served })
        if (!(await files.read(${JSON.stringify(file)}))) throw new Error('damaged in round ' + round)
        found++
      }
      console.log(found)`
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    const outputs = await Promise.all([run(), run(), run()])
    expect(outputs).toEqual(Array.from({ length: 3 }, () => ({ stdout: '200\n', stderr: '' })))
    expect(readdirSync(folder)).toEqual([file.fileName])
  })

  it('must have a name, and a file system', () => {
    expect(() => new Touchstone({ ...SETTINGS, promptFolder: '' })).toThrow(
      'promptFolder must be the path of a folder.',
    )
    const { getBuiltinModule } = process
    try {
      Reflect.deleteProperty(process, 'getBuiltinModule')
      expect(() => new Touchstone({ ...SETTINGS, promptFolder: 'a' })).toThrow(/needs a file system: Node 20\.16/)
    } finally {
      process.getBuiltinModule = getBuiltinModule
    }
  })
})
