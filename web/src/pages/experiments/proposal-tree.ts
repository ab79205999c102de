import type { CoursePoint } from './experiment-words.ts'

export interface TreeRow {
  point: CoursePoint
  /** 0 is the start. */
  depth: number
  /** Whether siblings follow, for each level above and its own: their line goes on. */
  continues: boolean[]
}

/** Each below what it improves on, in the order of their numbers. */
export function treeOf(points: readonly CoursePoint[]): TreeRow[] {
  const children = Map.groupBy(points, ({ parent }) => parent)
  const rows: TreeRow[] = []
  const known = new Set(points.map(({ number }) => number))
  const add = (point: CoursePoint, depth: number, continues: boolean[]) => {
    rows.push({ point, depth, continues })
    const own = children.get(point.number) ?? []
    for (const [place, child] of own.entries()) add(child, depth + 1, [...continues, place < own.length - 1])
  }
  // A prompt whose parent is not there would be lost.
  for (const point of points) if (point.parent === null || !known.has(point.parent)) add(point, 0, [])
  return rows
}
