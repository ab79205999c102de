/**
 * Whether a judge has changed: the verdicts on anchors, which are asked with every evaluation, are compared with those of
 * the first evaluation. A provider may change a model under the same name, and a gate would then compare two judges.
 */

import { exactMcNemar } from '../../statistics/paired-tests.ts'
import { discordantEValue, E_VALUE_MIN, meanEValue, spendingEProcess } from '../../statistics/sequential/e-values.ts'
import type { Queries } from '../../storage/db.ts'
import { type AnchorChanges, type AnchorSeries, listAnchorChanges } from '../anchor-verdict-queries.ts'

export type Drift = {
  /** The number of anchors that were judged now and in the first evaluation. */
  anchors: number
  /** The number of earlier evaluations with the same judge and anchors. */
  evaluations: number
  firstEvaluationId: string
  /** How many anchors failed first and pass now, and the reverse, with the p-value of McNemar's test. */
  gained: number
  lost: number
  p: number | null
  /** Of the anchors with a label: how many there are, and the share that the judge gets right, first and now. */
  labeled: number
  agreement: { first: number; now: number } | null
  /** The e-process over all evaluations so far. */
  eValue: number
  hasDrifted: boolean
  method: string
  summary: string
}

const METHOD =
  'exact McNemar test with the first evaluation; e-process over all evaluations, of verdicts and of agreement with the labels, at least 20 (Howard et al. 2021; Vovk & Wang 2021)'

/** Returns null if the judge has judged no anchors in this evaluation. */
export async function measureDrift(q: Queries, series: AnchorSeries, evaluationId: string): Promise<Drift | null> {
  const found = await listAnchorChanges(q, series, { evaluationId })
  if (!found) return null
  const { firstId, changes } = found
  const now = changes.at(-1)
  const common = { evaluations: changes.length, firstEvaluationId: firstId, method: METHOD }
  if (!now || now.evaluationId !== evaluationId) {
    const summary = 'The first evaluation of this judge with these anchors: later ones are compared with it.'
    return { ...common, ...NOTHING_YET, evaluations: 0, summary }
  }
  const eValue = spendingEProcess(changes.map(eValueOf))
  const hasDrifted = eValue >= E_VALUE_MIN
  const { anchors, gained, lost, labeled, rightFirst, rightNow } = now
  const { p } = exactMcNemar({ gained, lost })
  const agreement = labeled === 0 ? null : { first: rightFirst / labeled, now: rightNow / labeled }
  const summary = summaryOf(now, hasDrifted)
  return { ...common, anchors, gained, lost, p, labeled, agreement, eValue, hasDrifted, summary }
}

const NOTHING_YET = {
  anchors: 0,
  gained: 0,
  lost: 0,
  p: null,
  labeled: 0,
  agreement: null,
  eValue: 0,
  hasDrifted: false,
}

/** A judge may become more lenient, or become less accurate in both directions: each test sees one of them. */
function eValueOf({ gained, lost, becameRight, becameWrong }: AnchorChanges): number {
  return meanEValue([discordantEValue({ gained, lost }), discordantEValue({ gained: becameRight, lost: becameWrong })])
}

function summaryOf(
  { anchors, gained, lost, labeled, rightFirst, rightNow }: AnchorChanges,
  hasDrifted: boolean,
): string {
  const flips = `${gained} of ${anchors} anchors pass now and failed first, ${lost} the reverse`
  const percent = (count: number) => `${Math.round((100 * count) / labeled)} %`
  const agreement =
    labeled === 0 ? '' : `; it agrees with ${percent(rightNow)} of the labels, ${percent(rightFirst)} first`
  return hasDrifted ? `The judge has changed: ${flips}${agreement}.` : `No sign of drift: ${flips}${agreement}.`
}
