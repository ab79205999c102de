import { Link } from '@tanstack/react-router'
import { Braces, Diff, PencilLine } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import type { PromptContent } from '../../api/generated/api.ts'
import type { PromptKey } from '../../api/prompts-query.ts'
import { loadPart } from '../../api/server-connection.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { TrendSelect } from '../trends/trend-select.tsx'
import { PromptEditor } from './prompt-editor.tsx'
import type { PromptSearch } from './prompt-search.ts'
import type { PromptPageState } from './use-prompt-page.ts'

// Each view that is not the first one is loaded when it is chosen.
const JsonView = lazy(async () => ({
  default: (await loadPart(() => import('../../ui/json-view/json-view.tsx'))).JsonView,
}))
const DraftDiff = lazy(async () => ({ default: (await loadPart(() => import('./draft-diff.tsx'))).DraftDiff }))
const SavedDiff = lazy(async () => ({ default: (await loadPart(() => import('./saved-diff.tsx'))).SavedDiff }))

interface PromptMiddleProps {
  promptKey: PromptKey
  search: PromptSearch
  state: PromptPageState
  /** Of the version that the draft is compared with. */
  baselineContent: PromptContent | undefined
  isReadOnly: boolean
  nameOf: (userId: string) => string
}

/** The version or the draft: as a text to edit, as what differs from another version, or as JSON. */
export function PromptMiddle({ promptKey, search, state, baselineContent, isReadOnly, nameOf }: PromptMiddleProps) {
  const { content, saved, isDraft, draft, number, baseline, rows, change, edit, discard, path } = state
  const view = search.view ?? 'edit'
  const others = (rows ?? []).filter((row) => isDraft || row.number !== number)
  const options = others.map((row) => ({ value: String(row.number), label: `v${row.number}` }))
  // A version next to a draft is read only, so that no letter overwrites the draft.
  const isLocked = !isDraft && draft !== undefined
  // A link names it. The newest version of the list exists, so that it is missing is an error.
  const isDeleted = search.version !== undefined && hasStatus(saved.error, 404)
  return (
    <section aria-label={isDraft ? 'Draft' : `Version ${number ?? ''}`} className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2">
        <Segmented
          label="View"
          value={view}
          options={[
            { value: 'edit', label: <ViewLabel icon={PencilLine} text={isReadOnly ? 'Text' : 'Edit'} /> },
            { value: 'diff', label: <ViewLabel icon={Diff} text="Diff" /> },
            { value: 'json', label: <ViewLabel icon={Braces} text="JSON" /> },
          ]}
          onChange={(value) => change({ view: value === 'edit' ? undefined : value })}
        />
        {view === 'diff' && baseline !== undefined && (
          <span className="flex items-center gap-2 text-data text-soft">
            <TrendSelect
              label="The version before"
              value={String(baseline)}
              options={options}
              onChange={(value) => change({ from: Number(value) })}
            />
            <span aria-hidden>→</span> {isDraft ? 'draft' : `v${number}`}
          </span>
        )}
        {isDraft && draft && !isReadOnly && (
          <Button look="quiet" size="small" className="ml-auto" onClick={discard}>
            Discard the draft
          </Button>
        )}
      </div>
      <SavedMeanwhile state={state} nameOf={nameOf} />
      {isLocked && !isReadOnly && view === 'edit' && (
        <div className="mb-3">
          <Notice>
            You have a draft, so this version can be read only.{' '}
            <Link to={path} resetScroll={false} className="touch-link underline underline-offset-4">
              Continue the draft
            </Link>
          </Notice>
        </div>
      )}
      {isDeleted && (
        <Notice title={`v${number} was deleted`}>
          Its number is not used again.{' '}
          <Link to={path} className="touch-link underline underline-offset-4">
            Show the newest version
          </Link>
        </Notice>
      )}
      {!content && !isDeleted && <QueryError query={saved} />}
      {!content && !saved.error && (state.versions.error ? null : <Skeleton rows={3} />)}
      {content && view === 'edit' && (
        <PromptEditor
          applicationId={promptKey.applicationId}
          content={content}
          isReadOnly={isReadOnly || isLocked}
          onChange={edit}
        />
      )}
      {content && view === 'json' && (
        <div className="rounded-card border border-line bg-surface p-4 shadow-lift">
          <Suspense fallback={<Skeleton rows={6} />}>
            <JsonView label="Content" value={content} />
          </Suspense>
        </div>
      )}
      {content && view === 'diff' && (
        <Suspense fallback={<Skeleton rows={6} />}>
          {baseline === undefined && <p className="text-data text-soft">There is no other version to compare with.</p>}
          {isDraft && baseline !== undefined && baselineContent && (
            <DraftDiff before={baselineContent} name={`v${baseline}`} draft={content} />
          )}
          {!isDraft && baseline !== undefined && number !== undefined && (
            <SavedDiff prompt={promptKey} from={baseline} to={number} />
          )}
        </Suspense>
      )}
    </section>
  )
}

/** Someone else has saved while the draft was written: shown above it, with what changed. */
function SavedMeanwhile({ state, nameOf }: Pick<PromptMiddleProps, 'state' | 'nameOf'>) {
  const { draft, isDraft, rows, setDraft, path } = state
  const newest = rows?.[0]
  if (!draft || !isDraft || !newest || newest.number <= draft.seen) return null
  const from = draft.base ?? draft.seen
  return (
    <div className="mb-3" role="status">
      <Notice title={`${nameOf(newest.createdBy)} saved v${newest.number} meanwhile`}>
        <p className="text-soft">Your draft is kept. It is saved as the version after it.</p>
        <p className="mt-1 flex flex-wrap gap-x-4">
          <Link
            to={path}
            search={{ version: newest.number, view: 'diff', ...(from > 0 && { from }) }}
            className="touch-link underline underline-offset-4"
          >
            What changed in v{newest.number}
          </Link>
          <button
            type="button"
            onClick={() => setDraft({ ...draft, seen: newest.number })}
            className="touch-link underline underline-offset-4"
          >
            Continue with my draft
          </button>
        </p>
      </Notice>
    </div>
  )
}

function ViewLabel({ icon: Icon, text }: { icon: typeof Diff; text: string }) {
  return (
    <>
      <Icon aria-hidden className="size-3.5" />
      {text}
    </>
  )
}
