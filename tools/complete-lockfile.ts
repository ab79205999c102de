/**
 * Completes the package-lock.json that npm writes. Run this after `npm install`.
 *
 * It removes the `engines` of packages. npm compares them with the Node that runs npm, not with the one that this
 * repository installs and runs them on: on Node 20 it would print five lines for each of forty packages, and skip
 * optional packages that are needed.
 *
 * It adds the optional packages of other platforms that npm excluded. npm records only the optional packages that it
 * could look up when the lockfile was created (npm issue 4828); `npm ci` then rejects the lockfile, or installs it
 * without the binary of the machine it runs on.
 *
 * It requests the hash of every package that has none from the registry, so that no package can be replaced.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

type LockedPackage = {
  version?: string
  integrity?: string
  link?: boolean
  optional?: boolean
  dev?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
  engines?: unknown
}

const file = 'package-lock.json'
const lockfile: { packages: Record<string, LockedPackage> } = JSON.parse(readFileSync(file, 'utf8'))
let added = 0
for (const [path, owner] of Object.entries({ ...lockfile.packages })) {
  for (const [name, range] of Object.entries(owner.optionalDependencies ?? {})) {
    if (lockfile.packages[`${path}/node_modules/${name}`] || lockfile.packages[`node_modules/${name}`]) continue
    const platform = platformOf(name)
    if (!platform) continue
    lockfile.packages[`node_modules/${name}`] = {
      version: range.replace(/^[\^~]/, ''),
      ...platform,
      ...(owner.dev ? { dev: true } : {}),
      optional: true,
    }
    added += 1
  }
}
let removed = 0
for (const [path, locked] of Object.entries(lockfile.packages)) {
  // The engines of this repository's own packages are correct: they are about the Node that runs npm.
  if (path === '' || locked.engines === undefined) continue
  delete locked.engines
  removed += 1
}
let unknown = 0
for (const [path, locked] of Object.entries(lockfile.packages)) {
  if (!path.includes('node_modules/') || locked.link || locked.integrity) continue
  const integrity = integrityOf(path.replace(/^.*node_modules\//, ''), locked.version ?? '')
  if (integrity) locked.integrity = integrity
  else unknown += 1
}
const sorted = Object.entries(lockfile.packages).sort(([a], [b]) => (a < b ? -1 : 1))
writeFileSync(file, `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
process.stdout.write(
  `${file}: ${added} optional packages of other platforms added, the engines of ${removed} packages removed, ${unknown} packages left without a hash because the registry does not know them\n`,
)

/** Undefined if the configured registry does not have this version. */
function integrityOf(name: string, version: string): string | undefined {
  try {
    const text = execFileSync('npm', ['view', `${name}@${version}`, 'dist.integrity'], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
    return /^sha512-\S+$/m.exec(text)?.[0]
  } catch {
    return undefined
  }
}

/** Reads the platform from a name such as `@scope/tool-linux-arm64-musl`; undefined if the name has none. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> | undefined {
  const words = name.replaceAll('windows', 'win32').split(/[-/]/)
  const os = [
    'android',
    'darwin',
    'freebsd',
    'linux',
    'netbsd',
    'openbsd',
    'openharmony',
    'sunos',
    'aix',
    'win32',
  ].find((word) => words.includes(word))
  if (words.some((word) => word.startsWith('wasm32'))) return { cpu: ['wasm32'] }
  const cpu = ['arm64', 'x64', 'ia32', 'arm', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el'].find((word) =>
    words.includes(word),
  )
  if (!os) return undefined
  const libc = words.find((word) => word.startsWith('musl') || word.startsWith('gnu'))
  return {
    os: [os],
    cpu: [cpu ?? 'unknown'],
    ...(libc ? { libc: [libc.startsWith('musl') ? 'musl' : 'glibc'] } : {}),
  }
}
