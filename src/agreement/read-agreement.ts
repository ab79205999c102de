import { readRatingScheme } from '../annotations/rating-rule-queries.ts'
import { notFound } from '../base/errors.ts'
import { runInSlices } from '../base/event-loop.ts'
import type { Principal } from '../base/principal.ts'
import { findDataset } from '../datasets/dataset-queries.ts'
import { findRun } from '../runs/run-queries.ts'
import { listRunEvaluations } from '../scores/run-evaluation-queries.ts'
import { dawidSkene } from '../statistics/agreement/dawid-skene.ts'
import { krippendorffAlpha } from '../statistics/agreement/krippendorff-alpha.ts'
import { formatFixed } from '../statistics/interval.ts'
import { meanOf } from '../statistics/sums.ts'
import type { Queries } from '../storage/db.ts'
import {
  findNames,
  type JudgedEvaluation,
  listDatasetEvaluations,
  pagesOfDatasetRatings,
  pagesOfRunRatings,
  type RatingRow,
  type VisibilityFilter,
  visibilityFor,
} from './agreement-queries.ts'
import type { AgreementPart } from './agreement-schemas.ts'
import { compareJudges } from './compare-judges.ts'
import { listDisagreements } from './order-disagreements.ts'
import { AGREEMENT_INTERVAL, pairRaters } from './rater-pairs.ts'
import { gatherRatings, type RatingUnits } from './rating-units.ts'

/** The agreement between raters on the traces of a run, and between raters and judges. */
export async function readRunAgreement(
  q: Queries,
  by: Principal,
  { parts, ...params }: { componentId: string; runId: string } & AgreementOptions,
) {
  const scope = { workspaceId: by.workspaceId, ...params }
  const [run] = await findRun(q, scope)
  if (!run) throw notFound('Run')
  const evaluations = await listRunEvaluations(q, { workspaceId: scope.workspaceId, runIds: [run.id] })
  const visibility = await visibilityFor(q, by)
  const pages = pagesOfRunRatings(q, { ...scope, ...visibility })
  return measureAgreement(q, by.workspaceId, {
    seed: run.id,
    pages,
    evaluations,
    parts,
    ...visibility,
  })
}

/** The agreement over all runs of a dataset. A trace counts once even if several runs contain it. */
export async function readDatasetAgreement(
  q: Queries,
  by: Principal,
  { parts, ...params }: { componentId: string; datasetId: string } & AgreementOptions,
) {
  const scope = { workspaceId: by.workspaceId, ...params }
  const [dataset] = await findDataset(q, scope)
  if (!dataset) throw notFound('Dataset')
  const evaluations = await listDatasetEvaluations(q, scope)
  const visibility = await visibilityFor(q, by)
  const pages = pagesOfDatasetRatings(q, { ...scope, ...visibility })
  return measureAgreement(q, by.workspaceId, { seed: dataset.id, pages, evaluations, parts, ...visibility })
}

type AgreementOptions = { parts: readonly AgreementPart[] }

type AgreementInput = VisibilityFilter &
  AgreementOptions & {
    seed: string
    pages: AsyncIterable<RatingRow[]>
    evaluations: readonly JudgedEvaluation[]
  }

async function measureAgreement(
  q: Queries,
  workspaceId: string,
  { seed, pages, evaluations, parts, isVisible }: AgreementInput,
) {
  const scheme = await readRatingScheme(q, workspaceId)
  const gathered = await gatherRatings(pages, scheme)
  const raters = await ratersOf(q, gathered)
  const alpha = await alphaOf(gathered, { ordered: scheme.ordered, seed })
  const disagreements = await listDisagreements(q, gathered, workspaceId)
  const items = gathered.units.size
  return {
    raters,
    categories: gathered.categories,
    items,
    excluded: gathered.excluded,
    pairs: await pairRaters(gathered, { raters, ordered: scheme.ordered }),
    alpha,
    disagreements: disagreements.data,
    disagreementsTotal: disagreements.total,
    judges: await compareJudges(q, { workspaceId, isVisible }, evaluations),
    summary: summaryOf({ raters: raters.length, items, alpha }),
    ...(parts.includes('consensus') && { consensus: await consensusOf(gathered, raters) }),
  }
}

