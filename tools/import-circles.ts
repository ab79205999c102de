/**
 * Returns circles, each as the path from a file back to itself; none only if there is none. `imports` maps each file to those that it
 * imports. Circles that share files may be found only after the others are gone.
 */
export function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const done = new Set<string>()
  const path: string[] = []

  function visit(file: string): void {
    const start = path.indexOf(file)
    if (start >= 0) circles.push([...path.slice(start), file])
    if (start >= 0 || done.has(file)) return
    path.push(file)
    for (const imported of imports.get(file) ?? []) visit(imported)
    path.pop()
    done.add(file)
  }

  for (const file of imports.keys()) visit(file)
  return circles
}
