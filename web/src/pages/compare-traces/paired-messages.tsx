import { useMemo, useState } from 'react'
import type { Message } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import { TextBlock } from '../trace/text-block.tsx'
import { alignBy, type Pair } from './match-sequences.ts'
import { messageText } from './message-text.ts'
import { PairedTexts } from './paired-texts.tsx'
import type { BothSides } from './sides.tsx'

interface Spoken {
  role: string
  text: string
}

/** A message that differs, or several in a row that do not. */
type Group = { pair: Pair<Spoken> } | { same: Spoken[] }

/** So many groups are shown at first. */
const PAGE = 20

/** Two conversations: equal messages are folded, the others are next to each other with the words that differ. */
export function PairedMessages({ messages }: { messages: BothSides<Message[]> }) {
  const [count, setCount] = useState(PAGE)
  const groups = useMemo(() => groupMessages(messages), [messages])
  return (
    <div className="flex flex-col gap-6">
      {groups.slice(0, count).map((group, index) =>
        'same' in group ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no identity but their position
          <SameMessages key={index} messages={group.same} />
        ) : (
          <PairedTexts
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            key={index}
            title={titleOf(group.pair)}
            level={4}
            texts={{ left: group.pair.left?.text ?? null, right: group.pair.right?.text ?? null }}
            missing="No such message."
          />
        ),
      )}
      {groups.length > count && (
        <Button className="self-start" onClick={() => setCount(count + PAGE)}>
          Show more messages
        </Button>
      )}
    </div>
  )
}

function SameMessages({ messages }: { messages: Spoken[] }) {
  const [isOpen, setIsOpen] = useState(false)
  const roles = [...new Set(messages.map(({ role }) => role))].join(', ')
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="text-data text-soft">
        {countOf(messages.length, 'message')} the same in both: {roles}
      </summary>
      {isOpen &&
        messages.map(({ role, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no identity but their position
          <section key={index} className="mt-3">
            <h4 className="mb-1 text-meta text-soft first-letter:uppercase">{role}</h4>
            <TextBlock text={text} look="rendered" />
          </section>
        ))}
    </details>
  )
}

function titleOf({ left, right }: Pair<Spoken>): string {
  const role = left?.role ?? right?.role ?? ''
  return role.charAt(0).toUpperCase() + role.slice(1)
}

function groupMessages({ left, right }: BothSides<Message[]>): Group[] {
  const [lefts, rights] = [left, right].map((messages) =>
    messages.map((message) => ({ role: message.role, text: messageText(message) })),
  )
  const groups: Group[] = []
  for (const pair of alignBy(lefts ?? [], rights ?? [], [({ role, text }) => `${role} ${text}`, ({ role }) => role])) {
    const last = groups.at(-1)
    if (!pair.left || pair.left.text !== pair.right?.text) groups.push({ pair })
    else if (last && 'same' in last) last.same.push(pair.left)
    else groups.push({ same: [pair.left] })
  }
  return groups
}
