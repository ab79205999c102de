import { badRequest } from '../base/errors.ts'
import { noVersion } from '../prompts/save-version.ts'
import { hashContent, prepareContent, type VersionContent } from '../prompts/version-content.ts'
import { findVersion, findVersionByHash } from '../prompts/version-queries.ts'
import type { Queries } from '../storage/db.ts'
import type { TryPrompt } from './try-schemas.ts'

type Prompt = { name: string; workspaceId: string; promptId: string }

/** The content of the request, or of the version that it names. */
export async function readContent(
  q: Queries,
  prompt: Prompt,
  { content, version: number }: Pick<TryPrompt, 'content' | 'version'>,
): Promise<VersionContent> {
  if (content !== undefined && number !== undefined)
    throw badRequest('The fields content and version exclude each other; send one of them')
  if (content !== undefined) return JSON.parse(prepareContent(content).text)
  if (number === undefined) throw badRequest('Name a "version" of the prompt, or send "content" that is not saved')
  const version = await findVersion(q, { ...prompt, number })
  if (!version) throw noVersion(prompt, number)
  return version.content
}

/** `name@number` if this is the content of a saved version, also if it was sent. */
export async function savedName(q: Queries, prompt: Prompt, content: VersionContent): Promise<string | undefined> {
  const version = await findVersionByHash(q, { ...prompt, hash: hashContent(content) })
  return version && `${prompt.name}@${version.number}`
}
