// @module-tag deep
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type InstalledServer, installServer } from '../harness/installed-server.ts'
import { makeFolder, runCommand, startServer, waitFor } from '../harness/server-process.ts'

const BYTES_MAX = 6_000_000
const hasGuide = existsSync(join(import.meta.dirname, '../../dist/guide/index.html'))

describe('the package touchstone-server, installed in an empty folder', () => {
  const { folder, remove } = makeFolder()
  let installed: InstalledServer
  beforeAll(() => {
    installed = installServer(folder)
  })
  afterAll(remove)

  // An empty setting is none: the package has the default, as the clone.
  const start = (settings: Record<string, string> = {}) => {
    const environment = { DATABASE_URL: '', TOUCHSTONE_API_KEY: '', ...settings }
    return startServer('', { program: installed.program, folder, environment })
  }

  /** As the container does: it exits with 0 only if the server is ready. */
  const healthCheck = (url: string) => {
    const check = join(import.meta.dirname, '../../deploy/health-check.mjs')
    return spawnSync(process.execPath, [check], { env: { PORT: new URL(url).port } }).status
  }

  it('serves the API and the interface, searches, ends on SIGTERM, and has its data after a restart', async () => {
    const first = await start()
    expect(first.output).toContain(`Set up    ${first.url}/setup#`)
    expect(first.output).toContain(`Data      ${join(folder, 'data/touchstone.db')}\n`)
    expect(first.output).toContain('create more with `npx touchstone-server api-key create`')
    const key = /API key {3}(\S+)/.exec(first.output)?.[1] ?? ''
    const client = first.withKey(key)
    const component = await client.create('/components', { name: 'Greeter' })
    await client.create(`/components/${component}/traces`, { name: 'greet', output: 'Good morning, Zanzibar' })
    const search = () => client.list('/traces?q=zanzibar')
    await waitFor('the text index', async () => ((await search()).length === 1 ? true : undefined))
    const page = await fetch(`${first.url}/`, { headers: { accept: 'text/html' } })
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    const script = /<script[^>]+src="([^"]+\.js)"/.exec(await page.text())?.[1] ?? ''
    expect((await fetch(new URL(script, first.url))).status).toBe(200)
    const guide = await fetch(`${first.url}/guide/`, { headers: { accept: 'text/html' } })
    expect(guide.status).toBe(hasGuide ? 200 : 404)
    expect(healthCheck(first.url)).toBe(0)
    first.signal('SIGTERM')
    expect(await first.ended).toMatchObject({ code: 0, signal: null, errors: '' })
    expect(healthCheck(first.url)).toBe(1)

    const again = await start({ TOUCHSTONE_ACCESS_LOG: 'on', TOUCHSTONE_LOG_LEVEL: 'info' })
    expect(again.output).not.toContain('API key')
    expect(await again.withKey(key).list('/components')).toMatchObject([{ id: component, name: 'Greeter' }])
    await expect.poll(() => again.errors).toContain('"route":"/api/v1/components"')
    await again.kill()
  })

  it('has the commands of the server, and names itself in their texts', async () => {
    const run = (...command: string[]) => runCommand(command, { program: installed.program, folder })
    const manifest = JSON.parse(readFileSync(join(installed.packageFolder, 'package.json'), 'utf8'))
    expect(await run('--version')).toMatchObject({ code: 0, output: `${manifest.version}\n` })
    expect(await run('help')).toMatchObject({
      code: 0,
      output: expect.stringContaining('npx touchstone-server backup FILE'),
    })
    expect(await run('sevre')).toMatchObject({
      code: 1,
      errors: 'There is no command sevre. Did you mean serve? `npx touchstone-server help` lists the commands\n',
    })
    expect(await run('backup', 'copy.db')).toMatchObject({ code: 0 })
    expect(existsSync(join(folder, 'copy.db'))).toBe(true)
  })

  it('contains the file of every thread, which no import names', () => {
    const files = globSync('dist/**/*.js', { cwd: installed.packageFolder, exclude: ['dist/{guide,web}/**'] })
    const threads = files.flatMap((file) => {
      const source = readFileSync(join(installed.packageFolder, file), 'utf8')
      const named = [...source.matchAll(/(workerFile\()?new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g)]
      return named.map(([, isRewritten, name]) => ({ file, isRewritten, path: join(file, '..', `${name}.js`) }))
    })
    expect(threads.length).toBeGreaterThan(3)
    for (const { file, isRewritten, path } of threads) {
      expect(isRewritten, file).toBeDefined()
      expect(existsSync(join(installed.packageFolder, path)), path).toBe(true)
    }
  })

  it('contains what a user needs and nothing else', () => {
    const files = globSync('{*,dist/*}', { cwd: installed.packageFolder })
    for (const file of ['LICENSE', 'README.md', 'openapi.json', 'dist/web']) expect(files).toContain(file)
    expect(globSync('**/*.ts', { cwd: installed.packageFolder })).toEqual([])
    expect(installed.tarballBytes).toBeLessThan(BYTES_MAX)
  })

  it('names the required version on an older Node', async () => {
    const stub = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`
    const old = ['--import', `data:text/javascript,${encodeURIComponent(stub)}`]
    const child = spawn(process.execPath, [...old, installed.program], { cwd: folder })
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(errors).toMatch(/^Touchstone needs Node 24 or newer; this is Node 20\.20\.2\.\n.*npx -p node@24/)
  })

  it('is what touchstone serve runs', async () => {
    const program = join(import.meta.dirname, '../../packages/cli/dist/touchstone.js')
    const child = spawn(process.execPath, [program, 'serve', '--', '--version'], { cwd: folder })
    expect(await text(child.stdout)).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
