/**
 * Fails when a hand-written source file is too long to read at once, or when a folder of `src` has more files than a
 * reader can survey; prints the distribution of file lengths.
 *
 * Usage: node tools/check-sizes.ts [folder of the repository]
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const linesMax = 400
const filesMax = 32

/** Migrations are a list in the order of time, not a folder that a reader searches. */
const longFolders = ['src/storage/migrations']

const folders = ['src', 'web/src', 'packages', 'site', 'test', 'bench', 'tools']
const generated = ['**/generated/**', '**/node_modules/**', '**/dist/**', '**/.venv/**']

export type Sizes = { files: number; median: number; p90: number; longest: number; errors: string[] }

export function checkSizes(root: string, within: string[] = folders): Sizes {
  const files = globSync(
    within.map((folder) => `${folder}/**/*.{ts,tsx,js,mjs,css,py}`),
    { cwd: root, exclude: generated },
  ).sort()
  const sizes = files.map((file) => ({ file, lines: countLines(readFileSync(join(root, file), 'utf8')) }))
  const lengths = sizes.map(({ lines }) => lines).sort((a, b) => a - b)
  return {
    files: files.length,
    median: quantile(lengths, 0.5),
    p90: quantile(lengths, 0.9),
    longest: lengths.at(-1) ?? 0,
    errors: [
      ...sizes
        .filter(({ lines }) => lines > linesMax)
        .map(({ file, lines }) => `${file}:1 has ${lines} lines, ${linesMax} at most: split it by operation`),
      ...crowdedFolders(files),
    ],
  }
}

function crowdedFolders(files: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const folder of files.map(dirname)) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => isInSrc(folder) && count > filesMax && !longFolders.includes(folder))
    .map(([folder, count]) => `${folder} has ${count} files directly in it, ${filesMax} at most: divide it by subject`)
}

function isInSrc(folder: string): boolean {
  return folder === 'src' || folder.startsWith('src/')
}

function countLines(text: string): number {
  if (text === '') return 0
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

/** The smallest value that at least this share of the sorted values does not exceed. */
function quantile(sorted: number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

if (import.meta.main) {
  const root = process.argv[2] ?? join(dirname(import.meta.filename), '..')
  const all = checkSizes(root)
  for (const error of all.errors) console.error(error)
  for (const [name, sizes] of Object.entries({ all, src: checkSizes(root, ['src']) })) {
    const { files, median, p90, longest } = sizes
    console.log(`check-sizes: ${name}: ${files} files, median ${median} lines, p90 ${p90}, longest ${longest}`)
  }
  process.exitCode = all.errors.length > 0 ? 1 : 0
}
