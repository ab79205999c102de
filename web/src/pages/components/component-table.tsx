import { Link } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import type { Component } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { IdLabel } from '../../ui/id-label.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Column, Table } from '../../ui/table.tsx'

interface ComponentTableProps {
  applicationId: string
  components: Component[]
  disabledReason: string | undefined
  onDelete: (component: Component) => void
}

export function ComponentTable({ applicationId, components, disabledReason, onDelete }: ComponentTableProps) {
  const columns: Column<Component>[] = [
    {
      title: 'Name',
      isRowHeader: true,
      cell: ({ id, name, description }) => (
        <>
          <Link
            to={pagePaths.component(applicationId, id)}
            className="touch-link rounded-sm font-medium underline-offset-4 hover:underline"
          >
            {name}
          </Link>
          {description && <span className="line-clamp-1 max-w-md text-data text-soft">{description}</span>}
        </>
      ),
    },
    { title: 'Id', cell: ({ id }) => <IdLabel id={id} label="Copy component id" /> },
    {
      title: 'Created',
      cell: ({ createdAt }) => (
        <span className="text-data text-soft">
          <RelativeTime time={createdAt} />
        </span>
      ),
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      align: 'right',
      cell: (component) => (
        <IconButton
          label={`Delete ${component.name}`}
          disabledReason={disabledReason}
          onClick={() => onDelete(component)}
          className="hover:text-danger"
        >
          <Trash2 aria-hidden className="size-4" />
        </IconButton>
      ),
    },
  ]
  return <Table caption="Components" columns={columns} rows={components} rowKey={({ id }) => id} />
}
