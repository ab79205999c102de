import { MoreHorizontal } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Menu, menuItemClass } from '../ui/menu.tsx'
import { MenuItem } from '../ui/menu-parts.tsx'
import { SelectField } from '../ui/select-field.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { TextAreaField } from '../ui/text-area-field.tsx'
import { TextField } from '../ui/text-field.tsx'
import { showToast, showUndoToast } from '../ui/toast-store.ts'
import { KitSection, Specimen } from './kit-section.tsx'

export function ControlsKit() {
  const [tab, setTab] = useState('cases')
  const [isChecked, setIsChecked] = useState(true)
  return (
    <KitSection title="Controls">
      <div className="grid max-w-3xl gap-4 sm:grid-cols-2">
        <TextField label="Name" hint="As your code names it." defaultValue="support-agent" />
        <SelectField label="Role" defaultValue="editor">
          <option value="editor">Editor</option>
          <option value="viewer">Viewer</option>
        </SelectField>
        <TextAreaField label="Comment" isOptional />
        <TextField label="Read only" readOnly value="cannot be changed" />
      </div>
      <Specimen name="Checkbox">
        <Checkbox aria-label="On" state={isChecked ? 'on' : 'off'} onChange={() => setIsChecked(!isChecked)} />
        <Checkbox aria-label="Off" state="off" onChange={() => undefined} />
        <Checkbox aria-label="Some" state="mixed" onChange={() => undefined} />
      </Specimen>
      <Specimen name="Menu, dialogs, toasts">
        <Menu
          align="start"
          trigger={
            <Button size="icon" aria-label="More">
              <MoreHorizontal aria-hidden className="size-4" />
            </Button>
          }
        >
          <MenuItem className={menuItemClass}>Rename</MenuItem>
          <MenuItem className={menuItemClass}>Delete…</MenuItem>
        </Menu>
        <ConfirmTyped />
        <Button onClick={() => showUndoToast('Rated wrong.', () => undefined)}>Toast with undo</Button>
        <Button onClick={() => showToast({ tone: 'danger', message: 'The server is busy.', requestId: '01890000' })}>
          Toast of an error
        </Button>
      </Specimen>
      <Tabs
        label="Run"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'cases', title: 'Cases', count: '198', panel: 'Cases of the run.' },
          { value: 'ratings', title: 'Ratings', count: '144', panel: 'Ratings of the run.' },
          { value: 'agreement', title: 'Agreement', panel: 'Agreement of the raters.' },
        ]}
      />
    </KitSection>
  )
}

function ConfirmTyped() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Confirm by typing</Button>
      {isOpen && (
        <ConfirmDialog
          title="Delete Support agent?"
          confirmLabel="Delete component"
          typedName="Support agent"
          isBusy={false}
          onConfirm={() => setIsOpen(false)}
          onClose={() => setIsOpen(false)}
        >
          4 datasets, 32 runs and 6,214 traces are deleted with it. This cannot be undone.
        </ConfirmDialog>
      )}
    </>
  )
}
