/**
 * Runs one request in this process and prints the files and lines of `src` that it ran, on an embedded database with a component,
 * a dataset, two runs and an evaluation of each.
 *
 * Usage: npm run walk -- "POST /components" ['{"name": "Greeter"}']    one request; ids like {componentId} are filled in
 *        npm run walk                                                  the six that have limits
 *        node tools/walk.ts --check                                    the same; fails if one is beyond its limit, or if
 *                                                                      ARCHITECTURE.md describes it wrongly
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareWithWalk } from './compare-with-walk.ts'
import { ROOT, startMeasuring, type WalkedFile } from './measure-walk.ts'
import { startWalkServer, type WalkRequest } from './walk-server.ts'
import { WALKS } from './walks.ts'

const TIMES = 5

async function main(): Promise<void> {
  const measure = await startMeasuring()
  const server = await startWalkServer()
  /** What ran each time: the first also prepares what all later requests use, and timers of the server may run in any. */
  const walk = async (request: WalkRequest) => {
    await server.send(request)
    let walked = await measure(() => server.send(request))
    for (let time = 1; time < TIMES; time += 1) walked = inBoth(walked, await measure(() => server.send(request)))
    return walked
  }
  try {
    const [first, body] = process.argv.slice(2)
    if (first !== undefined && first !== '--check') {
      printWalk(await walk({ request: first, body: body === undefined ? undefined : JSON.parse(body) }))
      return
    }
    const architecture = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
    for (const { title, filesMax, linesMax, ...request } of WALKS) {
      const files = await walk(request)
      const lines = countLines(files)
      console.log(`walk: ${title}: ${files.length} files (limit ${filesMax}), ${lines} lines (limit ${linesMax})`)
      if (first === undefined) continue
      const errors = compareWithWalk(architecture, title, files)
      if (files.length > filesMax || lines > linesMax) errors.push(`tools/walks.ts: ${title} is beyond its limit`)
      for (const error of errors) console.error(error)
      if (errors.length > 0) process.exitCode = 1
    }
  } finally {
    await server.close()
  }
}

function inBoth(some: readonly WalkedFile[], others: readonly WalkedFile[]): WalkedFile[] {
  return some.flatMap((one) => {
    const known = new Set(others.find(({ file }) => file === one.file)?.lines)
    const lines = one.lines.filter((line) => known.has(line))
    return lines.length === 0 ? [] : [{ ...one, lines }]
  })
}

function printWalk(files: WalkedFile[]): void {
  for (const { file, lines, linesTotal } of files) console.log(`${file}: ${lines.length} of ${linesTotal} lines`)
  console.log(`${files.length} files, ${countLines(files)} lines`)
}

function countLines(files: WalkedFile[]): number {
  return files.reduce((sum, { lines }) => sum + lines.length, 0)
}

await main()
