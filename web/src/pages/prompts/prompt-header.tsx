import { Link, useNavigate } from '@tanstack/react-router'
import { Database, EllipsisVertical, FlaskConical, PencilLine, Rocket, TestTubes, Undo2, Wand } from 'lucide-react'
import { useState } from 'react'
import type { Prompt } from '../../api/generated/api.ts'
import type { PromptKey } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Menu } from '../../ui/menu.tsx'
import { CopyIdItem, DeleteItem, disableableItemClass, MenuNote } from '../../ui/menu-items.tsx'
import { MenuItem } from '../../ui/menu-parts.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { LabelChips } from './label-chip.tsx'
import { DeletePromptDialog, DeleteVersionDialog, DescribePromptDialog } from './prompt-dialogs.tsx'
import { useMayMove } from './use-may-move.ts'
import type { PromptPageState } from './use-prompt-page.ts'

interface PromptHeaderProps {
  promptKey: PromptKey
  prompt: Prompt
  state: PromptPageState
  /** Why the user changes nothing; undefined for editors. */
  notEditable: string | undefined
  traces: number | undefined
  onDeleted: () => Promise<void>
}

/** The name of a prompt, what its labels point to, and what can be done with the version that is shown. */
export function PromptHeader({ promptKey, prompt, state, notEditable, traces, onDeleted }: PromptHeaderProps) {
  const { applicationId, componentId, promptId } = promptKey
  const navigate = useNavigate()
  const [open, setOpen] = useState<'describe' | 'delete' | 'delete version'>()
  const { number, isDraft, labels, liveNumber } = state
  const close = () => setOpen(undefined)
  const playground = pagePaths.promptPlayground(applicationId, componentId, promptId)
  const path = pagePaths.promptDeploy(applicationId, componentId, promptId, 'production')
  const mayMove = useMayMove(labels.data?.data, 'production')
  const whyNotDeploy =
    number === undefined
      ? 'Save a version first.'
      : number === liveNumber && !isDraft
        ? `v${number} is live already.`
        : undefined
  const version = isDraft ? state.newest : number
  const deploy = () => void navigate({ to: path, search: { version } })
  const improve = () =>
    void navigate({ to: pagePaths.newExperiment(applicationId, componentId), search: { prompt: promptId, version } })
  const shownInPlayground = isDraft ? 'draft' : version === undefined ? undefined : String(version)
  const tryOnItems = () =>
    void navigate({ to: playground, search: { versions: shownInPlayground, rows: 'items', pick: 'first' } })
  useShortcut('openPlayground', () => void navigate({ to: playground }))
  useShortcut('deployVersion', whyNotDeploy === undefined ? deploy : undefined)
  return (
    <>
      <PageHeader
        title={prompt.name}
        within="Prompts"
        beside={
          <span className="flex min-h-6 min-w-0 flex-wrap items-center gap-1.5">
            <LabelChips
              labels={labels.data?.data ?? []}
              pathOf={(label) => pagePaths.promptDeploy(applicationId, componentId, promptId, label)}
              shown={version}
            />
            {labels.data?.data.length === 0 && <span className="text-data text-faint">not served</span>}
          </span>
        }
        text={
          <>
            {prompt.description}
            {/* Its line is there before the number. On a phone it is always a line of its own. */}
            <span className="text-faint max-sm:block">
              {prompt.description && <span className="max-sm:hidden"> · </span>}
              {traces === undefined ? '\u00a0' : `${countOf(traces, 'trace')} in 30 days`}
            </span>
          </>
        }
        actions={
          <>
            <Link to={playground} className={`${buttonClass()} max-sm:flex-auto`}>
              <FlaskConical aria-hidden className="size-4" />
              Try
              <ShortcutKeys id="openPlayground" />
            </Link>
            {version !== undefined && notEditable === undefined && (
              <Link
                to={pagePaths.newTrial(applicationId, componentId)}
                search={{ prompt: promptId, version: [...new Set([liveNumber ?? version, version])].join(',') }}
                className={`${buttonClass()} max-sm:flex-auto`}
              >
                <TestTubes aria-hidden className="size-4" />
                <span className="max-sm:hidden">Start a trial</span>
                <span className="sm:hidden">Trial</span>
              </Link>
            )}
            {version !== undefined && notEditable === undefined && (
              <Link
                to={pagePaths.newExperiment(applicationId, componentId)}
                search={{ prompt: promptId, version }}
                className={`${buttonClass()} max-sm:hidden`}
              >
                <Wand aria-hidden className="size-4" />
                Improve…
              </Link>
            )}
            <Button look="primary" disabledReason={whyNotDeploy} onClick={deploy} className="max-sm:flex-auto">
              <Rocket aria-hidden className="size-4 shrink-0" />
              {!mayMove ? 'Ask an admin…' : version === undefined ? 'Deploy…' : `Deploy v${version}…`}
              <ShortcutKeys id="deployVersion" />
            </Button>
          </>
        }
        menu={
          <Menu
            trigger={
              <Button look="quiet" size="icon" aria-label="More about this prompt">
                <EllipsisVertical aria-hidden className="size-4" />
              </Button>
            }
          >
            {(labels.data?.data ?? [])
              .filter(({ change }) => change > 0)
              .map(({ name }) => (
                <MenuItem
                  key={name}
                  className={disableableItemClass}
                  disabled={notEditable !== undefined}
                  onSelect={() => state.change({ rollback: name })}
                >
                  <Undo2 aria-hidden className="size-4 text-faint" />
                  Roll back {name}…
                </MenuItem>
              ))}
            <MenuItem className={disableableItemClass} onSelect={tryOnItems}>
              <Database aria-hidden className="size-4 text-faint" />
              Try on 3 items
            </MenuItem>
            <MenuItem
              className={`${disableableItemClass} sm:hidden`}
              disabled={notEditable !== undefined || version === undefined}
              onSelect={improve}
            >
              <Wand aria-hidden className="size-4 text-faint" />
              Improve…
            </MenuItem>
            <CopyIdItem title="Copy prompt id" id={prompt.id} />
            <MenuItem
              className={disableableItemClass}
              disabled={notEditable !== undefined}
              onSelect={() => setOpen('describe')}
            >
              <PencilLine aria-hidden className="size-4 text-faint" />
              Change the description
            </MenuItem>
            {!isDraft && number !== undefined && (
              <DeleteItem
                title={`Delete v${number}`}
                isDisabled={notEditable !== undefined}
                onSelect={() => setOpen('delete version')}
              />
            )}
            <DeleteItem
              title="Delete prompt"
              isDisabled={notEditable !== undefined}
              onSelect={() => setOpen('delete')}
            />
            <MenuNote text={notEditable} />
          </Menu>
        }
      />
      {open === 'describe' && <DescribePromptDialog promptKey={promptKey} prompt={prompt} onClose={close} />}
      {open === 'delete' && (
        <DeletePromptDialog promptKey={promptKey} prompt={prompt} onDeleted={onDeleted} onClose={close} />
      )}
      {open === 'delete version' && number !== undefined && (
        <DeleteVersionDialog
          promptKey={promptKey}
          number={number}
          onDeleted={async () => {
            close()
            await navigate({ to: state.path, replace: true })
          }}
          onClose={close}
        />
      )}
    </>
  )
}
