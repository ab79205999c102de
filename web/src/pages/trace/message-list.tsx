import type { Message } from '../../api/generated/api.ts'
import { readPart } from './message-part.ts'
import { PartView } from './part-view.tsx'

/** Instructions are the same in every trace, so only their beginning is shown. */
const SYSTEM_SHOWN_MAX = 240

interface MessageListProps {
  messages: Message[]
  look: 'rendered' | 'raw'
}

/** A conversation: who spoke at the left, what was said at the right. */
export function MessageList({ messages, look }: MessageListProps) {
  return (
    <ol aria-label="Messages">
      {messages.map((message, index) => (
        <li
          // Messages have no id, and the list of a span never changes its order.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          key={index}
          className="grid grid-cols-[72px_minmax(0,1fr)] gap-3 border-b border-line py-3 max-sm:grid-cols-1 max-sm:gap-1"
        >
          <span className="text-data text-faint first-letter:uppercase">{message.role}</span>
          <div className="flex min-w-0 flex-col gap-3">
            {message.parts.map((part, position) => (
              <PartView
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                key={position}
                part={readPart(part)}
                look={look}
                shownMax={message.role === 'system' ? SYSTEM_SHOWN_MAX : undefined}
              />
            ))}
          </div>
        </li>
      ))}
    </ol>
  )
}
