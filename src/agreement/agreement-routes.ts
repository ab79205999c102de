import { badRequest } from '../base/errors.ts'
import { DatasetParams } from '../datasets/dataset-schemas.ts'
import { ok, route } from '../http/route.ts'
import { RunParams } from '../runs/run-schemas.ts'
import { AGREEMENT_PARTS, type AgreementPart, AgreementQuery, AnyAgreement } from './agreement-schemas.ts'
import { type RaterPair, summarizePairs } from './rater-pairs.ts'
import { readDatasetAgreement, readRunAgreement } from './read-agreement.ts'

const tag = 'Annotations'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const

export const getDatasetAgreement = route({
  method: 'GET',
  path: '/components/:componentId/datasets/:datasetId/agreement',
  access: reading,
  summary: 'Get the agreement between raters, and between raters and judges, for all runs of a dataset',
  tag,
  params: DatasetParams,
  query: AgreementQuery,
  responses: { 200: AnyAgreement },
  handle: async ({ db, principal, params, query }) => {
    const bulk = db.bulk({ application: principal.workspaceId, from: 'request' })
    const parts = partsOf(query.include)
    return ok(selectAgreementFields(await readDatasetAgreement(bulk, principal, { ...params, parts }), parts))
  },
})

export const getRunAgreement = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/agreement',
  access: reading,
  summary: 'Get the agreement between raters, and between raters and judges, for a run',
  tag,
  params: RunParams,
  query: AgreementQuery,
  responses: { 200: AnyAgreement },
  handle: async ({ db, principal, params, query }) => {
    const bulk = db.bulk({ application: principal.workspaceId, from: 'request' })
    const parts = partsOf(query.include)
    return ok(selectAgreementFields(await readRunAgreement(bulk, principal, { ...params, parts }), parts))
  },
})

type MeasuredAgreement = { raters: readonly { ratings: unknown }[]; pairs: readonly RaterPair[] }

function partsOf(include: string | undefined): AgreementPart[] {
  const names = include?.split(',') ?? []
  const parts = AGREEMENT_PARTS.filter((part) => names.includes(part))
  if (parts.length === new Set(names).size) return parts
  throw badRequest(`The query parameter include must be a list of ${AGREEMENT_PARTS.join(', ')}, separated by commas`)
}

/** The agreement with the parts that the request includes, and without the others. */
function selectAgreementFields<Agreement extends MeasuredAgreement>(
  agreement: Agreement,
  parts: readonly AgreementPart[],
) {
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
