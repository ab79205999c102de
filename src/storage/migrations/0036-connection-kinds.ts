/**
 * The API of a model connection. Existing ones are OpenAI-compatible. A running older server treats all connections as
 * such: its requests to one of another kind fail.
 */
export function connectionKinds(): string[] {
  return [`alter table model_connections add column kind text not null default 'openai'`]
}
