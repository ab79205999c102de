import { Play } from 'lucide-react'
import { absoluteUrl, apiPaths } from '../../path-builder.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { curlCommand } from '../shell/curl-command.ts'

/** How a run is created: by a request, or by the attributes of the spans that belong to it. */
export function NoRuns({ componentId }: { componentId: string }) {
  const command = curlCommand({
    method: 'POST',
    url: absoluteUrl(apiPaths.componentPart(componentId, 'runs')),
    headers: ['Authorization: Bearer $TOUCHSTONE_API_KEY'],
    body: { datasetId: 'DATASET_ID', name: 'v1' },
  })
  return (
    <EmptyState
      icon={Play}
      title="No run yet"
      text="A run is what one version of the component answered to the cases of a dataset."
    >
      <p className="mb-2 text-data text-soft">
        Name the dataset and the run in the spans of your program: the first trace creates the run.
      </p>
      <CodeBlock code={ATTRIBUTES} copyLabel="Copy span attributes" />
      <p className="mt-6 mb-2 text-data text-soft">
        Or create the run here with New run and choose its traces, or by a request.
      </p>
      <CodeBlock code={command} copyLabel="Copy curl command" />
    </EmptyState>
  )
}

const ATTRIBUTES = `span.setAttribute('touchstone.dataset', 'golden answers')
span.setAttribute('touchstone.run', 'prompt v1')`
