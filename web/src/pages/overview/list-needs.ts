import { CircleX, ClipboardCheck, Coins, Gavel, type LucideIcon, Users } from 'lucide-react'
import type { ComponentSummary } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { withMetricTitles } from '../../ui/metric-words.ts'
import { settingsInWords } from '../../ui/setting-words.ts'
import { evaluationTitle, runTitle } from '../runs/run-title.ts'

export interface Need {
  key: string
  icon: LucideIcon
  title: string
  text: string
  /** On the button. */
  action: string
  to: string
  search?: Record<string, string>
}

export interface Reader {
  applicationId: string
  canRate: boolean
  isAdmin: boolean
}

/** What the user can do about these components, the most urgent kind first. */
export function listNeeds(rows: ComponentSummary[], reader: Reader): Need[] {
  return [
    ...rows.flatMap((row) => (reader.canRate ? ratings(row, reader) : [])),
    ...rows.flatMap((row) => regression(row, reader)),
    ...rows.flatMap((row) => failure(row, reader)),
    ...(reader.isAdmin ? prices(rows, reader) : []),
  ]
}

function ratings({ id, name, work, newestRun }: ComponentSummary, { applicationId }: Reader): Need[] {
  const needs: Need[] = []
  if (work.remaining > 0) {
    needs.push({
      key: `rate ${id}`,
      icon: ClipboardCheck,
      title: `Rate ${countOf(work.remaining, 'answer')}`,
      text: newestRun?.isToBeRated ? `${name}. ${ratedSoFar(newestRun)}` : `${name}. These wait for your rating.`,
      action: 'Rate',
      to: newestRun?.isToBeRated ? pagePaths.annotate(applicationId, id, newestRun.id) : pagePaths.work(applicationId),
    })
  }
  if (work.openDisagreements > 0) {
    needs.push({
      key: `settle ${id}`,
      icon: Users,
      title: `Settle ${countOf(work.openDisagreements, 'disagreement')}`,
      text: `${name}. Raters gave different ratings to the same answer.`,
      action: 'Settle',
      to:
        newestRun && newestRun.openDisagreements > 0
          ? pagePaths.run(applicationId, id, newestRun.id)
          : pagePaths.component(applicationId, id),
      ...(newestRun && newestRun.openDisagreements > 0 && { search: { tab: 'agreement' } }),
    })
  }
  return needs
}

/** Of all raters: a run can be rated completely, and still wait for this user. */
function ratedSoFar(run: NonNullable<ComponentSummary['newestRun']>): string {
  const title = runTitle(run)
  if (run.rated === 0) return `No one has rated ${title} yet.`
  if (run.rated === run.traceCount) return `All answers of ${title} have a rating, but not yours.`
  return `${formatCount(run.rated)} of ${formatCount(run.traceCount)} answers of ${title} have a rating.`
}

function regression({ id, name, comparison }: ComponentSummary, { applicationId }: Reader): Need[] {
  if (!comparison || (comparison.verdict !== 'regressed' && comparison.gate?.passed !== false)) return []
  return [
    {
      key: `decide ${id}`,
      icon: Gavel,
      title: `Decide on ${runTitle(comparison.candidate)}`,
      text: `${name}. ${withMetricTitles(comparison.gate?.summary ?? comparison.summary)}`,
      action: 'Open',
      to: pagePaths.compare(applicationId, id),
      search: {
        base: comparison.baseline.id,
        cand: comparison.candidate.id,
        ...(comparison.split && { split: comparison.split }),
      },
    },
  ]
}

function failure({ id, name, newestEvaluation }: ComponentSummary, { applicationId }: Reader): Need[] {
  if (!newestEvaluation || newestEvaluation.error === 'cancelled') return []
  const { status, scores, error } = newestEvaluation
  const isPartial = status === 'completed' && scores.failed > 0
  if (status !== 'failed' && !isPartial) return []
  return [
    {
      key: `failed ${id}`,
      icon: CircleX,
      title: isPartial ? `${countOf(scores.failed, 'score')} failed` : 'An evaluation failed',
      text: `${name}. ${evaluationTitle(newestEvaluation)}${error ? `: ${settingsInWords(error)}` : ''}`,
      action: 'Open',
      to: pagePaths.evaluation(applicationId, id, newestEvaluation.id),
    },
  ]
}

function prices(rows: ComponentSummary[], { applicationId }: Reader): Need[] {
  const unpriced = rows.filter(({ traces }) => traces.count > 0 && traces.cost.known === 'none')
  if (unpriced.length === 0) return []
  return [
    {
      key: 'prices',
      icon: Coins,
      title: 'Set prices',
      text: `The cost of ${listNames(unpriced.map(({ name }) => name))} is unknown until then.`,
      action: 'Add price',
      to: pagePaths.settings(applicationId, 'prices'),
    },
  ]
}

function listNames(names: string[]): string {
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}
