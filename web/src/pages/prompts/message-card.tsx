import { ArrowDown, ArrowUp, EllipsisVertical, ListPlus, TriangleAlert, X } from 'lucide-react'
import type { PromptMessage } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { disableableItemClass } from '../../ui/menu-items.tsx'
import { MenuItem } from '../../ui/menu-parts.tsx'
import { messageRoles } from './prompt-draft.ts'
import { TemplateEditor } from './template-editor.tsx'
import { brokenVariables, NAME_PATTERN } from './template-text.tsx'

interface MessageCardProps {
  message: PromptMessage
  /** From 1. */
  number: number
  count: number
  isReadOnly: boolean
  onChange: (message: PromptMessage) => void
  onMove: (by: -1 | 1) => void
  onRemove: () => void
}

/** A message of a prompt, or the place of earlier messages. */
export function MessageCard(props: MessageCardProps) {
  const { message, number, isReadOnly, onChange } = props
  if ('placeholder' in message) {
    return (
      <li className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-card border border-dashed border-edge/60 px-4 py-1.5 text-data">
        <ListPlus aria-hidden className="size-4 text-faint" />
        <span className="font-medium">Placeholder</span>
        {isReadOnly ? (
          <span className={nameClass}>{message.placeholder}</span>
        ) : (
          <input
            aria-label={`Name of placeholder ${number}`}
            value={message.placeholder}
            pattern={NAME_PATTERN}
            required
            spellCheck={false}
            onChange={(event) => onChange({ placeholder: event.target.value })}
            className={`${nameClass} w-32 invalid:outline-2 invalid:outline-danger touch:min-h-11`}
          />
        )}
        <span className="text-meta text-faint">earlier messages are inserted here</span>
        {!isReadOnly && <MessageMenu {...props} />}
      </li>
    )
  }
  const broken = brokenVariables(message.content)
  return (
    <li className="rounded-card border border-line bg-surface shadow-lift">
      <div className="flex items-center gap-2 pt-1.5 pr-4 pl-2.5">
        {isReadOnly ? (
          <span className="px-1.5 py-1 text-data font-semibold">{titleOf(message.role)}</span>
        ) : (
          <select
            aria-label={`Role of message ${number}`}
            value={message.role}
            onChange={(event) => {
              const role = messageRoles.find((known) => known === event.target.value)
              if (role) onChange({ ...message, role })
            }}
            className="min-h-7 cursor-pointer rounded-control bg-transparent px-0.5 text-data font-semibold hover:bg-hover touch:min-h-11"
          >
            {messageRoles.map((role) => (
              <option key={role} value={role}>
                {titleOf(role)}
              </option>
            ))}
          </select>
        )}
        {!isReadOnly && <MessageMenu {...props} />}
      </div>
      <TemplateEditor
        label={`Text of message ${number}, ${message.role}`}
        text={message.content}
        isReadOnly={isReadOnly}
        onChange={(content) => onChange({ ...message, content })}
      />
      {broken.length > 0 && (
        <p className="flex items-start gap-1.5 border-t border-line px-4 py-2 text-meta text-warn">
          <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
          <span className="wrap-anywhere">
            <bdi className="font-mono">{broken[0]}</bdi> is sent as text: a variable is a name of letters, digits and _
            between {'{{ and }}'}.
          </span>
        </p>
      )}
    </li>
  )
}

const nameClass = 'rounded-[4px] bg-info-wash px-1.5 font-mono text-code font-medium text-info'

function MessageMenu({ number, count, onMove, onRemove }: MessageCardProps) {
  return (
    <span className="ml-auto">
      <Menu
        trigger={
          <Button look="quiet" size="small-icon" aria-label={`More about message ${number}`}>
            <EllipsisVertical aria-hidden className="size-4" />
          </Button>
        }
      >
        <MenuItem className={disableableItemClass} disabled={number === 1} onSelect={() => onMove(-1)}>
          <ArrowUp aria-hidden className="size-4 text-faint" />
          Move up
        </MenuItem>
        <MenuItem className={disableableItemClass} disabled={number === count} onSelect={() => onMove(1)}>
          <ArrowDown aria-hidden className="size-4 text-faint" />
          Move down
        </MenuItem>
        <MenuItem className={disableableItemClass} disabled={count === 1} onSelect={onRemove}>
          <X aria-hidden className="size-4 text-faint" />
          Remove
        </MenuItem>
      </Menu>
    </span>
  )
}

export function titleOf(role: string): string {
  return `${role.charAt(0).toUpperCase()}${role.slice(1)}`
}
