import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { componentQuery } from '../../api/components-query.ts'
import { usePersonName } from '../../api/directory-query.ts'
import { promptQuery, promptVersionQuery } from '../../api/prompts-query.ts'
import { type SavedVersion, useSaveVersion } from '../../api/save-version.ts'
import { loadPart } from '../../api/server-connection.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { SaveState } from '../../ui/save-state.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { PageBody } from '../shell/page-body.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useMe } from '../shell/use-application.ts'
import { BetterVersion } from './better-version.tsx'
import { LiveStrip } from './live-strip.tsx'
import { PromptHeader } from './prompt-header.tsx'
import { PromptMiddle } from './prompt-middle.tsx'
import { PromptSide } from './prompt-side.tsx'
import { SavePromptDialog } from './save-prompt-dialog.tsx'
import { usePromptPage } from './use-prompt-page.ts'
import { VersionRail } from './version-rail.tsx'

const RollBackDialog = lazy(async () => ({
  default: (await loadPart(() => import('../deploy/roll-back-dialog.tsx'))).RollBackDialog,
}))

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/prompts/$promptId')

/** A prompt: its text, its versions, how good they were, and what was live when. */
export function PromptPage() {
  const key = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const { data: component } = useSuspenseQuery(componentQuery(key.applicationId, key.componentId))
  const { data: prompt } = useSuspenseQuery(promptQuery(key))
  const state = usePromptPage(key, search)
  const { rows, labels, live, summary, draft, isDraft, number, newest, baseline, seriesOf, change } = state
  const save = useSaveVersion(key)
  const [isSaving, setIsSaving] = useState(false)
  const nameOf = usePersonName(key.applicationId)
  const notEditable = missingRole(useMe(), 'editor', 'Changing a prompt')
  const base = useQuery({ ...promptVersionQuery(key, baseline ?? 0), enabled: isDraft && baseline !== undefined })
  const openSave = draft && notEditable === undefined ? () => setIsSaving(true) : undefined
  const step = (by: 1 | -1) => {
    const index = rows?.findIndex((row) => row.number === number) ?? -1
    const next = rows?.[index + by]
    return next ? () => change({ version: next.number }) : undefined
  }
  useShortcut('savePrompt', openSave)
  useShortcut('toggleVersionDiff', () => change({ view: search.view === 'diff' ? undefined : 'diff' }))
  useShortcut('olderVersion', step(1))
  useShortcut('newerVersion', step(-1))
  const onSaved = ({ version, isKnown }: SavedVersion) => {
    const name = `v${version.number}`
    showToast({ tone: 'good', message: isKnown ? `${name} has exactly this text.` : `Saved as ${name}.` })
    state.setDraft(undefined)
    setIsSaving(false)
    change({ version: isKnown ? version.number : undefined, view: undefined, from: undefined }, 'replace')
  }
  const list = pagePaths.prompts(key.applicationId, key.componentId)
  const production = summary.data?.data[0]
  return (
    <>
      <TopRow
        parents={[
          { label: component.name, to: pagePaths.component(key.applicationId, key.componentId) },
          { label: 'Prompts', to: list },
        ]}
        current={prompt.name}
      >
        {draft && (
          <SaveState
            state={save.isPending ? 'saving' : save.error ? 'failed' : 'unsaved'}
            waitingText={state.isKept ? 'kept on this device' : 'lost when this page closes: the storage is full'}
            {...(openSave && { onRetry: openSave })}
          />
        )}
        <Button disabledReason={notEditable ?? (draft ? undefined : 'Nothing has changed yet.')} onClick={openSave}>
          {newest === undefined ? 'Save as v1…' : `Save as v${newest + 1}…`}
          <ShortcutKeys id="savePrompt" />
        </Button>
      </TopRow>
      <PageBody width="wide">
        <PromptHeader
          promptKey={key}
          prompt={prompt}
          state={state}
          notEditable={notEditable}
          traces={production?.traces}
          onDeleted={() => navigate({ to: list, replace: true })}
        />
        <BetterVersion promptKey={key} labels={labels.data?.data ?? []} />
        {live.data && live.data.data.length > 0 && (
          <section
            aria-label="What was live when"
            className="mb-5 rounded-card border border-line bg-surface p-4 shadow-lift"
          >
            <LiveStrip
              periods={live.data.data}
              versions={production?.versions ?? []}
              metric={summary.data?.metric}
              nameOf={nameOf}
            />
          </section>
        )}
        {live.data?.data.length === 0 && (
          <p className="mb-5 rounded-card border border-dashed border-edge/60 px-4 py-3 text-data text-soft">
            No label yet: nothing is served. Deploy a version, and code that asks for production gets it.
          </p>
        )}
        {[live, labels, summary].map(
          (query, index) =>
            query.error && (
              // biome-ignore lint/suspicious/noArrayIndexKey: always the same three, in this order
              <div key={index} className="mb-5">
                <QueryError query={query} />
              </div>
            ),
        )}
        <div className="grid gap-6 lg:grid-cols-[220px_minmax(0,1fr)] wide:grid-cols-[220px_minmax(0,1fr)_280px]">
          <div className="min-w-0 max-lg:order-last">
            <VersionRail
              path={state.path}
              deployPath={pagePaths.promptDeploy(key.applicationId, key.componentId, key.promptId, 'production')}
              playgroundPath={pagePaths.promptPlayground(key.applicationId, key.componentId, key.promptId)}
              query={state.versions}
              labels={labels.data?.data ?? []}
              shown={state.shown}
              draftText={draft || rows?.length === 0 ? draftText(draft?.base) : undefined}
              seriesOf={seriesOf}
              view={search.view}
              nameOf={nameOf}
            />
          </div>
          <PromptMiddle
            promptKey={key}
            search={search}
            state={state}
            baselineContent={base.data?.content}
            isReadOnly={notEditable !== undefined}
            nameOf={nameOf}
          />
          <div className="flex min-w-0 flex-col gap-4 lg:col-start-2 wide:col-start-3 wide:row-start-1">
            <PromptSide promptKey={key} name={prompt.name} state={state} />
          </div>
        </div>
      </PageBody>
      {search.rollback !== undefined && (
        <Suspense>
          <RollBackDialog
            labelKey={{ ...key, label: search.rollback }}
            onClose={() => change({ rollback: undefined }, 'replace')}
          />
        </Suspense>
      )}
      {isSaving && draft && (
        <SavePromptDialog
          save={save}
          nextNumber={(newest ?? 0) + 1}
          content={draft.content}
          labels={labels.data?.data ?? []}
          onSaved={onSaved}
          onClose={() => setIsSaving(false)}
        />
      )}
    </>
  )
}

function draftText(base: number | null | undefined): string {
  return base === null || base === undefined ? 'The first version' : `Changes of v${base}, kept on this device`
}
