import { Box } from 'lucide-react'
import type { ReactNode } from 'react'
import { absoluteUrl, apiPaths } from '../../path-builder.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { curlCommand } from '../shell/curl-command.ts'

export function NoComponents({ action }: { action: ReactNode }) {
  const command = curlCommand({
    method: 'POST',
    url: absoluteUrl(apiPaths.components()),
    headers: ['Authorization: Bearer $TOUCHSTONE_API_KEY'],
    body: { name: 'support-assistant' },
  })
  return (
    <EmptyState
      icon={Box}
      title="No component yet"
      text="A component is one prompt, pipeline or agent whose quality you want to know."
      action={action}
    >
      <p className="mb-2 text-sm text-soft">Or create one from a terminal, with a key from Settings → API Keys:</p>
      <CodeBlock code={command} copyLabel="Copy curl command" />
    </EmptyState>
  )
}
