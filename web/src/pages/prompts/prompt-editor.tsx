import { ListPlus, Plus } from 'lucide-react'
import type { PromptContent, PromptMessage } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { formatBytes, formatCount } from '../../ui/format-number.ts'
import { MessageCard } from './message-card.tsx'
import { ModelFields } from './model-fields.tsx'
import { ResponseFormatEditor } from './response-format-editor.tsx'
import { templateNames } from './template-text.tsx'
import { ToolsEditor } from './tools-editor.tsx'

const BYTES_MAX = 262_144
const MESSAGES_MAX = 200

interface PromptEditorProps {
  applicationId: string
  content: PromptContent
  isReadOnly: boolean
  onChange: (content: PromptContent) => void
}

/** All that a version has. Without permission the texts are shown as text, without fields. */
export function PromptEditor({ applicationId, content, isReadOnly, onChange }: PromptEditorProps) {
  const { messages } = content
  const change = (changed: Partial<PromptContent>) => onChange({ ...content, ...changed })
  const add = (message: PromptMessage) => change({ messages: [...messages, message] })
  const full = messages.length >= MESSAGES_MAX ? 'A version has at most 200 messages.' : undefined
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <div>
        <ol aria-label="Messages" className="flex flex-col gap-2.5">
          {messages.map((message, index) => (
            <MessageCard
              // biome-ignore lint/suspicious/noArrayIndexKey: messages have no identity but their position, and no state
              key={index}
              message={message}
              number={index + 1}
              count={messages.length}
              isReadOnly={isReadOnly}
              onChange={(changed) => change({ messages: messages.with(index, changed) })}
              onMove={(by) => change({ messages: moved(messages, index, by) })}
              onRemove={() => change({ messages: messages.toSpliced(index, 1) })}
            />
          ))}
        </ol>
        {!isReadOnly && (
          <>
            <div className="mt-3 flex flex-wrap gap-2">
              <Button disabledReason={full} onClick={() => add({ role: 'user', content: '' })}>
                <Plus aria-hidden className="size-4" />
                Message
              </Button>
              <Button disabledReason={full} onClick={() => add({ placeholder: freeName(messages) })}>
                <ListPlus aria-hidden className="size-4" />
                Placeholder
              </Button>
            </div>
            <p className="mt-2 text-meta text-faint">
              Type {'{{'} for a variable. Nothing else is replaced: no logic, no escaping.
            </p>
            <SizeNote content={content} />
          </>
        )}
      </div>
      <div className="grid items-start gap-6 border-t border-line pt-5 md:grid-cols-2">
        <ToolsEditor tools={content.tools} isReadOnly={isReadOnly} onChange={(tools) => change({ tools })} />
        <ResponseFormatEditor
          format={content.responseFormat}
          isReadOnly={isReadOnly}
          onChange={(responseFormat) => change({ responseFormat })}
        />
      </div>
      <ModelFields applicationId={applicationId} content={content} isReadOnly={isReadOnly} onChange={change} />
    </div>
  )
}

/** Says how much room is left when it becomes little. */
function SizeNote({ content }: { content: PromptContent }) {
  const bytes = new TextEncoder().encode(JSON.stringify(content)).length
  const parts = [
    ...(bytes > 0.8 * BYTES_MAX ? [`${formatBytes(bytes)} of ${formatBytes(BYTES_MAX)}`] : []),
    ...(content.messages.length > 0.8 * MESSAGES_MAX
      ? [`${formatCount(content.messages.length)} of ${MESSAGES_MAX} messages`]
      : []),
  ]
  if (parts.length === 0) return null
  return (
    <p role="status" className={`mt-1 text-meta ${bytes > BYTES_MAX ? 'text-danger' : 'text-warn'}`}>
      {bytes > BYTES_MAX ? `Too large to be saved: ${parts.join(', ')}.` : `Near the limit: ${parts.join(', ')}.`}
    </p>
  )
}

function moved(messages: PromptMessage[], index: number, by: -1 | 1): PromptMessage[] {
  const message = messages[index]
  return message ? messages.toSpliced(index, 1).toSpliced(index + by, 0, message) : messages
}

/** A name that no variable and no placeholder has. */
function freeName(messages: readonly PromptMessage[]): string {
  const { variables, placeholders } = templateNames(messages)
  const taken = new Set([...variables, ...placeholders])
  if (!taken.has('history')) return 'history'
  let number = 2
  while (taken.has(`history_${number}`)) number += 1
  return `history_${number}`
}
