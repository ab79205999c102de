/**
 * Whether the server drew which answer was shown on the left: 1 or 0. A running older server writes none, which means 0, as
 * for preferences from before.
 */
export function drawnSides(): string[] {
  return ['alter table comparison_preferences add column is_side_drawn integer not null default 0']
}
