/** The part of a dataset that an item belongs to: to improve on, to choose by, or to decide by. */
export const SPLITS = ['train', 'validation', 'test'] as const

export type Split = (typeof SPLITS)[number]

export function isSplit(value: unknown): value is Split {
  return SPLITS.some((split) => split === value)
}
