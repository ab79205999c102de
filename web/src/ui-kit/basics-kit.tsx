import { Plus, Trash2 } from 'lucide-react'
import { Avatar } from '../ui/avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Cost, Count, Duration } from '../ui/quantities.tsx'
import { SaveState } from '../ui/save-state.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { KitSection, Specimen } from './kit-section.tsx'

export function BasicsKit() {
  return (
    <KitSection title="Basics">
      <Specimen name="Button">
        <Button look="primary">
          <Plus aria-hidden className="size-4" />
          New component
        </Button>
        <Button>Compare</Button>
        <Button look="quiet">Cancel</Button>
        <Button look="danger">Delete</Button>
        <Button size="small">Small</Button>
        <Button isBusy>Saving</Button>
        <Button disabledReason="Viewers cannot change components.">Disabled with a reason</Button>
        <IconButton label="Delete">
          <Trash2 aria-hidden className="size-4" />
        </IconButton>
      </Specimen>
      <Specimen name="Badge, StatusBadge">
        <Badge>low</Badge>
        <Badge tone="gold">12</Badge>
        <Badge tone="good">pass</Badge>
        <Badge tone="info">info</Badge>
        <Badge tone="warn">medium</Badge>
        <Badge tone="danger">high</Badge>
        <StatusBadge status="pending" />
        <StatusBadge status="running" />
        <StatusBadge status="completed" />
        <StatusBadge status="completed" failedCount={50} />
        <StatusBadge status="failed" />
        <StatusBadge status="canceled" />
        <StatusBadge status="a status of tomorrow" />
      </Specimen>
      <Specimen name="Avatar">
        <span className="inline-flex items-center gap-2 text-data">
          <Avatar name="Ben Okafor" />
          Ben Okafor
        </span>
        <span className="inline-flex items-center gap-2 text-data">
          <Avatar name="Mei-Ling Chou" size="normal" />
          Mei-Ling Chou
        </span>
      </Specimen>
      <Specimen name="Duration, Cost, Count: unknown is never 0">
        <Duration ms={4.2} />
        <Duration ms={412} />
        <Duration ms={3420} />
        <Duration ms={192_000} />
        <Duration ms={7_560_000} />
        <Duration ms={undefined} />
        <Cost dollars={0.0094} />
        <Cost dollars={74.92} />
        <Cost dollars={0.00001} />
        <Cost dollars={0} />
        <Cost dollars={null} />
        <Count value={41_208} />
      </Specimen>
      <Specimen name="SaveState">
        <SaveState state="saved" />
        <SaveState state="unsaved" />
        <SaveState state="saving" />
        <SaveState state="offline" waitingText="3 ratings are kept on this device" />
        <SaveState state="failed" onRetry={() => undefined} />
      </Specimen>
    </KitSection>
  )
}
