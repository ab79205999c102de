import { badRequest } from '../../base/errors.ts'

export const TARGET_TYPES = ['prompt', 'http', 'worker', 'recorded'] as const

/** A target as it is sent: the fields of all types, which each type checks. */
export type GivenTarget = {
  type: (typeof TARGET_TYPES)[number]
  promptId?: string | undefined
  version?: number | undefined
  provider?: string | undefined
  model?: string | undefined
  parameters?: Record<string, unknown> | undefined
  tools?: 'record' | 'replay' | undefined
  endpoint?: string | undefined
  body?: unknown
  output?: string | undefined
  queue?: string | undefined
}

const TYPES: Readonly<Record<Exclude<keyof GivenTarget, 'type'>, GivenTarget['type']>> = {
  promptId: 'prompt',
  version: 'prompt',
  provider: 'prompt',
  model: 'prompt',
  parameters: 'prompt',
  tools: 'prompt',
  endpoint: 'http',
  body: 'http',
  output: 'http',
  queue: 'worker',
}

/** Throws 400 if the target has a field of another type, which would have no effect. */
export function rejectOtherFields({ type, ...given }: GivenTarget, place: string): void {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  for (const [name, of] of Object.entries(TYPES)) {
    if (of === type || !names.includes(name)) continue
    throw badRequest(`The field ${place}.target.${name} belongs to targets of type ${of}; leave it out`)
  }
}
