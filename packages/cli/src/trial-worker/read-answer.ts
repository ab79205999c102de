import { TransientError } from 'touchstone-sdk/client'

export interface CommandAnswer {
  output: unknown
  costUsd?: number
}

/** A line of a command: `{"id", "output", "costUsd"?}` or `{"id", "error", "transient"?}`. Undefined for lines that are neither. */
export function readAnswer(line: string): ({ id: string } & (CommandAnswer | { error: Error })) | undefined {
  const fields = parseObject(line)
  const id = fields?.['id']
  if (!fields || typeof id !== 'string') return undefined
  const { output, error, transient, costUsd } = fields
  if (typeof error === 'string' && error !== '')
    return { id, error: transient === true ? new TransientError(error) : new Error(error) }
  if (output === undefined) return { id, error: new Error('The command returned neither an output nor an error') }
  if (costUsd === undefined) return { id, output }
  if (typeof costUsd === 'number' && costUsd >= 0) return { id, output, costUsd }
  return { id, error: new Error('The command returned a costUsd that is no amount') }
}

function parseObject(line: string): Record<string, unknown> | undefined {
  if (!line.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
