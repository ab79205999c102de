import type { ServedPrompt } from '../generated/api.ts'

type Served = Pick<ServedPrompt, 'promptId' | 'seed'>

/**
 * The split that a key belongs to. It is the choice of the server: the same key always gets the same version, in every language. Undefined
 * if the weights do not sum to 100.
 */
export async function chooseSplit<Split extends { weight: number }>(
  { promptId, seed, splits }: Served & { splits: readonly Split[] },
  key: string,
): Promise<Split | undefined> {
  const bytes = new TextEncoder().encode(`${promptId}:${seed}:${key}`)
  const bucket = new DataView(await globalThis.crypto.subtle.digest('SHA-256', bytes)).getBigUint64(0)
  let weights = 0n
  for (const split of splits) {
    weights += BigInt(split.weight)
    // bucket / 2^64 < weights / 100, in whole numbers, so that every language rounds alike.
    if (bucket * 100n < weights << 64n) return split
  }
  return undefined
}
