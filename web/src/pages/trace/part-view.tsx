import { CornerDownRight, Paperclip, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import { countOf } from '../../ui/format-number.ts'
import { JsonView } from '../../ui/json-view/json-view.tsx'
import type { MessagePart } from './message-part.ts'
import { TextBlock } from './text-block.tsx'

interface PartViewProps {
  part: MessagePart
  /** So many characters of a text are shown at first. */
  shownMax?: number | undefined
  look: 'rendered' | 'raw'
}

export function PartView({ part, look, shownMax }: PartViewProps) {
  switch (part.type) {
    case 'text':
      return <TextBlock text={part.text} look={look} {...(shownMax && { shownMax })} />
    case 'reasoning':
      return (
        <details className="text-soft">
          <summary className="text-data">Reasoning, {countOf(part.text.length, 'character')}</summary>
          <div className="mt-2 border-l-2 border-line pl-3">
            <TextBlock text={part.text} look={look} />
          </div>
        </details>
      )
    case 'tool_call':
      return (
        <Card icon={<Wrench aria-hidden className="size-3.5" />} title={part.name} note={part.id ?? ''}>
          <Value label={`Arguments of ${part.name}`} value={part.arguments} look={look} />
        </Card>
      )
    case 'tool_result':
      return (
        <Card
          icon={<CornerDownRight aria-hidden className="size-3.5" />}
          title={part.name ?? 'Result'}
          note={part.id ?? ''}
        >
          <Value label={`Result of ${part.name ?? 'the tool'}`} value={part.result} look={look} />
        </Card>
      )
    case 'media':
      return (
        <p className="flex items-center gap-2 text-data text-soft">
          <Paperclip aria-hidden className="size-3.5" />
          {part.mediaType ?? 'A file'}
          {part.size !== null && `, ${countOf(part.size, 'character')}`}
          {/* Not loaded: the address could carry what the model has read. */}
          {part.url !== null && <span className="truncate font-mono text-code">{part.url}</span>}
        </p>
      )
    case 'json':
      return <Value label="Content" value={part.value} look={look} />
  }
}

interface CardProps {
  icon: ReactNode
  title: string
  note: string
  children: ReactNode
}

function Card({ icon, title, note, children }: CardProps) {
  return (
    <div className="max-w-[80ch] overflow-hidden rounded-control border border-line bg-raised">
      <div className="flex items-center gap-2 border-b border-line px-3 py-1.5 text-data">
        {icon}
        <span className="font-mono font-semibold">{title}</span>
        <span className="ml-auto truncate text-meta text-faint">{note}</span>
      </div>
      <div className="px-3 py-2">{children}</div>
    </div>
  )
}

/** Few fields are a list, other objects a tree, and text is text. */
function Value({ label, value, look }: { label: string; value: unknown; look: 'rendered' | 'raw' }) {
  const parsed = typeof value === 'string' ? parseObject(value) : value
  if (parsed === undefined || parsed === null || parsed === '') return <p className="text-data text-faint">empty</p>
  if (typeof parsed === 'string') return <TextBlock text={parsed} look={look} />
  const fields = look === 'rendered' ? flatFields(parsed) : undefined
  if (!fields) return <JsonView label={label} value={parsed} />
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 font-mono text-code">
      {fields.map(([name, text]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="break-words whitespace-pre-wrap">{text}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Arguments of tools are often sent as the text of a JSON object. */
function parseObject(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function flatFields(value: unknown): [string, string][] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value)
  const isFlat = entries.every(([, field]) => typeof field !== 'object' || field === null)
  if (!isFlat || entries.length === 0 || entries.length > 12) return undefined
  return entries.map(([name, field]) => [name, JSON.stringify(field) ?? ''])
}
