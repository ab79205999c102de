import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Play, Square } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { componentQuery } from '../../api/components-query.ts'
import { connectionsQuery } from '../../api/connections-query.ts'
import { promptQuery } from '../../api/prompts-query.ts'
import { type SavedVersion, useSaveVersion } from '../../api/save-version.ts'
import { loadPart } from '../../api/server-connection.ts'
import { spendingQuery } from '../../api/spending-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { PageBody } from '../shell/page-body.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { hasRole, missingRole } from '../shell/roles.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useMe } from '../shell/use-application.ts'
import { columnActions } from './column-actions.ts'
import { newRowValues, rowsWithLast, sharedWithLast } from './last-values.ts'
import { NoConnection } from './no-connection.tsx'
import { cellId, namesToShare, tryOf, whyIncomplete } from './plan-tries.ts'
import { PlaygroundBar } from './playground-bar.tsx'
import { PlaygroundDock } from './playground-dock.tsx'
import { COLUMNS_MAX, nextId } from './playground-record.ts'
import type { PlaygroundSearch } from './playground-search.ts'
import { PlaygroundTable } from './playground-table.tsx'
import { isText, namesOf } from './playground-values.ts'
import { RecordAsTrial } from './record-as-trial.tsx'
import { SharedValues } from './shared-values.tsx'
import { isBusy, isFailed } from './tries.ts'
import { useColumns, type Variant } from './use-columns.ts'
import { type PlaygroundRow, useRows } from './use-rows.ts'
import { useFinishedCell, useTries } from './use-tries.ts'

/** Loaded when they open: the table is there before. */
const ColumnEditor = lazy(async () => ({ default: (await loadPart(() => import('./column-editor.tsx'))).ColumnEditor }))
const SavePromptDialog = lazy(async () => ({
  default: (await loadPart(() => import('../prompts/save-prompt-dialog.tsx'))).SavePromptDialog,
}))

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/prompts/$promptId/playground')

