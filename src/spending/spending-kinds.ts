/** What calls models, and is counted separately. */
export const SPENDING_KINDS = ['judges', 'playground', 'trials', 'experiments'] as const

export type SpendingKind = (typeof SPENDING_KINDS)[number]
