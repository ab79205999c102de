/**
 * How many independent observations clusters of these sizes stand for if what is of one cluster were always alike: (Σ m)² / Σ m², after
 * Kish, L. (1965), Survey Sampling. As many as there are clusters where all have the same size; less where a few of them have most of
 * the observations, because a mean over observations then rests on those few.
 */
export function effectiveSize(sizes: Iterable<number>): number {
  let sum = 0
  let squares = 0
  for (const size of sizes) {
    sum += size
    squares += size * size
  }
  return squares === 0 ? 0 : (sum * sum) / squares
}

/** Of observations by the cluster of each; one without a cluster is one of its own. */
export function effectiveSizeOf(clusters: Iterable<string | undefined>): number {
  const sizes = new Map<string, number>()
  const single: number[] = []
  for (const cluster of clusters) {
    if (cluster === undefined) single.push(1)
    else sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1)
  }
  return effectiveSize([...sizes.values(), ...single])
}

/** One without a cluster is one of its own. */
export function countClusters(clusters: readonly (string | undefined)[]): number {
  const named = clusters.filter((cluster) => cluster !== undefined)
  return new Set(named).size + clusters.length - named.length
}
