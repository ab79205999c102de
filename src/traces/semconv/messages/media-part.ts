import type { MessagePart } from '../../storing/mapped-span.ts'
import type { JsonObject } from '../json/guarded-json.ts'
import { readFrom, unwrap } from '../json/json-cursor.ts'

export const MEDIA_TYPES: ReadonlySet<string> = new Set([
  'image',
  'image_url',
  'input_image',
  'audio',
  'input_audio',
  'output_audio',
  'video',
  'video_url',
  'input_video',
  'file',
  'input_file',
  'document',
  'blob',
  'uri',
  'media',
])

/** The properties in which providers wrap an image, audio or a file. */
export const MEDIA_WRAPPERS = [
  'image_url',
  'image',
  'audio',
  'input_audio',
  'video_url',
  'video',
  'file',
  'document',
  'source',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
  'data',
]

type Media = MessagePart & { type: 'media' }

/** Describes only the form of the data, which is visible from the data. */
const SOURCE_TYPES = ['base64', 'url', 'data']

/** An image, audio or a file of any provider; undefined if it has neither a URL nor content. */
export function asMedia(part: JsonObject): MessagePart | undefined {
  const media = asMediaOfType(part, '')
  return media?.url === null && media.data === null ? undefined : media
}

/** The same for a part with a type of media: it is one even if the sender has removed the content, or only names a file. */
export function asMediaOfType(part: JsonObject, type: string): Media | undefined {
  const flat = unwrap(part, MEDIA_WRAPPERS)
  if (flat === undefined) return undefined
  const cursor = readFrom(flat)
  const sent = cursor.text(
    'url',
    'uri',
    'fileUri',
    'file_uri',
    'file_url',
    'data',
    'base64',
    'bytes',
    'file_data',
    'content',
    ...MEDIA_WRAPPERS,
  )
  const isAddress = sent !== undefined && /^(?:https?|gs|s3|data|file):/i.test(sent)
  const mediaType =
    cursor.text('media_type', 'mime_type', 'mediaType', 'mimeType', 'format') ?? /^data:([^;,]+)/i.exec(sent ?? '')?.[1]
  const { extra } = cursor.rest()
  const { type: sourceType, ...others } = extra ?? {}
  const kept = typeof sourceType === 'string' && SOURCE_TYPES.includes(sourceType) ? others : extra
  return {
    type: 'media',
    mediaType: mediaType ?? kindOfMedia(type, part),
    url: isAddress ? sent : null,
    data: isAddress ? null : (sent ?? null),
    ...(kept && Object.keys(kept).length > 0 ? { extra: kept } : {}),
  }
}

/** `image/*` if the part has a media kind but no format. */
function kindOfMedia(type: string, part: JsonObject): string | null {
  const words = [type, ...Object.keys(part), typeof part.modality === 'string' ? part.modality : '']
  const kind = ['image', 'audio', 'video'].find((candidate) => words.some((word) => word.includes(candidate)))
  return kind === undefined ? null : `${kind}/*`
}
