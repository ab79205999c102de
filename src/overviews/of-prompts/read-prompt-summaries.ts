/** The prompts of a component with what their versions did in production: how often they were used, how good and how expensive they were. */
import { findLabelsOfPrompts, type Label } from '../../prompts/label-queries.ts'
import { type LivePeriod, listLivePeriods } from '../../prompts/live-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { splitPromptName, versionNumber } from '../../traces/storing/trace-prompts.ts'
import { cutPage, type KeysetPage } from '../keyset-page.ts'
import { BUCKET_HOURS, bucketHours, type PromptPeriod, promptPeriodTimes, timeOfHour } from './prompt-period.ts'
import { readPromptRates } from './prompt-rates.ts'
import { listPromptsAfter, listVersionsNumbered } from './prompt-summary-queries.ts'
import { listPromptUses, listUnknownPrompts, type PromptUse } from './prompt-use-queries.ts'

const VERSIONS_MAX = 50
/** Senders may name any number. */
const NUMBERS_MAX = 1_000
const LIVE_PERIODS_MAX = 2_000
const UNKNOWN_MAX = 50
const HOUR_MS = 3_600_000

type Asked = KeysetPage & {
  workspaceId: string
  componentId: string
  promptId: string | undefined
  metric: string
  period: PromptPeriod
}

export async function readPromptSummaries(q: Queries, { metric, ...asked }: Asked) {
  const { workspaceId, componentId, period } = asked
  const { page, nextCursor } = cutPage(await listPromptsAfter(q, asked), asked.limit)
  const promptIds = page.map(({ id }) => id)
  const labels = await findLabelsOfPrompts(q, { workspaceId, promptIds })
  const live = await readLive(q, { workspaceId, promptIds, period })
  const scope = { workspaceId, componentId, period }
  const names = page.map(({ name }) => name)
  const uses = Map.groupBy(await listPromptUses(q, { ...scope, names }), ({ prompt }) => prompt)
  const prompts = page.map((prompt) => {
    const own = { labels: labels.get(prompt.id) ?? [], live: live.get(prompt.id) ?? [] }
    return { ...prompt, ...own, uses: uses.get(prompt.name) ?? [] }
  })
  const wanted = prompts.flatMap((prompt) => numbersOf(prompt).map((number) => ({ promptId: prompt.id, number })))
  const versions = Map.groupBy(await listVersionsNumbered(q, workspaceId, wanted), ({ promptId }) => promptId)
  const { rateOf, ...measured } = await readPromptRates(q, { ...scope, metric })
  const data: Awaited<ReturnType<typeof summarize>>[] = []
  for (const prompt of prompts) data.push(await summarize(prompt, versions.get(prompt.id) ?? [], { period, rateOf }))
  const unknown = await listUnknownPrompts(q, scope, UNKNOWN_MAX)
  return {
    ...promptPeriodTimes(period),
    ...measured,
    data,
    unknownPrompts: unknown.map(({ lastHour, ...one }) => ({ ...one, lastUsedAt: timeOfHour(lastHour) })),
    nextCursor,
  }
}

type Prompt = Awaited<ReturnType<typeof listPromptsAfter>>[number] & {
  labels: readonly Label[]
  live: readonly LivePeriod[]
  uses: readonly PromptUse[]
}
type Version = Awaited<ReturnType<typeof listVersionsNumbered>>[number]
type Measuring = { period: PromptPeriod; rateOf: Awaited<ReturnType<typeof readPromptRates>>['rateOf'] }

/** The newest version, and those that were used or served, highest first. */
function numbersOf({ newestNumber, live, uses }: Prompt): number[] {
  const used = uses.flatMap(({ version }) => versionNumber(version) ?? [])
  const served = live.flatMap(({ splits }) => splits.map(({ version }) => version))
  const numbers = new Set([...used, ...served, ...(newestNumber === null ? [] : [newestNumber])])
  return [...numbers].sort((a, b) => b - a).slice(0, NUMBERS_MAX)
}

async function summarize(prompt: Prompt, versions: readonly Version[], { period, rateOf }: Measuring) {
  const { newestNumber, live, uses, labels, ...fields } = prompt
  const newest = versions.find(({ number }) => number === newestNumber)
  const rows: unknown[] = []
  for (const version of versions.slice(0, VERSIONS_MAX)) {
    const own = uses.filter((use) => versionNumber(use.version) === version.number)
    const name = `${prompt.name}@${version.number}`
    rows.push({
      ...withUser(version),
      isDeleted: version.deletedAt !== null,
      ...usedBy(own, period),
      rate: await rateOf((used) => used === name, tracesOf(own)),
      live: liveOf(version.number, live),
    })
  }
  const isKnown = ({ version }: PromptUse) => versions.some(({ number }) => number === versionNumber(version))
  return {
    ...fields,
    labels,
    newest: newest ? withUser(newest) : null,
    ...usedBy(uses, period),
    rate: await rateOf((used) => splitPromptName(used).prompt === prompt.name, tracesOf(uses)),
    withoutVersion: tracesOf(uses.filter(({ version }) => version === '')),
    unknownVersions: tracesOf(uses.filter((use) => use.version !== '' && !isKnown(use))),
    missingLabels: missingLabels(uses, labels),
    versions: rows,
    hasMoreVersions: versions.length > VERSIONS_MAX,
  }
}

function withUser({ number, note, userId, userName, createdAt }: Version) {
  return { number, note, user: { id: userId, name: userName }, createdAt }
}

function tracesOf(uses: readonly PromptUse[]): number {
  return uses.reduce((sum, { traces }) => sum + traces, 0)
}

const SOURCES = ['network', 'memory', 'disk', 'fallback'] as const

function usedBy(uses: readonly PromptUse[], period: PromptPeriod) {
  const buckets = Map.groupBy(uses, ({ bucket }) => bucket)
  const priced = uses.reduce((sum, use) => sum + use.priced, 0)
  const costUsd = uses.reduce((sum, use) => sum + use.costUsd, 0)
  const usesOf = (source: string) => uses.reduce((sum, use) => sum + (use.source === source ? use.uses : 0), 0)
  const [network, memory, disk, fallback] = SOURCES.map(usesOf)
  return {
    traces: tracesOf(uses),
    series: bucketHours(period).map((hour) => ({
      start: timeOfHour(hour),
      count: tracesOf(buckets.get(hour / BUCKET_HOURS) ?? []),
    })),
    cost: { mean: priced === 0 ? null : costUsd / priced, n: priced },
    sources: { network, memory, disk, fallback, unknown: usesOf('') },
    lastUsedAt: uses.length === 0 ? null : timeOfHour(Math.max(...uses.map(({ lastHour }) => lastHour))),
  }
}

/** Labels that code asked for and that serve nothing. */
function missingLabels(uses: readonly PromptUse[], labels: readonly Label[]) {
  const served = new Set(labels.flatMap(({ name, splits }) => (splits.length > 0 ? name : [])))
  const missing = Map.groupBy(
    uses.filter(({ label }) => label !== '' && !served.has(label)),
    ({ label }) => label,
  )
  return [...missing].map(([label, own]) => ({
    label,
    traces: own.reduce((sum, use) => sum + use.uses, 0),
    lastUsedAt: timeOfHour(Math.max(...own.map(({ lastHour }) => lastHour))),
  }))
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
