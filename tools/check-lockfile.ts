/**
 * Fails when package-lock.json has a package without an integrity hash, or the host that it was fetched from.
 *
 * npm cannot record the hash of an optional package of another platform if its registry did not serve it (npm issue
 * 4828). `node tools/complete-lockfile.ts` adds the hashes that the registry has. Those below were not in the registry
 * when they were locked; a new version must have its hash.
 */
import { readFileSync } from 'node:fs'

const WITHOUT_INTEGRITY = [
  /^@biomejs\/cli-[a-z0-9-]+@2\.6\.6$/,
  /^@oxc-parser\/binding-[a-z0-9-]+@0\.155\.0$/,
  /^@tailwindcss\/oxide-[a-z0-9-]+@4\.3\.5$/,
]

type LockedPackage = {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
  optional?: boolean
}

const [file = 'package-lock.json'] = process.argv.slice(2)
const lockfile: { packages: Record<string, LockedPackage> } = JSON.parse(readFileSync(file, 'utf8'))
const installed = Object.entries(lockfile.packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
)
const lacking = installed.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
const wrong = lacking.filter(([path, { version, optional }]) => {
  const name = `${path.replace(/^.*node_modules\//, '')}@${version}`
  return !optional || !WITHOUT_INTEGRITY.some((known) => known.test(name))
})
const located = installed.filter(([, { resolved }]) => resolved !== undefined)
for (const [path] of wrong) process.stdout.write(`${file}: ${path} has no sha512 integrity\n`)
for (const [path] of located) process.stdout.write(`${file}: ${path} names where it was fetched from\n`)
process.stdout.write(
  `check-lockfile: ${installed.length} packages, ${wrong.length + located.length} errors, ${lacking.length - wrong.length} of other platforms without integrity\n`,
)
process.exitCode = wrong.length + located.length === 0 ? 0 : 1
