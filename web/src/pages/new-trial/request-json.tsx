import type { NewTrial } from '../../api/trials-query.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { JsonView } from '../../ui/json-view/json-view.tsx'
import { requestCommand } from './request-command.ts'

interface RequestJsonProps {
  componentId: string
  /** Undefined without a variant. */
  request: NewTrial | undefined
}

/** What the form sends, and the command that starts the same trial from a terminal or in CI. */
export function RequestJson({ componentId, request }: RequestJsonProps) {
  if (!request)
    return (
      <section>
        <h2 className="sr-only">Request</h2>
        <p className="text-data text-soft">Choose at least one variant to see the request.</p>
      </section>
    )
  return (
    <section className="flex min-w-0 flex-col gap-4">
      <h2 className="sr-only">Request</h2>
      <div className="rounded-card border border-line bg-surface p-4 shadow-lift">
        <JsonView label="Request" value={request} />
      </div>
      <CodeBlock code={requestCommand(componentId, request)} copyLabel="Copy as API request" />
    </section>
  )
}
