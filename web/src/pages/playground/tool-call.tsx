import { CornerDownRight, Wrench } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import type { PromptToolCall } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { isObject } from '../prompts/prompt-draft.ts'
import type { AnsweredCall } from './tries.ts'

/** A call of a tool: its arguments, and what was answered in its place. */
export function ToolCallBox({ call: { toolCall, answer, by } }: { call: AnsweredCall }) {
  return (
    <div className="min-w-0 rounded-control border border-line bg-raised text-meta">
      <p className="flex items-center gap-1.5 border-b border-line px-2.5 py-1">
        <Wrench aria-hidden className="size-3 shrink-0 text-faint" />
        <bdi className="min-w-0 truncate font-mono font-semibold">{toolCall.name}</bdi>
        <span className="ml-auto shrink-0 text-faint">
          {by === 'recorded' ? 'recorded' : by === 'you' ? 'answered by you' : 'no answer'}
        </span>
      </p>
      <div className="px-2.5 py-1.5 font-mono wrap-anywhere whitespace-pre-wrap">
        {argumentsText(toolCall.arguments)}
      </div>
      {answer !== null && (
        <p className="flex gap-1.5 px-2.5 pb-1.5 font-mono text-soft">
          <CornerDownRight aria-hidden className="mt-0.5 size-3 shrink-0 text-faint" />
          <span className="line-clamp-6 wrap-anywhere whitespace-pre-wrap">{answer}</span>
        </p>
      )}
    </div>
  )
}

/** One line for each argument; what is no object stays as the model wrote it. */
function argumentsText(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) return text
    const lines = Object.entries(value).map(([name, argument]) => `${name}: ${JSON.stringify(argument)}`)
    return lines.join('\n') || 'without arguments'
  } catch {
    return text || 'without arguments'
  }
}

interface ToolAnswersFormProps {
  /** Those that have no answer. */
  calls: readonly PromptToolCall[]
  whyNot: string | undefined
  onAnswer: (answers: ReadonlyMap<string, string>) => void
}

/** Answers for the tools that have none. The model continues with them. */
export function ToolAnswersForm({ calls, whyNot, onAnswer }: ToolAnswersFormProps) {
  const [texts, setTexts] = useState<Record<string, string>>({})
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (whyNot === undefined) onAnswer(new Map(calls.map(({ id }) => [id, texts[id] ?? ''])))
  }
  // The same keys run all cells elsewhere on the page.
  const submitByKeys = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    event.currentTarget.requestSubmit()
  }
  return (
    <form onKeyDown={submitByKeys} method="post" onSubmit={submit} className="mt-2.5 flex flex-col gap-2">
      {calls.map(({ id, name: tool }) => (
        <TextAreaField
          key={id}
          label={calls.length === 1 ? 'Answer for the model' : `Answer for the model: ${tool}`}
          rows={2}
          required
          maxLength={1_048_576}
          value={texts[id] ?? ''}
          placeholder={`What ${tool} returns`}
          onChange={(event) => setTexts({ ...texts, [id]: event.target.value })}
          className="font-mono text-code"
        />
      ))}
      <Button type="submit" size="small" className="self-end" disabledReason={whyNot}>
        {calls.length === 1 ? 'Send the answer' : 'Send the answers'}
      </Button>
    </form>
  )
}
