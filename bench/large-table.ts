import { createComponent } from './create.ts'
import { getOne } from './get-one.ts'
import { compare, type Effort } from './harness/compare.ts'
import { type Line, ratioLine } from './harness/line.ts'
import { compareWithBare, type Servers, startTouchstone } from './harness/servers.ts'
import { listAt, listFirst } from './list.ts'

const RATIO_MAX = 1.2

const ROWS = 1_000_000
/** Pages this far into a list are large reads, of which an application may have eight waiting. */
const listFar = { ...listAt(100_000, 60), connections: 8 }

/** The same operations on a table of a million rows, relative to a small one; and a page far into the list. */
export async function* measureLargeTable(
  { touchstone: small, bare, rows }: Servers,
  effort: Effort,
): AsyncGenerator<Line> {
  const large = await startTouchstone()
  try {
    await large.ask('seedComponents', ROWS)
    const operations = [
      { onLarge: getOne(ROWS), onSmall: getOne(rows) },
      { onLarge: listFirst, onSmall: listFirst },
      { onLarge: createComponent, onSmall: createComponent },
    ]
    for (const { onLarge, onSmall } of operations) {
      const subject = { server: large, requests: onLarge.requests(large.key) }
      const yardstick = { server: small, requests: onSmall.requests(small.key) }
      const comparison = await compare(onLarge, { subject, yardstick }, effort)
      yield ratioLine(`${ROWS} rows by ${rows}: ${onLarge.name}`, comparison, RATIO_MAX)
    }
    const comparison = await compareWithBare(listFar, { touchstone: large, bare }, effort)
    yield ratioLine(`${ROWS} rows: ${listFar.name}`, comparison)
  } finally {
    await large.stop()
  }
}