/** With two raters, nothing shows which of them errs. */
const CONSENSUS_RATERS_MIN = 3
/** A rating may be any text: error rates of each for each other would not fit. */
const CONSENSUS_CATEGORIES_MAX = 20

async function consensusOf({ units, categories }: RatingUnits, raters: readonly { userId: string }[]) {
  if (raters.length < CONSENSUS_RATERS_MIN || categories.length > CONSENSUS_CATEGORIES_MAX) return null
  const rated = [...units.values()].map((unit) => [...unit].map(([rater, { rating }]) => ({ rater, rating })))
  const found = await runInSlices(dawidSkene(rated, { categories }))
  if (!found) return null
  const { shares, confusions } = found
  const votesFor = (category: string) =>
    meanOf(rated.map((unit) => unit.filter(({ rating }) => rating === category).length / unit.length)) ?? 0
  return {
    categories: categories.map((rating, place) => ({ rating, share: shares[place] ?? 0, votes: votesFor(rating) })),
    raters: raters.map(({ userId }) => {
      const confusion = confusions.get(userId) ?? []
      return {
        userId,
        accuracy: shares.reduce((sum, share, place) => sum + share * (confusion[place]?.[place] ?? 0), 0),
      }
    }),
    method: 'EM with smoothed error rates of each rater (Dawid & Skene 1979)',
  }
}

/** The raters and how often they gave which rating. Sorted by the number of ratings, descending. */
async function ratersOf(q: Queries, { units }: RatingUnits) {
  const given = new Map<string, Map<string, number>>()
  for (const unit of units.values()) {
    for (const [userId, { rating }] of unit) {
      const counts = given.get(userId) ?? new Map<string, number>()
      given.set(userId, counts.set(rating, (counts.get(rating) ?? 0) + 1))
    }
  }
  const names = await findNames(q, [...given.keys()])
  return [...given]
    .map(([userId, counts]) => {
      const ratings = [...counts].map(([rating, count]) => ({ rating, count }))
      ratings.sort((a, b) => (a.rating < b.rating ? -1 : 1))
      const count = ratings.reduce((sum, one) => sum + one.count, 0)
      return { userId, name: names.get(userId) ?? null, count, ratings }
    })
    .sort((a, b) => b.count - a.count || (a.userId < b.userId ? -1 : 1))
}

type Alpha = {
  value: number | null
  ci: readonly [number, number] | null
  level: 'nominal' | 'ordinal'
  units: number
  method: string
}

async function alphaOf(
  { units, categories }: RatingUnits,
  { ordered, seed }: { ordered: boolean; seed: string },
): Promise<Alpha> {
  const ratings = [...units.values()].map((unit) => [...unit.values()].map(({ rating }) => rating))
  const level = ordered ? 'ordinal' : 'nominal'
  const order = ordered ? categories : undefined
  const { units: n, alpha, interval } = await runInSlices(krippendorffAlpha(ratings, { order, seed }))
  const method = `Krippendorff’s alpha, ${level}, ${AGREEMENT_INTERVAL}`
  return { value: alpha ?? null, ci: interval ?? null, level, units: n, method }
}

function summaryOf({ raters, items, alpha }: { raters: number; items: number; alpha: Alpha }): string {
  const people = raters === 1 ? '1 person has' : `${raters} people have`
  const rated = `${people} rated ${items} ${items === 1 ? 'trace' : 'traces'}`
  if (alpha.units === 0) return `${rated}; no trace has two ratings, so there is no agreement to measure.`
  if (alpha.value === null)
    return `${rated}, ${alpha.units} of them by two or more; all ratings are equal, so agreement is undefined.`
  const interval = alpha.ci ? `, 95 % CI ${alpha.ci.map((end) => formatFixed(end, 2)).join(' to ')}` : ''
  return `${rated}, ${alpha.units} of them by two or more: α ${formatFixed(alpha.value, 2)} (${alpha.level}${interval}).`
}
