import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { componentQuery } from '../../api/components-query.ts'
import { type ImportChoices, type ImportFile, importRows, refreshImports } from '../../api/imports-query.ts'
import { datasetQuery } from '../../api/run-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { showUndoToast } from '../../ui/toast-store.ts'
import { PageBody } from '../shell/page-body.tsx'
import { missingRole } from '../shell/roles.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useApplication, useMe } from '../shell/use-application.ts'
import { CheckStep } from './check-step.tsx'
import { type ColumnUses, defaultUses, mappingText } from './column-uses.ts'
import { ColumnsStep } from './columns-step.tsx'
import { DoneStep } from './done-step.tsx'
import { FileStep } from './file-step.tsx'
import { FormerImports } from './former-imports.tsx'
import { readSample, type Sample } from './read-sample.ts'
import { type Step, StepList } from './step-list.tsx'
import { showUndoError, useUndoImport } from './use-undo-import.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/datasets/$datasetId/import')

/** A chosen file with what the user has decided about it. It is lost with the page: a browser keeps no files. */
interface Draft {
  file: ImportFile
  sample: Sample
  uses: ColumnUses
  duplicates: ImportChoices['duplicates']
}

let lastFileId = 0

export function ImportPage() {
  const datasetKey = route.useParams()
  const { applicationId, componentId, datasetId } = datasetKey
  const { step: asked = 'file', import: importId } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const { data: dataset } = useSuspenseQuery(datasetQuery(datasetKey))
  const application = useApplication()
  const me = useMe()
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState<Draft>()
  const [problem, setProblem] = useState<string>()
  const [isReading, setIsReading] = useState(false)
  const step: Step = importId ? 'done' : draft ? asked : 'file'
  const show = (next: Exclude<Step, 'done'>) =>
    void navigate({ search: { step: next === 'file' ? undefined : next, import: undefined }, resetScroll: false })
  const readFile = async (file: Blob, name: string) => {
    setIsReading(true)
    const sample = await readSample(file)
    setIsReading(false)
    setProblem('problem' in sample ? sample.problem : undefined)
    if ('problem' in sample) return
    lastFileId += 1
    const chosen = { id: lastFileId, file, name, mediaType: sample.mediaType }
    setDraft({ file: chosen, sample, uses: defaultUses(sample.columns), duplicates: 'skip' })
    show('columns')
  }
  const undo = useUndoImport()
  const submission = useSubmission({
    mutationFn: ({ file, uses, duplicates }: Draft) =>
      importRows(datasetKey, file, { mapping: mappingText(uses), duplicates }),
    onSuccess: async ({ importId: newId, imported }) => {
      setDraft(undefined)
      const importKey = newId === null ? undefined : { applicationId, componentId, datasetId, importId: newId }
      if (importKey) {
        showUndoToast(`${countOf(imported, 'item')} imported.`, () =>
          undo.mutate(importKey, { onError: showUndoError }),
        )
      }
      await navigate({ search: { step: undefined, import: newId ?? undefined }, replace: true })
      await refreshImports(queryClient, datasetKey)
    },
  })
  const roleReason = missingRole(me, 'editor', 'Importing')
  const undoReason = missingRole(me, 'editor', 'Undoing an import')
  const choices = draft && { mapping: mappingText(draft.uses), duplicates: draft.duplicates }
  const datasetPath = pagePaths.dataset(applicationId, componentId, datasetId)
  const cardTitle = useFocusedTitle(step)
  return (
    <>
      <TopRow
        parents={[
          { label: component.name, to: pagePaths.component(applicationId, componentId) },
          { label: 'Datasets', to: pagePaths.componentPart(applicationId, componentId, 'datasets') },
          { label: dataset.name, to: datasetPath },
        ]}
        current="Import"
      />
      <PageBody>
        <PageHeader
          title="Import items"
          within={[dataset.name, application?.name].filter(Boolean).join(' · ')}
          text={
            <>
              Into <bdi>{dataset.name}</bdi>, which has {countOf(dataset.itemCount, 'item')}
            </>
          }
        />
        <section aria-labelledby="import-title" className="rounded-card border border-line bg-surface shadow-lift">
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-b border-line px-5 py-3 max-sm:px-4">
            <h2
              id="import-title"
              ref={cardTitle}
              tabIndex={-1}
              className="min-w-0 font-display text-section font-semibold break-words outline-none"
            >
              {titleOf(step, draft)}
            </h2>
            <StepList current={step} onOpen={(next) => next !== 'done' && show(next)} />
          </div>
          {roleReason && step !== 'done' ? (
            <div className="p-5 max-sm:p-4">
              <Notice>{roleReason}</Notice>
            </div>
          ) : (
            <>
              {step === 'file' && <FileStep problem={problem} isReading={isReading} onFile={readFile} />}
              {step === 'columns' && draft && (
                <ColumnsStep
                  sample={draft.sample}
                  size={draft.file.file.size}
                  uses={draft.uses}
                  onChange={(uses) => setDraft({ ...draft, uses })}
                  onOtherFile={() => show('file')}
                  onContinue={() => show('check')}
                />
              )}
              {step === 'check' && draft && choices && (
                <CheckStep
                  datasetKey={{ applicationId, componentId, datasetId }}
                  file={draft.file}
                  choices={choices}
                  onChoose={(duplicates) => setDraft({ ...draft, duplicates })}
                  onBack={() => show('columns')}
                  submission={{ ...submission, mutate: () => submission.mutate(draft) }}
                />
              )}
              {importId && (
                <DoneStep
                  key={importId}
                  importKey={{ applicationId, componentId, datasetId, importId }}
                  undoReason={undoReason}
                  onNext={() => show('file')}
                />
              )}
            </>
          )}
        </section>
        <FormerImports datasetKey={{ applicationId, componentId, datasetId }} undoReason={undoReason} />
      </PageBody>
      <LeaveDialog isUnfinished={draft !== undefined} />
    </>
  )
}

function titleOf(step: Step, draft: Draft | undefined): string {
  if (step === 'done') return 'Import'
  if (step === 'file' || !draft) return 'Choose a file'
  return `Import ${draft.file.name}`
}

/** Moves the focus to the title of a new step: what had it is gone. */
function useFocusedTitle(step: Step) {
  const title = useRef<HTMLHeadingElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    title.current?.focus()
  }, [step])
  return title
}

/** Asks before the user leaves a file that is not imported. The steps of the import are on the same page. */
function LeaveDialog({ isUnfinished }: { isUnfinished: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnfinished && current.pathname !== next.pathname,
    enableBeforeUnload: isUnfinished,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Dialog title="Leave without importing?" isOpen onClose={reset}>
      <p className="text-soft">Nothing is stored yet. The file and the choice of its columns will be lost.</p>
      <DialogActions>
        <Button onClick={reset}>Stay</Button>
        <Button look="danger" onClick={proceed}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  )
}
