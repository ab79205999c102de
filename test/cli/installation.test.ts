// @module-tag deep
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { makeFolder } from '../harness/server-process.ts'

const REPOSITORY = join(import.meta.dirname, '../..')

const removals: (() => void)[] = []
afterEach(() => {
  for (const remove of removals.splice(0)) remove()
})

/** The files of the repository that are needed to start, as after `git clone`. */
function clone(): string {
  const { folder, remove } = makeFolder()
  removals.push(remove)
  for (const file of globSync('{package.json,touchstone*}', { cwd: REPOSITORY })) {
    copyFileSync(join(REPOSITORY, file), join(folder, file))
  }
  cpSync(join(REPOSITORY, 'src'), join(folder, 'src'), { recursive: true })
  return folder
}

function installPackages(folder: string): void {
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'))
}

/** Simulates another version of Node, which is not installed. */
function versionStub(version: string): string[] {
  const stub = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  return ['--import', `data:text/javascript,${encodeURIComponent(stub)}`]
}

async function start(folder: string, { nodeArguments = [], command = [] }: StartOptions = {}) {
  const child = spawn(process.execPath, [...nodeArguments, join(folder, 'touchstone.mjs'), ...command], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '0', TOUCHSTONE_OTLP_GRPC_PORT: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 55_000,
  })
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, output, errors }
}
type StartOptions = { nodeArguments?: string[]; command?: string[] }

describe('a failed start prints what to do', () => {
  const RUN_NPM_CI = 'The packages are not installed. Run `npm ci` first.\n'

  it.each(['20.20.2', '24.0.0'])('without packages, on Node %s', async (version) => {
    const ended = await start(clone(), { nodeArguments: versionStub(version) })
    expect(ended).toEqual({ code: 1, output: '', errors: RUN_NPM_CI })
  })

  it('with a package missing that a newer version needs', async () => {
    const folder = clone()
    for (const name of ['fastify', 'kysely']) {
      mkdirSync(join(folder, 'node_modules', name), { recursive: true })
      copyFileSync(
        join(REPOSITORY, 'node_modules', name, 'package.json'),
        join(folder, 'node_modules', name, 'package.json'),
      )
    }
    expect(await start(folder)).toEqual({ code: 1, output: '', errors: RUN_NPM_CI })
  })

  it('without packages, on a Node that cannot install them', async () => {
    expect(await start(clone(), { nodeArguments: versionStub('18.20.8') })).toEqual({
      code: 1,
      output: '',
      errors:
        'Touchstone needs Node 20 or newer to be installed; this is Node 18.20.8.\nInstall a newer Node, then run `npm ci`.\n',
    })
  })

  it.each(['18.20.8', '20.20.2'])('with Node %s in place of the Node that the repository brings', async (version) => {
    const folder = clone()
    installPackages(folder)
    expect(await start(folder, { nodeArguments: versionStub(version) })).toEqual({
      code: 1,
      output: '',
      errors: `Touchstone needs Node 24 or newer; this is Node ${version}.\nStart it with \`npm start\`: the repository brings its own Node.\n`,
    })
  })

  it.each([[[]], [['serve', '--no-worker']]])('without a built interface: %j', async (command) => {
    const folder = clone()
    installPackages(folder)
    expect(await start(folder, { command })).toEqual({
      code: 1,
      output: '',
      errors: 'The interface is not built. Run `npm ci`, or `npm run prepare` if the packages are installed\n',
    })
  })

  it('but commands that serve nothing need no interface', async () => {
    const folder = clone()
    installPackages(folder)
    expect(await start(folder, { command: ['migrate'] })).toMatchObject({ code: 0, errors: '' })
  })
})

describe('npm ci', () => {
  type Manifest = { engines?: { node?: string } }
  const { packages }: { packages: Record<string, Manifest> } = JSON.parse(read('package-lock.json'))
  const manifest: Manifest = JSON.parse(read('package.json'))

  function read(file: string): string {
    return readFileSync(join(REPOSITORY, file), 'utf8')
  }

  it('does not warn about the Node that runs npm: packages run on the Node that the repository brings', () => {
    const withEngines = Object.entries(packages).filter(([path, { engines }]) => path !== '' && engines)
    expect(withEngines.map(([path]) => path)).toEqual([])
  })

  it('fails at once on a Node that is too old, instead of after the installation', () => {
    expect(packages['']?.engines).toEqual({ node: '>=20' })
    expect(manifest.engines).toEqual({ node: '>=20' })
    expect(read('.npmrc')).toMatch(/^engine-strict=true$/m)
  })

  it('keeps package-lock.json free of engines after npm install', async () => {
    const { folder, remove } = makeFolder()
    removals.push(remove)
    const lock = {
      packages: {
        '': { engines: { node: '>=20' } },
        'node_modules/a': { version: '1.0.0', integrity: 'sha512-a', engines: { node: '>=22' } },
      },
    }
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
    const child = spawn(process.execPath, [join(REPOSITORY, 'tools/complete-lockfile.ts')], {
      cwd: folder,
      stdio: 'ignore',
    })
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))).toEqual({
      packages: { '': { engines: { node: '>=20' } }, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } },
    })
  })
})
