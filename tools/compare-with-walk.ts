/**
 * Compares a walk of ARCHITECTURE.md with the files that its request ran: every file that it names did run, and every file of which many
 * lines ran is named, or its folder is. Files in parentheses are those of other cases. Helpers below `src/base/`, `src/storage/` and
 * `src/statistics/` need not be named, and neither need schemas.
 */
import type { WalkedFile } from './measure-walk.ts'

const HELPERS = /^src\/(base|storage|statistics)\/|-schemas\.ts$/
const MANY_LINES = 15

/** `title` is the end of the heading: `## Walk: a batch of spans`. A request without a walk has no errors. */
export function compareWithWalk(architecture: string, title: string, files: WalkedFile[]): string[] {
  const walks = architecture.split('\n## ').filter((section) => section.startsWith('Walk: '))
  const walk = walks.find((section) => section.startsWith(`Walk: ${title}\n`))
  if (walk === undefined) return []
  const steps = walk
    .split('\n')
    .filter((line) => /^\d+\. /.test(line))
    .join('\n')
  // The first walk names the steps of HTTP for all.
  const names = namesIn(`${walks[0]}${walk}`)
  return [
    ...namesIn(steps.replaceAll(/\([^)]*\)/g, ''))
      .filter((name) => !files.some(({ file }) => isNamed(file, name)))
      .map((name) => `ARCHITECTURE.md: ${title}: ${name} did not run`),
    ...files
      .filter(({ file, lines }) => lines.length >= MANY_LINES && !HELPERS.test(file))
      .filter(({ file }) => !names.some((name) => isNamed(file, name)))
      .map(({ file, lines }) => `ARCHITECTURE.md: ${title}: ${file} ran with ${lines.length} lines and is not named`),
  ]
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([\w./-]+\.ts|src\/[\w/-]+\/)`/g)].map(([, name = '']) => name)
}

/** A folder stands for its files, and the end of a path for the whole. */
function isNamed(file: string, name: string): boolean {
  return name.endsWith('/') ? file.startsWith(name) : `/${file}`.endsWith(`/${name}`)
}
