/**
 * The effective number of independent observations for clusters of these sizes if observations within a cluster are
 * identical: (Σ m)² / Σ m², after Kish, L. (1965), Survey Sampling. It equals the number of clusters if all have the
 * same size, and is smaller if a few clusters contain most of the observations.
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

/** Takes the cluster of each observation. An observation without a cluster is its own cluster. */
export function effectiveSizeOf(clusters: Iterable<string | undefined>): number {
  const sizes = new Map<string, number>()
  const single: number[] = []
  for (const cluster of clusters) {
    if (cluster === undefined) single.push(1)
    else sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1)
  }
  return effectiveSize([...sizes.values(), ...single])
}

/** An observation without a cluster is its own cluster. */
export function countClusters(clusters: readonly (string | undefined)[]): number {
  const named = clusters.filter((cluster) => cluster !== undefined)
  return new Set(named).size + clusters.length - named.length
}

/**
 * The effective number of independent observations with weights: (Σ w)² / Σ W², where W is the sum of the weights of a
 * cluster. An observation without a cluster is its own cluster.
 */
export function effectiveWeight(
  observations: Iterable<{ readonly cluster?: string | undefined; readonly weight: number }>,
): number {
  const sums = new Map<string, number>()
  const single: number[] = []
  for (const { cluster, weight } of observations) {
    if (cluster === undefined) single.push(weight)
    else sums.set(cluster, (sums.get(cluster) ?? 0) + weight)
  }
  return effectiveSize([...sums.values(), ...single])
}
