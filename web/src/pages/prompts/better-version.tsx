import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
import { betterVersionQuery, type LiveWithGate, liveWithGate } from '../../api/better-version-query.ts'
import { labelCheckKey } from '../../api/deployment-query.ts'
import type { DeploymentEvidence, PromptLabel, PromptSummary } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import type { ComponentKey, PromptKey } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { formatInterval } from '../../ui/charts/estimate.ts'
import { countOf, formatPercent } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Notice } from '../../ui/notice.tsx'
import { changeFormat, changeOf } from '../compare/metric-change.ts'
import { asMetric } from '../deploy/evidence-metric.ts'
import { useMayMove } from './use-may-move.ts'

const LABEL = 'production'
/** Each may compare several runs. */
const PROMPTS_MAX = 3

interface BetterVersionProps {
  promptKey: PromptKey
  labels: PromptLabel[]
}

/** That a newer version than the live one has a verdict which opens the label, so that it does not wait unseen. */
export function BetterVersion({ promptKey, labels }: BetterVersionProps) {
  const live = liveWithGate(labels)
  return live ? <Better promptKey={promptKey} labels={labels} live={live} /> : null
}

function Better({ promptKey, labels, live }: BetterVersionProps & { live: LiveWithGate }) {
  const { data: evidence } = useQuery(betterVersionQuery(promptKey, live))
  useLiveBetterVersions(promptKey.applicationId)
  return evidence ? <Announcement promptKey={promptKey} labels={labels} evidence={evidence} /> : null
}

/** The same of prompts in a list: those of which a version is newer than the live one. */
export function useBetterVersions({ applicationId, componentId }: ComponentKey, prompts: readonly PromptSummary[]) {
  const asked = prompts.flatMap(({ id, name, labels, newest }) => {
    const live = liveWithGate(labels)
    if (!live || !newest || newest.number <= live.live) return []
    return { key: { applicationId, componentId, promptId: id }, name, labels, live }
  })
  const shown = asked.slice(0, PROMPTS_MAX)
  const queries = useQueries({ queries: shown.map(({ key, live }) => betterVersionQuery(key, live)) })
  useLiveBetterVersions(applicationId)
  return {
    isPending: queries.some(({ isPending, failureCount }) => isPending && failureCount === 0),
    announcements: shown.map(({ key, name, labels }, index) => {
      const evidence = queries[index]?.data
      return (
        evidence && <Announcement key={key.promptId} promptKey={key} name={name} labels={labels} evidence={evidence} />
      )
    }),
  }
}

function useLiveBetterVersions(applicationId: string): void {
  useLiveQuery(applicationId, ['prompts', 'evaluations', 'runs'], labelCheckKey(applicationId))
}

interface AnnouncementProps {
  promptKey: PromptKey
  /** Of the prompt, where it is not the title of the page. */
  name?: string
  labels: PromptLabel[]
  evidence: DeploymentEvidence
}

function Announcement({ promptKey, name, labels, evidence }: AnnouncementProps) {
  const mayMove = useMayMove(labels, LABEL)
  const { applicationId, componentId, promptId } = promptKey
  const { version } = evidence.candidate
  return (
    <section aria-label={`A newer version${name === undefined ? '' : ` of ${name}`} can go live`} className="mb-5">
      <Notice tone="good" title={titleOf(evidence, name)}>
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
          <p className="text-soft tabular-nums">{numbersOf(evidence)}</p>
          <Link
            to={pagePaths.promptDeploy(applicationId, componentId, promptId, LABEL)}
            search={{ version }}
            className={buttonClass()}
          >
            <Rocket aria-hidden className="size-4" />
            {mayMove ? `Deploy v${version}…` : 'Ask an admin…'}
          </Link>
        </div>
      </Notice>
    </section>
  )
}

function titleOf({ verdict, metric, baseline, candidate }: DeploymentEvidence, name: string | undefined): string {
  const after = `${name === undefined ? '' : `${name} `}v${candidate.version}`
  const before = `what is live, v${baseline.version}`
  if (verdict === 'improved') return `${after} is better on ${metricTitle(metric)} than ${before}`
  return `${after} is shown to be not worse on ${metricTitle(metric)} than ${before}`
}

function numbersOf(evidence: DeploymentEvidence): string {
  const { value, ci } = changeOf(evidence)
  const format = changeFormat(asMetric(evidence))
  const [low, high] = ci ?? []
  const interval =
    low === undefined || high === undefined
      ? ''
      : ` (${formatPercent(evidence.confidence ?? 0.95)} CI ${formatInterval({ low, high }, format)})`
  const change = value === null ? '' : `${format(value)}${interval} on `
  return `${change}${countOf(evidence.items, 'item')} of ${evidence.dataset.name}. All conditions of production that rest on it are met.`
}
