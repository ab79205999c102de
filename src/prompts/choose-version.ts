import { createHash } from 'node:crypto'

export type Split = { version: number; weight: number }

/**
 * The version that a label serves for a key, such as a user. The same key always gets the same version, because the seed stays while only
 * weights change. When the share of one of two versions is raised, only the keys that must move do; of more versions, keys of those between
 * them move, too. Clients decide by themselves, with the same result: the vectors in `test/prompts/vectors.json` define it.
 */
export function chooseVersion(
  { promptId, seed, splits }: { promptId: string; seed: number; splits: readonly Split[] },
  key: string,
): number | undefined {
  const bucket = createHash('sha256').update(`${promptId}:${seed}:${key}`).digest().readBigUInt64BE()
  let weights = 0n
  for (const { version, weight } of splits) {
    weights += BigInt(weight)
    // bucket / 2^64 < weights / 100, in whole numbers, so that every language rounds alike.
    if (bucket * 100n < weights << 64n) return version
  }
  return undefined
}
