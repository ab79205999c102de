export const TARGET_TYPES = ['prompt', 'worker'] as const

/** A target as it is sent: the fields of all types, which each type checks. */
export type GivenTarget = {
  type: (typeof TARGET_TYPES)[number]
  promptId?: string | undefined
  version?: number | undefined
  provider?: string | undefined
  model?: string | undefined
  parameters?: Record<string, unknown> | undefined
  tools?: 'record' | 'replay' | undefined
  queue?: string | undefined
}
