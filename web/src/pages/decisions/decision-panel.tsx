import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  decisionsKey,
  decisionsQuery,
  fetchComparisonReport,
  fetchDecisionReport,
  type ReportedComparison,
  useRecordDecision,
} from '../../api/decisions-query.ts'
import type { Decision } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { runQuery } from '../../api/run-query.ts'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { authorName, DecisionLabel, type DecisionWord, decisionLooks, decisionWords } from './decision-words.tsx'
import { DownloadReport, reportFileName } from './download-report.tsx'
import { ShareButton } from './share-button.tsx'
import { useMissingRole } from './use-missing-role.ts'

const NOTE_LENGTH_MAX = 5_000

/** Records what follows from a comparison, with its numbers. `baseline` and `candidate` are ids of runs. */
export function DecisionPanel(props: ReportedComparison) {
  const { applicationId, componentId, baseline, candidate } = props
  const component = { applicationId, componentId }
  const { data: run } = useQuery(runQuery({ ...component, runId: candidate }))
  const name = run?.name?.trim() || 'the candidate'
  const decisions = useInfiniteQuery(decisionsQuery(component, { baseline, candidate }))
  useLiveQuery(applicationId, ['decisions'], decisionsKey(applicationId))
  const newest = decisions.data?.[0]
  return (
    <section
      aria-labelledby="decision-panel"
      className="flex min-w-0 flex-col gap-4 rounded-card border border-line bg-surface p-5 shadow-lift"
    >
      <h2 id="decision-panel" className="text-body font-semibold">
        Decision
      </h2>
      {/* Another pair is another decision: what was typed for the last one must not be recorded for it. */}
      <DecisionForm key={`${baseline} ${candidate}`} {...props} name={name} />
      {decisions.error && !decisions.data && <QueryError query={decisions} />}
      {newest && <PairDecisions decisions={decisions.data ?? []} />}
      <div className="flex flex-wrap gap-2">
        {newest && <ShareButton {...component} decisionId={newest.id} />}
        <DownloadReport
          read={() =>
            newest ? fetchDecisionReport({ ...component, decisionId: newest.id }) : fetchComparisonReport(props)
          }
          fileName={reportFileName(name)}
        />
      </div>
    </section>
  )
}

function DecisionForm({ name, ...compared }: ReportedComparison & { name: string }) {
  const { baseline, candidate, metric, margin, split } = compared
  const [decision, setDecision] = useState<DecisionWord>()
  const [note, setNote] = useState('')
  const record = useRecordDecision(compared)
  const missing = useMissingRole(compared.applicationId, 'annotator', 'Recording a decision')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (missing !== undefined || decision === undefined) return
    const body = { baselineRunId: baseline, candidateRunId: candidate, decision, note }
    const seen = { ...(metric && { metric }), ...(split && { split }), ...(margin !== undefined && { margin }) }
    record.mutate(
      { ...body, ...seen },
      {
        onSuccess: () => {
          setDecision(undefined)
          setNote('')
          showToast({ tone: 'good', message: 'The decision is recorded.' })
        },
      },
    )
  }
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-4">
      <fieldset disabled={missing !== undefined} className="flex flex-col gap-1">
        <legend className="sr-only">What follows from this comparison</legend>
        {decisionWords.map((word) => (
          <label
            key={word}
            className="flex min-h-9 cursor-pointer items-center gap-3 rounded-control border border-transparent px-3 text-data has-checked:border-edge has-checked:bg-raised has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-gold-ink touch:min-h-11"
          >
            <input
              type="radio"
              name="decision"
              value={word}
              checked={decision === word}
              onChange={() => setDecision(word)}
              className="size-4 shrink-0 accent-action outline-none"
            />
            <bdi className="min-w-0 wrap-anywhere">{decisionLooks[word].choice(name)}</bdi>
          </label>
        ))}
      </fieldset>
      <TextAreaField
        label="Note"
        isOptional
        rows={3}
        maxLength={NOTE_LENGTH_MAX}
        readOnly={missing !== undefined}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <ErrorReport error={record.error} />
      <div>
        <Button
          type="submit"
          look="primary"
          className="w-full"
          isBusy={record.isPending}
          disabledReason={missing ?? (decision === undefined ? 'Choose a decision first.' : undefined)}
        >
          Record decision
        </Button>
        <p className="mt-2 text-meta text-faint">Kept with these numbers and your name.</p>
      </div>
    </form>
  )
}

/** What was decided about two runs, newest first. Earlier decisions stay, but no longer hold. */
function PairDecisions({ decisions }: { decisions: Decision[] }) {
  return (
    <ol aria-label="Recorded decisions" className="flex flex-col gap-3 border-t border-line pt-4">
      {decisions.map((decision) => (
        <li key={decision.id} className={decision.supersededBy === null ? '' : 'text-soft'}>
          <p className="flex flex-wrap items-center gap-x-2 text-data">
            <DecisionLabel decision={decision.decision} />
            {decision.supersededBy !== null && <span className="text-meta">superseded</span>}
          </p>
          {decision.note !== '' && <p className="text-data whitespace-pre-wrap wrap-anywhere">{decision.note}</p>}
          <p className="text-meta text-faint">
            <bdi>{authorName(decision)}</bdi>, <RelativeTime time={decision.createdAt} />
          </p>
        </li>
      ))}
    </ol>
  )
}
