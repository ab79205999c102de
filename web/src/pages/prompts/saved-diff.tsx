import { useQuery } from '@tanstack/react-query'
import { Check, ChevronsUpDown, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { PromptDiff } from '../../api/generated/api.ts'
import { type PromptKey, promptDiffQuery } from '../../api/prompts-query.ts'
import { Badge } from '../../ui/badge.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { type Tool, toolChanges } from './describe-tool.ts'
import { countChanges, foldSame, groupMessages, mergeHunks } from './diff-groups.ts'
import { DiffMark } from './diff-mark.tsx'
import { titleOf } from './message-card.tsx'
import { isObject } from './prompt-draft.ts'
import { TemplateText } from './template-text.tsx'
import { ToolChanges } from './tool-changes.tsx'

interface SavedDiffProps {
  prompt: PromptKey
  from: number
  to: number
}

/** What differs between two saved versions, by words. */
export function SavedDiff({ prompt, from, to }: SavedDiffProps) {
  const query = useQuery(promptDiffQuery(prompt, { from, to }))
  if (!query.data) return query.error ? <QueryError query={query} /> : <Skeleton rows={3} />
  return <DiffView diff={query.data} />
}

type DiffMessage = PromptDiff['messages'][number]

export function DiffView({ diff }: { diff: PromptDiff }) {
  const { messages, parameters } = diff
  const groups = groupMessages(messages)
  return (
    <div className="flex flex-col gap-3">
      {groups.map((group, index) =>
        group[0]?.change === 'same' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups have no identity but their position
          <SameMessages key={index} messages={group} />
        ) : (
          group.map((message) => <ChangedMessage key={`${message.from} ${message.to}`} message={message} />)
        ),
      )}
      {parameters.length > 0 && (
        <Block title="Model, parameters and tools" changes={parameters.length}>
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2 px-4 py-3 text-data">
            {parameters.map(({ name, before, after }) => (
              <div key={name} className="contents">
                <dt className="text-soft">{parameterTitle(name)}</dt>
                <dd className="wrap-anywhere">
                  {name === 'tools' ? (
                    <ToolChanges
                      changes={toolChanges(toolsIn(before), toolsIn(after))}
                      names={{ before: `v${diff.from}`, after: `v${diff.to}` }}
                    />
                  ) : (
                    <>
                      <Value side="before" value={before} /> <span aria-hidden>→</span>{' '}
                      <Value side="after" value={after} />
                    </>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </Block>
      )}
      <Contract diff={diff} />
    </div>
  )
}

/** Whether code must change with the version. */
function Contract({ diff: { variables, placeholders, messages, parameters } }: { diff: PromptDiff }) {
  const added = [...variables.added, ...placeholders.added]
  const removed = [...variables.removed, ...placeholders.removed]
  if (added.length + removed.length > 0) {
    return (
      <p className="flex items-start gap-2 text-data text-warn">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>
          {added.length > 0 && `New: ${added.join(', ')}. Code must give a value before this goes live. `}
          {removed.length > 0 && `No longer used: ${removed.join(', ')}.`}
        </span>
      </p>
    )
  }
  const isSame = parameters.length === 0 && messages.every(({ change }) => change === 'same')
  return (
    <p className="flex items-start gap-2 text-data text-soft">
      <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-good" />
      {isSame ? 'The two are the same.' : 'Same variables, code needs no change.'}
    </p>
  )
}

function ChangedMessage({ message }: { message: DiffMessage }) {
  const { change, before, after } = message
  const hunks = mergeHunks(message.hunks)
  const shown = after ?? before
  if (!shown) return null
  const title = 'placeholder' in shown ? `Placeholder ${shown.placeholder}` : titleOf(shown.role)
  if (change !== 'changed' || 'placeholder' in shown) {
    return (
      <Block title={title} word={change === 'added' ? 'new' : change}>
        <p className="px-4 py-3 text-reading wrap-anywhere whitespace-pre-wrap">
          <DiffMark side={change === 'removed' ? 'before' : 'after'}>
            {'placeholder' in shown ? 'earlier messages' : shown.content}
          </DiffMark>
        </p>
      </Block>
    )
  }
  const isOtherRole = before && 'role' in before && before.role !== shown.role
  return (
    <Block
      title={isOtherRole ? `${titleOf(before.role)} → ${title}` : title}
      changes={countChanges(hunks) + (isOtherRole ? 1 : 0)}
    >
      <p className="px-4 py-3 text-reading wrap-anywhere whitespace-pre-wrap">
        {foldSame(hunks).map(({ change: kind, text }, index) =>
          kind === 'folded' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no identity but their position
            <FoldedText key={index} text={text} />
          ) : kind === 'same' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no identity but their position
            <TemplateText key={index} text={text} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no identity but their position
            <DiffMark key={index} side={kind === 'removed' ? 'before' : 'after'}>
              {text}
            </DiffMark>
          ),
        )}
      </p>
    </Block>
  )
}

/** One line in place of many that are the same; it names what they are about by their first words. */
function FoldedText({ text }: { text: string }) {
  const [isOpen, setIsOpen] = useState(false)
  if (isOpen) return <TemplateText text={text} />
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return (
    <button
      type="button"
      aria-expanded={false}
      onClick={() => setIsOpen(true)}
      className="my-1 flex min-h-7 w-full min-w-0 items-center justify-center gap-2 rounded-control bg-sunken px-2 text-data text-soft hover:text-ink touch:min-h-11"
    >
      <ChevronsUpDown aria-hidden className="size-3.5 shrink-0" />
      <span className="shrink-0">
        {countOf(lines.length, 'line')} {lines.length === 1 ? 'is' : 'are'} the same:
      </span>
      <bdi className="min-w-0 truncate">{lines[0]?.trim()}</bdi>
    </button>
  )
}

function SameMessages({ messages }: { messages: DiffMessage[] }) {
  const [isOpen, setIsOpen] = useState(false)
  const names = messages.map(({ after }) => (after ? ('placeholder' in after ? after.placeholder : after.role) : ''))
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-8 items-center gap-2 rounded-control px-2 text-left text-data text-soft hover:bg-hover hover:text-ink touch:min-h-11"
      >
        <ChevronsUpDown aria-hidden className="size-4 shrink-0" />
        {countOf(messages.length, 'message')} {messages.length === 1 ? 'is' : 'are'} the same: {names.join(', ')}
      </button>
      {isOpen &&
        messages.map(({ after, to }) =>
          after && 'role' in after ? (
            <p key={to} className="px-4 py-2 text-reading wrap-anywhere whitespace-pre-wrap text-soft">
              <TemplateText text={after.content} />
            </p>
          ) : null,
        )}
    </div>
  )
}

interface BlockProps {
  title: string
  changes?: number
  word?: string
  children: ReactNode
}

function Block({ title, changes, word, children }: BlockProps) {
  return (
    <section aria-label={title} className="rounded-card border border-line bg-surface shadow-lift">
      <h3 className="flex items-center gap-2 border-b border-line px-4 py-2 text-data font-semibold">
        {title}
        <Badge>{word ?? countOf(changes ?? 0, 'change')}</Badge>
      </h3>
      {children}
    </section>
  )
}

function toolsIn(value: unknown): Tool[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function Value({ side, value }: { side: 'before' | 'after'; value: unknown }) {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0))
    return <span className="text-faint">none</span>
  return (
    <DiffMark side={side}>
      <bdi className={typeof value === 'object' ? 'font-mono text-code whitespace-pre-wrap' : ''}>
        {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
      </bdi>
    </DiffMark>
  )
}

const titles: Record<string, string> = {
  responseFormat: 'response format',
  provider: 'connection',
  maxTokens: 'max tokens',
}

function parameterTitle(name: string): string {
  return titles[name] ?? name.replaceAll('_', ' ')
}
