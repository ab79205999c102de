import { createWordDiff, type Hunk } from './diff-words.ts'
import { namesIn, type TemplateMessage } from './template.ts'
import type { VersionContent } from './version-content.ts'

type MessageDiff = {
  change: 'same' | 'changed' | 'removed' | 'added'
  from: number | null
  to: number | null
  before: TemplateMessage | null
  after: TemplateMessage | null
  hunks: Hunk[]
}

/** What differs between two versions of a prompt, message by message. Runs in slices. */
export function* diffVersions(before: VersionContent, after: VersionContent) {
  const [old, now] = [namesIn(before.messages), namesIn(after.messages)]
  return {
    messages: yield* diffMessages(before.messages, after.messages),
    parameters: diffParameters(before, after),
    variables: addedAndRemoved(old.variables, now.variables),
    placeholders: addedAndRemoved(old.placeholders, now.placeholders),
  }
}

/** Equal messages are matched first; those between them one by one, as far as they have the same role. */
function* diffMessages(
  before: readonly TemplateMessage[],
  after: readonly TemplateMessage[],
): Generator<void, MessageDiff[]> {
  const diffWords = createWordDiff()
  const diffs: MessageDiff[] = []
  const removed = (from: number) =>
    diffs.push({ change: 'removed', from, to: null, before: before[from] ?? null, after: null, hunks: [] })
  const added = (to: number) =>
    diffs.push({ change: 'added', from: null, to, before: null, after: after[to] ?? null, hunks: [] })
  let [x, y] = [0, 0]
  for (const [nextX, nextY] of [...matchEqual(before, after), [before.length, after.length] as const]) {
    while (x < nextX || y < nextY) {
      const [old, now] = [before[x], after[y]]
      if (x < nextX && y < nextY && old && now && isSameRole(old, now)) {
        const hunks = yield* diffWords(textOf(old), textOf(now))
        diffs.push({ change: 'changed', from: x, to: y, before: old, after: now, hunks })
        x += 1
        y += 1
      } else if (x < nextX && (nextX - x >= nextY - y || y === nextY)) {
        removed(x)
        x += 1
      } else {
        added(y)
        y += 1
      }
    }
    const [old, now] = [before[x], after[y]]
    if (old && now) diffs.push({ change: 'same', from: x, to: y, before: old, after: now, hunks: [] })
    x += 1
    y += 1
  }
  return diffs
}

/** The positions of a longest common subsequence of equal messages; both lists are short. */
function matchEqual(before: readonly TemplateMessage[], after: readonly TemplateMessage[]): [number, number][] {
  const [old, now] = [before, after].map((messages) => messages.map((message) => JSON.stringify(message)))
  const [a, b] = [old ?? [], now ?? []]
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  const lengthAt = (x: number, y: number) => lengths[x * width + y] ?? 0
  for (let x = a.length - 1; x >= 0; x -= 1)
    for (let y = b.length - 1; y >= 0; y -= 1)
      lengths[x * width + y] =
        a[x] === b[y] ? lengthAt(x + 1, y + 1) + 1 : Math.max(lengthAt(x + 1, y), lengthAt(x, y + 1))
  const pairs: [number, number][] = []
  let [x, y] = [0, 0]
  while (x < a.length && y < b.length) {
    if (a[x] === b[y]) {
      pairs.push([x, y])
      x += 1
      y += 1
    } else if (lengthAt(x + 1, y) >= lengthAt(x, y + 1)) x += 1
    else y += 1
  }
  return pairs
}

function isSameRole(one: TemplateMessage, other: TemplateMessage): boolean {
  return 'role' in one && 'role' in other && one.role === other.role
}

function textOf(message: TemplateMessage): string {
  return 'content' in message ? message.content : ''
}

function diffParameters(before: VersionContent, after: VersionContent) {
  const [old, now] = [before, after].map(
    ({ provider, model, responseFormat, tools, parameters }) =>
      new Map<string, unknown>([
        ...Object.entries({ provider, model, responseFormat, tools }),
        ...Object.entries(parameters).map(([name, value]) => [`parameters.${name}`, value] as const),
      ]),
  )
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])
  return [...names]
    .map((name) => ({ name, before: old?.get(name) ?? null, after: now?.get(name) ?? null }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after))
}

function addedAndRemoved(before: readonly string[], after: readonly string[]) {
  // Sets: a version may have tens of thousands of names.
  const [old, now] = [new Set(before), new Set(after)]
  return {
    added: after.filter((name) => !old.has(name)),
    removed: before.filter((name) => !now.has(name)),
  }
}
