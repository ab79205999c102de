/** The files for containers, Kubernetes, systemd and proxies, as far as they can be checked without the programs that run them. An installed program checks them, too. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { SETTINGS } from '../../src/config.ts'

const ROOT = join(import.meta.dirname, '../..')
const CHART = join(ROOT, 'deploy/helm/touchstone')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const manifest: { version: string; engines: { node: string } } = JSON.parse(read('packages/server/package.json'))
/** A dependency of the command line. */
const yaml: { parse(text: string): unknown } = createRequire(join(ROOT, 'packages/cli/package.json'))('yaml')

const folder = mkdtempSync(join(tmpdir(), 'touchstone-deploy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Locked = { dev?: boolean; optional?: boolean; peer?: boolean }

const canRun = (command: string, ...args: string[]) => spawnSync(command, args).status === 0

/** Settings of the server, of its model provider and of Node. */
const KNOWN = [...SETTINGS, 'OPENAI_API_KEY', 'OPENAI_BASE_URL', 'NODE_ENV', 'NODE_OPTIONS', 'MALLOC_ARENA_MAX', 'PATH']

describe('the settings of memory', () => {
  const settings = ['MALLOC_ARENA_MAX=2', '--max-semi-space-size=8']

  it.each(['Containerfile', 'deploy/touchstone.service', 'package.json'])('are in %s', (file) => {
    for (const setting of settings) expect(read(file)).toContain(setting)
  })

  it.each(['compose.yaml', 'compose.postgres.yaml', 'deploy/helm/touchstone/templates/deployment.yaml'])(
    'are those of the image in %s',
    (file) => expect(read(file)).not.toMatch(/MALLOC_ARENA_MAX|NODE_OPTIONS/),
  )
})

describe('the Containerfile', () => {
  const text = read('Containerfile').replaceAll('\\\n', ' ')
  const instructions = (name: string) =>
    [...text.matchAll(new RegExp(`^${name} (.+)$`, 'gm'))].map(([, rest = '']) => rest.trim())

  it('builds and runs on the Node that the package needs', () => {
    const versions = instructions('FROM').map((from) => /node(?:js)?:?(\d+)-/.exec(from)?.[1])
    expect(versions.map((version) => `>=${version}`)).toEqual([1, 2, 3].map(() => manifest.engines.node))
  })

  it('copies only files that exist, or that an earlier line creates', () => {
    const created = ['bin', 'node_modules', 'packages/server/dist', 'packages/server/openapi.json']
    for (const copy of instructions('COPY')) {
      const words = copy.split(/\s+/)
      const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1)
      for (const source of sources.filter((path) => path !== '/data' && path !== '.')) {
        const path = source.replace(/^\/touchstone\//, '')
        expect(created.includes(path) || existsSync(join(ROOT, path)), copy).toBe(true)
      }
    }
  })

  it('gets everything that its build reads, and no data, secrets or history', () => {
    const lines = read('.containerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    const isSent = (path: string) =>
      lines.reduce((sent, line) => {
        const pattern = line.replace(/^!/, '')
        const isMatch = pattern === '*' || matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`)
        return isMatch ? line.startsWith('!') : sent
      }, true)
    const ofGuide = ['README.md', 'CHANGELOG.md', 'docs/guide/traces.md', 'site/tsconfig.json']
    const needed = ['package-lock.json', 'src/main.ts', 'tools/build-server-package.ts', 'web/index.html', '.npmrc']
    const workspaces = ['packages/cli/package.json', 'packages/sdk/package.json', 'deploy/health-check.mjs']
    for (const path of [...needed, ...workspaces, ...ofGuide]) expect(isSent(path), path).toBe(true)
    for (const path of ['.env', '.git/config', 'data/touchstone.db', 'node_modules/a/b.js', 'dist/web/index.html'])
      expect(isSent(path), path).toBe(false)
    // Docker reads one of them, Podman and Buildah the other.
    expect(read('.dockerignore')).toBe(read('.containerignore'))
  })

  it('runs as a user without rights, on a volume, with a check of its health', () => {
    expect(instructions('USER')).toEqual(['65532:65532'])
    expect(instructions('VOLUME')).toEqual(['/data'])
    expect(instructions('HEALTHCHECK')).toHaveLength(1)
    const names = instructions('ENV').flatMap((line) => [...line.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name))
    expect(names.filter((name) => !KNOWN.includes(name))).toEqual([])
  })

  it('needs no compiler: native modules of production dependencies are built for both platforms', () => {
    const { packages }: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'))
    const installed = Object.entries(packages).filter(
      ([path, { dev, optional, peer }]) => path.startsWith('node_modules/') && !dev && !optional && !peer,
    )
    const native = installed.filter(([path]) => globSync(`${path}/**/{*.node,binding.gyp}`, { cwd: ROOT }).length > 0)
    expect(native.map(([path]) => path)).toEqual(['node_modules/better-sqlite3'])
    for (const platform of ['linux-x64', 'linux-arm64']) {
      expect(existsSync(join(ROOT, `node_modules/better-sqlite3/prebuilds/${platform}.node`)), platform).toBe(true)
    }
  })

  const builder = ['docker', 'podman'].find((command) => canRun(command, 'info'))
  it.skipIf(builder === undefined)('builds (skipped where neither Docker nor Podman runs)', () => {
    execFileSync(builder ?? '', ['build', '--tag', 'touchstone-server:test', '--file', 'Containerfile', '.'], {
      cwd: ROOT,
    })
    const printed = execFileSync(builder ?? '', ['run', '--rm', 'touchstone-server:test', '--version'])
    expect(printed.toString()).toBe(`${manifest.version}\n`)
  })
})

describe.each(['compose.yaml', 'compose.postgres.yaml'])('%s', (file) => {
  type Service = { environment?: Record<string, string>; volumes?: string[]; depends_on?: Record<string, unknown> }
  // The text is ours, and what is used of it is checked below.
  const { services, volumes } = yaml.parse(read(file)) as {
    services: Record<string, Service>
    volumes: Record<string, unknown>
  }

  it('sets only settings that exist, and keeps data in volumes that it declares', () => {
    const names = Object.keys(services['touchstone']?.environment ?? {})
    expect(names.length).toBeGreaterThan(1)
    expect(names.filter((name) => !KNOWN.includes(name))).toEqual([])
    const used = Object.values(services).flatMap((service) => service.volumes ?? [])
    expect(used.map((volume) => volume.split(':')[0])).toEqual(Object.keys(volumes))
    for (const name of Object.keys(services['touchstone']?.depends_on ?? {})) expect(services).toHaveProperty(name)
  })

  it('contains no secret: each comes from .env, which git ignores', () => {
    for (const secret of read(file).matchAll(/^ +\w*(?:PASSWORD|SECRET_KEY): (.*)$/gm)) {
      expect(secret[1]).toMatch(/^\$\{\w+:\?/)
    }
    expect(read('.gitignore').split('\n')).toContain('.env')
    const examples = [...read('deploy/env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)]
    for (const [, name = '', value] of examples) expect({ name, value }).toEqual({ name, value: '' })
    const required = [...read(file).matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
    for (const name of required) expect(examples.map(([, known]) => known)).toContain(name)
  })
})

describe('the Helm chart', () => {
  it('has the version of the server, and sets only settings that exist', () => {
    expect(yaml.parse(read('deploy/helm/touchstone/Chart.yaml'))).toMatchObject({
      version: manifest.version,
      appVersion: manifest.version,
    })
    const template = readFileSync(join(CHART, 'templates/deployment.yaml'), 'utf8')
    const names = [...template.matchAll(/name: ([A-Z_]+)$|"([A-Z_]{8,})"/gm)].map(([, one, other]) => one ?? other)
    expect(names.length).toBeGreaterThan(3)
    expect(names.filter((name) => !KNOWN.includes(name ?? ''))).toEqual([])
  })

  it('uses only values that values.yaml describes', () => {
    const values = yaml.parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'))
    const used = globSync('templates/*', { cwd: CHART }).flatMap((file) =>
      [...readFileSync(join(CHART, file), 'utf8').matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path),
    )
    expect(used.length).toBeGreaterThan(20)
    for (const path of used) expect(values, path).toHaveProperty(path)
  })

  const hasHelm = canRun('helm', 'version')
  it.skipIf(!hasHelm)('renders one server on SQLite, several on PostgreSQL, and rejects several on SQLite', () => {
    const render = (...set: string[]) => spawnSync('helm', ['template', 'test', CHART, ...set], { encoding: 'utf8' })
    const embedded = render().stdout
    expect(embedded).toContain('type: Recreate')
    expect(embedded).toContain('kind: PersistentVolumeClaim')
    const shared = render('--set', 'replicas=3,database.existingSecret=database,ingress.enabled=true').stdout
    expect(shared).toContain('type: RollingUpdate')
    expect(shared).toContain('kind: Ingress')
    expect(shared).not.toContain('kind: PersistentVolumeClaim')
    for (const document of shared.split(/^---$/m)) yaml.parse(document)
    expect(render('--set', 'replicas=2').stderr).toContain('More than one replica needs PostgreSQL')
  })
})

describe('the configuration of', () => {
  it('systemd has only settings that exist, and is accepted where systemd is installed', () => {
    const names = [...read('deploy/touchstone.service').matchAll(/^Environment=([A-Z_]+)=/gm)].map(([, name]) => name)
    expect(names.filter((name) => !KNOWN.includes(name ?? ''))).toEqual([])
    if (!canRun('systemd-analyze', '--version') || !existsSync('/usr/bin/node')) return
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(ROOT, 'deploy/touchstone.service')])
    expect({ status, errors: stderr.toString() }).toEqual({ status: 0, errors: '' })
  })

  it.skipIf(!canRun('nginx', '-v'))('nginx is accepted by nginx (skipped where it is not installed)', () => {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const subject = ['-subj', '/CN=touchstone.example.com', '-days', '1']
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject],
      {
        stdio: 'ignore',
      },
    )
    const site = read('deploy/nginx.conf')
      .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
      .replace(/listen (\S*?)(80|443)/g, 'listen $110$2')
    const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    )
    const main = `pid ${folder}/nginx.pid; events {} http { access_log off; ${own.join(' ')} ${site} }`
    writeFileSync(join(folder, 'nginx.conf'), main)
    const { status, stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', join(folder, 'nginx.conf')])
    expect(status, stderr.toString()).toBe(0)
  })

  it.skipIf(!canRun('caddy', 'version'))('Caddy is accepted by Caddy (skipped where it is not installed)', () => {
    const args = ['validate', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy/Caddyfile')]
    expect(spawnSync('caddy', args, { env: { ...process.env, HOME: folder } }).status).toBe(0)
  })

  it.each(['deploy/nginx.conf', 'deploy/Caddyfile'])(
    '%s names the settings that the server behind it needs',
    (file) => {
      const named = [...read(file).matchAll(/TOUCHSTONE_[A-Z_]+/g)].map(([name]) => name)
      for (const name of ['TOUCHSTONE_PUBLIC_URL', 'TOUCHSTONE_TRUSTED_PROXIES']) expect(named).toContain(name)
      expect(named.filter((name) => !SETTINGS.includes(name))).toEqual([])
    },
  )
})
