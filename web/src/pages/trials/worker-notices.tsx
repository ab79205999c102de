import { useQuery } from '@tanstack/react-query'
import type { TrialDetail } from '../../api/generated/api.ts'
import { leasedCallQuery, type TrialKey } from '../../api/trials-query.ts'
import { absoluteUrl, apiPaths } from '../../path-builder.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Notice } from '../../ui/notice.tsx'
import { curlCommand } from '../shell/curl-command.ts'
import { type Variant, waitingCalls } from './trial-words.ts'

/** Requests for leases send no event. */
const READ_MS = 10_000

interface WorkerNoticesProps {
  trialKey: TrialKey
  trial: TrialDetail
}

/** Calls of your own code wait until a program fetches them. */
export function WorkerNotices({ trialKey, trial }: WorkerNoticesProps) {
  if (trial.status !== 'running') return null
  return trial.variants
    .filter((variant) => variant.target.type === 'worker' && variant.reason === null && waitingCalls(variant) > 0)
    .map((variant) => <WorkerNotice key={variant.name} trialKey={trialKey} variant={variant} />)
}

function WorkerNotice({ trialKey, variant }: { trialKey: TrialKey; variant: Variant }) {
  const { data: hasLease } = useQuery({ ...leasedCallQuery(trialKey, variant.name), refetchInterval: READ_MS })
  if (hasLease !== false) return null
  const queue = variant.target.queue ?? ''
  const command = curlCommand({
    method: 'POST',
    url: absoluteUrl(apiPaths.leaseCalls(trialKey.componentId)),
    headers: ['Authorization: Bearer $TOUCHSTONE_API_KEY'],
    body: { queue, max: 10, waitSeconds: 20 },
  })
  return (
    <div className="mt-4">
      <Notice title={`No worker has a call of the queue ${queue}.`}>
        <p className="mb-2">
          {countOf(waitingCalls(variant), 'call')} of <bdi>{variant.name}</bdi> wait. Your code fetches them, also from
          behind a firewall, and returns each output:
        </p>
        <CodeBlock code={command} copyLabel="Copy the command" />
      </Notice>
    </div>
  )
}
