import { useQuery } from '@tanstack/react-query'
import { ArrowDownUp, Keyboard, MoreHorizontal, SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import type { AnnotationPolicy, QueueBatch } from '../../api/generated/api.ts'
import type { ChosenOrder } from '../../api/queue-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { annotationPolicyQuery } from '../../api/run-query.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { runShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import { MenuItem, MenuLabel, MenuSeparator } from '../../ui/menu-parts.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { PolicyDialog } from './policy-dialog.tsx'

interface PolicyMenuProps {
  run: RunKey
  order: QueueBatch['order'] | undefined
  onChange: () => void
  onOrder: (order: ChosenOrder) => void
}

/** How the run is rated, for everyone to read and for editors to change. */
export function PolicyMenu({ run, order, onChange, onOrder }: PolicyMenuProps) {
  const { data: policy } = useQuery(annotationPolicyQuery(run))
  const [isEditing, setIsEditing] = useState(false)
  const reason = missingRole(useMe(), 'editor', 'Changing the rules')
  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" size="icon" aria-label="Rules of this run">
            <MoreHorizontal aria-hidden className="size-4" />
          </Button>
        }
      >
        <MenuLabel className="max-w-72 px-2.5 py-1.5 text-data">
          <span className="block font-medium">How this run is rated</span>
          {policy ? (
            describePolicy(policy, order).map((line) => (
              <span key={line} className="mt-1 block text-soft">
                {line}
              </span>
            ))
          ) : (
            <span className="text-soft">Loading…</span>
          )}
        </MenuLabel>
        <MenuSeparator className="my-1.5 border-t border-line" />
        <MenuItem
          className={`${menuItemClass} aria-disabled:text-faint`}
          disabled={reason !== undefined}
          onSelect={() => setIsEditing(true)}
        >
          <SlidersHorizontal aria-hidden className="size-4 shrink-0 text-faint" />
          <span>
            Change the rules…
            {reason && <span className="block max-w-60 text-meta text-faint">{reason}</span>}
          </span>
        </MenuItem>
        <MenuItem
          className={menuItemClass}
          onSelect={() => onOrder(order === 'information' ? undefined : 'information')}
        >
          <ArrowDownUp aria-hidden className="size-4 shrink-0 text-faint" />
          <span>
            {order === 'information' ? 'Offer traces at random' : 'Offer the most informative traces first'}
            <span className="block max-w-60 text-meta text-faint">
              {order === 'information' ? 'A random sample corrects the judge.' : NOT_A_SAMPLE}
            </span>
          </span>
        </MenuItem>
        <MenuItem className={menuItemClass} onSelect={() => runShortcut('help')}>
          <Keyboard aria-hidden className="size-4 text-faint" />
          <span className="flex-1">Keyboard shortcuts</span>
          <ShortcutKeys id="help" />
        </MenuItem>
      </Menu>
      {isEditing && policy && (
        <PolicyDialog
          run={run}
          policy={policy}
          onSaved={() => {
            setIsEditing(false)
            onChange()
          }}
          onClose={() => setIsEditing(false)}
        />
      )}
    </>
  )
}

const NOT_A_SAMPLE = 'Ratings that are chosen this way do not correct the judge.'

function describePolicy({ ratersPerItem, blind, ratings }: AnnotationPolicy, order: QueueBatch['order'] | undefined) {
  const raters = ratersPerItem === 1 ? 'one person' : `${ratersPerItem} people`
  return [
    ratersPerItem === null ? 'Any number of people may rate a trace.' : `Each trace is rated by ${raters}.`,
    blind
      ? 'Blind: you see what others said about a trace after you have rated it.'
      : 'Not blind: ratings of others are visible on the pages of the traces.',
    ...(ratings === null ? [] : [`Allowed: ${ratings.join(', ')}.`]),
    ...(order === 'information'
      ? ['Traces on which people and evaluators differ come first.', NOT_A_SAMPLE]
      : ['Traces with the fewest ratings come first, otherwise in random order.']),
  ]
}
