import { readFileSync } from 'node:fs'

export function cliVersion(): string {
  return String(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version)
}
