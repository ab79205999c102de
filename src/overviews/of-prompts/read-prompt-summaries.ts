/** The prompts of a component with what their versions did in production: how often they were used, how good and how expensive they were. */
import { findLabelsOfPrompts } from '../../prompts/label-queries.ts'
import { type LivePeriod, listLivePeriods } from '../../prompts/live-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { cutPage, type KeysetPage } from '../keyset-page.ts'
import { bucketHours, type PromptPeriod, promptPeriodTimes, timeOfHour } from './prompt-period.ts'
import { listPromptsAfter, listVersionsNumbered } from './prompt-summary-queries.ts'

const VERSIONS_MAX = 50
const LIVE_PERIODS_MAX = 2_000
const HOUR_MS = 3_600_000

type Asked = KeysetPage & {
  workspaceId: string
  componentId: string
  promptId: string | undefined
  metric: string
  period: PromptPeriod
}

export async function readPromptSummaries(q: Queries, { period, metric, ...asked }: Asked) {
  const { workspaceId } = asked
  const { page: prompts, nextCursor } = cutPage(await listPromptsAfter(q, asked), asked.limit)
  const promptIds = prompts.map(({ id }) => id)
  const labels = await findLabelsOfPrompts(q, { workspaceId, promptIds })
  const live = await readLive(q, { workspaceId, promptIds, period })
  const numbersOf = new Map(
    prompts.map(({ id, newestNumber }) => {
      const served = (live.get(id) ?? []).flatMap(({ splits }) => splits.map(({ version }) => version))
      const numbers = [...new Set([...served, ...(newestNumber === null ? [] : [newestNumber])])]
      return [id, numbers.sort((a, b) => b - a)]
    }),
  )
  const wanted = [...numbersOf].flatMap(([promptId, numbers]) =>
    numbers.slice(0, VERSIONS_MAX).map((number) => ({ promptId, number })),
  )
  const versions = Map.groupBy(await listVersionsNumbered(q, workspaceId, wanted), ({ promptId }) => promptId)
  const used = { ...NOT_USED, series: bucketHours(period).map((hour) => ({ start: timeOfHour(hour), count: 0 })) }
  return {
    ...promptPeriodTimes(period),
    metric,
    metrics: [metric],
    scale: null,
    higherIsBetter: true,
    data: prompts.map(({ newestNumber, ...prompt }) => {
      const own = versions.get(prompt.id) ?? []
      const newest = own.find(({ number }) => number === newestNumber)
      return {
        ...prompt,
        labels: labels.get(prompt.id) ?? [],
        newest: newest ? withUser(newest) : null,
        ...used,
        withoutVersion: 0,
        missingLabels: [],
        versions: own.map((version) => ({
          ...withUser(version),
          isDeleted: version.deletedAt !== null,
          ...used,
          live: liveOf(version.number, live.get(prompt.id) ?? []),
        })),
        hasMoreVersions: (numbersOf.get(prompt.id)?.length ?? 0) > VERSIONS_MAX,
      }
    }),
    unknownPrompts: [],
    nextCursor,
  }
}

const NOT_USED = {
  traces: 0,
  rate: { mean: null, ci: null, n: 0, summary: 'No traces.' },
  cost: { mean: null, n: 0 },
  sources: { network: 0, memory: 0, disk: 0, fallback: 0, unknown: 0 },
  lastUsedAt: null,
}

type Version = Awaited<ReturnType<typeof listVersionsNumbered>>[number]

function withUser({ number, note, userId, userName, createdAt }: Version) {
  return { number, note, user: { id: userId, name: userName }, createdAt }
}

async function readLive(
  q: Queries,
  { workspaceId, promptIds, period }: { workspaceId: string; promptIds: readonly string[]; period: PromptPeriod },
): Promise<Map<string, LivePeriod[]>> {
  if (promptIds.length === 0) return new Map()
  const times = { fromMs: period.firstHour * HOUR_MS, toMs: period.endHour * HOUR_MS }
  const rows = await listLivePeriods(q, {
    workspaceId,
    promptIds,
    ...times,
    before: undefined,
    limit: LIVE_PERIODS_MAX,
  })
  return Map.groupBy(rows, ({ promptId }) => promptId)
}

function liveOf(number: number, periods: readonly LivePeriod[]) {
  return periods.flatMap(({ label, splits, since, until }) =>
    splits.flatMap(({ version, weight }) => (version === number ? { label, weight, since, until } : [])),
  )
}
