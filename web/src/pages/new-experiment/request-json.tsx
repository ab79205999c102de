import type { NewExperiment } from '../../api/experiments-query.ts'
import { absoluteUrl, apiPaths } from '../../path-builder.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { JsonView } from '../../ui/json-view/json-view.tsx'
import { curlCommand } from '../shell/curl-command.ts'

interface RequestJsonProps {
  componentId: string
  /** Undefined without a version or an evaluator. */
  request: NewExperiment | undefined
}

/** What the form sends, and the command that creates the same experiment from a terminal. */
export function RequestJson({ componentId, request }: RequestJsonProps) {
  if (!request)
    return (
      <section>
        <h2 className="sr-only">Request</h2>
        <p className="text-data text-soft">Choose at least one evaluator to see the request.</p>
      </section>
    )
  const command = curlCommand({
    method: 'POST',
    url: absoluteUrl(apiPaths.experiments(componentId)),
    headers: ['Authorization: Bearer $TOUCHSTONE_API_KEY'],
    body: request,
  })
  return (
    <section className="flex min-w-0 flex-col gap-4">
      <h2 className="sr-only">Request</h2>
      <div className="rounded-card border border-line bg-surface p-4 shadow-lift">
        <JsonView label="Request" value={request} />
      </div>
      <CodeBlock code={command} copyLabel="Copy as API request" />
      <p className="text-meta text-soft">The experiment then waits for POST …/experiments/{'{id}'}/start.</p>
    </section>
  )
}
