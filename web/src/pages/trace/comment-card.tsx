import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import type { TraceComment } from '../../api/generated/api.ts'
import { useChangeComment } from '../../api/trace-comments-query.ts'
import type { TraceKey } from '../../api/traces-query.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import { MenuItem } from '../../ui/menu-parts.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { hasRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { CommentForm } from './comment-form.tsx'
import type { OutlineSpan } from './outline-model.ts'
import { useDraft } from './use-draft.ts'

interface CommentCardProps {
  traceKey: TraceKey
  comment: TraceComment
  /** The span that the comment is on, to go there. */
  span: OutlineSpan | undefined
  onSelect: (span: OutlineSpan) => void
  onDelete: () => void
}

export function CommentCard({ traceKey, comment, span, onSelect, onDelete }: CommentCardProps) {
  const draftName = `comment.${comment.id}`
  const [draft] = useDraft(draftName)
  // A change that was begun before a reload goes on.
  const [isEditing, setIsEditing] = useState(draft !== undefined)
  const change = useChangeComment(traceKey, comment.id)
  const me = useMe()
  const isOwn = comment.userId === me.userId
  const name = comment.name ?? 'Deleted account'
  return (
    <li className="flex gap-3 py-3">
      <Avatar name={name} />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2 text-data text-faint">
          <b className="font-semibold text-ink">{isOwn ? `${name} (you)` : name}</b>
          <RelativeTime time={comment.createdAt} />
          {comment.updatedAt !== comment.createdAt && <span>edited</span>}
          {span && (
            <button
              type="button"
              onClick={() => onSelect(span)}
              className="min-h-6 max-w-full truncate rounded-sm underline underline-offset-4 hover:text-ink"
            >
              on {span.name}
            </button>
          )}
        </div>
        {isEditing ? (
          <CommentForm
            label="Change the comment"
            draftName={draftName}
            initialText={comment.text}
            submitLabel="Save"
            isBusy={change.isPending}
            error={change.error}
            onSubmit={(text, onSaved) =>
              change.mutate(
                { text },
                {
                  onSuccess: () => {
                    onSaved()
                    setIsEditing(false)
                  },
                },
              )
            }
            onCancel={() => setIsEditing(false)}
          />
        ) : (
          <p className="break-words whitespace-pre-wrap">{comment.text}</p>
        )}
      </div>
      {(isOwn || hasRole(me.role, 'admin')) && !isEditing && (
        <CommentMenu name={name} onEdit={isOwn ? () => setIsEditing(true) : undefined} onDelete={onDelete} />
      )}
    </li>
  )
}

interface CommentMenuProps {
  name: string
  /** Undefined if the comment is of someone else. */
  onEdit: (() => void) | undefined
  onDelete: () => void
}

function CommentMenu({ name, onEdit, onDelete }: CommentMenuProps) {
  return (
    // As high as the first line.
    <span className="-my-1.5 shrink-0">
      <Menu
        trigger={
          <Button look="quiet" size="icon" aria-label={`More for the comment of ${name}`}>
            <Ellipsis aria-hidden className="size-4" />
          </Button>
        }
      >
        {onEdit && (
          <MenuItem className={menuItemClass} onSelect={onEdit}>
            Edit
          </MenuItem>
        )}
        <MenuItem className={menuItemClass} onSelect={onDelete}>
          Delete
        </MenuItem>
      </Menu>
    </span>
  )
}
