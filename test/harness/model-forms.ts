/** The forms of requests and answers of each provider, for the model server. */
import type { ProviderKind } from '../../src/llm/chat.ts'

/** What a conversation says, and how the answer is to look. */
export type AskedTexts = { system: string; user: string; format: string | undefined }

type Tokens = { input: number; output: number }

export type ModelForm = {
  /** Of the API, below the address of the server. */
  basePath: string
  /** What a path asks for, without its query. */
  asks(path: string): 'chat' | 'embeddings' | 'models' | undefined
  read(body: Record<string, unknown>): AskedTexts
  answer(text: string, tokens: Tokens, body: Record<string, unknown>): unknown
  /** Undefined if the provider has none. */
  texts?(body: Record<string, unknown>): string[]
  vectors?(vectors: unknown[], tokens: number, body: Record<string, unknown>): unknown
  models(names: readonly string[]): unknown
}

const OPENAI: ModelForm = {
  basePath: '/v1',
  asks: (path) =>
    (({ '/v1/chat/completions': 'chat', '/v1/embeddings': 'embeddings', '/v1/models': 'models' }) as const)[path],
  read(body) {
    const messages: { role: string; content: string }[] = Object(body.messages ?? [])
    const said = (role: string) =>
      messages
        .filter((message) => message.role === role)
        .map(({ content }) => content)
        .join('\n')
    return { system: said('system'), user: said('user'), format: Object(body.response_format ?? {}).type }
  },
  answer: (content, { input, output }, { model }) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  }),
  texts: ({ input }) => [input].flat().map(String),
  vectors(vectors, tokens, { model }) {
    const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
    return { object: 'list', model, data, usage: { prompt_tokens: tokens, total_tokens: tokens } }
  },
  models: (names) => ({ object: 'list', data: names.map((id) => ({ id, object: 'model', owned_by: 'test' })) }),
}

const ANTHROPIC: ModelForm = {
  basePath: '/v1',
  asks: (path) => (({ '/v1/messages': 'chat', '/v1/models': 'models' }) as const)[path],
  read: ({ system, messages, output_config }) => ({
    system: textsIn(system),
    user: contentsOf(messages)
      .map(({ content }) => textsIn(content))
      .join('\n'),
    format: Object(Object(output_config ?? {}).format ?? {}).type,
  }),
  answer: (text, { input, output }, { model }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: output },
  }),
  models: (names) => ({ data: names.map((id) => ({ id, type: 'model', display_name: id })), has_more: false }),
}

const GEMINI: ModelForm = {
  basePath: '/v1beta',
  asks(path) {
    if (path === '/v1beta/models') return 'models'
    const method = /^\/v1beta\/models\/[^/]+:(\w+)$/.exec(path)?.[1]
    return method === 'generateContent' ? 'chat' : method === 'batchEmbedContents' ? 'embeddings' : undefined
  },
  read: ({ systemInstruction, contents, generationConfig }) => ({
    system: textsIn(Object(systemInstruction ?? {}).parts),
    user: contentsOf(contents)
      .map(({ parts }) => textsIn(parts))
      .join('\n'),
    format: Object(generationConfig ?? {}).responseMimeType,
  }),
  answer: (text, { input, output }) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
    modelVersion: 'judge-1',
  }),
  texts: ({ requests }) => contentsOf(requests).map(({ content }) => textsIn(Object(content).parts)),
  vectors: (vectors) => ({ embeddings: vectors.map((values) => ({ values })) }),
  models: (names) => ({
    models: names.map((name) => ({ name: `models/${name}`, supportedGenerationMethods: ['generateContent'] })),
  }),
}

function contentsOf(list: unknown): Record<string, unknown>[] {
  return Object(list ?? [])
}

function textsIn(parts: unknown): string {
  return contentsOf(parts)
    .map(({ text }) => String(text))
    .join('\n')
}

export const MODEL_FORMS: Readonly<Record<ProviderKind, ModelForm>> = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
}
