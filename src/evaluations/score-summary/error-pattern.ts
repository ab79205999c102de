import { shortened } from '../../traces/query/query-error.ts'

/** Longer messages are cut. */
export const ERROR_LENGTH_MAX = 500

const WORD = /[\w-]+(?:[.:][\w-]+)*/g
/** The status of an HTTP response is the reason itself. */
const ERROR_STATUS = /^[45]\d\d$/

/**
 * What messages with the same cause have in common: words with digits, such as ids, numbers and times, become "…". The
 * pattern of a pattern is the pattern itself, so clients can send it back as a filter.
 */
export function errorPattern(message: string): string {
  const common = message.replace(WORD, (word) => (/\d/.test(word) && !ERROR_STATUS.test(word) ? '…' : word))
  return shortened(common, ERROR_LENGTH_MAX)
}