/** Versions, drafts and models of a prompt side by side, with values that were typed or items of a dataset. */
export function PlaygroundPage() {
  const key = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const me = useMe()
  const { applicationId, componentId } = key
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const { data: prompt } = useSuspenseQuery(promptQuery(key))
  const isEditor = hasRole(me.role, 'editor')
  const connectionList = useInfiniteQuery({ ...connectionsQuery(applicationId), enabled: isEditor })
  const connections = connectionList.data ?? []
  const spending = useQuery({ ...spendingQuery(applicationId), enabled: isEditor })
  const path = pagePaths.promptPlayground(applicationId, componentId, key.promptId)
  const change = (changes: Partial<PlaygroundSearch>) =>
    void navigate({ to: path, search: { ...search, ...changes }, replace: true, resetScroll: false })
  const columns = useColumns(key, {
    versions: search.versions,
    target:
      search.provider !== undefined && search.model !== undefined
        ? { provider: search.provider, model: search.model }
        : undefined,
    connections,
    // From then on the columns keep their own.
    onVersions: (versions) => change({ versions, provider: undefined, model: undefined }),
  })
  const { variants, save } = columns
  const contents = variants.flatMap(({ content }) => content ?? [])
  const names = namesOf(contents)
  const handRows = rowsWithLast(columns.record, names)
  const { rows, datasets, dataset, total, isPending, error } = useRows(key, search, handRows)
  const { tries, cells } = useTries(key)
  const [active, setActive] = useState<{ columnId: string; cell: string | undefined }>()
  const [open, setOpen] = useState<{ columnId: string; view: 'edit' | 'changes' | 'save' }>()
  const saving = useSaveVersion(key)

  const { names: shared, lacking } = namesToShare(contents, rows)
  // What was typed is one record, whether for rows or for items.
  const record = { rows: handRows, shared: sharedWithLast(columns.record, names, lacking) }
  const isItems = search.rows === 'items'
  const toolAnswers = isItems ? (search.tools ?? 'recorded') : search.tools === 'none' ? 'none' : 'ask'
  const given = { shared: record.shared, toolAnswers } as const
  const notAllowed = missingRole(me, 'editor', 'Calling a model')
  const whyNotRun = (some: readonly Variant[], those: readonly PlaygroundRow[]): string | undefined => {
    const [first] = some
    if (notAllowed !== undefined) return notAllowed
    if (spending.data?.reached) return spending.data.reached
    if (!some.some(({ content }) => content))
      return first?.isDeleted ? `v${first.column.base} was deleted.` : 'The text is not there yet.'
    if (those.length === 0) return isPending ? 'The items are not there yet.' : 'There is no row to run.'
    return whyIncomplete(some, those, record.shared)
  }
  const run = (some: readonly Variant[], those: readonly PlaygroundRow[]) =>
    tries.start(those.flatMap((row) => some.flatMap((variant) => tryOf(variant, row, given) ?? [])))
  const runnable = variants.filter(({ content }) => content)
  const whyNotRunAll = whyNotRun(variants, rows)
  const count = runnable.length * rows.length

  const shown = rows.flatMap((row) => variants.map((variant) => ({ row, variant, id: cellId(row, variant) })))
  const shownCells = shown.map(({ id }) => cells.get(id))
  const isRunning = shownCells.some((cell) => isBusy(cell) || cell?.retryAt !== undefined)
  const failed = shown.filter(({ id }) => isFailed(cells.get(id)))
  const nextRetry = failed.find(({ id }) => id === active?.cell) ?? failed[0]
  const activeVariant = variants.find(({ column }) => column.id === active?.columnId) ?? variants[0]
  const whyNotColumn = activeVariant && whyNotRun([activeVariant], rows)
  const runAll = whyNotRunAll === undefined ? () => run(runnable, rows) : undefined
  const retryNext = () => {
    if (!nextRetry) return
    const { variant, row, id } = nextRetry
    if (cells.get(id)?.fingerprint === tryOf(variant, row, given)?.fingerprint) tries.retry(id)
    else run([variant], [row])
  }
  const canRetry = nextRetry && whyNotRun([nextRetry.variant], [nextRetry.row]) === undefined
  const toggleDiff = () => change({ diff: search.diff === 'on' ? undefined : 'on' })
  useShortcut('runAll', runAll)
  useShortcut('runColumn', activeVariant && whyNotColumn === undefined ? () => run([activeVariant], rows) : undefined)
  useShortcut('retryTry', canRetry ? retryNext : undefined)
  useShortcut('showDifferences', variants.length > 1 ? toggleDiff : undefined)
  useShortcut('stopWriting', isRunning ? tries.stopAll : undefined)
  const announced = useFinishedCell(cells, (id) => {
    const found = shown.find((one) => one.id === id)
    return found && `${found.variant.name}, ${found.row.name.toLowerCase()}`
  })

  const opened = variants.find(({ column }) => column.id === open?.columnId)
  const notEditable = missingRole(me, 'editor', 'Changing a prompt')
  const whyNotCopy = variants.length >= COLUMNS_MAX ? `At most ${COLUMNS_MAX} columns.` : undefined
  const onSaved = (variant: Variant, { version, isKnown }: SavedVersion) => {
    const name = `v${version.number}`
    showToast({ tone: 'good', message: isKnown ? `${name} has exactly this text.` : `Saved as ${name}.` })
    columns.showSaved(variant, version.number)
    setOpen(undefined)
  }
  // What is known of connections and spending may be said above all else, and would move it.
  const isFirstLoad = [connectionList, spending].some(({ isLoading, isFetched }) => isLoading && !isFetched)
  const isTableReady = !isFirstLoad && columns.isRead && !(isPending && rows.length === 0)
  const isFailing = Boolean(columns.versions.error ?? error)
  const [wasReady, setWasReady] = useState(false)
  if (isTableReady && !wasReady) setWasReady(true)
  // From then on its controls stay, because one of them has the focus.
  const isBarShown = wasReady || isFailing
  const unread = variants.find(({ query }) => query?.error)?.query
  const hasTools = contents.some(({ tools }) => tools.length > 0)
  return (
    <>
      <TopRow
        parents={[
          { label: component.name, to: pagePaths.component(applicationId, componentId) },
          { label: 'Prompts', to: pagePaths.prompts(applicationId, componentId) },
          { label: prompt.name, to: pagePaths.prompt(applicationId, componentId, key.promptId) },
        ]}
        current="Playground"
      >
        <CopyButton text={window.location.href} label="Copy link" look="quiet" />
      </TopRow>
      <PageBody width="wide">
        <PageHeader
          title="Playground"
          within={prompt.name}
          text={
            <>
              <bdi className="font-mono text-code">{prompt.name}</bdi>. Nothing is stored but traces with the tag{' '}
              <code className="font-mono text-code">playground</code>.
            </>
          }
          actions={
            // Their words depend on the columns. The place of the row is kept.
            <div className={`flex gap-2 max-sm:w-full ${isBarShown ? '' : 'invisible'}`}>
              {isRunning && (
                <Button onClick={tries.stopAll} className="max-sm:flex-1">
                  <Square aria-hidden className="size-3.5" />
                  Stop
                  <ShortcutKeys id="stopWriting" />
                </Button>
              )}
              {notEditable === undefined && (
                <RecordAsTrial promptKey={key} variants={variants} datasetId={isItems ? dataset?.id : undefined} />
              )}
              <Button look="primary" disabledReason={whyNotRunAll} onClick={runAll} className="max-sm:flex-1">
                <Play aria-hidden className="size-4" />
                {count === 1 ? 'Run' : `Run all ${formatCount(count)}`}
                <ShortcutKeys id="runAll" />
              </Button>
            </div>
          }
        />
        <div className="mb-4 flex flex-col gap-3 empty:hidden">
          <QueryError query={connectionList} />
          {connectionList.data?.length === 0 && <NoConnection applicationId={applicationId} />}
          {(notAllowed ?? spending.data?.reached) && <Notice>{notAllowed ?? spending.data?.reached}</Notice>}
          {!columns.isKept && (
            <Notice tone="danger">
              The storage of this browser is full: what you change is lost when the page closes.
            </Notice>
          )}
        </div>
        {isBarShown && (
          <PlaygroundBar
            component={key}
            search={search}
            datasets={datasets}
            dataset={dataset}
            count={rows.length}
            total={total}
            isPending={isPending}
            toolAnswers={hasTools ? toolAnswers : undefined}
            whyNotDiff={variants.length > 1 ? undefined : 'There is only one column.'}
            onChange={change}
          />
        )}
        {isTableReady && (
          <SharedValues
            names={shared}
            values={record.shared}
            hasTexts={rows.some(({ item }) => item && isText(item))}
            onChange={(values) => save({ shared: values })}
          />
        )}
        {error && <QueryError query={error} />}
        <QueryError query={columns.versions} />
        {/* Columns say it in their heads, which are there with the first row. */}
        {rows.length === 0 && unread && <QueryError query={unread} />}
        {/* What is not known yet would move what is. */}
        {!isTableReady && !isFailing && <Skeleton rows={8} />}
        {isTableReady && rows.length > 0 && (
          <PlaygroundTable
            applicationId={applicationId}
            variants={variants}
            rows={rows}
            cells={cells}
            tries={tries}
            names={names}
            shared={record.shared}
            labels={columns.labels}
            connections={connections}
            choices={columns.choices}
            nextNumber={(columns.newest ?? 0) + 1}
            notEditable={notEditable}
            whyNotCopy={whyNotCopy}
            isDiff={search.diff === 'on'}
            isFresh={!shownCells.some(Boolean) && notAllowed === undefined}
            nextRetry={canRetry ? nextRetry.id : undefined}
            fingerprintOf={(variant, row) => tryOf(variant, row, given)?.fingerprint}
            whyNotRun={whyNotRun}
            actionsOf={(variant) =>
              columnActions(variant, {
                columns,
                open: (view) => setOpen({ columnId: variant.column.id, view }),
                run: () => run([variant], rows),
                forget: () => tries.forget((id) => id.endsWith(` ${variant.column.id}`)),
              })
            }
            onRun={(variant, row) => run([variant], [row])}
            onActive={(columnId, cell) => setActive({ columnId, cell })}
            onValues={({ hand }, values) =>
              save({ rows: record.rows.map((row) => (row.id === hand?.id ? { ...row, values } : row)) })
            }
            onRemoveRow={
              isItems || record.rows.length === 1
                ? undefined
                : ({ id, hand }) => {
                    tries.forget((cell) => cell.startsWith(`${id} `))
                    save({ rows: record.rows.filter((row) => row.id !== hand?.id) })
                  }
            }
          />
        )}
        {isTableReady && (
          <PlaygroundDock
            cells={shownCells}
            search={search}
            rowCount={rows.length}
            total={total}
            columnCount={variants.length}
            onColumn={columns.add}
            onRow={() =>
              save({ rows: [...record.rows, { id: nextId(record.rows), values: newRowValues(record, names) }] })
            }
            onChange={change}
          />
        )}
        <p role="status" className="sr-only">
          {announced}
        </p>
      </PageBody>
      <Suspense>
        {opened && open && open.view !== 'save' && (
          <ColumnEditor
            applicationId={applicationId}
            variant={opened}
            firstView={open.view}
            notEditable={notEditable}
            isKept={columns.isKept}
            onChange={(content) => columns.edit(opened, content)}
            onClose={() => setOpen(undefined)}
          />
        )}
        {opened?.content && open?.view === 'save' && (
          <SavePromptDialog
            save={saving}
            nextNumber={(columns.newest ?? 0) + 1}
            content={opened.content}
            labels={columns.labels}
            onSaved={(saved) => onSaved(opened, saved)}
            onClose={() => setOpen(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}
