/** Names that Windows reserves for devices, also with an extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i

export interface PromptFileName {
  /** The folders and the name of the file; empty if the name would lead out of its folder. */
  parts: string[]
  /** Why it is not simply the name of the prompt. */
  reason: string | undefined
}

/**
 * The files of all prompts of a component, by their names. Names of prompts differ by case, those of files do not on macOS and Windows: there,
 * one prompt would replace the other. The oldest one has its name, the others get a number. No name of a prompt contains `~`, so that a
 * changed name is never that of another prompt; which prompt is in a file, its front matter says.
 */
export function promptFileNames(prompts: readonly { id: string; name: string }[]): Map<string, PromptFileName> {
  const files = new Map<string, PromptFileName>()
  const taken = new Map<string, string>()
  // Ids begin with the time at which the prompt was created.
  const oldestFirst = [...prompts].sort((a, b) => (a.id < b.id ? -1 : 1))
  for (const { name } of oldestFirst) {
    const file = allowedName(name)
    const [other] = collisions(file.parts, taken)
    let number = 1
    let { parts } = file
    while (parts.length > 0 && collisions(parts, taken).length > 0) {
      number += 1
      const candidates = numbered(file.parts, number)
      parts = candidates.find((one) => collisions(one, taken).length === 0) ?? parts
    }
    if (parts.length > 0) taken.set(keyOf(parts), name)
    files.set(name, { parts, reason: other === undefined ? file.reason : `its file would be that of ${other}` })
  }
  return files
}

function allowedName(name: string): PromptFileName {
  const parts = name.split('/')
  if (parts.some((part) => part === '' || /^\.+$/.test(part))) return { parts: [], reason: undefined }
  const allowed = parts.map((part, place) => {
    const free = RESERVED.test(part) ? part.replace(/^[^.]+/, '$&~') : part
    // Windows removes a dot at the end of the name of a folder.
    return place < parts.length - 1 && free.endsWith('.') ? `${free}~` : free
  })
  const found = parts.find((part, place) => part !== allowed[place])
  return {
    parts: allowed.with(-1, `${allowed.at(-1)}.md`),
    reason: found === undefined ? undefined : `Windows has no file named ${found}`,
  }
}

/** The prompts whose file has this path, or is a folder of it, or the other way round: "a.md/b" needs a folder named as the file of "a". */
function collisions(parts: readonly string[], taken: ReadonlyMap<string, string>): string[] {
  const key = keyOf(parts)
  return [...taken].flatMap(([other, name]) =>
    other === key || other.startsWith(`${key}/`) || key.startsWith(`${other}/`) ? [name] : [],
  )
}

function keyOf(parts: readonly string[]): string {
  return parts.join('/').toLowerCase()
}

/** The number is in the name of the file, or in that of a folder if it is the folder that there cannot be. */
function numbered(parts: readonly string[], number: number): string[][] {
  const last = parts.length - 1
  return parts
    .map((part, place) =>
      parts.with(place, place === last ? part.replace(/\.md$/, `~${number}.md`) : `${part}~${number}`),
    )
    .reverse()
}
