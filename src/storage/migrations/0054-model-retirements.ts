/** When the provider of a connection ends its models. Adds a column only: a running older server ignores it, and it stays as it is. */
export function modelRetirements(): string[] {
  return ['alter table model_connections add column retirements text']
}
