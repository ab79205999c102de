import { badRequest } from '../base/errors.ts'
import { AGREEMENT_PARTS } from './agreement-schemas.ts'
import { type RaterPair, summarizePairs } from './rater-pairs.ts'

type MeasuredAgreement = { raters: readonly { ratings: unknown }[]; pairs: readonly RaterPair[] }

/** The agreement with the parts that the request includes, and without the others. */
export function selectAgreementFields<Agreement extends MeasuredAgreement>(
  agreement: Agreement,
  include: string | undefined,
) {
  const names = include?.split(',') ?? []
  const parts = AGREEMENT_PARTS.filter((part) => names.includes(part))
  if (parts.length < new Set(names).size)
    throw badRequest(`The query parameter include must be a list of ${AGREEMENT_PARTS.join(', ')}, separated by commas`)
  const counted = parts.includes('rating_counts') ? agreement : withoutCounts(agreement)
  return parts.includes('pair_summaries') ? { ...counted, pairs: summarizePairs(counted.pairs) } : counted
}

function withoutCounts<Agreement extends MeasuredAgreement>(agreement: Agreement) {
  return {
    ...agreement,
    raters: agreement.raters.map(({ ratings: _, ...rater }) => rater),
    pairs: agreement.pairs.map(({ ratings: _, ...pair }) => pair),
  }
}
