import { Link } from '@tanstack/react-router'
import { Box } from 'lucide-react'
import type { ReactNode } from 'react'
import { absoluteUrl, apiPaths, pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { curlCommand } from '../shell/curl-command.ts'

interface NoComponentsProps {
  applicationId: string
  action: ReactNode
}

export function NoComponents({ applicationId, action }: NoComponentsProps) {
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
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {action}
          <Link to={pagePaths.firstTrace(applicationId)} className={buttonClass()}>
            Send your first trace
          </Link>
        </div>
      }
    >
      <p className="mb-2 text-data text-soft">Or create one from a terminal, with a key from Settings → API Keys:</p>
      <CodeBlock code={command} copyLabel="Copy curl command" />
    </EmptyState>
  )
}
