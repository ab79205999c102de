import type { PromptSplit } from '../../api/generated/api.ts'

/**
 * What a label serves after a version got this share. The version of the largest share gives and takes, so that no other version gets more
 * than it has, which would need a verdict of its own; if it has too little, the others give, the largest first. Their order stays, because
 * it decides who gets which version.
 */
export function splitsAfter(splits: readonly PromptSplit[], { version, weight }: PromptSplit): PromptSplit[] {
  const known = splits.some((split) => split.version === version)
  const all = known ? [...splits] : [...splits, { version, weight: 0 }]
  const left = new Map(all.map((split) => [split.version, split.version === version ? weight : split.weight]))
  const others = all.filter((split) => split.version !== version).toSorted((a, b) => b.weight - a.weight)
  let surplus = [...left.values()].reduce((sum, one) => sum + one, 0) - 100
  for (const { version: other } of others) {
    const now = left.get(other) ?? 0
    const next = surplus > 0 ? Math.max(0, now - surplus) : now - surplus
    left.set(other, next)
    surplus -= now - next
  }
  return all.map((split) => ({ ...split, weight: left.get(split.version) ?? 0 })).filter((split) => split.weight > 0)
}

export function weightOf(splits: readonly PromptSplit[], version: number): number {
  return splits.find((split) => split.version === version)?.weight ?? 0
}

/** The version of the largest share, with which others are compared. Of several with the same share, the first, as in the server. */
export function mainVersion(splits: readonly PromptSplit[]): number | undefined {
  return splits.toSorted((a, b) => b.weight - a.weight)[0]?.version
}

/**
 * The shares that a version can get. What is served most can only get more, because less of it is more of another version; what a label
 * that serves nothing serves first is all of it.
 */
export function shareRange(splits: readonly PromptSplit[], version: number): { min: number; max: number } {
  if (splits.length === 0) return { min: 100, max: 100 }
  const now = weightOf(splits, version)
  if (version === mainVersion(splits)) return { min: now, max: 100 }
  return { min: now > 0 ? 0 : 1, max: 100 }
}

const CANARY = 10

/** A canary of a version that is new, and all for one that has a share. */
export function proposedShare(splits: readonly PromptSplit[], version: number): number {
  return splits.length === 0 || weightOf(splits, version) > 0 ? 100 : CANARY
}
