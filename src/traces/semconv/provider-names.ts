/** The names of the GenAI convention, with their aliases. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  openai: [],
  anthropic: [],
  cohere: [],
  deepseek: [],
  groq: [],
  perplexity: [],
  'aws.bedrock': ['amazon-bedrock', 'amazon_bedrock', 'bedrock', 'aws', 'aws_bedrock'],
  'azure.ai.openai': ['az.ai.openai', 'azure', 'azure-openai', 'azure_openai', 'azureopenai'],
  'azure.ai.inference': ['az.ai.inference'],
  'gcp.gemini': ['gemini', 'google', 'google.generative-ai', 'google_genai'],
  'gcp.gen_ai': ['gcp.genai'],
  'gcp.vertex_ai': ['vertex_ai', 'vertexai', 'google.vertex', 'google-vertex', 'google_vertexai', 'gcp.vertex.agent'],
  'ibm.watsonx.ai': ['watsonx', 'watsonx.ai'],
  mistral_ai: ['mistral', 'mistralai'],
  moonshot_ai: ['moonshot', 'moonshotai'],
  x_ai: ['xai'],
}

const names = new Map(
  Object.entries(ALIASES).flatMap(([name, aliases]) => [name, ...aliases].map((alias) => [alias, name])),
)

/** The Vercel AI SDK appends the kind of model after a dot: `openai.chat`, `google.vertex.chat`. */
const MODEL_KIND =
  /\.(?:chat|completions?|responses|messages|embeddings?|text-?embedding|image|speech|transcription|reranking|rerank)$/i

/** Normalizes the name of a provider. Unknown names stay unchanged. */
export function normalizeProvider(provider: string): string {
  const known = names.get(provider)
  if (known !== undefined) return known
  const withoutKind = provider.replace(MODEL_KIND, '')
  return names.get(withoutKind.toLowerCase()) ?? withoutKind
}
