import { Plus, ScrollText } from 'lucide-react'
import type { UnknownPrompt } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { UnknownPrompts } from './unknown-prompts.tsx'

interface NoPromptsProps {
  /** That traces name. */
  unknown: UnknownPrompt[]
  /** Undefined for those who may not. */
  onCreate: (() => void) | undefined
}

export function NoPrompts({ unknown, onCreate }: NoPromptsProps) {
  return (
    <EmptyState
      icon={ScrollText}
      title="No prompts yet"
      text="Keep them here and change them without a release. Write one, or push those that are files in your repository."
      action={
        onCreate && (
          <Button onClick={onCreate}>
            <Plus aria-hidden className="size-4" />
            Write the first one
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <UnknownPrompts prompts={unknown} />
        <CodeBlock code="touchstone prompts push prompts/*.md" copyLabel="Copy command" />
      </div>
    </EmptyState>
  )
}
