import type { NewPromptContent, PromptContent } from '../generated/api.ts'
import { renderMessages, type TextMessage } from './render-messages.ts'

export interface LoadedPrompt {
  name: string
  label: string
  /** The number of the version; undefined for a fallback. */
  version: number | undefined
  /** Where the content comes from; `disk` until the server has responded for the first time. */
  source: 'network' | 'memory' | 'disk' | 'fallback'
  /** The server could not be asked whether the label has moved. */
  isStale: boolean
  /** The messages as they were written, the model and its parameters. */
  content: PromptContent
  /** For the span of the call. The active span of `init` or `observe` has them already. */
  attributes: Record<string, string>
  /** The messages with these texts for variables, and lists of messages for placeholders. An error names all that are missing. */
  render(variables?: Record<string, string | readonly TextMessage[]>): TextMessage[]
}

type Loaded = Pick<LoadedPrompt, 'name' | 'label' | 'source'> & {
  content: NewPromptContent
  version?: number
  isStale?: boolean
}

export function loadedPrompt({ name, label, source, version, content, isStale = false }: Loaded): LoadedPrompt {
  const defaults = { provider: null, model: null, parameters: {}, tools: [], responseFormat: null }
  return {
    name,
    label,
    version,
    source,
    isStale,
    content: { ...defaults, ...content },
    attributes: {
      'touchstone.prompt': version === undefined ? name : `${name}@${version}`,
      'touchstone.prompt.label': label,
      'touchstone.prompt.source': source,
    },
    render: (variables = {}) => renderMessages(content.messages, variables),
  }
}
