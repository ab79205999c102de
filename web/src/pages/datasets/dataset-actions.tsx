import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronDown, Download, EllipsisVertical, Plus, TestTubes, Wand } from 'lucide-react'
import { describeError } from '../../api/api-error.ts'
import type { DatasetKey } from '../../api/dataset-items-query.ts'
import { exportItems } from '../../api/item-rows-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import { MenuItem } from '../../ui/menu-parts.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { showToast } from '../../ui/toast-store.ts'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

export type DatasetDialog = 'by-hand' | 'by-query' | 'settings' | 'rename' | 'delete'

interface DatasetActionsProps {
  datasetKey: DatasetKey
  onOpen: (dialog: DatasetDialog) => void
}

export function DatasetActions({ datasetKey, onOpen }: DatasetActionsProps) {
  const { applicationId, componentId, datasetId } = datasetKey
  const notEditable = missingRole(useMe(), 'editor', 'Adding items')
  const navigate = useNavigate()
  const download = useSubmission({
    mutationFn: (format: 'csv' | 'jsonl') => exportItems(datasetKey, format),
    onSuccess: ({ blob, name }) => blob && saveFile(blob, name),
    onError: (error) => showToast({ tone: 'danger', ...describeError(error) }),
  })
  const item = (label: string, onSelect: () => void) => (
    <MenuItem className={menuItemClass} onSelect={onSelect}>
      {label}
    </MenuItem>
  )
  return (
    <>
      <Menu
        trigger={
          <Button isBusy={download.isPending} className="max-sm:flex-1">
            <Download aria-hidden className="size-4" />
            Export
          </Button>
        }
      >
        {item('CSV, for spreadsheets', () => download.mutate('csv'))}
        {item('JSONL, for programs', () => download.mutate('jsonl'))}
      </Menu>
      {notEditable === undefined && (
        <Link
          to={pagePaths.newTrial(applicationId, componentId)}
          search={{ dataset: datasetId }}
          className={`${buttonClass()} max-sm:flex-1`}
        >
          <TestTubes aria-hidden className="size-4" />
          Trial…
        </Link>
      )}
      {notEditable === undefined && (
        <Link
          to={pagePaths.newExperiment(applicationId, componentId)}
          search={{ dataset: datasetId }}
          className={`${buttonClass()} max-sm:flex-1`}
        >
          <Wand aria-hidden className="size-4" />
          Experiment…
        </Link>
      )}
      {notEditable === undefined ? (
        <Menu
          trigger={
            <Button look="primary" className="max-sm:flex-1">
              <Plus aria-hidden className="size-4" />
              Add items
              <ChevronDown aria-hidden className="size-4" />
            </Button>
          }
        >
          {item(
            'Import a file…',
            () => void navigate({ to: pagePaths.datasetImport(applicationId, componentId, datasetId) }),
          )}
          {item('From traces by a query…', () => onOpen('by-query'))}
          {item('By hand…', () => onOpen('by-hand'))}
        </Menu>
      ) : (
        <Button look="primary" disabledReason={notEditable} className="max-sm:flex-1">
          <Plus aria-hidden className="size-4" />
          Add items
        </Button>
      )}
      <Menu
        trigger={
          <Button look="quiet" size="icon" aria-label="More about this dataset">
            <EllipsisVertical aria-hidden className="size-4" />
          </Button>
        }
      >
        {item('Groups, splits and test set…', () => onOpen('settings'))}
        {item(
          'Agreement of raters',
          () => void navigate({ to: pagePaths.datasetAgreement(applicationId, componentId, datasetId) }),
        )}
        {notEditable === undefined && item('Rename…', () => onOpen('rename'))}
        {notEditable === undefined && item('Delete dataset…', () => onOpen('delete'))}
      </Menu>
    </>
  )
}
