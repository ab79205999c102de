import { useNavigate } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { pagePaths, type SettingsSection } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useApplication, useApplicationId } from '../shell/use-application.ts'
import { settingsSections } from './settings-sections.ts'

interface SettingsHeadProps {
  section: SettingsSection
  text: string
  /** The button that adds something, by the dialog of `?new=true`. */
  action?: { label: string; icon: LucideIcon; disabledReason?: string | undefined }
}

/** The head of a settings page: the name of its section, its purpose, and the button that adds to it. */
export function SettingsHead({ section, text, action }: SettingsHeadProps) {
  const applicationId = useApplicationId()
  const navigate = useNavigate()
  return (
    <PageHeader
      title={settingsSections.find((known) => known.section === section)?.title ?? ''}
      within={useApplication()?.name ?? ''}
      text={text}
      actions={
        action && (
          <Button
            look="primary"
            disabledReason={action.disabledReason}
            onClick={() => void navigate({ to: pagePaths.settings(applicationId, section), search: { new: true } })}
          >
            <action.icon aria-hidden className="size-4" />
            {action.label}
          </Button>
        )
      }
    />
  )
}
