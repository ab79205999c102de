import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight, ExternalLink, TriangleAlert } from 'lucide-react'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { correctedOutputQuery } from '../../api/queue-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import type { ShortcutId } from '../../shortcuts/shortcut-list.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { controlClass } from '../../ui/field.tsx'
import { focusOnMount } from '../../ui/focus-on-mount.ts'
import { TextBlock } from '../trace/text-block.tsx'
import type { AnnotationItem } from './annotation-items.ts'
import type { AnnotationSession } from './annotation-session.ts'

interface ItemViewProps {
  run: RunKey
  item: AnnotationItem
  session: AnnotationSession
}

/** The question and the answer. What could bias the user, or is rarely needed, is behind a key. */
export function ItemView({ run, item, session }: ItemViewProps) {
  const tracePath = pagePaths.trace(run.applicationId, item.traceDbId)
  useShortcut('openTrace', () => void window.open(tracePath, '_blank', 'noopener'))
  return (
    <article data-trace={item.traceDbId}>
      {item.rejection && (
        <p role="alert" className="mb-6 rounded-control bg-danger-wash px-4 py-2.5 text-data">
          Not saved: {item.rejection}
        </p>
      )}
      {item.status === 'skipped' && <p className="mb-4 text-data text-soft">You skipped this trace.</p>}
      <h2 className="mb-2 text-meta text-faint">Question</h2>
      <Question item={item} />
      <section className="mt-8 mb-8 border-l-2 border-gold pl-[22px] min-[721px]:-ml-6 max-[720px]:-ml-4 max-[720px]:pl-3.5">
        <h2 className="mb-2 text-meta text-faint">Answer</h2>
        <div className="text-reading leading-[26px]">
          {item.output ? <AnnotationText text={item.output} /> : <NoAnswer hasFailed={item.hasFailed} />}
        </div>
      </section>
      <div className="divide-y divide-line border-y border-line">
        {item.expected !== null && <Expected item={item} text={item.expected} />}
        <Correction run={run} item={item} session={session} />
        <Link
          to={tracePath}
          target="_blank"
          className="flex min-h-10 items-center gap-2.5 text-data text-soft hover:text-ink touch:min-h-11"
        >
          <ExternalLink aria-hidden className="size-4 shrink-0 text-faint" />
          The whole trace
          <span className="ml-auto">
            <ShortcutKeys id="openTrace" />
          </span>
        </Link>
      </div>
    </article>
  )
}

const TITLE_LENGTH_MAX = 400

/** A short question is read at a glance; a long one may have paragraphs and lists. */
function Question({ item: { input } }: { item: AnnotationItem }) {
  if (!input?.trim()) return <p className="text-soft">The trace has no input.</p>
  const isShort = input.length <= TITLE_LENGTH_MAX && !/\n|^\s*[[{]/.test(input.trim())
  if (!isShort) return <AnnotationText text={input} />
  return (
    <p className="font-display text-[22px] leading-8 font-semibold text-pretty break-words max-sm:text-section">
      {input}
    </p>
  )
}

function NoAnswer({ hasFailed }: { hasFailed: boolean }) {
  if (!hasFailed) return <p className="text-soft">The trace has no output.</p>
  return (
    <p className="flex items-center gap-2 text-danger">
      <TriangleAlert aria-hidden className="size-4 shrink-0" />
      The trace failed, and has no output.
    </p>
  )
}

/** Hidden until the user has rated: it would decide for the user. */
function Expected({ item, text }: { item: AnnotationItem; text: string }) {
  const [isOpen, setIsOpen] = useState(item.status === 'rated')
  return (
    <Disclosure title="Expected answer" shortcut="showExpected" isOpen={isOpen} onToggle={setIsOpen}>
      <AnnotationText text={text} />
    </Disclosure>
  )
}

/** The answer that the user would have expected. It starts as the given one, to be edited. */
function Correction({ run, item, session }: ItemViewProps) {
  const { annotationId, correctedOutput, output, draft } = item
  const [isOpen, setIsOpen] = useState(draft.correctedOutput !== undefined)
  // A draft that is shown again must not take the focus: the next digit is a rating.
  const [isOpenedByUser, setIsOpenedByUser] = useState(false)
  const isUnknown = correctedOutput === undefined && annotationId !== undefined
  const { data: stored, isFetching } = useQuery({
    ...correctedOutputQuery(run, annotationId ?? ''),
    enabled: isOpen && isUnknown,
  })
  const saved = correctedOutput ?? stored?.correctedOutput ?? undefined
  return (
    <Disclosure
      title="Write a better answer"
      note={correctedOutput ? 'written' : undefined}
      shortcut="correctAnswer"
      isOpen={isOpen}
      onToggle={(next) => {
        setIsOpenedByUser(true)
        setIsOpen(next)
      }}
    >
      <textarea
        aria-label="A better answer"
        ref={isOpenedByUser ? focusOnMount : undefined}
        rows={4}
        maxLength={100_000}
        readOnly={isUnknown && isFetching}
        value={draft.correctedOutput ?? saved ?? output ?? ''}
        onChange={(event) => session.write({ correctedOutput: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          document.querySelector('main')?.focus({ preventScroll: true })
        }}
        className={`${controlClass} field-sizing-content max-h-[50dvh] text-body`}
      />
      <p className="mt-1 text-meta text-faint">Saved with your rating.</p>
    </Disclosure>
  )
}

interface DisclosureProps {
  title: string
  note?: string | undefined
  shortcut: ShortcutId
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
  children: ReactNode
}

function Disclosure({ title, note, shortcut, isOpen, onToggle, children }: DisclosureProps) {
  const id = useId()
  useShortcut(shortcut, () => onToggle(!isOpen))
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => onToggle(!isOpen)}
        className="flex min-h-10 w-full items-center gap-2.5 text-left text-data text-soft hover:text-ink touch:min-h-11"
      >
        <ChevronRight aria-hidden className={`size-4 shrink-0 text-faint ${isOpen ? 'rotate-90' : ''}`} />
        <span className="font-medium text-ink">{title}</span>
        {note && <span className="text-faint">{note}</span>}
        <span className="ml-auto">
          <ShortcutKeys id={shortcut} />
        </span>
      </button>
      <div id={id} hidden={!isOpen} className="pb-4 pl-6.5">
        {isOpen && children}
      </div>
    </div>
  )
}

/** Longer texts are shown in part. */
const SHOWN_MAX = 6000

/** A text of a trace as people read it: Markdown, or JSON with line breaks. */
function AnnotationText({ text }: { text: string }) {
  const json = useMemo(() => formatJson(text), [text])
  return <TextBlock text={json ?? text} look={json === undefined ? 'rendered' : 'raw'} shownMax={SHOWN_MAX} />
}

/** Undefined unless the text is an object or an array. */
function formatJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return undefined
  }
}
