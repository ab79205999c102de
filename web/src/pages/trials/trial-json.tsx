import type { TrialDetail } from '../../api/generated/api.ts'
import { absoluteUrl, apiPaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { JsonView } from '../../ui/json-view/json-view.tsx'
import { curlCommand } from '../shell/curl-command.ts'
import { requestOfTrial } from './request-of-trial.ts'

interface TrialJsonProps {
  componentId: string
  trial: TrialDetail
  onClose: () => void
}

/** The trial as the API returns it, and the command that starts the same one again from a terminal or in CI. */
export function TrialJson({ componentId, trial, onClose }: TrialJsonProps) {
  const command = curlCommand({
    method: 'POST',
    url: absoluteUrl(apiPaths.trials(componentId)),
    headers: ['Authorization: Bearer $TOUCHSTONE_API_KEY'],
    body: requestOfTrial(trial),
  })
  return (
    <div className="mt-6 flex min-w-0 flex-col gap-6">
      <div>
        <Button onClick={onClose}>Back to the results</Button>
      </div>
      <section aria-labelledby="again-title">
        <h2 id="again-title" className="mb-3 font-display text-section font-semibold">
          Start it again
        </h2>
        <CodeBlock code={command} copyLabel="Copy as API request" />
      </section>
      <section aria-labelledby="json-title">
        <h2 id="json-title" className="mb-3 font-display text-section font-semibold">
          As the API returns it
        </h2>
        <div className="rounded-card border border-line bg-surface p-4 shadow-lift">
          <JsonView label="Trial" value={trial} />
        </div>
      </section>
    </div>
  )
}
