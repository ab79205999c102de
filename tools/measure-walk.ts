/** Measures which files and lines of `src` a piece of work runs on the main thread, by the coverage that V8 counts itself. */
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = join(import.meta.dirname, '..')
const SRC = join(ROOT, 'src')

/** A file with at least one function that ran; `lines` are the numbers of the lines that did, without comments and blank lines. */
export type WalkedFile = { file: string; lines: number[]; linesTotal: number }

/**
 * Starts to count. It must be called before the server is started: functions that were compiled earlier count as a whole, whichever of
 * their branches run.
 */
export async function startMeasuring(): Promise<(work: () => Promise<void>) => Promise<WalkedFile[]>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return async (work) => {
    // Counts begin again whenever they are read.
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    return result.flatMap(walkedFile).sort((a, b) => a.file.localeCompare(b.file))
  }
}

type Script = { url: string; functions: CoveredFunction[] }
type CoveredFunction = { ranges: { startOffset: number; endOffset: number; count: number }[] }

function walkedFile({ url, functions }: Script): WalkedFile[] {
  if (!url.startsWith('file:')) return []
  const path = fileURLToPath(url)
  if (!path.startsWith(`${SRC}/`)) return []
  // Most of the loaded files did not run: they need not be read.
  if (!functions.some(({ ranges }) => ranges.some(({ count }) => count > 0))) return []
  const source = readFileSync(path, 'utf8')
  const hasRun = coveredCharacters(source.length, functions)
  const lines: number[] = []
  let offset = 0
  let isInComment = false
  for (const [index, line] of source.split('\n').entries()) {
    const text = line.trim()
    if (text.startsWith('/*')) isInComment = true
    const isCode = /\w/.test(text) && !isInComment && !text.startsWith('//')
    const first = offset + line.length - line.trimStart().length
    if (isCode && hasRun.subarray(first, first + text.length).includes(1)) lines.push(index + 1)
    if (text.endsWith('*/')) isInComment = false
    offset += line.length + 1
  }
  return lines.length === 0 ? [] : [{ file: relative(ROOT, path), lines, linesTotal: source.split('\n').length - 1 }]
}

/** Functions come from the outside in, and so do the ranges of each, so that a later one decides about what it encloses. */
function coveredCharacters(length: number, functions: CoveredFunction[]): Uint8Array {
  const hasRun = new Uint8Array(length)
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count } of ranges) hasRun.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  return hasRun
}
