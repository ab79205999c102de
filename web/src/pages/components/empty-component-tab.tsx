import type { LucideIcon } from 'lucide-react'
import { absoluteUrl, apiPaths, type ComponentPart } from '../../path-builder.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { curlCommand } from '../shell/curl-command.ts'

interface EmptyComponentTabProps {
  icon: LucideIcon
  title: string
  text: string
  componentId: string
  part: ComponentPart
  /** The request body that creates the first one. */
  body: Record<string, string>
}

/** An empty tab of a component, with the command that adds the first row. */
export function EmptyComponentTab({ icon, title, text, componentId, part, body }: EmptyComponentTabProps) {
  const command = curlCommand({
    method: 'POST',
    url: absoluteUrl(apiPaths.componentPart(componentId, part)),
    headers: ['Authorization: Bearer $TOUCHSTONE_API_KEY'],
    body,
  })
  return (
    <EmptyState icon={icon} title={title} text={text}>
      <CodeBlock code={command} copyLabel="Copy curl command" />
    </EmptyState>
  )
}
