import type { TrialDetail } from '../../api/generated/api.ts'
import type { TrialKey } from '../../api/trials-query.ts'
import { absoluteUrl, apiPaths } from '../../path-builder.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Notice } from '../../ui/notice.tsx'
import { curlCommand } from '../shell/curl-command.ts'

interface WaitingNoticesProps {
  trialKey: TrialKey
  trial: TrialDetail
}

type Waiting = TrialDetail['waiting'][number]

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** Why a trial that runs makes no progress. The headline says it of a trial that is pending, and of evaluations. */
export function WaitingNotices({ trialKey, trial }: WaitingNoticesProps) {
  if (trial.status !== 'running') return null
  const shown = trial.waiting.filter(({ reason }) => reason !== 'evaluations')
  return shown.map((waiting) => (
    <div key={`${waiting.reason} ${waiting.variant}`} className="mt-4">
      {waiting.reason === 'worker' ? (
        <WorkerNotice trialKey={trialKey} trial={trial} waiting={waiting} />
      ) : (
        <Notice title={`${waiting.variant ?? 'The trial'} waits${untilText(waiting)}.`}>
          <p className="wrap-anywhere">
            {waiting.summary}. {countOf(waiting.calls, 'call')} to go; waiting uses no attempt.
          </p>
        </Notice>
      )}
    </div>
  ))
}

function untilText({ until }: Waiting): string {
  return until === null ? '' : ` until ${clock.format(new Date(until))}`
}

/** Calls of your own code wait until a program fetches them. */
function WorkerNotice({ trialKey, trial, waiting }: WaitingNoticesProps & { waiting: Waiting }) {
  const queue = trial.variants.find(({ name }) => name === waiting.variant)?.target.queue ?? ''
  const command = curlCommand({
    method: 'POST',
    url: absoluteUrl(apiPaths.leaseCalls(trialKey.componentId)),
    headers: ['Authorization: Bearer $TOUCHSTONE_API_KEY'],
    body: { queue, max: 10, waitSeconds: 20 },
  })
  return (
    <Notice title={`No worker has a call of the queue ${queue}.`}>
      <p className="mb-2">
        {countOf(waiting.calls, 'call')} of <bdi>{waiting.variant}</bdi> wait. Your code fetches them, also from behind
        a firewall, and returns each output:
      </p>
      <CodeBlock code={command} copyLabel="Copy the command" />
    </Notice>
  )
}
