import type { WorkBudget } from '../work-budget.ts'

const UNITS_PER_STEP = 10

type Gains = readonly (readonly number[])[]

export function bestAssignment(gains: Gains, budget: WorkBudget): number {
  return bestPairs(gains, budget).reduce((sum, [row, column]) => sum + (gains[row]?.[column] ?? 0), 0)
}

/**
 * The rows and columns with the largest sum of gains in which no row and no column is used twice (Kuhn 1955, with the potentials of Jonker and Volgenant 1987).
 * `gains` has a row for each left entry, and gains are at least 0, so that all of the shorter side is used.
 */
export function bestPairs(gains: Gains, budget: WorkBudget): [row: number, column: number][] {
  const columns = gains[0]?.length ?? 0
  if (columns === 0) return []
  if (gains.length > columns) return bestPairs(transposed(gains, columns), budget).map(([row, column]) => [column, row])
  // Rows and columns count from 1; column 0 is where a new row begins.
  const [ofRow, ofColumn] = [new Float64Array(gains.length + 1), new Float64Array(columns + 1)]
  const owner = new Int32Array(columns + 1)
  for (let row = 1; row <= gains.length; row += 1) assign(row, { gains, columns, ofRow, ofColumn, owner, budget })
  return Array.from(owner, (row, column): [number, number] => [row - 1, column - 1]).filter(
    ([row, column]) => row >= 0 && column >= 0,
  )
}

type State = {
  gains: Gains
  columns: number
  ofRow: Float64Array
  ofColumn: Float64Array
  /** The row that has a column; 0 for none. */
  owner: Int32Array
  budget: WorkBudget
}

/** Finds the cheapest path of exchanges that gives a row a column. */
function assign(row: number, { gains, columns, ofRow, ofColumn, owner, budget }: State): void {
  const least = new Float64Array(columns + 1).fill(Infinity)
  const from = new Int32Array(columns + 1)
  const isDone = new Uint8Array(columns + 1)
  owner[0] = row
  let at = 0
  do {
    budget.spend(columns * UNITS_PER_STEP)
    isDone[at] = 1
    const current = owner[at] ?? 0
    let [delta, next] = [Infinity, 0]
    for (let column = 1; column <= columns; column += 1) {
      if (isDone[column]) continue
      const cost = -(gains[current - 1]?.[column - 1] ?? 0) - (ofRow[current] ?? 0) - (ofColumn[column] ?? 0)
      if (cost < (least[column] ?? Infinity)) {
        least[column] = cost
        from[column] = at
      }
      if ((least[column] ?? Infinity) < delta) [delta, next] = [least[column] ?? Infinity, column]
    }
    for (let column = 0; column <= columns; column += 1) {
      if (isDone[column]) {
        const own = owner[column] ?? 0
        ofRow[own] = (ofRow[own] ?? 0) + delta
        ofColumn[column] = (ofColumn[column] ?? 0) - delta
      } else least[column] = (least[column] ?? Infinity) - delta
    }
    at = next
  } while (owner[at] !== 0)
  while (at !== 0) {
    const before = from[at] ?? 0
    owner[at] = owner[before] ?? 0
    at = before
  }
}

function transposed(gains: Gains, columns: number): number[][] {
  return Array.from({ length: columns }, (_, column) => gains.map((row) => row[column] ?? 0))
}
